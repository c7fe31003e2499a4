// SPDX-License-Identifier: BSD-3-Clause
#include "trace/timeline.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/formatted.hpp"

namespace seiche::timeline {

namespace {

/// Recording of this process. All threads add to it.
struct Recorder {
  std::mutex mutex;
  std::optional<Timeline> timeline;
  std::atomic<bool> on{false};  // whether a recording is on and not full; readable without the lock

  Recorder() {
    if (!environment("SEICHE_TRACE").empty()) start();
  }
  void start() {
    timeline.emplace();
    on = true;
  }
};

Recorder& recorder() {
  static Recorder only;
  return only;
}

template <class Entry>
void add(std::vector<Entry> Timeline::*entries, const Entry& entry) {
  Recorder& here = recorder();
  const std::lock_guard lock(here.mutex);
  if (!here.on) return;
  auto& all = *here.timeline.*entries;
  all.push_back(entry);
  if (all.size() >= longest_recording) here.on = false;
}

/// Returns the time of day at which the steady clock was 0. It relates the records of different processes.
double epoch() {
  const auto day = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return day - now();
}

}  // namespace

void start_recording() {
  const std::lock_guard lock(recorder().mutex);
  recorder().start();
}

Timeline stop_recording() {
  const std::lock_guard lock(recorder().mutex);
  recorder().on = false;
  return std::exchange(recorder().timeline, std::nullopt).value_or(Timeline{});
}

bool recording() noexcept { return recorder().on.load(std::memory_order_relaxed); }

void note(const Work& work) {
  if (recording()) add(&Timeline::work, work);
}
void note(const Transfer& transfer) {
  if (recording()) add(&Timeline::transfers, transfer);
}

void save_recording(int rank) {
  const std::string name = environment("SEICHE_TRACE");
  const std::lock_guard lock(recorder().mutex);
  const auto& timeline = recorder().timeline;
  if (name.empty() || !timeline) return;
  const std::string path = formatted("{}.{}", name, rank);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return;  // MPI is being finalized, so that no error can be thrown; `seiche trace` reports the missing file
  std::fputs(formatted("seiche trace 1\nepoch {:.9f}\n", epoch()).c_str(), file);
  for (const Work& w : timeline->work)
    std::fputs(formatted("work {} {} {:.9f} {:.9f}\n", w.stage, w.item, w.begin, w.end).c_str(), file);
  for (const Transfer& p : timeline->transfers) {
    std::fputs(formatted("passage {:.9f} {:.9f} {:.9f}\n", p.started, p.needed, p.arrived).c_str(), file);
  }
  std::fclose(file);
}

}  // namespace seiche::timeline
