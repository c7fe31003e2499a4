// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes how long messages and collectives that were started and completed by different calls were in flight,
/// and the part of it outside of MPI, which is the upper limit of the overlap.
#include <algorithm>
#include <utility>

#include "report/model.hpp"

namespace seiche::profile {

namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

/// Merges overlapping spans, in order.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (!apart.empty() && span.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, span.second);
    } else {
      apart.push_back(span);
    }
  }
  return apart;
}

std::int64_t length(const std::vector<Span>& spans) {
  std::int64_t sum = 0;
  for (const auto& [begin, end] : spans) sum += end - begin;
  return sum;
}

/// Returns the length of the intersection of two lists.
std::int64_t common(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max<std::int64_t>(0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    ++(a[i].second < b[j].second ? i : j);
  }
  return sum;
}

}  // namespace

Overlap overlap_of(const Record& record) {
  std::vector<Span> under_way, inside;
  for (std::uint64_t i = 0; i < record.events; ++i) {
    const Event& event = record.event[i];
    if (event.start < event.enter) under_way.emplace_back(event.start, event.leave);
    inside.emplace_back(event.enter, event.leave);
  }
  under_way = joined(std::move(under_way));
  const std::int64_t all = length(under_way);
  return {1e-9 * static_cast<double>(all),
          1e-9 * static_cast<double>(all - common(under_way, joined(std::move(inside))))};
}

}  // namespace seiche::profile
