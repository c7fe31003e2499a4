// SPDX-License-Identifier: BSD-3-Clause
/// \file  Search of the boxes that overlap a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// Boxes in a binary tree of bounding boxes. Each level divides the boxes of a node in halves, along the axis on which
/// their centres spread most. A search takes logarithmic time for boxes that are apart.
class BoxTree {
 public:
  explicit BoxTree(const std::vector<Box>& boxes);
  /// Replaces `found` by the positions of the boxes that have points in common with `box`, in ascending order.
  void search(const Box& box, std::vector<std::size_t>& found) const;

 private:
  struct Node {
    Box bounds;
    std::size_t begin, end;  // positions in order_
    std::size_t right;       // node of the upper half; the lower half is the next node; 0 for a leaf
  };
  std::size_t build(std::size_t begin, std::size_t end);
  void search(std::size_t node, const Box& box, std::vector<std::size_t>& found) const;

  std::vector<Box> boxes_;
  std::vector<std::size_t> order_;  // positions of the boxes with points
  std::vector<Node> nodes_;
};

}  // namespace seiche
