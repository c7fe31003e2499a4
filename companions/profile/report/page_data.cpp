// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes a run as JSON for the page, as CSV, and as trace events.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "report/base64.hpp"
#include "report/model.hpp"
#include "seiche/error.hpp"

namespace seiche::profile {

namespace {

using Json = nlohmann::ordered_json;

Json row_of(const Row& row) {
  const auto timed = [&row](auto value) { return row.is_timed() ? Json(value) : Json(); };
  return {{"function", function_names[row.function]},
          {"class", class_names[static_cast<std::size_t>(class_of_function[row.function])]},
          {"place", place_of(row)},
          {"file", row.file},
          {"line", row.line},
          {"module", row.module},
          {"calls", row.calls},
          {"bytes", row.bytes},
          {"mean", timed(row.mean())},
          {"min", timed(row.least())},
          {"max", timed(row.most())},
          {"max_rank", timed(row.slowest())},
          {"imbalance", timed(row.imbalance())},
          {"longest", timed(row.longest)},
          {"late", row.wait.late},
          {"missing", row.wait.missing},
          {"transport", row.wait.transport},
          {"late_for", row.late_for},
          {"results", row.results}};
}

/// Returns the recorded calls of a rank; if they exceed the limit of a page, the longest.
std::vector<Shown> shown(const Run& run, std::size_t rank, std::size_t most) {
  const Record& record = **run.records[rank];
  std::vector<Shown> all;
  for (std::uint64_t i = 0; i < record.events; ++i) {
    const Event& event = record.event[i];
    if (event.wait != 0) continue;  // the completing call has its own event
    const int row = run.row_of_site[rank][event.site];
    const double start = common_time(record, event.start) - run.begin;
    if (row >= 0)
      all.push_back(
          {start, 1e-9 * static_cast<double>(event.leave - event.start), static_cast<double>(event.bytes), row});
  }
  if (all.size() > most) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                     [](auto& a, auto& b) { return a.seconds > b.seconds; });
    all.resize(most);
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.start < b.start; });
  return all;
}

constexpr std::size_t page_events = 600000, page_memories = 8;

Json rank_of(const Run& run, std::size_t rank) {
  const Record& record = **run.records[rank];
  Json json{{"rank", rank},
            {"host", record.host},
            {"finished", record.finished != 0},
            {"calls", record.calls},
            {"threads", record.threads}};
  json["offset"] = common_time(record, record.begin) - run.begin;
  json["end"] = common_time(record, record.finished != 0 ? record.end : record.last) - run.begin;
  const Overlap& overlap = run.overlaps[rank];
  json["overlap"] = {{"under_way", overlap.under_way}, {"outside", overlap.outside}};
  json["bin_width"] = 1e-9 * static_cast<double>(record.bin_width);
  const auto used = std::min<std::size_t>(
      bin_capacity, static_cast<std::size_t>((record.last - record.begin) / record.bin_width) + 1);
  std::vector<std::uint8_t> bins;
  std::vector<float> memory;
  for (std::size_t b = 0; b < used; ++b) {
    const double whole = static_cast<double>(record.bin_width) * std::max(1U, record.threads);
    for (const std::int64_t value : record.bin[b].nanoseconds)
      bins.push_back(share(static_cast<double>(value) / whole));
    if (rank < page_memories) memory.push_back(static_cast<float>(record.bin[b].resident));
  }
  json["bins"] = packed(bins);
  json["memory"] = packed(memory);
  json["messages"] = Json::array();
  json["bytes"] = Json::array();
  for (std::uint32_t p = 0; p < record.peers; ++p) {
    json["messages"].push_back(record.peer[p].messages);
    json["bytes"].push_back(record.peer[p].bytes);
  }
  std::vector<double> start;
  std::vector<float> seconds, bytes;
  std::vector<std::uint16_t> row;
  for (const Shown& one : shown(run, rank, page_events / static_cast<std::size_t>(run.ranks))) {
    start.push_back(one.start);
    seconds.push_back(static_cast<float>(one.seconds));
    bytes.push_back(static_cast<float>(one.bytes));
    row.push_back(static_cast<std::uint16_t>(one.row));
  }
  json["events"] = {
      {"start", packed(start)}, {"seconds", packed(seconds)}, {"bytes", packed(bytes)}, {"row", packed(row)}};
  return json;
}

