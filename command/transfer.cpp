// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <complex>
#include <string_view>

#include "hints.hpp"
#include "memory_option.hpp"
#include "seiche/density_file.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::command {

void refuse(const std::string& sentence) { throw Error(Fault::bad_argument, sentence); }

bool names_picture(const std::string& path) {
  constexpr std::string_view ending = ".png";
  return path.size() >= ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), path.rbegin(),
                    [](char expected, unsigned char c) { return expected == std::tolower(c); });
}

void add_transfer(CLI::App& command, Transfer& transfer) {
  command.add_option("IN", transfer.input, any_wavefunctions)->required();
  command.add_option("OUT", transfer.output, "output file, replaced when the new one is complete")->required();
  command.add_option("--to", transfer.format, "format of OUT if its name does not determine it (see docs/files.md)");
  add_memory_option(command, transfer.memory);
  add_beside(command, transfer.beside);
  command.add_option("--algorithm,--way", transfer.algorithm,
                     "exchange algorithm: automatic, or another one of docs/communication.md [automatic]");
}

void add_beside(CLI::App& command, Beside& beside) {
  command.add_option("--atoms", beside.atoms, "for a WAVECAR: POSCAR or CONTCAR with atoms and symmetry");
  command.add_option("--kpoints", beside.kpoints, "for a WAVECAR: IBZKPT or vasprun.xml with the weights of k-points");
  command
      .add_option("--half", beside.half,
                  "for a gamma-only WAVECAR: axis along which VASP halves the plane waves, x or z [from the kinetic "
                  "energies of the bands]")
      ->check(CLI::IsMember({"x", "z"}));
}

bool holds_grid(const Session& session, const std::string& path) {
  try {
    return holds_density_only(session.comm, path);
  } catch (const Error&) {
    return false;
  }
}

WaveFile open_waves(const Session& session, const std::string& path) {
  try {
    return {session.comm, path};
  } catch (const Error& error) {
    if (error.fault() != Fault::bad_file || !holds_grid(session, path)) throw;
    refuse(path +
           " holds a density or potential, not wavefunctions: use seiche info, verify, average, cut, convert, "
           "difference or density --compare");
  }
}

WaveFile open_waves(const Session& session, const std::string& path, const Beside& beside) {
  WaveFile file = open_waves(session, path);
  if (!beside.half.empty()) file.halve_along(beside.half == "z" ? HalfAxis::z : HalfAxis::x);
  file.complete(beside.atoms, beside.kpoints);
  return file;
}

OrbitalLayout layout_for(const Session& session, const OrbitalHeader& header) {
  int groups = std::min(session.size, header.bands);
  while (session.size % groups != 0) --groups;
  return {{1, groups, session.size / groups}};
}

Amount amount_of(const OrbitalHeader& header) {
  Amount amount{header.spins, header.spinor, header.bands, {}};
  for (const KPoint& k : header.kpoints) amount.waves.push_back(k.plane_waves);
  return amount;
}

std::int64_t share_of(const Amount& amount, const OrbitalLayout& layout) {
  constexpr std::int64_t listed = 48;  // per wave: indices, positions in the file, and a lookup table
  const auto share = [](std::int64_t n, std::int64_t parts) { return (n + parts - 1) / parts; };
  std::int64_t bytes = 0;
  for (const std::int64_t waves : amount.waves) {
    const std::int64_t values =
        share(amount.bands, layout.grid.bands) * amount.spinor * share(waves, layout.grid.waves);
    bytes += amount.spins * values * static_cast<std::int64_t>(sizeof(std::complex<double>)) + listed * waves;
  }
  return bytes;
}

std::int64_t block_share_of(const Amount& amount, const Session& session) {
  constexpr std::int64_t block = 256;
  Amount whole = amount;
  for (std::int64_t& waves : whole.waves) waves += block * session.size;
  return share_of(whole, {{1, 1, session.size}});
}

void Stages::say(Report& report) {
  add("total", MPI_Wtime() - start_);
  std::string text;
  for (const auto& [name, value] : seconds_) text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", name, value);
  report.add("seconds", nlohmann::ordered_json(seconds_), "seconds", text);
}

void Stages::add(const char* name, double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, session_.comm);
  seconds_[name] = mine;
}

void add_losses(Report& report, const OrbitalHeader& header, const Transfer& transfer,
                std::vector<std::string> sentences) {
  for (const std::string& one : losses(header, transfer.output, transfer.format)) {
    sentences.push_back(with_option(one));
  }
  report.add("losses", sentences);
  for (const std::string& sentence : sentences) report.add("losses", sentences, "not in the file", sentence);
}

MoveOptions options_of(const Transfer& transfer, std::int64_t memory) {
  MoveOptions options;
  options.policy.memory = memory;
  options.policy.algorithm = algorithm_named(transfer.algorithm);
  return options;
}

MoveOptions shown(MoveOptions options, ProgressBar& bar) {
  options.on_progress = [&bar](double done) { bar.show(done); };
  return options;
}

double bands_in(const OrbitalHeader& header) {
  return static_cast<double>(header.bands) * header.spins * static_cast<double>(header.kpoints.size());
}

void add_beside_wavecar(Report& report, const Session& session, const OrbitalHeader& header,
                        const std::string& output) {
  if (!WaveFile(session.comm, output).header().format.starts_with("VASP")) return;
  const std::vector<std::string> files = write_beside_wavecar(session.comm, header, output);
  report.add("beside", files);
  for (const std::string& written : files) report.add("beside", files, "beside it", written);
}

void finish(Report& report, Stages& stages, const Transfer& transfer, const OrbitalHeader& header) {
  report.add("file", transfer.output, "written", transfer.output);
  add_beside_wavecar(report, stages.session(), header, transfer.output);
  report.add("ranks", stages.session().size);
  stages.say(report);
  report.say();
}

Orbitals read(Stages& stages, const WaveFile& file, const MoveOptions& how) {
  ProgressBar bar(stages.session(), "read", bands_in(file.header()), "bands");
  const MoveOptions options = shown(how, bar);
  return stages("read", [&] { return read_orbitals(file, layout_for(stages.session(), file.header()), options); });
}

void write(Stages& stages, const Orbitals& orbitals, const Transfer& transfer, const MoveOptions& how) {
  ProgressBar bar(stages.session(), "write", bands_in(orbitals.header), "bands");
  const MoveOptions options = shown(how, bar);
  stages("write", [&] { return write_orbitals(orbitals, transfer.output, transfer.format, options), true; });
}

}  // namespace seiche::command
