// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche info`: what a wavefunction file is, and whether it is sound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "report.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::tools {
namespace {

using Complex = std::complex<double>;

struct InfoRequest {
  std::string path;
  bool check = false;
};

/// How far the bands of a file are from orthonormal.
struct Soundness {
  double norm = 0;     ///< largest | <n|n> - 1 |
  double overlap = 0;  ///< largest | <m|n> |, m other than n
  std::int64_t coefficients = 0;
  int odd_counts = 0;  ///< k-points whose number of waves is not that of the sphere of the cut-off
};

std::string formula_of(const Crystal& crystal) {
  std::map<std::string, int> counts;
  for (const Atom& atom : crystal.atoms) ++counts[atom.symbol];
  std::string text;
  for (const auto& [symbol, count] : counts) text += symbol + (count > 1 ? std::to_string(count) : "");
  return text;
}

std::string counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// What the crystal is. A file without atoms, such as VASP's, has neither operations nor a grid, and those of the
/// header are assumed.
void add_crystal(Report& report, const OrbitalHeader& h) {
  const Crystal& crystal = h.crystal;
  const bool bare = crystal.atoms.empty();
  const std::string volume = fmt::format("{:.4f} bohr^3", crystal.volume());
  report.add("crystal", formula_of(crystal), "crystal",
             bare ? "a cell of " + volume + "; the file has neither atoms nor symmetry operations"
                  : fmt::format("{}, {} in {}, {}", formula_of(crystal), counted(crystal.atoms.size(), "atom"), volume,
                                counted(crystal.operations.size(), "symmetry operation")));
  report.add("atoms", crystal.atoms.size());
  report.add("cell", crystal.lattice);
  report.add("volume", crystal.volume());
  report.add("symmetries", crystal.operations.size());
}

void add_grid(Report& report, const OrbitalHeader& h) {
  const bool bare = h.crystal.atoms.empty();
  const char* source = bare ? " (not in the file: taken for four times that of the wavefunctions)" : "";
  report.add("cutoff_hartree", h.cutoff, "cut-off", fmt::format("{:g} hartree", h.cutoff));
  report.add("density_cutoff_hartree", h.density_cutoff, "density's cut-off",
             fmt::format("{:g} hartree{}", h.density_cutoff, source));
  report.add("grid", {h.grid.nx, h.grid.ny, h.grid.nz}, "grid",
             fmt::format("{} x {} x {}{}", h.grid.nx, h.grid.ny, h.grid.nz,
                         bare ? " (not in the file: the least that holds it)" : ""));
  nlohmann::ordered_json assumed = nlohmann::ordered_json::array();
  if (bare) assumed = {"symmetries", "density_cutoff_hartree", "grid"};
  report.add("assumed", assumed);
}

const char* name_of(Magnetism magnetism) {
  return magnetism == Magnetism::none ? "none" : magnetism == Magnetism::collinear ? "collinear" : "vector";
}

/// All overlaps of bands at one k-point: each rank sums over its own waves.
void add_kpoint(const Session& session, const WaveFile& file, int spin, int k, Soundness& result) {
  const OrbitalHeader& h = file.header();
  const std::int64_t all = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
  const Range mine = block(all, session.size, session.rank);
  const auto waves = file.waves(spin, k, mine);
  const auto c = file.coefficients(spin, k, {0, h.bands}, mine);
  const auto bands = static_cast<std::size_t>(h.bands);
  const std::size_t length = c.size() / bands;
  std::vector<Complex> sums(bands * bands), total(bands * bands);
  for (std::size_t m = 0; m < bands; ++m) {
    for (std::size_t n = 0; n <= m; ++n) {
      Complex sum{};
      for (std::size_t i = 0; i < length; ++i) {
        const Miller& g = waves[i % waves.size()];
        const Complex product = std::conj(c[m * length + i]) * c[n * length + i];
        const bool paired = h.half_sphere && !(g == Miller{});
        sum += paired ? 2 * product.real() : product;  // of each pair G, -G one is stored
      }
      sums[m * bands + n] = sum;
    }
  }
  MPI_Reduce(sums.data(), total.data(), static_cast<int>(sums.size()), MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, session.comm);
  for (std::size_t m = 0; m < bands; ++m) {
    for (std::size_t n = 0; n < m; ++n) result.overlap = std::max(result.overlap, std::abs(total[m * bands + n]));
    result.norm = std::max(result.norm, std::abs(total[m * bands + m] - 1.0));
  }
  result.coefficients += all * h.bands * h.spinor;
}

int odd_counts(const OrbitalHeader& h) {
  return static_cast<int>(std::count_if(h.kpoints.begin(), h.kpoints.end(), [&](const KPoint& k) {
    const auto sphere = sphere_of_waves(h.crystal.reciprocal(), k.k, h.cutoff, h.half_sphere);
    return static_cast<std::int64_t>(sphere.size()) != k.plane_waves;
  }));
}

Soundness soundness(const Session& session, const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  const int kpoints = static_cast<int>(h.kpoints.size());
  ProgressBar bar(session, "check");
  Soundness result;
  result.odd_counts = odd_counts(h);
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < kpoints; ++k) {
      add_kpoint(session, file, spin, k, result);
      bar.show((spin * kpoints + k + 1.0) / (h.spins * kpoints));
    }
  }
  return result;
}

