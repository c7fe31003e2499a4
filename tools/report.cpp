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
