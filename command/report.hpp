// SPDX-License-Identifier: BSD-3-Clause
/// \file  Output of commands: a table for people or one JSON object for programs, and a progress bar.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "seiche/table.hpp"
#include "session.hpp"

namespace seiche::command {

/// Collects the results of a command and prints them at the end, on rank 0, as a table or as JSON.
class Report {
 public:
  explicit Report(const Session& session) : session_(session) {}

  /// Adds one result. `field` is its name in JSON; `label` and `text` are the row of the table. Results without a label
  /// appear in JSON only.
  void add(const std::string& field, nlohmann::ordered_json value, const std::string& label = "",
           const std::string& text = "");
  void say() const;

 private:
  struct Row {
    std::string label, text;
  };
  const Session& session_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
  std::vector<Row> rows_;
};

/// Adds a table: columns and rows in JSON; in text the rows, or the path if it was written to a file.
void add_table(Report& report, const Table& table, const std::string& path);

/// A progress bar on stderr, on rank 0 and on a terminal only, with the rate and the remaining time. It is removed by
/// its destructor, and never moves back.
class ProgressBar {
 public:
  /// \param amount  of `unit` in total; 0: no rate is shown
  ProgressBar(const Session& session, std::string_view what, double amount = 0, std::string_view unit = "");
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double done);  ///< 0 to 1
  void near(double done);  ///< the same for work of unknown length: no remaining time is shown

 private:
  void draw(double done, const std::string& more);
  bool visible_;
  std::string what_, unit_;
  double amount_, start_, looked_ = -1;  // seconds
  int drawn_ = -1;                       // per cent
};

}  // namespace seiche::command