Json sizes_of(const Run& run) {
  Json json = Json::object();
  for (std::size_t f = 0; f < function_count; ++f) {
    std::vector<std::int64_t> sum(std::tuple_size_v<decltype(Sizes::calls)>);
    for (const auto& record : run.records) {
      for (std::size_t k = 0; record && k < sum.size(); ++k) sum[k] += (*record)->sizes[f].calls[k];
    }
    if (std::any_of(sum.begin() + 1, sum.end(), [](auto calls) { return calls > 0; })) json[function_names[f]] = sum;
  }
  return json;
}

const Record& first_of(const Run& run) {
  for (const auto& record : run.records) {
    if (record) return **record;
  }
  throw Error(Fault::internal, "profile: the run has no records");
}

}  // namespace

std::string data_of(const Run& run, const std::string& command) {
  const Record& first = first_of(run);
  Json json{{"command", command},
            {"program", first.program},
            {"mpi", first.library},
            {"ranks", run.ranks},
            {"seconds", run.seconds},
            {"off", run.off},
            {"mpi_seconds", run.inside},
            {"threads", run.threads},
            {"spawned", run.spawned},
            {"waiting", {{"late", run.wait.late}, {"missing", run.wait.missing}, {"transport", run.wait.transport}}},
            {"late_for", run.late_for},
            {"unfinished", run.unfinished},
            {"unrecorded", run.unrecorded},
            {"sentences", sentences(run)},
            {"classes", std::vector<std::string>(class_names, class_names + classes)},
            {"sizes", sizes_of(run)}};
  json["rows"] = Json::array();
  for (const Row& row : run.rows) json["rows"].push_back(row_of(row));
  json["overlap"] = {{"under_way", run.overlap.under_way}, {"outside", run.overlap.outside}};
  json["by_rank"] = Json::array();
  for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
    if (run.records[rank]) json["by_rank"].push_back(rank_of(run, rank));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string csv_of(const Run& run) {
  std::string text =
      "function,class,place,file,line,module,calls,bytes,mean_s,min_s,max_s,max_rank,longest_s,late_s,missing_s,wire_s,"
      "results,imbalance\n";
  const auto quoted = [](const std::string& word) {
    std::string all = "\"";
    for (const char c : word) all += c == '"' ? "\"\"" : std::string(1, c);
    return all + "\"";
  };
  const auto times_of = [](const Row& row) {
    if (!row.is_timed()) return std::string(",,,,");
    return fmt::format("{:.9g},{:.9g},{:.9g},{},{:.9g}", row.mean(), row.least(), row.most(), row.slowest(),
                       row.longest);
  };
  for (const Row& row : run.rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{},{}\n", function_names[row.function],
                        class_names[static_cast<std::size_t>(class_of_function[row.function])], quoted(place_of(row)),
                        quoted(row.file), row.line, quoted(row.module), row.calls, row.bytes, times_of(row),
                        row.wait.late, row.wait.missing, row.wait.transport, row.results,
                        row.is_timed() ? fmt::format("{:.4f}", row.imbalance()) : "");
  }
  return text;
}

void write_events(const Run& run, std::ostream& file) {
  file << "{\"traceEvents\":[\n";
  const char* comma = "";
  for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
    if (!run.records[rank]) continue;
    file << comma
         << fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"rank {}"}}}})", rank, rank);
    comma = ",\n";
    for (const Shown& one : shown(run, rank, SIZE_MAX)) {
      file << comma
           << fmt::format(
                  R"({{"name":"{}","ph":"X","pid":{},"tid":0,"ts":{:.3f},"dur":{:.3f},"args":{{"bytes":{:.0f}}}}})",
                  function_names[run.rows[static_cast<std::size_t>(one.row)].function], rank, 1e6 * one.start,
                  1e6 * one.seconds, one.bytes);
    }
  }
  file << "\n]}\n";
}

}  // namespace seiche::profile
