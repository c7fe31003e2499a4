// SPDX-License-Identifier: BSD-3-Clause
/// \file  A profiled run, from the records of its processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "record.hpp"

namespace seiche::profile {

constexpr const char* class_names[] = {"point to point", "completion", "collective", "one-sided",
                                       "file",           "set-up",     "other",      "query"};
constexpr const char* function_names[] = {
#define FUNCTION(name, class) "MPI_" #name,
#include "functions.inc"
#undef FUNCTION
};
constexpr Class class_of_function[] = {
#define FUNCTION(name, class) Class::class,
#include "functions.inc"
#undef FUNCTION
};

/// Seconds of waiting, by cause.
struct Wait {
  double late = 0, missing = 0, transport = 0;
  double sum() const { return late + missing + transport; }
};

/// A call site of the program with all ranks.
struct Row {
  Function function{};
  std::string symbol, file, module;  ///< file: with the line, if there is debug information
  int line = 0;
  std::uint64_t offset = 0;
  std::int64_t calls = 0, bytes = 0, results = 0, largest_block = 0, blocks = 0, most_calls = 0;
  std::vector<double> seconds;  ///< by rank
  double longest = 0;
  Wait wait;
  double explained = 0;          ///< seconds of calls whose partners were found
  std::vector<double> late_for;  ///< seconds of lateness, by the rank that arrived last

  bool is_timed() const { return class_of_function[function] != Class::query; }
  double total() const;
  double mean() const { return total() / static_cast<double>(seconds.size()); }
  int slowest() const;
  double most() const { return seconds[static_cast<std::size_t>(slowest())]; }
  double least() const;
  /// Returns the part of the slowest rank's time that the others do not have on average: 0 if all have the same, 1 if
  /// they have none.
  double imbalance() const;
};

/// Seconds of a rank with at least one operation in flight that one call started and another completed.
struct Overlap {
  double under_way = 0, outside = 0;  ///< the part outside of MPI
};

/// A call on the timeline.
struct Shown {
  double start, seconds, bytes;
  int row;
};

/// The mapping of a record file.
class File {
 public:
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const Record& operator*() const { return *record_; }
  const Record* operator->() const { return record_; }
  bool is_record() const { return record_ != nullptr; }

 private:
  const Record* record_ = nullptr;
  std::size_t bytes_ = 0;
};

struct Run {
  std::vector<std::unique_ptr<File>> records;  ///< by rank; null for processes without a record
  std::vector<std::vector<int>> row_of_site;   ///< by rank
  std::vector<Row> rows;                       ///< sorted by time, descending
  int ranks = 0;
  double begin = 0, seconds = 0;  ///< on the clock of rank 0
  double off = 0;                 ///< seconds without recording, by MPI_Pcontrol, on average over ranks
  double inside = 0;              ///< seconds in MPI after MPI_Init, of all ranks and threads together
  int threads = 0;                ///< threads of all ranks that called MPI; at least one per rank
  std::int64_t spawned = 0;       ///< processes that the program started through MPI; they have no records
  std::vector<double> late_for;   ///< seconds that others waited for a rank
  Wait wait;
  std::vector<Overlap> overlaps;  ///< by rank, of the calls with recorded events
  Overlap overlap;                ///< of all ranks together
  std::vector<int> unfinished;    ///< ranks that did not reach MPI_Finalize
  std::vector<int> unrecorded;    ///< ranks without a record

  double recorded() const { return std::max(seconds - off, 1e-9); }
  std::int64_t calls_of(const std::string& function) const;
};

/// Returns whether the program used sessions of MPI 4 and not MPI_Init, so that there is no record.
bool only_sessions(const std::string& directory);
/// \throws Error if there is no record
Run read_run(const std::string& directory);
/// Returns a time on the clock of rank 0, in seconds.
double common_time(const Record& record, std::int64_t time);
/// Fills symbols, files and lines from debug information, if addr2line is installed.
void name_places(std::vector<Row>& rows);
/// Divides the waiting time by cause, see docs/profile.md.
void split_waiting(Run& run);
Overlap overlap_of(const Record& record);
/// Returns the main results in sentences, the most important first.
std::vector<std::string> sentences(const Run& run);
std::string table(const Run& run, std::size_t most_rows);
std::string place_of(const Row& row);
std::string data_of(const Run& run, const std::string& command);  ///< JSON, for the page and for --json
std::string csv_of(const Run& run);
void write_events(const Run& run, std::ostream& file);  ///< Chrome trace events, for viewers such as Perfetto
std::string page_of(const std::string& data);           ///< HTML
/// Returns the data of a page of page_of(). \throws Error if there is none
std::string data_in(const std::string& page, const std::string& name);

}  // namespace seiche::profile
