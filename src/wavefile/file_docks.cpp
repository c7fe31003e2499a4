// SPDX-License-Identifier: BSD-3-Clause
#include "wavefile/file_docks.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::size_t orders_kept = 16;  // of k-points that travel together

std::vector<Strip> strips_of(const std::vector<Load>& loads) {
  std::map<std::pair<std::size_t, std::int64_t>, Strip> strips;
  for (const Load& load : loads) {
    Strip& strip = strips[{load.lot->freight, load.bands.low}];
    strip.freight = load.lot->freight;
    strip.bands = load.bands;
    strip.loads.push_back(load);
  }
  std::vector<Strip> list;
  for (auto& entry : strips) list.push_back(std::move(entry.second));
  return list;
}

/// Waves of one band and component that lie in a row, in a load and in the file.
struct Run {
  std::int64_t position = 0, count = 0;
  std::complex<double>* data = nullptr;
};

/// Those of a strip's first band and component, in the order of the file. Those of the next lie `step` further on in
/// each load.
struct Runs {
  explicit Runs(const Strip& strip) {
    for (const Load& load : strip.loads) {
      auto* next = load.data;
      for (const Fragment& fragment : load.lot->fragments) {
        runs.push_back({{fragment.first, fragment.count, next}, load.lot->waves});
        next += fragment.count;
      }
    }
    std::sort(runs.begin(), runs.end(),
              [](const Stepping& a, const Stepping& b) { return a.run.position < b.run.position; });
  }
  template <class Use>
  void for_row(std::int64_t row, const Use& use) const {
    for (const Stepping& each : runs) use(Run{each.run.position, each.run.count, each.run.data + row * each.step});
  }
  /// Long enough to be read or written where they lie.
  bool long_enough(std::int64_t waves) const {
    constexpr std::int64_t waves_worth_it = 128;
    return waves >= waves_worth_it * static_cast<std::int64_t>(runs.size());
  }

 private:
  struct Stepping {
    Run run;
    std::int64_t step = 0;
  };
  std::vector<Stepping> runs;
};

/// XXH3 of bytes that come piece by piece.
class Checksum {
 public:
  Checksum() { XXH3_64bits_reset(&state_); }
  void add(std::span<const std::complex<double>> values) {
    XXH3_64bits_update(&state_, values.data(), values.size_bytes());
  }
  std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The extents of a band, with the range of its components in each.
template <class Use>
void for_each_extent(const WaveBlock& block, std::int64_t band, std::int64_t components, const Use& use) {
  if (block.component_stride == 0) return use(block.run(band, 0), Range{0, components});
  for (std::int64_t c = 0; c < components; ++c) use(block.run(band, c), Range{c, c + 1});
}

}  // namespace

void FileDock::start(int slot, const std::vector<Load>& loads) {
  Worker& worker = workers_[size_of(slot) % workers_.size()];
  jobs_[slot] = worker.add([this, strips = strips_of(loads)] {
    for (const Strip& strip : strips) move(strip);
  });
}

void FileDock::finish(int slot) { workers_[size_of(slot) % workers_.size()].wait(jobs_[slot]); }

const WaveBlock& FileDock::block(const Strip& strip) const {
  return table_.block(freights_[strip.freight].spin, freights_[strip.freight].k);
}

std::int64_t FileDock::waves_of(const Strip& strip) const {
  return table_.header.kpoints[static_cast<std::size_t>(freights_[strip.freight].k)].plane_waves;
}

Extent FileDock::checksums_of(const Strip& strip) const {
  const Freight& freight = freights_[strip.freight];
  Extent extent = table_.checksums;
  extent.offset +=
      8 * static_cast<std::int64_t>(table_.header.state(freight.spin, freight.k, static_cast<int>(strip.bands.low)));
  extent.count = 2 * strip.bands.size();
  return extent;
}

void FileSource::read_band(const File& file, const Strip& strip, std::int64_t band, std::span<Complex> row) const {
  const std::int64_t waves = waves_of(strip), components = components_of(strip);
  for (std::int64_t component = 0; component < components; ++component) {
    read_coefficients(file, block(strip), {band, component, waves, {0, waves}},
                      row.subspan(size_of(component * waves), size_of(waves)));
  }
}

