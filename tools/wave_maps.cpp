// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche expand` and `seiche reassign`: wavefunctions of the full zone, and in another basis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report.hpp"
#include "seiche/basis.hpp"
#include "seiche/error.hpp"
#include "seiche/symmetry.hpp"

namespace seiche::tools {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Fault::bad_argument, sentence); }

/// What both commands share: where from and where to, and how.
struct Transfer {
  std::string input, output, format;
  std::string way = "automatic";
};

void add_transfer(CLI::App& command, Transfer& transfer) {
  command.add_option("IN", transfer.input, "a wavefunction file")->required();
  command.add_option("OUT", transfer.output, "the file to write")->required();
  command.add_option("--to", transfer.format, "format of OUT, where its name does not say it");
  command.add_option("--way", transfer.way, "how data move between processes: automatic, or one of docs/exchange.md");
}

/// Bands shared out first: they are mapped one by one, and files hold them one by one.
WaveLayout layout_for(const Session& session, const WaveHeader& header) {
  int groups = std::min(session.size, header.bands);
  while (session.size % groups != 0) --groups;
  return {{1, groups, session.size / groups}};
}

/// Seconds of each stage, the longest on any rank.
class Stages {
 public:
  explicit Stages(const Session& session) : session_(session) {}
  template <class Work>
  auto operator()(const char* name, const Work& work) {
    const double start = MPI_Wtime();
    auto result = work();
    add(name, MPI_Wtime() - start);
    return result;
  }
  void say(Report& report) {
    add("total", MPI_Wtime() - start_);
    std::string text;
    for (const auto& [name, value] : seconds_)
      text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", name, value);
    report.add("seconds", nlohmann::ordered_json(seconds_), "seconds", text);
  }

 private:
  void add(const char* name, double mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, session_.comm);
    seconds_[name] = mine;
  }
  const Session& session_;
  double start_ = MPI_Wtime();
  std::map<std::string, double> seconds_;
};

/// Says at once, before anything is computed, what the output cannot hold.
void add_losses(Report& report, const WaveHeader& header, const Transfer& transfer) {
  const auto sentences = losses(header, transfer.output, transfer.format);
  report.add("losses", sentences);
  for (const std::string& sentence : sentences) report.add("losses", sentences, "not in the file", sentence);
}

MoveOptions options_of(const Transfer& transfer, ProgressBar& bar) {
  MoveOptions options;
  options.way = way_named(transfer.way);
  options.progress = [&bar](double done) { bar.show(done); };
  return options;
}

void write(const Session& session, Stages& stages, const Waves& waves, const Transfer& transfer) {
  ProgressBar bar(session, "write");
  const MoveOptions options = options_of(transfer, bar);
  stages("write", [&] { return write_waves(waves, transfer.output, transfer.format, options), true; });
}

Waves read(const Session& session, Stages& stages, const WaveFile& file, const Transfer& transfer) {
  ProgressBar bar(session, "read");
  const MoveOptions options = options_of(transfer, bar);
  return stages("read", [&] { return read_waves(file, layout_for(session, file.header()), options); });
}

// ------------------------------------------------------------------------------------------------------------- expand

struct ExpandRequest : Transfer {
  std::string operations = "file";
  bool as_they_are = false;
};

std::vector<SymmetryOperation> operations_for(const WaveHeader& header, const std::string& from) {
  const auto& listed = header.crystal.operations;
  if (from == "file" && !listed.empty()) return listed;
  if (header.crystal.atoms.empty()) {
    refuse(header.path + ": has neither operations nor atoms to find them by; convert it from a file that has them");
  }
  if (header.magnetism != Magnetism::none) {
    refuse(header.path + ": is magnetic, and spglib sees no magnetic order; use a file that lists its operations");
  }
  return find_operations(header.crystal);
}

