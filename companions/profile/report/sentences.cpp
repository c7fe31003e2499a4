// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>

#include "report/model.hpp"

namespace seiche::profile {

namespace {

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string short_seconds(double value) {
  return value >= 1      ? fmt::format("{:.2f} s", value)
         : value >= 1e-3 ? fmt::format("{:.1f} ms", 1e3 * value)
                         : fmt::format("{:.0f} µs", 1e6 * value);
}

std::string ranks_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranks.size(), 8); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  return text + (ranks.size() > 8 ? ", ..." : "");
}

/// A program may switch recording off with MPI_Pcontrol.
void say_off(const Run& run, std::vector<std::string>& all) {
  if (run.off == 0) return;
  all.push_back(fmt::format("MPI_Pcontrol switched recording off for {} of {} on a rank: the report covers the rest.",
                            short_seconds(run.off), short_seconds(run.seconds)));
}

void say_waiting(const Run& run, std::vector<std::string>& all) {
  const double share = std::min(1.0, run.inside / (run.recorded() * run.threads));  // clocks differ slightly
  const bool threaded = run.threads > run.ranks;
  all.push_back(fmt::format("{:.0f} % of the time is spent in MPI: {} of {} on each of {} {}.", 100 * share,
                            short_seconds(run.inside / run.threads), short_seconds(run.recorded()),
                            threaded ? run.threads : run.ranks,
                            threaded ? fmt::format("threads of {} ranks", run.ranks) : "ranks"));
  if (run.wait.sum() < 0.01 * run.inside || run.inside == 0) return;
  const auto part = [&](double of) { return fmt::format("{:.0f} %", 100 * of / run.inside); };
  all.push_back(fmt::format(
      "Of the time in MPI, {} is waiting for late partners, {} is missing progress, {} is transfers and work of MPI.",
      part(run.wait.late), part(run.wait.missing), part(run.wait.transport)));
  const auto worst = std::max_element(run.late_for.begin(), run.late_for.end());
  if (*worst > 0.3 * run.wait.late && *worst > 0.05 * run.inside && run.ranks > 1) {
    all.push_back(fmt::format("Other ranks wait most for rank {}: {} of the total {} of waiting for late partners.",
                              worst - run.late_for.begin(), short_seconds(*worst), short_seconds(run.wait.late)));
  }
}

/// Reports operations that were started and completed by different calls, if they take a hundredth of the run or more.
void say_overlap(const Run& run, std::vector<std::string>& all) {
  if (run.overlap.under_way < 0.01 * run.seconds * run.ranks) return;
  all.push_back(
      fmt::format("Nonblocking messages and collectives were in flight for {} of the time of a rank. In {:.0f} % of it "
                  "the rank was outside of MPI: this is the upper limit of the overlap.",
                  short_seconds(run.overlap.under_way / run.ranks), 100 * run.overlap.outside / run.overlap.under_way));
}

/// A profiling layer of the program may hide calls from the recorder. Layers that forward calls are not reported.
void say_layers(const Run& run, std::vector<std::string>& all) {
  const auto first = std::find_if(run.records.begin(), run.records.end(), [](const auto& r) { return r != nullptr; });
  if (first == run.records.end()) return;
  const auto& shadowed = (**first)->shadowed;
  const auto functions = std::count(shadowed.begin(), shadowed.end(), 1);
  const bool hands_on =
      std::any_of(run.rows.begin(), run.rows.end(), [&](const Row& row) { return shadowed[row.function]; });
  if (functions == 0 || hands_on) return;
  all.push_back(
      fmt::format("{} MPI functions were intercepted by {}, which does not forward them: their calls are missing here.",
                  functions, (**first)->before));
}

void say_spawned(const Run& run, std::vector<std::string>& all) {
  if (run.spawned == 0) return;
  all.push_back(fmt::format("The program spawned {} process{} through MPI; {} not recorded.", run.spawned,
                            run.spawned == 1 ? "" : "es", run.spawned == 1 ? "it is" : "they are"));
}

/// The largest number of calls of one rank at this call site, and its number of different results.
void say_setup(const Run& run, std::vector<std::string>& all) {
  for (const Row& row : run.rows) {
    if (row.results == 0 || row.most_calls < 100 || row.most_calls < 10 * row.results) continue;
    const bool many = row.results >= static_cast<std::int64_t>(results_kept);
    all.push_back(fmt::format(
        "{} {} times on a rank with {}{} different result{}, in {}: cache the results ({} on the slowest rank).",
        function_names[row.function], grouped(row.most_calls), row.results, many ? " or more" : "",
        row.results == 1 ? "" : "s", place_of(row), short_seconds(row.most())));
  }
}

