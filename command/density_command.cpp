// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche density`: the density of a wavefunction file, optionally compared with the density file of the code.
#include "seiche/density_file.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "plane_option.hpp"
#include "report.hpp"
#include "seiche/band_edges.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"
#include "selection_option.hpp"
#include "threads_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct DensityRequest {
  std::string input, output, reference, picture;
  Beside beside;
  std::string memory;
  std::string algorithm = "automatic";
  int threads = 1;
  bool as_they_are = false, no_symmetry = false;
  SelectionWords words;
  std::string energies;
  PlaneWords plane;
};

double now() { return MPI_Wtime(); }

/// The time of each stage, the longest of all ranks.
class Times {
 public:
  explicit Times(MPI_Comm comm) : comm_(comm) {}
  std::map<std::string, double>& stages() { return seconds_; }
  template <class Work>
  void stage(const char* name, const Work& work) {
    const double start = now();
    work();
    seconds_[name] += now() - start;
  }
  std::map<std::string, double> longest() const {
    std::map<std::string, double> all = seconds_;
    all["total"] = now() - start_;
    for (auto& entry : all) MPI_Allreduce(MPI_IN_PLACE, &entry.second, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return all;
  }

 private:
  MPI_Comm comm_;
  double start_ = now();
  std::map<std::string, double> seconds_{{"read", 0}, {"symmetrise", 0}, {"transform", 0}, {"write", 0}};
};

void add_integrals(Report& report, const std::vector<double>& integrals) {
  report.add("electrons", integrals[0], "electrons", fmt::format("{:.10f}", integrals[0]));
  const std::vector<double> moments(integrals.begin() + 1, integrals.end());
  if (moments.empty()) return;
  std::string text;
  for (const double moment : moments) text += fmt::format("{:.6f} ", moment);
  report.add("magnetisation", moments, "magnetisation", text + "Bohr magnetons");
}

void add_deviation(Report& report, const Deviation& deviation, const std::string& reference) {
  report.add("max_relative_deviation", deviation.largest());
  const auto text = [&](double value) { return fmt::format("{:.1e} of the largest value, from {}", value, reference); };
  nlohmann::ordered_json parts{{"density", deviation.density}};
  report.add("deviations", parts, "deviation of density", text(deviation.density));
  if (!deviation.magnetisation) return;
  parts["magnetisation"] = *deviation.magnetisation;
  report.add("deviations", parts, "of magnetisation", text(*deviation.magnetisation));
}

/// Adds the integral of the reference, which reveals a quantity that is not the same density.
void add_reference(Report& report, double electrons, double here, const std::string& reference) {
  constexpr double same = 1e-3;
  const bool other = std::abs(electrons - here) > same * std::max(1.0, std::abs(here));
  report.add("reference_electrons", electrons, other ? "reference" : "",
             fmt::format("{} holds {:.6g} electrons instead of {:.6g}: it is another quantity, or from another run",
                         reference, electrons, here));
}

void add_seconds(Report& report, const std::map<std::string, double>& seconds) {
  std::string text;
  for (const auto& [name, value] : seconds) text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", name, value);
  report.add("seconds", seconds, "seconds", text);
}

DensityOptions options_of(const DensityRequest& request) {
  DensityOptions options;
  options.fft.policy.algorithm = algorithm_named(request.algorithm);
  options.fft.threads = request.threads;
  options.as_they_are = request.as_they_are;
  options.symmetric = !request.no_symmetry;
  return options;
}

/// Returns the bytes of this process's part of the density during symmetrization, and of the planes of the bands in
/// flight.
std::int64_t held_by_density(const Session& session, const OrbitalHeader& header) {
  constexpr std::int64_t bands_in_flight = 3;
  const std::int64_t points = header.grid.volume() / session.size + header.grid.nx * header.grid.ny;
  return points * (2 * components_of(header.magnetism) * 8 + bands_in_flight * header.spinor * 16);
}

/// Parses "-2eV:0eV", relative to the zero of energies. Either bound may be omitted.
StateChoice states_of(const DensityRequest& request, const EnergyZero& zero) {
  StateChoice choice{selection_of(request.words), {}, {}};
  if (request.energies.empty()) return choice;
  const auto colon = request.energies.find(':');
  if (colon == std::string::npos)
    refuse("--energies " + request.energies + " is not a range: give for example -2eV:0eV");
  const std::string low = request.energies.substr(0, colon), high = request.energies.substr(colon + 1);
  if (!low.empty()) choice.lowest = zero.energy + energy_of("--energies", low);
  if (!high.empty()) choice.highest = zero.energy + energy_of("--energies", high);
  return choice;
}

/// Reports the energy range of the states, relative to the zero of energies.
void add_range(Report& report, const StateChoice& states, const EnergyZero& zero) {
  const auto relative = [&](const std::optional<double>& bound) {
    return bound ? nlohmann::ordered_json(*bound - zero.energy) : nlohmann::ordered_json(nullptr);
  };
  const auto text = [](const nlohmann::ordered_json& bound, const char* without) {
    return bound.is_null() ? without : fmt::format("{:.4f} eV", bound.get<double>() * hartree_in_electronvolt);
  };
  const auto low = relative(states.lowest), high = relative(states.highest);
  const nlohmann::ordered_json range{low, high};
  report.add("energy_range", range, "energies",
             fmt::format("from {} to {}, relative to {}, {:.4f} eV", text(low, "the lowest state"),
                         text(high, "the highest state"), zero.name, zero.energy * hartree_in_electronvolt));
}

/// Selects the states of a partial density, and reports their number.
void choose_states(Report& report, const DensityRequest& request, const OrbitalHeader& header,
                   DensityOptions& options) {
  if (request.words.empty() && request.energies.empty()) return;
  EnergyZero zero;
  if (!request.energies.empty()) {
    const std::vector<int> spins = selection_of(request.words).spins;
    const std::optional<int> spin = spins.size() == 1 ? std::optional(spins[0]) : std::nullopt;
    if (header.fermi_energy_down && !spin) {
      refuse("--energies: the two spins have different Fermi levels: choose one with --spin up or --spin down");
    }
    zero = energy_zero(header, spin);
    report.add("energy_zero", {{"energy", zero.energy}, {"is", zero.name}});
  }
  StateChoice wanted = states_of(request, zero);
  if (!request.energies.empty()) add_range(report, wanted, zero);
  constexpr double edge = 1e-7;  // hartree: includes states at the edges of the range
  if (wanted.lowest) *wanted.lowest -= edge;
  if (wanted.highest) *wanted.highest += edge;
  options.occupations = filled(header, wanted);
  const auto states = std::count(options.occupations.begin(), options.occupations.end(), 1.0);
  report.add("states", states, "states", fmt::format("{} of {}, each fully occupied", states, header.energies.size()));
}

Density compute(const Session& session, const DensityRequest& request, DensityOptions options, Report& report) {
  const WaveFile file = open_waves(session, request.input, request.beside);
  choose_states(report, request, file.header(), options);
  options.policy.memory = memory_left(session, request.memory, held_by_density(session, file.header()));
  ProgressBar bar(session, "density", bands_in(file.header()), "bands");
  options.on_progress = [&bar](double done) { bar.show(done); };
  return density_of(file, options);
}

/// \throws Error unless pictures end in .png and densities do not
void expect_endings(const DensityRequest& request) {
  if (!request.picture.empty() && !names_picture(request.picture))
    refuse("--picture " + request.picture + " is not the name of a PNG file: use the ending .png");
  if (names_picture(request.output))
    refuse("-o " + request.output + " is the name of a picture: use --picture, or the ending .cube, .xsf or .h5");
}

void density(const Session& session, const DensityRequest& request) {
  expect_endings(request);
  DensityOptions options = options_of(request);
  for (const std::string& path : {request.output, request.picture}) {
    expect_apart(session, path, {request.input, request.reference});
    if (!path.empty()) expect_output(session.comm, path);
  }
  warn_of_threads(session, request.threads);
  Times times(session.comm);
  options.seconds = &times.stages();
  Report report(session);
  const Density result = compute(session, request, options, report);
  const auto integral = integrals(result);
  add_integrals(report, integral);
  if (!request.reference.empty()) {
    times.stage("compare", [&] {
      const Density reference = read_density(request.reference, result, options.fft);
      add_reference(report, integrals(reference)[0], integral[0], request.reference);
      add_deviation(report, compare(result, reference), request.reference);
    });
  }
  std::vector<std::string> files;
  if (!request.output.empty()) {
    times.stage("write", [&] { files = write_density(result, request.output); });
  }
  if (!request.picture.empty()) {
    times.stage("picture", [&] { add_picture(report, draw_plane(result, request.plane, request.picture)); });
    files.push_back(request.picture);
  }
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
  report.add("ranks", session.size);
  add_seconds(report, times.longest());
  report.say();
}

}  // namespace

