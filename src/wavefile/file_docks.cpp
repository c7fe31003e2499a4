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

/// Bytes that lie in a row in a file, and where they belong in memory.
struct Stretch {
  const File* file = nullptr;
  std::int64_t offset = 0, bytes = 0;
  std::vector<std::span<std::byte>> pieces;
};

/// In the order of the file; those that follow each other become one.
std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return a.file == b.file ? a.offset < b.offset : std::less<>()(a.file, b.file);
  });
  std::vector<Stretch> result;
  for (Stretch& next : stretches) {
    const bool follows =
        !result.empty() && result.back().file == next.file && result.back().offset + result.back().bytes == next.offset;
    if (!follows) {
      result.push_back(std::move(next));
      continue;
    }
    result.back().bytes += next.bytes;
    auto& pieces = result.back().pieces;
    pieces.insert(pieces.end(), next.pieces.begin(), next.pieces.end());
  }
  return result;
}

}  // namespace

FileDock::Job FileDock::add(int slot, std::size_t thread, std::function<void()> work) {
  return jobs_[slot] = {thread, workers_[thread].add(std::move(work))};
}

bool FileDock::abreast() const {
  if (table_.blocks.size() < 2) return false;
  const Extent &first = table_.blocks[0].first_band, &next = table_.blocks[1].first_band;
  return first.path == next.path && std::abs(next.offset - first.offset) < table_.blocks[0].band_stride;
}

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

struct FileSource::Reading {
  Strip strip;
  Runs runs;
  std::shared_ptr<const File> file;
  bool in_place;  ///< the file has the numbers as they are wanted, and in long runs
};

std::shared_ptr<const File> FileSource::open(const std::string& path) {
  if (!file_ || file_->path() != path) file_ = std::make_shared<const File>(path);
  return file_;
}

void FileSource::start(int slot, const std::vector<Load>& loads) {
  if (checked() && !sums_) sums_ = std::make_shared<const File>(table_.checksums.path);
  const auto readings = std::make_shared<std::vector<Reading>>();
  for (Strip& strip : strips_of(loads)) {
    const WaveBlock& from = block(strip);
    const Runs runs(strip);
    const bool in_place = from.plain() && !from.first_band.record && runs.long_enough(waves_of(strip));
    readings->push_back({std::move(strip), runs, open(from.first_band.path), in_place});
  }
  const auto each = [readings](const auto& work) { std::for_each(readings->begin(), readings->end(), work); };
  if (!std::all_of(readings->begin(), readings->end(), [](const Reading& one) { return one.in_place; })) {
    // what has to be converted keeps both threads busy
    add(slot, size_of(slot) % 2, [this, each] { each([this](const Reading& one) { convert(one); }); });
    return;
  }
  const Job reading = add(slot, 0, [this, readings] { read(*readings); });
  add(slot, 1, [this, each, reading] {
    wait(reading);
    each([this](const Reading& one) { check(one); });
  });
}

void FileSource::read(const std::vector<Reading>& readings) const {
  std::vector<Stretch> stretches;
  for (const Reading& reading : readings) {
    const std::int64_t components = components_of(reading.strip);
    const Range& bands = reading.strip.bands;
    for (std::int64_t band = bands.low; band < bands.high; ++band) {
      for_each_extent(block(reading.strip), band, components, [&](const Extent& extent, const Range& within) {
        Stretch& stretch = stretches.emplace_back(Stretch{reading.file.get(), extent.offset, extent.bytes(), {}});
        for (std::int64_t c = within.low; c < within.high; ++c) {
          reading.runs.for_row((band - bands.low) * components + c, [&](const Run& run) {
            stretch.pieces.push_back(std::as_writable_bytes(std::span(run.data, size_of(run.count))));
          });
        }
      });
    }
  }
  for (Stretch& stretch : joined(std::move(stretches))) stretch.file->read(stretch.offset, std::move(stretch.pieces));
}

void FileSource::convert(const Reading& reading) const {
  const Strip& strip = reading.strip;
  const std::int64_t waves = waves_of(strip), components = components_of(strip);
  std::vector<Complex> row(size_of(waves));
  for (std::int64_t band = strip.bands.low; band < strip.bands.high; ++band) {
    const std::int64_t first_row = (band - strip.bands.low) * components;
    for (std::int64_t c = 0; c < components; ++c) {
      read_coefficients(*reading.file, block(strip), {band, c, waves, {0, waves}}, row);
      reading.runs.for_row(first_row + c,
                           [&](const Run& run) { std::copy_n(row.data() + run.position, run.count, run.data); });
    }
  }
  check(reading);
}

void FileSource::check(const Reading& reading) const {
  const Range& bands = reading.strip.bands;
  std::vector<std::uint64_t> sums(size_of(bands.size()));
  if (checked()) sums_->read(checksums_of(reading.strip).offset, std::as_writable_bytes(std::span(sums)));
  for (std::int64_t band = bands.low; band < bands.high; ++band) {
    check_band(reading, band, sums[size_of(band - bands.low)]);
  }
}

void FileSource::check_band(const Reading& reading, std::int64_t band, std::uint64_t sum) const {
  const std::int64_t components = components_of(reading.strip);
  Checksum checksum;
  for (std::int64_t c = 0; c < components; ++c) {
    reading.runs.for_row((band - reading.strip.bands.low) * components + c, [&](const Run& run) {
      const auto values = std::span(run.data, size_of(run.count));
      if (reading.in_place) require_finite(*reading.file, band, values);
      if (checked()) checksum.add(values);
    });
  }
  require(!checked() || checksum.value() == sum, Fault::bad_file,
          "{}: the checksum of band {} is wrong: the file is damaged, copy it again", reading.file->path(), band + 1);
}

void FileTarget::start(int slot, const std::vector<Load>& loads) {
  add(slot, 0, [this, strips = strips_of(loads)] {
    for (const Strip& strip : strips) write(strip);
  });
}

const FileOrder& FileTarget::order_of(int k) {
  const auto found = orders_.find(k);
  if (found != orders_.end()) return found->second;
  if (orders_.size() >= orders_kept) orders_.clear();
  return orders_.emplace(k, order_(k)).first->second;
}

void FileTarget::write(const Strip& strip) {
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