void expand(const Session& session, const ExpandRequest& request) {
  Stages stages(session);
  Report report(session);
  const WaveFile file(session.comm, request.input);
  const WaveHeader& header = file.header();
  const auto operations = operations_for(header, request.operations);
  const StarMap zone = full_zone(header, operations);
  add_losses(report, zone.header, request);
  const bool symmetrise = !request.as_they_are && header.norm_conserving && operations.size() > 1;
  if (symmetrise) {
    const Waves irreducible = read(session, stages, file, request);
    const Waves symmetric = stages("symmetrise", [&] { return symmetric_bands(irreducible, operations); });
    const Waves full = stages("map", [&] { return mapped(symmetric, zone); });
    write(session, stages, full, request);
  } else {
    ProgressBar bar(session, "expand");
    const MoveOptions options = options_of(request, bar);
    stages("expand", [&] { return seiche::expand(file, zone, request.output, request.format, options), true; });
  }

  const std::size_t before = header.kpoints.size(), after = zone.header.kpoints.size();
  report.add("operations", operations.size(), "operations", fmt::format("{}", operations.size()));
  report.add("kpoints_before", before);
  report.add("kpoints", after, "k-points", fmt::format("{} -> {}", before, after));
  report.add("made_symmetric", symmetrise);
  report.add("file", request.output, "written", request.output);
  report.add("ranks", session.size);
  stages.say(report);
  report.say();
}

// ----------------------------------------------------------------------------------------------------------- reassign

struct ReassignRequest : Transfer {
  std::string cutoff, like, cell, orthonormal = "no";
  int bands = 0;
  std::vector<std::int64_t> grid;
};

/// "18Ry", "9", "9 Ha", "250eV", in hartree.
double energy_of(const std::string& text) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  std::string unit = text.substr(end);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  constexpr double electronvolt = 1 / 27.211386245988;
  if (end > 0 && (unit.empty() || unit == "Ha")) return value;
  if (end > 0 && unit == "Ry") return value / 2;
  if (end > 0 && unit == "eV") return value * electronvolt;
  refuse("--ecut " + text + " is no energy; give hartree, or a number with Ha, Ry or eV behind it");
}

void expect_same_kpoints(const WaveHeader& header, const WaveHeader& other) {
  bool same = header.kpoints.size() == other.kpoints.size();
  for (std::size_t k = 0; same && k < header.kpoints.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) same = same && std::abs(header.kpoints[k].k[i] - other.kpoints[k].k[i]) < 1e-5;
  }
  if (!same || header.half_sphere != other.half_sphere || header.spinor != other.spinor ||
      header.spins != other.spins) {
    refuse(
        fmt::format("{} and {} have not the same k-points and spins, so the one's basis does not suit the other; "
                    "give --ecut or --cell instead",
                    header.path, other.path));
  }
}

Orthonormal orthonormal_of(const std::string& word) {
  if (word == "no") return Orthonormal::as_they_are;
  return word == "loewdin" ? Orthonormal::loewdin : Orthonormal::cholesky;
}

/// Collective. What the options say; the waves of --like are those of its file.
BasisRequest basis_of(const Session& session, const ReassignRequest& request, const WaveHeader& header,
                      const WaveFile* like) {
  BasisRequest basis;
  if (like) {
    expect_same_kpoints(header, like->header());
    basis = basis_like(like->header());
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      basis.waves.push_back(like->waves(0, static_cast<int>(k), {0, like->header().kpoints[k].plane_waves}));
    }
  }
  if (!request.cell.empty()) basis.lattice = WaveFile(session.comm, request.cell).header().crystal.lattice;
  if (!request.cutoff.empty()) basis.cutoff = energy_of(request.cutoff);
  if (!request.grid.empty()) basis.grid = GridShape{request.grid[0], request.grid[1], request.grid[2]};
  const bool nothing = !like && request.cell.empty() && request.cutoff.empty() && request.grid.empty();
  if (nothing && request.bands == 0 && request.orthonormal == "no") {
    refuse("nothing is to be changed; give --ecut, --like, --cell, --fft, --bands or --orthonormal");
  }
  if (request.bands != 0) basis.bands = request.bands;
  basis.orthonormal = orthonormal_of(request.orthonormal);
  return basis;
}

/// Collective. Of each spin and k-point the smallest singular value of the overlap of the occupied bands.
double occupied_overlap(const Session& session, const Waves& waves, const WaveFile& like) {
  const Waves theirs = read_waves(like, layout_for(session, like.header()));
  const auto all = overlaps(waves, theirs);
  const WaveHeader &h = theirs.header, &g = waves.header;
  double smallest = 1;
  for (std::size_t state = 0; state < all.size(); ++state) {
    const auto first = h.occupations.begin() + static_cast<std::ptrdiff_t>(state) * h.bands;
    const auto full = static_cast<int>(std::find_if(first, first + h.bands, [](double f) { return f < 0.5; }) - first);
    const int rows = std::min(full, g.bands);
    std::vector<std::complex<double>> part;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < full; ++j) part.push_back(all[state][static_cast<std::size_t>(i * h.bands + j)]);
    }
    if (!part.empty()) smallest = std::min(smallest, smallest_singular_value(std::move(part), rows, full));
  }
  return smallest;
}