/// Reports collectives with a count per rank whose counts are nearly equal.
void say_padding(const Run& run, std::vector<std::string>& all) {
  for (const Row& row : run.rows) {
    if (row.blocks == 0 || row.largest_block == 0 || row.calls < 10) continue;
    const bool gathers = row.function == F_Allgatherv || row.function == F_Iallgatherv;
    const double padded =
        static_cast<double>(row.largest_block) * static_cast<double>(gathers ? row.calls : row.blocks);
    const double more = padded / static_cast<double>(std::max<std::int64_t>(row.bytes, 1)) - 1;
    if (more > 0.25) continue;
    all.push_back(
        more < 1e-9 ? fmt::format("{} in {}: all counts are equal: the function without counts is sufficient.",
                                  function_names[row.function], place_of(row))
                    : fmt::format("{} in {}: counts are nearly equal: padding to the largest would send {:.1f} % more.",
                                  function_names[row.function], place_of(row), 100 * more));
  }
}

}  // namespace

std::vector<std::string> sentences(const Run& run) {
  std::vector<std::string> all;
  if (!run.unrecorded.empty()) {
    all.push_back(fmt::format("Rank{} {} {} no record: the recorder was not loaded. Their calls are missing here.",
                              run.unrecorded.size() > 1 ? "s" : "", ranks_of(run.unrecorded),
                              run.unrecorded.size() > 1 ? "have" : "has"));
  }
  if (!run.unfinished.empty()) {
    all.push_back(fmt::format("Rank{} {} did not reach MPI_Finalize; the report covers the calls until then.",
                              run.unfinished.size() > 1 ? "s" : "", ranks_of(run.unfinished)));
  }
  say_off(run, all);
  say_waiting(run, all);
  say_overlap(run, all);
  say_layers(run, all);
  say_spawned(run, all);
  say_setup(run, all);
  say_padding(run, all);
  std::int64_t lost = 0, calls = 0;
  for (const auto& record : run.records) {
    lost += record ? (*record)->lost_events : 0;
    calls += record ? (*record)->calls : 0;
  }
  if (lost > 0) {
    all.push_back(fmt::format(
        "Counts and times cover all {} calls; the timeline and the causes of waiting cover half-second windows, the "
        "same on all ranks ({:.0f} % of the calls).",
        grouped(calls),
        std::max(0.0,
                 100.0 * (1 - static_cast<double>(lost) / static_cast<double>(std::max<std::int64_t>(calls, 1))))));
  }
  return all;
}

namespace {

std::string bytes_of(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

/// Returns the number of calls of each query.
std::string queries_of(const Run& run) {
  std::map<std::string, std::int64_t> calls;
  for (const Row& row : run.rows) {
    if (!row.is_timed()) calls[function_names[row.function]] += row.calls;
  }
  std::string text;
  for (const auto& [function, number] : calls)
    text += fmt::format("{} {} {}", text.empty() ? "Without times:" : ",", function, grouped(number));
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string table(const Run& run, std::size_t most_rows) {
  std::string text;
  for (const std::string& sentence : sentences(run)) text += sentence + "\n";
  text += fmt::format("\n{:<22}{:>12}{:>11}{:>10}{:>10}{:>10}{:>6}{:>12}{:>7}{:>9}{:>6}  {}\n", "function", "calls",
                      "bytes", "mean s", "min s", "max s", "rank", "imbalance %", "late %", "missing %", "rest %",
                      "called in");
  const auto percent = [](const Row& row, double part) {
    return row.wait.sum() > 0 ? fmt::format("{:.0f}", 100 * part / row.wait.sum()) : std::string("-");
  };
  const auto timed =
      static_cast<std::size_t>(std::count_if(run.rows.begin(), run.rows.end(), std::mem_fn(&Row::is_timed)));
  for (std::size_t i = 0; i < std::min(most_rows, timed); ++i) {
    const Row& row = run.rows[i];
    text += fmt::format("{:<22}{:>12}{:>11}{:>10.4f}{:>10.4f}{:>10.4f}{:>6}{:>12.0f}{:>7}{:>9}{:>6}  {}\n",
                        function_names[row.function], grouped(row.calls),
                        row.bytes > 0 ? bytes_of(static_cast<double>(row.bytes)) : "", row.mean(), row.least(),
                        row.most(), row.slowest(), 100 * row.imbalance(), percent(row, row.wait.late),
                        percent(row, row.wait.missing), percent(row, row.wait.transport), place_of(row));
  }
  if (timed > most_rows) text += fmt::format("... and {} more call sites\n", timed - most_rows);
  return text + queries_of(run);
}

}  // namespace seiche::profile
