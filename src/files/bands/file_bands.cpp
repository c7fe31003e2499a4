// SPDX-License-Identifier: BSD-3-Clause
/// \file  Streams bands of a wavefunction file: a few ranks read whole bands ahead, each in one piece, and verify their
/// checksums while earlier bands are used.
#include "files/bands/file_bands.hpp"

#include "files/bands/file_endpoints.hpp"
#include "files/bands/file_ranks.hpp"
#include "files/wavefile/wavefile_body.hpp"

namespace seiche {

BandSource bands_of(const WaveFile& file) {
  const Communicator& comm = WaveFile::Body::of(file).comm;
  const WaveTable& table = WaveFile::Body::of(file).table;
  const auto readers = file_ranks(all_ranks(comm), nodes_of(comm), AtFiles::readers);
  BandSource source;
  source.bands_together = static_cast<int>(readers.size());
  source.holdings = [&table, readers, ranks = comm.size()](int, int k, int band) {
    std::vector<Holding> holdings(static_cast<std::size_t>(ranks));
    holdings[readers[static_cast<std::size_t>(band) % readers.size()]] = {
        {band, band + 1}, {{0, table.header.kpoints[static_cast<std::size_t>(k)].plane_waves}}};
    return holdings;
  };
  source.endpoint = [&table](const std::vector<MoveTask>& tasks) { return std::make_unique<FileReader>(table, tasks); };
  source.waves = [&file](int spin, int k, Range mine) { return file.waves(spin, k, mine); };
  return source;
}

void each_band(
    const WaveFile& file, const BandSource& source,
    const std::function<void(const BandRange& some, std::span<const std::complex<double>> coefficients)>& use,
    const MoveOptions& options) {
  const OrbitalHeader& header = file.header();
  const auto all = [&header](int, int) { return std::vector<Range>{{0, header.bands}}; };
  stream_bands(WaveFile::Body::of(file).comm, header, source, all, use, options);
}

}  // namespace seiche
