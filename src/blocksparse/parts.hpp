// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the files of this room share: the insides of a matrix, norms, sums that do not depend on the ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <type_traits>

#include "seiche/blocksparse.hpp"
#include "support/memory.hpp"

namespace seiche {

template <class Value>
struct RealOf {
  using type = Value;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type = Real;
};
template <class Value>
using Real = typename RealOf<Value>::type;
template <class Value>
inline constexpr bool is_complex = !std::is_same_v<Value, Real<Value>>;

template <class Value>
Value conjugate(Value v) {
  if constexpr (is_complex<Value>) return std::conj(v);
  return v;
}
template <class Value>
double real_part(Value v) {
  return static_cast<double>(std::real(v));
}

/// The insides of a matrix, for the files of this room.
template <class Value>
struct MatrixParts {
  explicit MatrixParts(BlockMatrix<Value>& m)
      : rows(m.rows_),
        columns(m.columns_),
        row_start(m.row_start_),
        offset(m.offset_),
        values(m.values_),
        norms(m.norms_) {}
  std::vector<std::int32_t>&rows, &columns;
  std::vector<std::int64_t>&row_start, &offset;
  RawVector<Value>& values;
  std::vector<float>& norms;
};

/// First row (column) of each block, and the end of the last.
std::vector<std::int64_t> starts_of(const BlockSizes& sizes);
bool same_layout(const BlockLayout& a, const BlockLayout& b);

template <class Value>
std::int64_t block_size(const BlockMatrix<Value>& m, std::size_t row, std::int64_t block) {
  return static_cast<std::int64_t>(m.layout().row_sizes[static_cast<std::size_t>(m.rows()[row])]) *
         m.layout().column_sizes[static_cast<std::size_t>(m.columns()[static_cast<std::size_t>(block)])];
}

inline std::int64_t block_size(const BlockLayout& layout, const BlockPlace& at) {
  return static_cast<std::int64_t>(layout.row_sizes[static_cast<std::size_t>(at.row)]) *
         layout.column_sizes[static_cast<std::size_t>(at.column)];
}

/// Where the values of a block of this rank begin.
template <class Value>
class BlockFinder {
 public:
  explicit BlockFinder(const BlockMatrix<Value>& m) : m_(m), row_(m.layout().row_sizes.size(), 0) {
    for (std::size_t r = 0; r < m.rows().size(); ++r) row_[static_cast<std::size_t>(m.rows()[r])] = r;
  }
  std::int64_t operator()(const BlockPlace& at) const {
    const std::size_t r = row_[static_cast<std::size_t>(at.row)];
    const auto columns = m_.columns().begin();
    const auto block = std::lower_bound(columns + m_.row_start()[r], columns + m_.row_start()[r + 1], at.column);
    return m_.offset()[static_cast<std::size_t>(block - columns)];
  }