void add_density(CLI::App& app, Session& session) {
  auto request = std::make_shared<DensityRequest>();
  CLI::App* command = app.add_subcommand("density", "electron density of a wavefunction file");
  command->add_option("IN", request->input, any_wavefunctions)->required();
  command->add_option("-o,--output", request->output, "output: .cube, .xsf, .h5, or charge-density.dat or .hdf5");
  command->add_option("--compare", request->reference,
                      "density to compare with: a .save or its charge-density, a .check, a DEN, a .cube, .xsf or .h5");
  command->add_option("--picture", request->picture, "output picture (.png)");
  add_plane(*command, request->plane);
  add_beside(*command, request->beside);
  command->add_flag("--as-they-are", request->as_they_are,
                    "accept files that do not contain all electrons (ultrasoft, PAW, omitted bands)");
  add_selection(*command, request->words);
  command->add_option(
      "--energies", request->energies,
      "energy range of the states, such as -2eV:0eV, relative to the Fermi level or the highest occupied state");
  command->add_flag("--no-symmetry", request->no_symmetry, "no average over the symmetry operations");
  command->add_option("--threads", request->threads, "threads per process")->check(CLI::Range(1, 1024));
  add_memory_option(*command, request->memory);
  command->add_option("--algorithm,--way", request->algorithm,
                      "exchange algorithm: automatic, or another one of docs/communication.md [automatic]");
  command->callback([request, &session] { density(session, *request); });
}

}  // namespace seiche::command
