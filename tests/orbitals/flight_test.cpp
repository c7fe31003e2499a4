// SPDX-License-Identifier: BSD-3-Clause
/// \file  How many messages are under way at once when wavefunctions of the full zone go to other process groups: seen
/// from outside, through MPI's profiling interface, beside the way in which every band goes to every process at once.
#include <fmt/core.h>

#include <algorithm>

#include "seiche/symmetry.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/waves.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche {
namespace {

using Complex = std::complex<double>;

/// Each source sends every band of each of its states to every rank of the target's groups as soon as it has it.
class BandByBand {
 public:
  BandByBand(const Orbitals& from, const OrbitalGrid& to) : from_(from), to_(to) {}

  void run() {
    const OrbitalHeader& h = from_.header;
    for (const OrbitalPart& part : from_.parts) {
      const auto waves = static_cast<std::int64_t>(part.waves.size());
      for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
        for (int group = 0; group < to_.waves; ++group) {
          const Range wanted = block(h.kpoints[static_cast<std::size_t>(part.k)].plane_waves, to_.waves, group);
          for (int component = 0; component < h.spinor; ++component) {
            const Complex* first = part.coefficients.data() + ((band - part.bands.low) * h.spinor + component) * waves;
            MPI_Isend(first + wanted.low, static_cast<int>(2 * wanted.size()), MPI_DOUBLE, owner(part.k, band, group),
                      part.k, MPI_COMM_WORLD, &requests_.emplace_back());
          }
        }
      }
    }
    receive();
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  int owner(int k, std::int64_t band, int group) const {
    const OrbitalHeader& h = from_.header;
    const int kpoint = block_owner(static_cast<std::int64_t>(h.kpoints.size()), to_.kpoints, k);
    return (kpoint * to_.bands + block_owner(h.bands, to_.bands, band)) * to_.waves + group;
  }
  void receive() {
    const OrbitalHeader& h = from_.header;
    const int sources = testing::ranks();
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      for (std::int64_t band = 0; band < h.bands; ++band) {
        for (int group = 0; group < to_.waves; ++group) {
          if (owner(k, band, group) != testing::rank()) continue;
          const auto size = block(h.kpoints[static_cast<std::size_t>(k)].plane_waves, to_.waves, group).size();
          for (int component = 0; component < h.spinor; ++component) {
            values_.emplace_back(static_cast<std::size_t>(size));
            MPI_Irecv(values_.back().data(), static_cast<int>(2 * size), MPI_DOUBLE,
                      block_owner(h.bands, sources, band), k, MPI_COMM_WORLD, &requests_.emplace_back());
          }
        }
      }
    }
  }

  const Orbitals& from_;
  OrbitalGrid to_;
  std::vector<MPI_Request> requests_;
  std::vector<std::vector<Complex>> values_;
};

std::int64_t largest_anywhere(std::int64_t mine) {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// At most 16 sends and 64 receives of an exchange are under way, and three exchanges: docs/communication.md.
constexpr std::int64_t bound = 3 * (16 + 64);

TEST(Flight, MessagesInFlightAreBoundedHoweverManyBandsAndProcesses) {
  const WaveFile file(MPI_COMM_WORLD, testing::data_set("fe_so"));
  const int ranks = testing::ranks();
  const OrbitalGrid source{1, ranks, 1}, target{ranks / 4, 1, 4};
  const KStarMap zone = full_zone(file.header(), file.header().crystal.operations);
  std::int64_t naive_before = 0;
  for (const int bands : {7, 28}) {
    BasisRequest fewer;
    fewer.bands = bands;
    const Orbitals some = reassign(testing::in_memory(MPI_COMM_WORLD, file, source), fewer).orbitals;
    const Orbitals part = redistribute(some, {source});
    KStarMap map = zone;
    map.header = full_zone(part.header, file.header().crystal.operations).header;
    const Orbitals full = mapped(part, map);

    MoveOptions options;
    options.policy.algorithm = Algorithm::pairwise;
    options.policy.memory = 1 << 20;
    mpi_profile::watch_messages();
    mpi_profile::start_counting();
    redistribute(full, {target}, options);
    const std::int64_t ours = largest_anywhere(mpi_profile::most_in_flight());
    mpi_profile::start_counting();
    BandByBand(full, target).run();
    const std::int64_t naive = largest_anywhere(mpi_profile::most_in_flight());
    EXPECT_LE(ours, bound);
    EXPECT_GE(naive, 2 * naive_before);
    naive_before = naive;
    if (testing::rank() == 0) {
      fmt::print("{} processes, {} bands: at most {} messages in flight per process; band by band {}\n", ranks, bands,
                 ours, naive);
    }
    testing::compared(2);
  }
  EXPECT_GT(naive_before, bound);
}

}  // namespace
}  // namespace seiche
