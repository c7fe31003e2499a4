// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density of a wavefunction file: whole bands are read ahead by few ranks, each in one piece and with its
/// checksum verified, while those before them are transformed and added.
#include "density/state_sum.hpp"
#include "files/file_endpoints.hpp"
#include "files/file_ranks.hpp"
#include "files/wavefile_body.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

Density density_of(const WaveFile& file, const DensityOptions& options) {
  const Communicator& comm = file.body().comm;
  const WaveTable& table = file.body().table;
  const auto readers = file_ranks(all_ranks(comm), nodes_of(comm), AtFiles::readers);
  StateSource source;
  source.bands_together = static_cast<int>(readers.size());
  source.holdings = [&](int, int k, int band) {
    std::vector<Holding> holdings(static_cast<std::size_t>(comm.size()));
    holdings[readers[static_cast<std::size_t>(band) % readers.size()]] = {
        {band, band + 1}, {{0, table.header.kpoints[static_cast<std::size_t>(k)].plane_waves}}};
    return holdings;
  };
  source.endpoint = [&](const std::vector<MoveTask>& tasks) { return std::make_unique<FileReader>(table, tasks); };
  source.waves = [&](int spin, int k, Range mine) { return file.waves(spin, k, mine); };
  return density_of_states(comm, table.header, source, options);
}

}  // namespace seiche
