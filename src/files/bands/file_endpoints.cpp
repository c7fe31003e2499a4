// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/file_endpoints.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "comm/agree.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

constexpr std::size_t orders_kept = 16;  // number of cached k-points

std::vector<Strip> strips_of(const std::vector<BlockPart>& block_parts) {
  std::map<std::pair<std::size_t, std::int64_t>, Strip> strips;
  for (const BlockPart& load : block_parts) {
    Strip& strip = strips[{load.rank_block->task, load.bands.low}];
    strip.task = load.rank_block->task;
    strip.bands = load.bands;
    strip.block_parts.push_back(load);
  }
  std::vector<Strip> list;
  for (auto& entry : strips) list.push_back(std::move(entry.second));
  return list;
}

/// Waves of one band and component that are consecutive in a load and in the file.
struct Run {
  std::int64_t position = 0, count = 0;
  std::complex<double>* data = nullptr;
};

/// The runs of a strip's first band and component, in the order of the file. The following ones are at a distance of
/// `step` in each load.
struct Runs {
  explicit Runs(const Strip& strip) {
    for (const BlockPart& load : strip.block_parts) {
      auto* next = load.data;
      for (const Fragment& fragment : load.rank_block->fragments) {
        runs.push_back({{fragment.first, fragment.count, next}, load.rank_block->waves});
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
  /// Whether runs are long enough for reading and writing in place.
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

/// The XXH3 checksum of bytes that are added in parts.
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

/// Calls `use` for the extents of a band, with the range of components in each.
template <class Use>
void for_each_extent(const WaveBlock& block, std::int64_t band, std::int64_t components, const Use& use) {
  if (block.component_stride == 0) return use(block.run(band, 0), Range{0, components});
  for (std::int64_t c = 0; c < components; ++c) use(block.run(band, c), Range{c, c + 1});
}

/// Returns the stretches in the order of the file; adjacent ones are merged.
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

FileEndpoint::Job FileEndpoint::add(int slot, std::size_t thread, std::function<void()> work) {
  return jobs_[slot] = add(thread, std::move(work));
}

bool FileEndpoint::k_interleaved() const {
  if (table_.blocks.size() < 2) return false;
  const Extent &first = table_.blocks[0].first_band, &next = table_.blocks[1].first_band;
  return first.path == next.path && std::abs(next.offset - first.offset) < table_.blocks[0].band_stride;
}

const WaveBlock& FileEndpoint::block(const Strip& strip) const {
  return table_.block(tasks_[strip.task].spin, tasks_[strip.task].k);
}

std::int64_t FileEndpoint::waves_of(const Strip& strip) const {
  return table_.header.kpoints[static_cast<std::size_t>(tasks_[strip.task].k)].plane_waves;
}

std::int64_t FileEndpoint::checksum_place(const Strip& strip, std::int64_t band) const {
  const MoveTask& task = tasks_[strip.task];
  const std::size_t state = table_.header.state(task.spin, task.k, static_cast<int>(band));
  const auto& numbers = table_.checksum_of;
  return table_.checksums.offset + 8 * (numbers.empty() ? static_cast<std::int64_t>(state) : numbers[state]);
}

struct FileEndpoint::Transfer {
  Strip strip;
  Runs runs;
  std::shared_ptr<const File> file;
  bool in_place;                           ///< whether the numbers in the file have the format of memory, and long runs
  std::shared_ptr<const FileOrder> order;  ///< for writing

  std::int64_t row_of(std::int64_t band, std::int64_t components) const {
    return (band - strip.bands.low) * components;
  }
};

std::shared_ptr<const File> FileEndpoint::open(const std::string& path) {
  if (!file_ || file_->path() != path) file_ = std::make_shared<const File>(path, mode_);
  return file_;
}

void FileEndpoint::open_sums() {
  if (checked() && !sums_) sums_ = std::make_shared<const File>(table_.checksums.path, mode_);
}

bool FileEndpoint::all_in_place(const std::vector<Transfer>& transfers) {
  return std::all_of(transfers.begin(), transfers.end(), [](const Transfer& one) { return one.in_place; });
}

std::vector<Stretch> FileEndpoint::stretches_of(const std::vector<Transfer>& transfers) const {
  std::vector<Stretch> stretches;
  for (const Transfer& transfer : transfers) {
    const std::int64_t components = components_of(transfer.strip);
    const Range& bands = transfer.strip.bands;
    for (std::int64_t band = bands.low; band < bands.high; ++band) {
      for_each_extent(block(transfer.strip), band, components, [&](const Extent& extent, const Range& within) {
        Stretch& stretch = stretches.emplace_back(Stretch{transfer.file.get(), extent.offset, extent.bytes(), {}});
        for (std::int64_t c = within.low; c < within.high; ++c) {
          transfer.runs.for_row(transfer.row_of(band, components) + c, [&](const Run& run) {
            stretch.pieces.push_back(std::as_writable_bytes(std::span(run.data, size_of(run.count))));
          });
        }
      });
    }
  }
  return joined(std::move(stretches));
}

void FileReader::start(int slot, const std::vector<BlockPart>& block_parts) {
  open_sums();
  const auto transfers = std::make_shared<std::vector<Transfer>>();
  for (Strip& strip : strips_of(block_parts)) {
    const WaveBlock& from = block(strip);
    const Runs runs(strip);
    const bool in_place = from.plain() && !from.first_band.record && runs.long_enough(waves_of(strip));
    transfers->push_back({std::move(strip), runs, open(from.first_band.path), in_place, nullptr});
  }
  if (!all_in_place(*transfers)) {
    add(slot, size_of(slot) % 2, [this, transfers] {
      for (const Transfer& transfer : *transfers) convert(transfer);
    });
    return;
  }
  const Job reading = add(slot, 0, [this, transfers] {
    for (Stretch& stretch : stretches_of(*transfers)) stretch.file->read(stretch.offset, std::move(stretch.pieces));
  });
  add(slot, 1, [this, transfers, reading] {
    wait(reading);
    for (const Transfer& transfer : *transfers) check(transfer);
  });
}

void FileReader::convert(const Transfer& transfer) const {
  const Strip& strip = transfer.strip;
  const std::int64_t waves = waves_of(strip), components = components_of(strip);
  std::vector<Complex> row(size_of(waves));
  for (std::int64_t band = strip.bands.low; band < strip.bands.high; ++band) {
    for (std::int64_t c = 0; c < components; ++c) {
      read_coefficients(*transfer.file, block(strip), {band, c, waves, {0, waves}}, row);
      transfer.runs.for_row(transfer.row_of(band, components) + c,
                            [&](const Run& run) { std::copy_n(row.data() + run.position, run.count, run.data); });
    }
  }
  check(transfer);
}

void FileReader::check(const Transfer& transfer) const {
  const Range& bands = transfer.strip.bands;
  for (std::int64_t band = bands.low; band < bands.high; ++band) {
    std::uint64_t sum = 0;
    if (checked()) sums_file().read(checksum_place(transfer.strip, band), std::as_writable_bytes(std::span(&sum, 1)));
    check_band(transfer, band, sum);
  }
}

void FileReader::check_band(const Transfer& transfer, std::int64_t band, std::uint64_t sum) const {
  const std::int64_t components = components_of(transfer.strip);
  const std::int64_t place = block(transfer.strip).place_of(band);  // the number of the band in messages
  Checksum checksum;
  for (std::int64_t c = 0; c < components; ++c) {
    transfer.runs.for_row(transfer.row_of(band, components) + c, [&](const Run& run) {
      const auto values = std::span(run.data, size_of(run.count));
      if (transfer.in_place) require_finite(*transfer.file, place, values);
      if (checked()) checksum.add(values);
    });
  }
  require(!checked() || checksum.value() == sum, Fault::bad_file,
          "{}: the checksum of band {} is wrong: the file is damaged, copy it again", transfer.file->path(), place + 1);
}

void FileWriter::start(int slot, const std::vector<BlockPart>& block_parts) {
  open_sums();
  const auto transfers = std::make_shared<std::vector<Transfer>>();
  for (Strip& strip : strips_of(block_parts)) {
    const WaveBlock& into = block(strip);
    const Runs runs(strip);
    const auto order = order_of(tasks_[strip.task].k);
    const bool in_place = order->same() && into.plain() && !into.first_band.record && runs.long_enough(waves_of(strip));
    written_.insert(into.first_band.path);
    transfers->push_back({std::move(strip), runs, open(into.first_band.path), in_place, order});
  }
  if (!all_in_place(*transfers)) {
    add(slot, size_of(slot) % 2, [this, transfers] {
      for (const Transfer& transfer : *transfers) write_sums(transfer.strip, convert(transfer));
    });
    return;
  }
  const auto sums = std::make_shared<std::vector<Sums>>();
  const Job summing = add(slot, 1, [this, transfers, sums] {
    for (const Transfer& transfer : *transfers) sums->push_back(sums_of(transfer));
  });
  add(slot, 0, [this, transfers, sums, summing] {
    for (const Stretch& stretch : stretches_of(*transfers)) {
      stretch.file->write(stretch.offset, {stretch.pieces.begin(), stretch.pieces.end()});
      stretch.file->begin_flush(stretch.offset, stretch.bytes);
    }
    wait(summing);
    for (std::size_t n = 0; n < transfers->size(); ++n) write_sums((*transfers)[n].strip, (*sums)[n]);
  });
}

std::shared_ptr<const FileOrder> FileWriter::order_of(int k) {
  const auto found = orders_.find(k);
  if (found != orders_.end()) return found->second;
  if (orders_.size() >= orders_kept) orders_.clear();
  return orders_.emplace(k, std::make_shared<const FileOrder>(order_(k))).first->second;
}

FileWriter::Sums FileWriter::sums_of(const Transfer& transfer) const {
  const std::int64_t components = components_of(transfer.strip);
  const Range& bands = transfer.strip.bands;
  Sums sums;
  for (std::int64_t band = bands.low; checked() && band < bands.high; ++band) {
    Checksum checksum;
    for (std::int64_t c = 0; c < components; ++c) {
      transfer.runs.for_row(transfer.row_of(band, components) + c,
                            [&](const Run& run) { checksum.add(std::span(run.data, size_of(run.count))); });
    }
    sums.push_back(checksum.value());
  }
  return sums;
}

FileWriter::Sums FileWriter::convert(const Transfer& transfer) const {
  const Strip& strip = transfer.strip;
  const WaveBlock& into = block(strip);
  const MoveTask& task = tasks_[strip.task];
  const std::int64_t waves = waves_of(strip), components = task.components;
  const bool same = transfer.order->same();
  std::vector<Complex> gathered(same ? 0 : size_of(given_[size_of(task.k)].plane_waves));
  std::vector<Complex> row(size_of(waves * components));
  Sums sums;
  for (std::int64_t band = strip.bands.low; band < strip.bands.high; ++band) {
    for (std::int64_t c = 0; c < components; ++c) {
      const auto part = std::span(row).subspan(size_of(c * waves), size_of(waves));
      Complex* to = same ? part.data() : gathered.data();
      transfer.runs.for_row(transfer.row_of(band, components) + c,
                            [&](const Run& run) { std::copy_n(run.data, run.count, to + run.position); });
      if (!same) transfer.order->reorder(gathered, part);
      write_coefficients(*transfer.file, into, {band, c, waves, {0, waves}}, part);
    }
    Checksum checksum;
    if (checked()) checksum.add(row);
    sums.push_back(checksum.value());
    for_each_extent(into, band, components, [&](const Extent& extent, const Range&) {
      transfer.file->begin_flush(extent.offset, extent.bytes());
    });
  }
  return sums;
}

void FileWriter::write_sums(const Strip& strip, const Sums& sums) const {
  if (checked()) sums_file().write(checksum_place(strip, strip.bands.low), std::as_bytes(std::span(sums)));
}

bool FileWriter::flush_mine() {
  if (!flush_) {
    flush_ = add(0, [files = written_] {
      for (const std::string& path : files) File(path, File::Mode::write).flush();
    });
  }
  return done(*flush_);
}

void FileWriter::flush(const Communicator& comm) {
  std::set<std::string> files;
  std::vector<std::int64_t> mine;  // by their numbers
  together(comm, [&] {
    files = files_of(table_);
    for (const std::string& path : comm.rank() == 0 ? files : written_) {
      mine.push_back(std::distance(files.begin(), files.find(path)));
    }
  });
  // One flush brings the data of all ranks of a node to disk, so that these divide the files among them.
  const Communicator node = comm.node();
  const auto all = join_all(node, mine);
  agree_asleep(comm, fault_of([&] {
                 if (flush_) wait(*flush_);
                 const std::set<std::int64_t> of_node(all.begin(), all.end());
                 std::int64_t turn = 0;
                 for (const std::int64_t number : of_node) {
                   if (turn++ % node.size() != node.rank()) continue;
                   File(*std::next(files.begin(), number), File::Mode::write).flush();
                 }
               }));
}

std::set<std::string> files_of(const WaveTable& table) {
  std::set<std::string> files;
  for (const WaveBlock& block : table.blocks) files.insert(block.first_band.path);
  return files;
}

}  // namespace seiche
