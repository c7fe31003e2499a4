// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "comm/agree.hpp"

namespace seiche {

namespace {

__extension__ using Wide = __int128;

/// Numbers |x| < 2^exponent as integers below 2^90, so that 2^37 of them fit in 128 bits.
struct FixedPoint {
  static constexpr int digits = 90;
  int exponent = 0;

  Wide operator()(double x) const {
    const double upper = std::ldexp(x, digits - exponent);
    const double high = std::trunc(std::ldexp(upper, -45));  // exact in two parts of 45 bits
    const double low = upper - std::ldexp(high, 45);
    return static_cast<Wide>(high) * (Wide{1} << 45) + static_cast<Wide>(std::trunc(low));
  }
  double value(Wide x) const { return std::ldexp(static_cast<double>(x), exponent - digits); }
};

/// Collective. Returns the largest absolute value of all terms; infinity if one is not finite. \throws the error of a
/// rank
double largest_of(const Communicator& comm, const std::vector<double>& mine, const std::optional<Error>& fault) {
  double largest = 0;
  for (const double term : mine) {
    largest = std::isfinite(term) ? std::max(largest, std::abs(term)) : std::numeric_limits<double>::infinity();
    if (!std::isfinite(largest)) break;
  }
  // the bits of numbers that are not negative have the order of the numbers
  std::array<std::int64_t, 2> least{0, ~std::bit_cast<std::int64_t>(largest)};
  least_of(comm, least, fault);
  return std::bit_cast<double>(~least[1]);
}

/// Collective.
Wide sum_over_ranks(const Communicator& comm, Wide mine) {
  constexpr Wide base = Wide{1} << 60;
  const auto lows = gather_all(comm, static_cast<std::int64_t>(mine % base));
  const auto highs = gather_all(comm, static_cast<std::int64_t>(mine / base));
  Wide total = 0;
  for (std::size_t r = 0; r < lows.size(); ++r) total += static_cast<Wide>(highs[r]) * base + lows[r];
  return total;
}

}  // namespace

double exact_sum(const Communicator& comm, const std::function<std::vector<double>()>& terms) {
  std::vector<double> mine;
  const auto fault = fault_of([&] { mine = terms(); });
  const double largest = largest_of(comm, mine, fault);
  if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
  if (largest == 0) return 0;
  FixedPoint fixed;
  std::frexp(largest, &fixed.exponent);
  Wide total = 0;
  for (const double term : mine) total += fixed(term);
  return fixed.value(sum_over_ranks(comm, total));
}

}  // namespace seiche
