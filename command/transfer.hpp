// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the commands share that take wavefunctions from one file, through memory, to another.
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

/// What a WAVECAR leaves out: the names of files that say it, and the axis along which its sphere is halved.
struct Beside {
  std::string atoms, kpoints, half;
};
/// Adds --atoms, --kpoints and --half.
void add_beside(CLI::App& command, Beside& beside);
/// Collective. Opens a file of wavefunctions and completes it.
WaveFile open_waves(const Session& session, const std::string& path, const Beside& beside);

/// Where from and where to, and how.
struct Transfer {
  std::string input, output, format;
  std::string memory;
  std::string algorithm = "automatic";
  Beside beside;
};

void add_transfer(CLI::App& command, Transfer& transfer);

/// Bands shared out first: they are mapped one by one, and files hold them one by one.
OrbitalLayout layout_for(const Session& session, const OrbitalHeader& header);

/// Wavefunctions to be held in memory.
struct Amount {
  int spins = 1, spinor = 1;
  std::int64_t bands = 0;
  std::vector<std::int64_t> waves;  ///< of each k-point
};
Amount amount_of(const OrbitalHeader& header);
/// Bytes of the largest share of a process in `layout`: coefficients, and what is listed beside them.
std::int64_t share_of(const Amount& amount, const OrbitalLayout& layout);
/// The same where waves are spread in blocks, as they are to be made orthonormal.
std::int64_t block_share_of(const Amount& amount, const Session& session);

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
  void say(Report& report);
  const Session& session() const { return session_; }

 private:
  void add(const char* name, double mine);
  const Session& session_;
  double start_ = MPI_Wtime();
  std::map<std::string, double> seconds_;
};

/// Says at once, before anything is computed, what the output cannot hold; after what the request itself leaves out.
void add_losses(Report& report, const OrbitalHeader& header, const Transfer& transfer,
                std::vector<std::string> sentences = {});

/// How to move data. `memory`: what memory_left() said.
MoveOptions options_of(const Transfer& transfer, std::int64_t memory);
/// The same with a bar, which must stay.
MoveOptions shown(MoveOptions options, ProgressBar& bar);
/// Bands of all spins and k-points: what bars count.
double bands_in(const OrbitalHeader& header);

/// What all of them report at their end.
void finish(Report& report, Stages& stages, const Transfer& transfer);

Orbitals read(Stages& stages, const WaveFile& file, const MoveOptions& how);
void write(Stages& stages, const Orbitals& orbitals, const Transfer& transfer, const MoveOptions& how);

}  // namespace seiche::command
