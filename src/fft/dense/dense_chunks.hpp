// SPDX-License-Identifier: BSD-3-Clause
/// \file  Division of one dense transform into chunks, which are exchanged one after another.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/route.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// The first half of the chunks are planes with all their columns, so that the first exchange starts early. The other
/// chunks are columns along z of all other planes. Each of them completes whole columns along z, which are transformed
/// during the exchange of the next chunk. The backward transform has the opposite order. Pencils have chunks of planes
/// only.
class DenseChunks {
 public:
  enum class Into { planes, planes_and_columns };

  DenseChunks() = default;
  /// Creates chunks with these relative sizes.
  DenseChunks(std::vector<int> sizes, Into into);

  std::size_t count() const { return sizes_.size(); }
  /// Returns the part of a rank's box in chunk c, before and after the exchange.
  Box before(Box rows, std::size_t c) const;
  Box after(Box columns, std::size_t c) const;
  /// Returns the route of each chunk between all boxes.
  std::vector<Route> routes(int rank, BoxEnd source, BoxEnd target) const;
  /// Returns the planes before the exchange, or rows of columns after it, that are transformed with chunk c. They are
  /// relative to the box.
  Range planes(const Box& rows, std::size_t c) const;
  Range columns(const Box& columns, std::size_t c) const;

 private:
  bool of_columns(std::size_t c) const { return c >= by_planes_; }

  std::vector<int> sizes_{1};
  std::vector<int> plane_sizes_{1};  // sizes of chunks of planes, then of all others together
  std::size_t by_planes_ = 1;        // number of chunks of planes
};

}  // namespace seiche
