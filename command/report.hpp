// SPDX-License-Identifier: BSD-3-Clause
/// \file  How commands speak: a table for people or one JSON object for programs, and a bar that shows progress.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "seiche/table.hpp"
#include "session.hpp"

namespace seiche::command {

/// Collects what a command found, and says it once at the end, on rank 0: as rows for people or as JSON.
class Report {
 public:
  explicit Report(const Session& session) : session_(session) {}

  /// One fact. `field` is its name in JSON; people read `label` and `text`. Facts without a label are for programs
  /// only.
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

/// A table: its columns and rows in JSON; for people its rows, or, where it was written to `path`, that it was.
void add_table(Report& report, const Table& table, const std::string& path);

/// A bar on stderr, on rank 0 and on a terminal only, with the rate and the time left. Vanishes when it goes out of
/// scope. It does not go back.
class ProgressBar {
 public:
  /// \param amount  of `unit` to be done in all; 0: no rate is shown
  ProgressBar(const Session& session, std::string_view what, double amount = 0, std::string_view unit = "");
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double done);  ///< 0 to 1
  void near(double done);  ///< the same for work whose end nobody knows: no time left is told

 private:
  void draw(double done, const std::string& more);
  bool visible_;
  std::string what_, unit_;
  double amount_, start_, looked_ = -1;  // seconds
  int drawn_ = -1;                       // per cent
};

}  // namespace seiche::command
