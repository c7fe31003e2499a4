// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes wavefunctions to a file while it computes:  checkpoint FILE OUTPUT
#include <algorithm>
#include <seiche/wavefile.hpp>

#include "answer.hpp"

int checkpoint(const std::string& path, const std::string& output) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const seiche::WaveFile file(MPI_COMM_WORLD, path);
  const seiche::Orbitals orbitals = seiche::read_orbitals(file, {{1, 1, ranks}});

  // [checkpoint]
  seiche::Pending writing = seiche::start_write_orbitals(orbitals, output);
  const seiche::Density density = seiche::density_of(orbitals);  // work that does not change the orbitals
  writing.progress();  // between steps of the work: sends further bands to the ranks that write
  writing.finish();    // gives the file its name, or throws on all ranks
  // [/checkpoint]

  seiche::Orbitals again = orbitals;
  seiche::Pending reading = seiche::start_read_into(again, seiche::WaveFile(MPI_COMM_WORLD, output));
  reading.finish();
  double error = 0;
  for (std::size_t i = 0; i < orbitals.parts.size(); ++i) {
    const auto &written = orbitals.parts[i].coefficients, &read = again.parts[i].coefficients;
    for (std::size_t j = 0; j < written.size(); ++j) error = std::max(error, std::abs(written[j] - read[j]));
  }
  return answer("checkpoint", error, 0, density.components[0]);
}

int main(int argc, char** argv) {
  return run(argc, argv, [&] {
    return checkpoint(argc > 1 ? argv[1] : "data/si_small/si_small.save", argc > 2 ? argv[2] : "checkpoint.save");
  });
}
