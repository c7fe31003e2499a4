// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared parts of commands that read wavefunctions from one file and write them to another.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::command {

/// \throws Error(bad_argument)
[[noreturn]] void refuse(const std::string& sentence);

/// Returns whether the name of an output ends in .png, in capitals or not.
bool names_picture(const std::string& path);

/// Files with the data that a WAVECAR lacks, and the axis along which its sphere is halved.
struct Beside {
  std::string atoms, kpoints, half;
};
/// Adds --atoms, --kpoints and --half.
void add_beside(CLI::App& command, Beside& beside);
/// Collective. Returns whether a file holds a density or potential and no wavefunctions. A damaged file does not.
bool holds_grid(const Session& session, const std::string& path);
/// Collective. Opens a file of wavefunctions. \throws Error that names other commands for densities
WaveFile open_waves(const Session& session, const std::string& path);
/// Collective. Opens a file of wavefunctions and completes it.
WaveFile open_waves(const Session& session, const std::string& path, const Beside& beside);

/// Input, output and settings of a command.
struct Transfer {
  std::string input, output, format;
  std::string memory;
  std::string algorithm = "automatic";
  Beside beside;
};

void add_transfer(CLI::App& command, Transfer& transfer);

/// Returns a layout that distributes bands first, because bands are mapped and stored one by one.
OrbitalLayout layout_for(const Session& session, const OrbitalHeader& header);

/// The dimensions of wavefunctions in memory.
struct Amount {
  int spins = 1, spinor = 1;
  std::int64_t bands = 0;
  std::vector<std::int64_t> waves;  ///< of each k-point
};
Amount amount_of(const OrbitalHeader& header);
/// Returns the bytes of the largest share of a process in `layout`: coefficients and lists.
std::int64_t share_of(const Amount& amount, const OrbitalLayout& layout);
/// Returns the same with waves distributed in blocks, as for orthonormalization.
std::int64_t block_share_of(const Amount& amount, const Session& session);

/// The time of each stage in seconds, the longest of all ranks.
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
  void say(Report& report);
  const Session& session() const { return session_; }

 private:
  void add(const char* name, double mine);
  const Session& session_;
  double start_ = MPI_Wtime();
  std::map<std::string, double> seconds_;
};

/// Reports what the output cannot hold before any computation, after `sentences` on what the request drops.
void add_losses(Report& report, const OrbitalHeader& header, const Transfer& transfer,
                std::vector<std::string> sentences = {});

/// Returns the options of redistribution. `memory`: the result of memory_left().
MoveOptions options_of(const Transfer& transfer, std::int64_t memory);
/// Adds a progress bar, which must outlive the options.
MoveOptions shown(MoveOptions options, ProgressBar& bar);
/// Returns the number of bands of all spins and k-points, the unit of progress bars.
double bands_in(const OrbitalHeader& header);

/// Collective. Writes POSCAR and KPOINTS beside a new WAVECAR and reports them. Other outputs get none.
void add_beside_wavecar(Report& report, const Session& session, const OrbitalHeader& header, const std::string& output);

/// Adds the results that all these commands report at their end. `header`: of the output.
void finish(Report& report, Stages& stages, const Transfer& transfer, const OrbitalHeader& header);

Orbitals read(Stages& stages, const WaveFile& file, const MoveOptions& how);
void write(Stages& stages, const Orbitals& orbitals, const Transfer& transfer, const MoveOptions& how);

}  // namespace seiche::command