void add_changes(Report& report, const Reassigned& made) {
  const WaveHeader& h = made.waves.header;
  const double worst = *std::max_element(made.norm_lost.begin(), made.norm_lost.end());
  const auto total = [](const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  };
  report.add("cutoff", h.cutoff, "cut-off", fmt::format("{} hartree", h.cutoff));
  report.add("grid", {h.grid.nx, h.grid.ny, h.grid.nz}, "FFT grid",
             fmt::format("{} x {} x {}", h.grid.nx, h.grid.ny, h.grid.nz));
  report.add("bands", h.bands, "bands");
  report.add("waves_added", made.added, "waves added", fmt::format("{} over all k-points", total(made.added)));
  report.add("waves_left_out", made.left_out, "waves left out",
             fmt::format("{} over all k-points", total(made.left_out)));
  report.add("norm_lost", made.norm_lost);
  report.add("max_norm_lost", worst, "norm lost", fmt::format("at most {:.3g} of a band's", worst));
  for (int band = 0; band < h.bands; ++band) {
    double lost = 0;
    for (std::size_t state = 0; state * static_cast<std::size_t>(h.bands) < made.norm_lost.size(); ++state) {
      lost = std::max(lost, made.norm_lost[state * static_cast<std::size_t>(h.bands) + static_cast<std::size_t>(band)]);
    }
    if (lost > 0) report.add("max_norm_lost", worst, fmt::format("  band {}", band + 1), fmt::format("{:.3g}", lost));
  }
}

void reassign(const Session& session, const ReassignRequest& request) {
  Stages stages(session);
  Report report(session);
  const WaveFile file(session.comm, request.input);
  std::optional<WaveFile> like;
  if (!request.like.empty()) like.emplace(session.comm, request.like);
  const BasisRequest basis = basis_of(session, request, file.header(), like ? &*like : nullptr);
  add_losses(report, file.header(), request);
  const Waves before = read(session, stages, file, request);
  const Reassigned made = stages("map", [&] { return seiche::reassign(before, basis); });
  add_changes(report, made);
  if (like) {
    const double overlap = stages("compare", [&] { return occupied_overlap(session, made.waves, *like); });
    report.add("occupied_overlap", overlap, "occupied bands",
               fmt::format("overlap with those of {} by {:.6f} or more", request.like, overlap));
  }
  write(session, stages, made.waves, request);
  report.add("file", request.output, "written", request.output);
  report.add("ranks", session.size);
  stages.say(report);
  report.say();
}

}  // namespace

void add_wave_maps(CLI::App& app, Session& session) {
  auto full = std::make_shared<ExpandRequest>();
  CLI::App* command = app.add_subcommand("expand", "irreducible k-points to the full zone by symmetry");
  add_transfer(*command, *full);
  command->add_option("--operations", full->operations, "which operations: those of the file, or those spglib finds")
      ->check(CLI::IsMember({"file", "spglib"}));
  command->add_flag("--as-they-are", full->as_they_are,
                    "leave bands symmetric under the group of their k-point only as far as the file has them so");
  command->callback([full, &session] { expand(session, *full); });

  auto basis = std::make_shared<ReassignRequest>();
  command = app.add_subcommand("reassign", "wavefunctions in another basis: cut-off, cell, FFT grid, bands");
  add_transfer(*command, *basis);
  command->add_option("--ecut", basis->cutoff, "cut-off: hartree, or a number with Ha, Ry or eV behind it");
  command->add_option("--like", basis->like, "a file whose cell, cut-off, grid and waves to take");
  command->add_option("--cell", basis->cell, "a file whose cell to take: a strained form of IN's");
  command->add_option("--fft", basis->grid, "points of the FFT grid: NX,NY,NZ")->delimiter(',')->expected(3);
  command->add_option("--bands", basis->bands, "the first so many; more than there are with cholesky")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--orthonormal", basis->orthonormal, "make bands orthonormal: no, loewdin, cholesky")
      ->check(CLI::IsMember({"no", "loewdin", "cholesky"}));
  command->callback([basis, &session] { reassign(session, *basis); });
}

}  // namespace seiche::tools
