// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace seiche::command {

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
  const auto width = [&](std::size_t c) { return std::max<std::size_t>(16, table.columns[c].size() + 2); };
  if (path.empty() && columns > 0) {
    std::string names;
    for (std::size_t c = 1; c < columns; ++c) names += fmt::format("{:>{}}", table.columns[c], width(c));
    report.add("rows", nullptr, table.columns[0], names);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    rows.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(columns)));
    std::string text;
    for (std::size_t c = 1; c < columns; ++c)
      text += fmt::format("{:{}.8g}", table.values[row * columns + c], width(c));
    if (path.empty()) report.add("rows", nullptr, fmt::format("{:.6f}", table.values[row * columns]), text);
  }
  report.add("rows", rows);
  std::vector<std::string> files;
  if (!path.empty()) files.push_back(path);
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
}

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns "0:07" or "1:02:03".
std::string clock_of(double seconds) {
  const auto all = static_cast<std::int64_t>(std::ceil(seconds));
  if (all < 3600) return fmt::format("{}:{:02}", all / 60, all % 60);
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

}  // namespace

ProgressBar::ProgressBar(const Session& session, std::string_view what, double amount, std::string_view unit)
    : visible_(session.speaks() && isatty(STDERR_FILENO)),
      what_(what),
      unit_(unit),
      amount_(amount),
      start_(seconds_now()) {}

void ProgressBar::show(double done) {
  if (!visible_ || done <= 0) return;
  const double spent = std::max(seconds_now() - start_, 1e-6), part = std::min(done, 1.0);
  std::string more;
  if (amount_ > 0) more = fmt::format("  {:.3g} {}/s", amount_ * part / spent, unit_);
  draw(done, more + fmt::format("  {} left", clock_of(spent * (1 - part) / part)));
}

void ProgressBar::near(double done) {
  if (visible_) draw(done, "");
}

void ProgressBar::draw(double done, const std::string& more) {
  constexpr double often = 0.25;  // seconds: the remaining time is updated while the percentage is unchanged
  const int percent = std::max(drawn_, static_cast<int>(100 * std::clamp(done, 0.0, 1.0)));
  const double now = seconds_now();
  if (percent == drawn_ && now - looked_ < often) return;
  drawn_ = percent;
  looked_ = now;
  constexpr int cells = 40;
  const int full = percent * cells / 100;
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "━" : " ";
  fmt::print(stderr, "\r{} \033[36m{}\033[0m {:3d} %{}\033[K", what_, bar, percent, more);
  std::fflush(stderr);
}

ProgressBar::~ProgressBar() {
  if (visible_ && drawn_ >= 0) fmt::print(stderr, "\r\033[K");
}

}  // namespace seiche::command
