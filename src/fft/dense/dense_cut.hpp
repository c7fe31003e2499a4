// SPDX-License-Identifier: BSD-3-Clause
/// \file  How one dense transform is cut into chunks that go through their exchange one after another.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/route.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// The first half of the chunks are planes with all their columns, so that the first of them leaves early. The others
/// are the columns along z of all other planes: each that arrives brings whole lines along z, which are transformed
/// while the next is on its way. Back to the grid they go in the opposite order. Pencils, which have columns along y
/// between, go in planes alone.
class DenseCut {
 public:
  enum class Into { planes, planes_and_columns };

  DenseCut() = default;
  /// Chunks of these relative sizes.
  DenseCut(std::vector<int> sizes, Into into);

  std::size_t chunks() const { return sizes_.size(); }
  /// What of a rank's box before the exchange, and of one after it, chunk c takes along.
  Box before(Box rows, std::size_t c) const;
  Box after(Box columns, std::size_t c) const;
  /// The route of each chunk between all of these boxes.
  std::vector<Route> routes(int rank, BoxEnd source, BoxEnd target) const;
  /// Planes of a box before the exchange whose lines run with chunk c, and rows of columns after it, each counted from
  /// the box's first.
  Range planes(const Box& rows, std::size_t c) const;
  Range columns(const Box& columns, std::size_t c) const;

 private:
  bool of_columns(std::size_t c) const { return c >= by_planes_; }

  std::vector<int> sizes_{1};
  std::vector<int> plane_sizes_{1};  // of the chunks in planes, then of all others together
  std::size_t by_planes_ = 1;        // chunks
};

}  // namespace seiche
