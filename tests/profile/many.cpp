// SPDX-License-Identifier: BSD-3-Clause
// Records as of a run of many ranks and calls, for the page: `seiche profile --mpi openmpi -- profile_many RANKS CALLS`
// writes them where a program's recorder would. Each step computes, sends to the next rank, and meets all others.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "record.hpp"

using namespace seiche::profile;

namespace {

struct Step {
  Function function;
  Class kind;
  std::int64_t bytes;
  double share;  ///< of a step's time
  Role role;
};
constexpr Step steps[] = {{F_Isend, Class::point_to_point, 20000, 0.02, Role::none},
                          {F_Irecv, Class::point_to_point, 20000, 0.01, Role::none},
                          {F_Waitall, Class::completion, 0, 0.15, Role::none},
                          {F_Alltoallv, Class::collective, 400000, 0.3, Role::all},
                          {F_Allreduce, Class::collective, 8, 0.05, Role::all}};
constexpr std::int64_t step_time = 1'250'000;  // nanoseconds

/// 0.5 to 1.5, the same for the same numbers.
double by_chance(std::uint64_t a, std::uint64_t b) { return 0.5 + static_cast<double>(mixed(a, b) >> 40) / (1 << 24); }

void add_site(Record& record, std::size_t i, const Step& step) {
  Site& site = record.site[i];
  site.address = site.offset = 0x1000 + 16 * i;
  site.function = step.function;
  site.module = 0;
  std::snprintf(site.symbol, sizeof site.symbol, "place_%zu", i);
}

void add(Record& record, std::size_t i, std::int64_t start, std::int64_t end, std::uint64_t number) {
  Site& site = record.site[i];
  const Step& step = steps[i];
  ++site.calls;
  ++record.calls;
  site.bytes += step.bytes;
  site.nanoseconds += end - start;
  site.longest = std::max(site.longest, end - start);
  ++record.sizes[step.function].calls[static_cast<std::size_t>(
      step.bytes > 0 ? 64 - __builtin_clzll(static_cast<unsigned long long>(step.bytes)) : 0)];
  Bin& bin = record.bin[static_cast<std::size_t>(start / record.bin_width)];
  bin.nanoseconds[static_cast<std::size_t>(step.kind)] += end - start;
  bin.resident = 100'000'000 + 1000 * record.rank;
  record.last = end;
  const bool is_kept = (mixed(static_cast<std::uint64_t>(start >> kept_window_bits)) & record.windows_mask) == 0;
  if (!is_kept || record.events == record.event_capacity) {
    ++record.lost_events;
    return;
  }
  Event event{};
  event.start = event.enter = start;
  event.leave = end;
  event.bytes = step.bytes;
  event.site = event.wait_site = static_cast<std::uint32_t>(i);
  event.role = step.role;
  event.peer = -1;
  event.communicator = 1;
  event.key = step.role == Role::all ? mixed(i, number) | 1 : 0;
  record.event[record.events++] = event;
}

void fill(Record& record, int rank, int ranks, std::int64_t calls, std::uint64_t events) {
  constexpr std::int64_t each = std::size(steps);
  record.mark = record_mark;
  record.rank = rank;
  record.size = ranks;
  record.finished = 1;
  record.threads = 1;
  record.event_capacity = events;
  for (record.bin_width = 1'000'000;
       record.bin_width * static_cast<std::int64_t>(bin_capacity) <= calls / each * step_time;)
    record.bin_width *= 2;
  while (static_cast<std::int64_t>((record.windows_mask + 1) * events) < calls)
    record.windows_mask = 2 * record.windows_mask + 1;
  record.peers = static_cast<std::uint32_t>(ranks);
  record.communicators = 2;
  record.communicator[1] = {7, ranks, rank};
  record.modules = 1;
  std::snprintf(record.module[0].path, sizeof record.module[0].path, "program");
  std::snprintf(record.program, sizeof record.program, "program");
  std::snprintf(record.library, sizeof record.library, "made up");
  std::snprintf(record.host, sizeof record.host, "node%03d", rank / 32);
  for (std::size_t i = 0; i < std::size(steps); ++i) add_site(record, i, steps[i]);
  for (std::int64_t n = 0; n < calls / each; ++n) {
    auto time = n * step_time +
                static_cast<std::int64_t>(0.2 * step_time *
                                          by_chance(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(rank)));
    for (std::size_t i = 0; i < std::size(steps); ++i) {
      const auto took =
          static_cast<std::int64_t>(steps[i].share * step_time *
                                    by_chance(static_cast<std::uint64_t>(rank) * 8 + i, static_cast<std::uint64_t>(n)));
      add(record, i, time, time + took, static_cast<std::uint64_t>(n));
      time += took + step_time / 50;
    }
  }
  for (int to = 0; to < ranks; ++to)
    record.peer[static_cast<std::size_t>(to)] = {calls / each,
                                                 calls / each * (to == (rank + 1) % ranks ? 20000 : 400000 / ranks)};
  record.end = calls / each * step_time + step_time;
}

}  // namespace

int main(int argc, char** argv) {
  const char* directory = std::getenv("SEICHE_PROFILE_DIRECTORY");
  if (argc < 3 || directory == nullptr) return 2;
  const int ranks = std::atoi(argv[1]);
  const auto events = static_cast<std::uint64_t>(std::atoll(std::getenv("SEICHE_PROFILE_EVENTS")));
  const std::size_t bytes = sizeof(Record) + events * sizeof(Event);
  for (int rank = 0; rank < ranks; ++rank) {
    auto* record = static_cast<Record*>(std::calloc(bytes, 1));
    fill(*record, rank, ranks, std::atoll(argv[2]), events);
    std::FILE* file = std::fopen((std::string(directory) + "/rank." + std::to_string(rank)).c_str(), "w");
    if (file == nullptr || std::fwrite(record, sizeof(Record) + record->events * sizeof(Event), 1, file) != 1) return 1;
    std::fclose(file);
    std::free(record);
  }
  return 0;
}
