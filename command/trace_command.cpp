// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche trace`: a table and a timeline of a run recorded with SEICHE_TRACE.
#include "seiche/trace.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "seiche/error.hpp"
#include "session.hpp"
#include "trace_record.hpp"

namespace seiche::command {

namespace {

using Json = nlohmann::ordered_json;

struct WantedTrace {
  std::string name, output;
};

constexpr std::int32_t most_stages = 256;

[[noreturn]] void not_a_trace(const std::string& path) {
  throw Error(Fault::bad_file, path + ": not a trace file: record one with SEICHE_TRACE");
}

Process read_process(const std::string& path) {
  std::ifstream file(path);
  std::string line, word;
  double epoch = 0;
  if (!std::getline(file, line) || line != "seiche trace 1" || !(file >> word >> epoch) || word != "epoch") {
    not_a_trace(path);
  }
  Process process;
  while (file >> word) {
    if (word == "work") {
      timeline::Work work;
      file >> work.stage >> work.item >> work.begin >> work.end;
      if (work.stage < 0 || work.stage >= most_stages) not_a_trace(path);
      work.begin += epoch;
      work.end += epoch;
      process.see(work.begin, work.end);
      process.worked += work.end - work.begin;
      process.timeline.work.push_back(work);
    } else {
      timeline::Transfer transfer;
      file >> transfer.started >> transfer.needed >> transfer.arrived;
      for (double* time : {&transfer.started, &transfer.needed, &transfer.arrived}) *time += epoch;
      process.see(transfer.started, transfer.arrived);
      process.waited += transfer.arrived - transfer.needed;
      process.timeline.transfers.push_back(transfer);
    }
    if (!file) not_a_trace(path);
  }
  return process;
}

std::vector<Process> read_all(const std::string& name) {
  std::vector<Process> all;
  for (std::string path; std::filesystem::is_regular_file(path = fmt::format("{}.{}", name, all.size()));) {
    all.push_back(read_process(path));
  }
  if (all.empty()) {
    throw Error(Fault::bad_file,
                fmt::format("{}.0: cannot find the file: run a program with SEICHE_TRACE={}", name, name));
  }
  return all;
}

/// Returns the run in columns: # mostly working, . mostly waiting, blank neither.
std::string strip(const Process& process, double begin, double end) {
  constexpr std::size_t columns = 72;
  std::vector<double> work(columns), wait(columns);
  const double width = std::max((end - begin) / columns, 1e-12);
  const auto add = [&](std::vector<double>& into, double from, double until) {
    for (auto c = static_cast<std::size_t>(std::max((from - begin) / width, 0.0)); c < columns; ++c) {
      const double left = begin + width * static_cast<double>(c);
      if (left > until) break;
      into[c] += std::min(until, left + width) - std::max(from, left);
    }
  };
  for (const auto& one : process.timeline.work) add(work, one.begin, one.end);
  for (const auto& one : process.timeline.transfers) add(wait, one.needed, one.arrived);
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) {
    text += work[c] + wait[c] < 0.05 * width ? ' ' : work[c] >= wait[c] ? '#' : '.';
  }
  return text;
}

/// Returns Chrome trace events, for viewers such as Perfetto, in microseconds.
Json events_of(const std::vector<Process>& all, double begin) {
  Json events = Json::array();
  const auto add = [&](const std::string& name, std::size_t rank, int lane, double from, double until) {
    events.push_back({{"name", name},
                      {"ph", "X"},
                      {"pid", rank},
                      {"tid", lane},
                      {"ts", 1e6 * (from - begin)},
                      {"dur", 1e6 * (until - from)}});
  };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (const auto& one : all[rank].timeline.work) {
      add(fmt::format("stage {}, item {}", one.stage, one.item), rank, 0, one.begin, one.end);
    }
    for (const auto& one : all[rank].timeline.transfers) {
      if (one.arrived > one.needed) add("wait", rank, 0, one.needed, one.arrived);
      add("exchange", rank, 1, one.started, one.arrived);
    }
  }
  return {{"traceEvents", events}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << "\n";
  if (!file.flush()) throw Error(Fault::unwritable, path + ": cannot be written: choose another file with -o");
}

/// Writes a page with trace events beside it, or trace events alone, by the ending of the name.
void write_reports(const WantedTrace& wanted, const std::vector<Process>& all, double begin) {
  std::filesystem::path events(wanted.output);
  if (events.extension() == ".html") {
    write(wanted.output, page_of_trace(all, wanted.name));
    events.replace_extension(".trace.json");
  }
  write(events, events_of(all, begin).dump());
}

void show(const Session& session, const WantedTrace& wanted) {
  if (!session.speaks()) return;
  const auto all = read_all(wanted.name);
  double begin = 1e300, end = 0;
  for (const Process& one : all) {
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end);
  }
  if (!wanted.output.empty()) write_reports(wanted, all, begin);
  if (session.json) {
    Json json{{"seconds", std::max(end - begin, 0.0)}};
    for (const Process& one : all) {
      json["processes"].push_back({{"worked", one.worked},
                                   {"waited", one.waited},
                                   {"stages", one.timeline.work.size()},
                                   {"exchanges", one.timeline.transfers.size()}});
    }
    return fmt::print("{}\n", json.dump());
  }
  fmt::print("{:.3f} s\n{:>6}{:>10}{:>10}{:>9}{:>11}\n", std::max(end - begin, 0.0), "rank", "worked s", "waited s",
             "stages", "exchanges");
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Process& one = all[rank];
    fmt::print("{:>6}{:>10.3f}{:>10.3f}{:>9}{:>11}\n", rank, one.worked, one.waited, one.timeline.work.size(),
               one.timeline.transfers.size());
  }
  fmt::print("time ->  # mostly working, . mostly waiting\n");
  for (std::size_t rank = 0; rank < all.size(); ++rank) fmt::print("{:>6} |{}|\n", rank, strip(all[rank], begin, end));
}

}  // namespace

void add_trace(CLI::App& app, Session& session) {
  const auto wanted = std::make_shared<WantedTrace>();
  auto* command = app.add_subcommand("trace", "table and timeline of a run recorded with SEICHE_TRACE=NAME");
  command->add_option("NAME", wanted->name, "value of SEICHE_TRACE in the recorded run")->required();
  command->add_option("-o,--output", wanted->output,
                      "output page (.html, with .trace.json beside it), or trace events for Perfetto (.json)");
  command->callback([wanted, &session] { show(session, *wanted); });
}

}  // namespace seiche::command