 private:
  const BlockMatrix<Value>& m_;
  std::vector<std::size_t> row_;
};

/// Calls work(row index, block, i, j) for each block of this rank.
template <class Value, class Work>
void each_block(const BlockMatrix<Value>& m, const Work& work) {
  for (std::size_t r = 0; r < m.rows().size(); ++r) {
    for (std::int64_t b = m.row_start()[r]; b < m.row_start()[r + 1]; ++b) {
      work(r, static_cast<std::size_t>(b), static_cast<std::size_t>(m.rows()[r]),
           static_cast<std::size_t>(m.columns()[static_cast<std::size_t>(b)]));
    }
  }
}

/// Sum of |v|^2 in a fixed order, in double precision whatever the values.
template <class Value>
double sum_of_squares(const Value* v, std::int64_t n) {
  const auto* x = reinterpret_cast<const Real<Value>*>(v);
  const std::int64_t reals = n * static_cast<std::int64_t>(sizeof(Value) / sizeof(Real<Value>));
  constexpr int lanes = 16;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= reals; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane)
      sums[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(x[i + lane]);
  }
  for (int lane = 0; i < reals; ++i, ++lane) sums[lane] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

/// A norm that is surely not below the true one, so that bounds made of it hold.
inline float norm_above(double squares) {
  const double norm = std::sqrt(squares) * (1 + 1e-12);
  if (!(norm <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::infinity();
  const auto nearest = static_cast<float>(norm);
  return nearest >= norm ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
}

/// Collective. The sum over all ranks of all terms, the same to the last bit however the terms are shared out: they
/// are added as whole numbers of a unit 2^-90 or so of the largest.
double exact_sum(const Communicator& comm, std::span<const double> mine);

/// Collective. `out[q]` bytes go to each rank q, and `in[q]` come from it. `fill` writes what leaves, in a row by rank;
/// only then is there memory for what arrives, which comes back in a row by rank.
aligned_vector<std::byte> pass_row(const Communicator& comm, const std::vector<std::int64_t>& out,
                                   const std::vector<std::int64_t>& in, const std::function<void(std::byte*)>& fill);
/// Collective. What each rank has for this one, from what this one has for each.
std::vector<std::int64_t> swap_counts(const Communicator& comm, const std::vector<std::int64_t>& out);

/// Where the bytes for each rank begin in a row of them.
inline std::vector<std::int64_t> starts_in_row(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> starts;
  std::int64_t end = 0;
  for (const std::int64_t count : counts) {
    starts.push_back(end);
    end += count;
  }
  return starts;
}
/// Bytes of the blocks listed for each rank.
template <class Value>
std::vector<std::int64_t> bytes_per_rank(const BlockLayout& layout, const std::vector<std::vector<BlockPlace>>& lists) {
  std::vector<std::int64_t> bytes;
  for (const auto& list : lists) {
    bytes.push_back(0);
    for (const BlockPlace& at : list) bytes.back() += block_size(layout, at) * static_cast<std::int64_t>(sizeof(Value));
  }
  return bytes;
}

/// Things of a plain type to and from each rank. Collective.
template <class Thing>
std::vector<std::vector<Thing>> pass_things(const Communicator& comm, const std::vector<std::vector<Thing>>& to) {
  std::vector<std::int64_t> out;
  for (const auto& list : to) out.push_back(static_cast<std::int64_t>(list.size() * sizeof(Thing)));
  const auto in = swap_counts(comm, out);
  const auto row = pass_row(comm, out, in, [&to](std::byte* next) {
    for (const auto& list : to) {
      const auto bytes = std::as_bytes(std::span(list));
      next = std::copy(bytes.begin(), bytes.end(), next);
    }
  });
  std::vector<std::vector<Thing>> from(in.size());
  const auto* next = reinterpret_cast<const Thing*>(row.data());
  for (std::size_t q = 0; q < in.size(); ++q) {
    const auto n = static_cast<std::size_t>(in[q]) / sizeof(Thing);
    from[q].assign(next, next + n);
    next += n;
  }
  return from;
}

/// Bytes that a list holds.
template <class Thing, class Memory>
std::int64_t bytes_of(const std::vector<Thing, Memory>& list) {
  return static_cast<std::int64_t>(list.capacity() * sizeof(Thing));
}
template <class Thing>
std::int64_t bytes_of(const std::vector<std::vector<Thing>>& lists) {
  auto bytes = static_cast<std::int64_t>(lists.capacity() * sizeof(std::vector<Thing>));
  for (const auto& list : lists) bytes += bytes_of(list);
  return bytes;
}
/// What a RawVector takes for so many bytes: large pieces take whole large pages.
std::int64_t bytes_taken(std::int64_t bytes);

/// Called on all ranks before memory is taken, with the bytes that it will be at most; it may throw, on all or none.
using Announce = std::function<void(std::int64_t bytes)>;
/// redistribute(), which announces what it needs beside its operand before values move.
template <class Value>
BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op,
                                       const Announce& announce);

}  // namespace seiche
