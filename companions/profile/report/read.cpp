// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

#include "report/model.hpp"
#include "seiche/error.hpp"

namespace seiche::profile {

double Row::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
int Row::slowest() const {
  return static_cast<int>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
}
double Row::least() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Row::imbalance() const {
  const double others = static_cast<double>(seconds.size()) - 1;
  return most() > 0 && others > 0 ? 1 - (total() - most()) / (others * most()) : 0;
}

std::int64_t Run::calls_of(const std::string& function) const {
  std::int64_t calls = 0;
  for (const Row& row : rows) calls += function_names[row.function] == function ? row.calls : 0;
  return calls;
}

File::File(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat state {};
  if (file < 0 || fstat(file, &state) != 0 || static_cast<std::size_t>(state.st_size) < sizeof(Record)) {
    if (file >= 0) close(file);
    return;
  }
  bytes_ = static_cast<std::size_t>(state.st_size);
  void* memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  record_ = static_cast<const Record*>(memory);
  if (record_->mark != record_mark) {
    munmap(memory, bytes_);
    record_ = nullptr;
  }
}

File::~File() {
  if (record_ != nullptr) munmap(const_cast<Record*>(record_), bytes_);
}

double common_time(const Record& record, std::int64_t time) {
  const auto span = static_cast<double>(record.end > record.begin ? record.end - record.begin : 1);
  const double along = std::clamp(static_cast<double>(time - record.begin) / span, 0.0, 1.0);
  const double drift =
      static_cast<double>(record.offset_end - record.offset_begin) * (record.finished != 0 ? along : 0);
  return 1e-9 * (static_cast<double>(time + record.offset_begin) + drift);
}

namespace {

void load(Run& run, const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("rank.")) continue;
    auto file = std::make_unique<File>(entry.path());
    if (!file->is_record()) continue;
    const auto rank = static_cast<std::size_t>((*file)->rank);
    run.ranks = std::max(run.ranks, (*file)->size);
    run.records.resize(std::max<std::size_t>(static_cast<std::size_t>(run.ranks), run.records.size()));
    run.records[rank] = std::move(file);
  }
}

/// Adds the calls of one rank at one call site.
void add(Row& row, const Site& site, std::size_t rank) {
  row.calls += site.calls;
  row.most_calls = std::max(row.most_calls, site.calls);
  row.bytes += site.bytes;
  row.results = std::max(row.results, site.results);
  row.largest_block = std::max(row.largest_block, site.largest_block);
  row.blocks += site.calls > 0 ? site.blocks : 0;
  row.seconds[rank] += 1e-9 * static_cast<double>(site.nanoseconds);
  row.longest = std::max(row.longest, 1e-9 * static_cast<double>(site.longest));
}

/// Merges call sites of all ranks to one row each, independent of their addresses.
void merge_sites(Run& run) {
  std::map<std::tuple<std::uint32_t, std::string, std::uint64_t>, int> known;
  run.row_of_site.resize(run.records.size());
  for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
    if (!run.records[rank]) continue;
    const Record& record = **run.records[rank];
    run.row_of_site[rank].assign(site_capacity, -1);
    for (std::size_t i = 0; i < site_capacity; ++i) {
      const Site& site = record.site[i];
      if (site.address == 0 || site.calls == 0) continue;
      const std::string module = site.module < module_capacity ? record.module[site.module].path : "";
      const auto [at, is_new] =
          known.try_emplace({site.function, module, site.offset}, static_cast<int>(run.rows.size()));
      if (is_new) {
        Row row;
        row.function = static_cast<Function>(site.function);
        row.symbol = site.symbol;
        row.module = module;
        row.offset = site.offset;
        row.seconds.resize(static_cast<std::size_t>(run.ranks));
        row.late_for.resize(row.seconds.size());
        run.rows.push_back(std::move(row));
      }
      run.row_of_site[rank][i] = at->second;
      add(run.rows[static_cast<std::size_t>(at->second)], site, rank);
    }
  }
}

/// Rows with times are before the others.
std::pair<bool, double> order_of(const Row& row) { return {row.is_timed(), row.total()}; }

void order_rows(Run& run) {
  std::vector<std::size_t> order(run.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return order_of(run.rows[a]) > order_of(run.rows[b]); });
  std::vector<int> place(order.size());
  std::vector<Row> sorted;
  for (const std::size_t i : order) {
    place[i] = static_cast<int>(sorted.size());
    sorted.push_back(std::move(run.rows[i]));
  }
  run.rows = std::move(sorted);
  for (auto& rank : run.row_of_site) {
    for (int& row : rank) row = row < 0 ? row : place[static_cast<std::size_t>(row)];
  }
}

void measure(Run& run) {
  double end = -1e300;
  run.begin = 1e300;
  for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
    if (!run.records[rank]) {
      run.unrecorded.push_back(static_cast<int>(rank));
      ++run.threads;
      continue;
    }
    const Record& record = **run.records[rank];
    run.threads += std::max<int>(1, static_cast<int>(record.threads));
    run.spawned += record.spawned;
    run.off += 1e-9 * static_cast<double>(record.off) / run.ranks;
    if (record.finished == 0) run.unfinished.push_back(static_cast<int>(rank));
    run.begin = std::min(run.begin, common_time(record, record.begin));
    end = std::max(end, common_time(record, record.finished != 0 ? record.end : record.last));
  }
  run.seconds = std::max(end - run.begin, 1e-9);
  for (const Row& row : run.rows) {
    if (row.function != F_Init && row.function != F_Init_thread) run.inside += row.total();  // the run starts after it
  }
}

}  // namespace

bool only_sessions(const std::string& directory) {
  const std::filesystem::directory_iterator files(directory);
  const bool records =
      std::any_of(begin(files), end(files), [](const auto& file) { return file.path().stem() == "rank"; });
  return !records && std::filesystem::exists(std::filesystem::path(directory) / sessions_file);
}

Run read_run(const std::string& directory) {
  Run run;
  load(run, directory);
  if (run.records.empty()) {
    throw Error(Fault::bad_argument,
                "profile: no process wrote a record: the program did not call MPI_Init, is linked statically, replaces "
                "LD_PRELOAD, or uses another MPI library than the detected one (give --mpi openmpi or --mpi mpich)");
  }
  run.late_for.resize(static_cast<std::size_t>(run.ranks));
  merge_sites(run);
  order_rows(run);
  measure(run);
  name_places(run.rows);
  split_waiting(run);
  for (const auto& record : run.records) {
    const Overlap one = run.overlaps.emplace_back(record ? overlap_of(**record) : Overlap{});
    run.overlap.under_way += one.under_way;
    run.overlap.outside += one.outside;
  }
  return run;
}

}  // namespace seiche::profile
