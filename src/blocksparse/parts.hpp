// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the files of this room share: the insides of a matrix, norms, sums that do not depend on the ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "seiche/blocksparse.hpp"

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

/// Collective. Bytes to and from each rank, of any length.
std::vector<std::vector<std::byte>> pass_around(const Communicator& comm,
                                                const std::vector<std::vector<std::byte>>& to);

/// Things of a plain type to and from each rank. Collective.
template <class Thing>
std::vector<std::vector<Thing>> pass_things(const Communicator& comm, const std::vector<std::vector<Thing>>& to) {
  std::vector<std::vector<std::byte>> out(to.size());
  for (std::size_t q = 0; q < to.size(); ++q) {
    const auto bytes = std::as_bytes(std::span(to[q]));
    out[q].assign(bytes.begin(), bytes.end());
  }
  const auto in = pass_around(comm, out);
  std::vector<std::vector<Thing>> from(in.size());
  for (std::size_t q = 0; q < in.size(); ++q) {
    const auto* first = reinterpret_cast<const Thing*>(in[q].data());
    from[q].assign(first, first + in[q].size() / sizeof(Thing));
  }
  return from;
}

}  // namespace seiche
