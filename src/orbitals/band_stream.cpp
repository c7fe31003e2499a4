// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/band_stream.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Creates the tasks of the chosen bands. A task has up to `bands_together` bands from different ranks, which read them
/// at the same time.
class BandTasks {
 public:
  BandTasks(const Communicator& comm, const OrbitalHeader& header, const BandSource& source, const BandChoice& wanted)
      : comm_(comm), header_(header), source_(source) {
    for (int spin = 0; spin < header.spins; ++spin) {
      for (int k = 0; k < static_cast<int>(header.kpoints.size()); ++k) {
        for (const Range& run : wanted(spin, k)) {
          for (std::int64_t low = run.low; low < run.high; low += source.bands_together) {
            add({spin, k, {low, std::min(low + source.bands_together, run.high)}});
          }
        }
      }
    }
  }

  std::vector<MoveTask> tasks;
  std::vector<BandRange> bands;  // the bands of each task

 private:
  void add(const BandRange& some) {
    const auto ranks = size_of(comm_.size());
    MoveTask task{some.spin, some.k, header_.spinor, std::vector<Holding>(ranks), {}};
    for (std::int64_t band = some.bands.low; band < some.bands.high; ++band) {
      const auto holdings = source_.holdings(some.spin, some.k, static_cast<int>(band));
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!holdings[rank].empty()) task.from[rank] = holdings[rank];
      }
    }
    const std::int64_t waves = header_.kpoints[size_of(some.k)].plane_waves;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      task.to.push_back({some.bands, {block(waves, comm_.size(), rank)}});
    }
    tasks.push_back(std::move(task));
    bands.push_back(some);
  }

  const Communicator& comm_;
  const OrbitalHeader& header_;
  const BandSource& source_;
};

/// Gathers the blocks of all source ranks into rows [band][component][wave] of `waves` waves.
class Rows {
 public:
  /// Reserves memory for the largest task, so that of() does not allocate.
  void reserve(const BandTasks& all, const OrbitalHeader& header, const Communicator& comm) {
    std::size_t longest = 0;
    for (const BandRange& some : all.bands) {
      const std::int64_t waves = streamed_waves(header, some.k, comm).size();
      longest = std::max(longest, size_of(waves * header.spinor * some.bands.size()));
    }
    values_.reserve(longest);
  }
  std::span<const Complex> of(const MoveTask& task, std::size_t number, std::int64_t waves, const Range& bands,
                              const std::vector<BlockPart>& blocks) {
    row_ = size_of(waves * task.components);
    values_.resize(row_ * size_of(bands.size()));
    for (const BlockPart& part : blocks) {
      if (part.rank_block->task == number) take(part, size_of(task.components), size_of(waves), bands);
    }
    return values_;
  }

 private:
  void take(const BlockPart& part, std::size_t components, std::size_t waves, const Range& bands) {
    const Complex* from = part.data;
    for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
      for (std::size_t component = 0; component < components; ++component) {
        Complex* into = values_.data() + size_of(band - bands.low) * row_ + component * waves;
        for (const Fragment& fragment : part.rank_block->fragments) {
          std::copy_n(from, fragment.count, into + fragment.first);
          from += fragment.count;
        }
      }
    }
  }

  std::vector<Complex> values_;
  std::size_t row_ = 0;
};

}  // namespace

Range streamed_waves(const OrbitalHeader& header, int k, const Communicator& comm) {
  return block(header.kpoints[size_of(k)].plane_waves, comm.size(), comm.rank());
}

void stream_bands(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const UseBands& use, const MoveOptions& options) {
  Rows rows;
  const BandTasks all = made_together(comm, [&] {
    BandTasks tasks(comm, header, source, wanted);
    rows.reserve(tasks, header, comm);
    return tasks;
  });
  const auto from = made_together(comm, [&] { return source.endpoint(all.tasks); });
  const auto pass_on = [&](const std::vector<std::size_t>& arrived, const std::vector<BlockPart>& blocks) {
    for (const std::size_t number : arrived) {
      const BandRange& some = all.bands[number];
      const std::int64_t waves = streamed_waves(header, some.k, comm).size();
      use(some, rows.of(all.tasks[number], number, waves, some.bands, blocks));
    }
  };
  deliver(comm, all.tasks, *from, pass_on, options);
}

}  // namespace seiche
