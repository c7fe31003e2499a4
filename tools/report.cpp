// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace seiche::tools {

void Report::add(const std::string& field, nlohmann::ordered_json value, const std::string& label,
                 const std::string& text) {
  json_[field] = std::move(value);
  if (!label.empty()) rows_.push_back({label, text.empty() ? json_[field].dump() : text});
}

void Report::say() const {
  if (!session_.speaks()) return;
  if (session_.json) {
    fmt::print("{}\n", json_.dump());
    return;
  }
  std::size_t width = 0;
  for (const Row& row : rows_) width = std::max(width, row.label.size());
  for (const Row& row : rows_) fmt::print("{:<{}}  {}\n", row.label, width, row.text);
  std::fflush(stdout);
}

void add_table(Report& report, const Table& table, const std::string& path) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::size_t columns = table.columns.size();
  report.add("columns", table.columns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    rows.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(columns)));
    std::string text;
    for (std::size_t c = 1; c < columns; ++c) text += fmt::format("{:16.8g}", table.values[row * columns + c]);
    if (path.empty()) report.add("rows", nullptr, fmt::format("{:.6f}", table.values[row * columns]), text);
  }
  report.add("rows", rows);
  std::vector<std::string> files;
  if (!path.empty()) files.push_back(path);
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
}

ProgressBar::ProgressBar(const Session& session, std::string_view what)
    : visible_(session.speaks() && isatty(STDERR_FILENO)), what_(what) {}

void ProgressBar::show(double done) {
  const int percent = static_cast<int>(100 * std::clamp(done, 0.0, 1.0));
  if (!visible_ || percent == drawn_) return;
  drawn_ = percent;
  constexpr int cells = 40;
  const int full = percent * cells / 100;
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "━" : " ";
  fmt::print(stderr, "\r{} \033[36m{}\033[0m {:3d} %", what_, bar, percent);
  std::fflush(stderr);
}

ProgressBar::~ProgressBar() {
  if (visible_ && drawn_ >= 0) fmt::print(stderr, "\r\033[K");
}

}  // namespace seiche::tools