void add_header(Report& report, const OrbitalHeader& h) {
  std::int64_t least = h.kpoints[0].plane_waves, most = least;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const KPoint& k : h.kpoints) {
    least = std::min(least, k.plane_waves);
    most = std::max(most, k.plane_waves);
    points.push_back({{"k", k.k}, {"weight", k.weight}, {"plane_waves", k.plane_waves}});
  }
  report.add("format", h.format, "format", h.format);
  add_crystal(report, h);
  report.add("kpoints", h.kpoints.size(), "k-points");
  report.add("spins", h.spins, "spins");
  report.add("spinor_components", h.spinor, "spinor components");
  report.add("magnetism", name_of(h.magnetism), "magnetism", name_of(h.magnetism));
  report.add("bands", h.bands, "bands");
  report.add("electrons", h.electrons, "electrons", fmt::format("{:g}", h.electrons));
  report.add("plane_waves", most, "plane waves",
             least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
  report.add("half_sphere", h.half_sphere, "sphere", h.half_sphere ? "half (gamma only)" : "full");
  report.add("norm_conserving", h.norm_conserving == NormConserving::unknown
                                    ? nlohmann::ordered_json(nullptr)
                                    : nlohmann::ordered_json(h.norm_conserving == NormConserving::yes));
  report.add("averaged", h.averaged);
  report.add("weighted", h.weighted);
  report.add("mesh", h.mesh);
  report.add("mesh_shift", h.mesh_shift);
  const auto known = [](const std::optional<double>& energy) {
    return energy ? nlohmann::ordered_json(*energy) : nlohmann::ordered_json(nullptr);
  };
  report.add("total_energy", known(h.total_energy));
  report.add("fermi_energy", known(h.fermi_energy));
  report.add("density_components", h.density_components);
  add_grid(report, h);
  report.add("kpoint_list", points);
}

void info(const Session& session, const InfoRequest& request) {
  const WaveFile file(session.comm, request.path);
  const OrbitalHeader& header = file.header();
  Report report(session);
  add_header(report, header);
  if (request.check) {
    const Soundness found = soundness(session, file);
    const bool sound = std::max(found.norm, found.overlap) < 1e-6;
    report.add("coefficients", found.coefficients, "coefficients", fmt::format("{}, all finite", found.coefficients));
    report.add("norm_deviation", found.norm, "norms", fmt::format("within {:.1e} of 1", found.norm));
    report.add("largest_overlap", found.overlap, "overlaps", fmt::format("at most {:.1e}", found.overlap));
    report.add("odd_counts", found.odd_counts, "counts",
               found.odd_counts == 0
                   ? "those of the cut-off at each k-point"
                   : fmt::format("{} k-points have not the waves of the cut-off's sphere", found.odd_counts));
    if (header.norm_conserving == NormConserving::yes) {
      report.add("sound", sound, "verdict", sound ? "sound" : "the bands are not orthonormal");
    } else {  // nothing can be said: what would make them orthonormal is not in the file
      report.add("sound", nullptr, "verdict",
                 "all numbers are finite; bands of ultrasoft pseudopotentials or PAW are orthonormal only with their "
                 "augmentation, which no file holds");
    }
  }
  report.say();
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  auto request = std::make_shared<InfoRequest>();
  CLI::App* command = app.add_subcommand("info", "say what a wavefunction file is");
  command->add_option("FILE", request->path, any_wavefunctions)->required();
  command->add_flag("--check", request->check, "read all coefficients: are the bands orthonormal?");
  command->callback([request, &session] { info(session, *request); });
}

}  // namespace seiche::tools
