// SPDX-License-Identifier: BSD-3-Clause
#include "trace/timeline.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "support/environment.hpp"

namespace seiche::timeline {

namespace {

std::optional<Timeline>& current() {
  static std::optional<Timeline> only = environment("SEICHE_TRACE").empty() ? std::nullopt : std::optional(Timeline{});
  return only;
}

/// The time of day when a steady clock read 0: what brings processes' records together.
double epoch() {
  const auto day = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return day - now();
}

}  // namespace

void start_recording() { current().emplace(); }

Timeline stop_recording() {
  std::optional<Timeline> recorded;
  std::swap(recorded, current());
  return recorded ? std::move(*recorded) : Timeline{};
}

Timeline* recording() noexcept {
  auto& timeline = current();
  const bool room =
      timeline && timeline->work.size() < longest_recording && timeline->transfers.size() < longest_recording;
  return room ? &*timeline : nullptr;
}

void save_recording(int rank) {
  const std::string name = environment("SEICHE_TRACE");
  if (name.empty() || !current()) return;
  const std::string path = fmt::format("{}.{}", name, rank);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return;  // MPI is ending, and there is nobody to throw at; `seiche trace` will miss the file and say so
  fmt::print(file, "seiche trace 1\nepoch {:.9f}\n", epoch());
  for (const Work& w : current()->work) fmt::print(file, "work {} {} {:.9f} {:.9f}\n", w.stage, w.item, w.begin, w.end);
  for (const Transfer& p : current()->transfers) {
    fmt::print(file, "passage {:.9f} {:.9f} {:.9f}\n", p.started, p.needed, p.arrived);
  }
  std::fclose(file);
}

}  // namespace seiche::timeline