void FileSource::move(const Strip& strip) {
  const WaveBlock& from = block(strip);
  const File file(from.first_band.path);
  const std::int64_t waves = waves_of(strip), components = components_of(strip);
  std::vector<std::uint64_t> sums(size_of(strip.bands.size()));
  if (checked()) {
    const Extent place = checksums_of(strip);
    File(place.path).read(place.offset, std::as_writable_bytes(std::span(sums)));
  }
  const Runs runs(strip);
  const bool in_place = from.plain() && !from.first_band.record && runs.long_enough(waves);
  std::vector<Complex> row(in_place ? 0 : size_of(waves * components));
  for (std::int64_t band = strip.bands.low; band < strip.bands.high; ++band) {
    const std::int64_t first_row = (band - strip.bands.low) * components;
    if (in_place) {
      for_each_extent(from, band, components, [&](const Extent& extent, const Range& within) {
        std::vector<std::span<std::byte>> pieces;
        for (std::int64_t c = within.low; c < within.high; ++c) {
          runs.for_row(first_row + c, [&](const Run& run) {
            pieces.push_back(std::as_writable_bytes(std::span(run.data, size_of(run.count))));
          });
        }
        file.read(extent.offset, std::move(pieces));
      });
    } else {
      read_band(file, strip, band, row);
    }
    Checksum checksum;
    for (std::int64_t c = 0; c < components; ++c) {
      runs.for_row(first_row + c, [&](const Run& run) {
        const auto values = std::span(run.data, size_of(run.count));
        if (in_place) {
          require_finite(file, band, values);
        } else {
          std::copy_n(row.data() + c * waves + run.position, run.count, run.data);
        }
        if (checked()) checksum.add(values);
      });
    }
    require(!checked() || checksum.value() == sums[size_of(band - strip.bands.low)], Fault::bad_file,
            "{}: the checksum of band {} is wrong: the file is damaged, copy it again", file.path(), band + 1);
  }
}

const FileOrder& FileTarget::order_of(int k) {
  const auto found = orders_.find(k);
  if (found != orders_.end()) return found->second;
  if (orders_.size() >= orders_kept) orders_.clear();
  return orders_.emplace(k, order_(k)).first->second;
}

void FileTarget::move(const Strip& strip) {
  const WaveBlock& into = block(strip);
  const File file(into.first_band.path, File::Mode::write);
  const Freight& freight = freights_[strip.freight];
  const std::int64_t waves = waves_of(strip), given = given_[size_of(freight.k)].plane_waves;
  const std::int64_t components = freight.components;
  const FileOrder& order = order_of(freight.k);
  const Runs runs(strip);
  const bool in_place = order.same() && into.plain() && !into.first_band.record && runs.long_enough(waves);
  std::vector<Complex> gathered(in_place ? 0 : size_of(given));
  std::vector<Complex> row(in_place ? 0 : size_of(waves * components));
  std::vector<std::uint64_t> sums;
  for (std::int64_t band = strip.bands.low; band < strip.bands.high; ++band) {
    const std::int64_t first_row = (band - strip.bands.low) * components;
    Checksum checksum;
    if (in_place) {
      for_each_extent(into, band, components, [&](const Extent& extent, const Range& within) {
        std::vector<std::span<const std::byte>> pieces;
        for (std::int64_t c = within.low; c < within.high; ++c) {
          runs.for_row(first_row + c, [&](const Run& run) {
            const auto values = std::span(run.data, size_of(run.count));
            pieces.push_back(std::as_bytes(values));
            if (checked()) checksum.add(values);
          });
        }
        file.write(extent.offset, std::move(pieces));
      });
    } else {
      for (std::int64_t c = 0; c < components; ++c) {
        const auto part = std::span(row).subspan(size_of(c * waves), size_of(waves));
        Complex* to = order.same() ? part.data() : gathered.data();
        runs.for_row(first_row + c, [&](const Run& run) { std::copy_n(run.data, run.count, to + run.position); });
        if (!order.same()) order.reorder(gathered, part);
        write_coefficients(file, into, {band, c, waves, {0, waves}}, part);
      }
      if (checked()) checksum.add(row);
    }
    sums.push_back(checksum.value());
    for_each_extent(into, band, components,
                    [&](const Extent& extent, const Range&) { file.begin_flush(extent.offset, extent.bytes()); });
  }
  written_.insert(file.path());
  if (!checked()) return;
  const Extent place = checksums_of(strip);
  File(place.path, File::Mode::write).write(place.offset, std::as_bytes(std::span(sums)));
}

void FileTarget::flush(const Communicator& comm) const {
  const auto files = files_of(table_);
  std::vector<std::int64_t> mine;  // by their numbers
  for (const std::string& path : comm.rank() == 0 ? files : written_) {
    mine.push_back(std::distance(files.begin(), files.find(path)));
  }
  // What a node wrote to a file is on the disk after one flush, by whichever rank: they share the files out.
  const Communicator node = comm.node();
  const auto all = join_all(node, mine);
  const std::set<std::int64_t> of_node(all.begin(), all.end());
  together(comm, [&] {
    std::int64_t turn = 0;
    for (const std::int64_t number : of_node) {
      if (turn++ % node.size() != node.rank()) continue;
      File(*std::next(files.begin(), number), File::Mode::write).flush();
    }
  });
}

std::set<std::string> files_of(const WaveTable& table) {
  std::set<std::string> files;
  for (const WaveBlock& block : table.blocks) files.insert(block.first_band.path);
  return files;
}

}  // namespace seiche
