// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_tree.hpp"

#include <algorithm>
#include <array>

namespace seiche {

namespace {

constexpr std::size_t boxes_of_leaf = 4;

/// Returns the smallest box that contains both.
Box around(const Box& a, const Box& b) {
  Box all;
  for (std::size_t i = 0; i < 3; ++i) {
    all.axis[i] = {std::min(a.axis[i].low, b.axis[i].low), std::max(a.axis[i].high, b.axis[i].high)};
  }
  return all;
}

bool overlap(const Box& a, const Box& b) {
  bool common = true;
  for (std::size_t i = 0; i < 3; ++i) {
    common = common && a.axis[i].low < b.axis[i].high && b.axis[i].low < a.axis[i].high;
  }
  return common;
}

/// Returns the centre of a range, doubled.
std::int64_t twice_centre(const Range& range) { return range.low + range.high; }

}  // namespace

BoxTree::BoxTree(const std::vector<Box>& boxes) : boxes_(boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!boxes[i].empty()) order_.push_back(i);
  }
  nodes_.reserve(order_.size());
  if (!order_.empty()) build(0, order_.size());
}

std::size_t BoxTree::build(std::size_t begin, std::size_t end) {
  const std::size_t node = nodes_.size();
  Box bounds = boxes_[order_[begin]];
  std::array<Range, 3> centres;
  for (std::size_t a = 0; a < 3; ++a) centres[a].low = centres[a].high = twice_centre(bounds.axis[a]);
  for (std::size_t i = begin + 1; i < end; ++i) {
    const Box& box = boxes_[order_[i]];
    bounds = around(bounds, box);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t at = twice_centre(box.axis[a]);
      centres[a] = {std::min(centres[a].low, at), std::max(centres[a].high, at)};
    }
  }
  nodes_.push_back({bounds, begin, end, 0});
  if (end - begin <= boxes_of_leaf) return node;
  const auto shorter = [](const Range& a, const Range& b) { return a.size() < b.size(); };
  const auto axis =
      static_cast<std::size_t>(std::max_element(centres.begin(), centres.end(), shorter) - centres.begin());
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [this](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
    return twice_centre(boxes_[a].axis[axis]) < twice_centre(boxes_[b].axis[axis]);
  });
  build(begin, middle);
  const std::size_t right = build(middle, end);
  nodes_[node].right = right;
  return node;
}

void BoxTree::search(const Box& box, std::vector<std::size_t>& found) const {
  found.clear();
  if (!nodes_.empty() && !box.empty()) search(0, box, found);
  std::sort(found.begin(), found.end());
}

void BoxTree::search(std::size_t node, const Box& box, std::vector<std::size_t>& found) const {
  const Node& here = nodes_[node];
  if (!overlap(here.bounds, box)) return;
  if (here.right != 0) {
    search(node + 1, box, found);
    search(here.right, box, found);
    return;
  }
  for (std::size_t i = here.begin; i < here.end; ++i) {
    if (overlap(boxes_[order_[i]], box)) found.push_back(order_[i]);
  }
}

}  // namespace seiche
