// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests sums of squares along rows against a computation one number at a time. Results are bitwise equal for
/// rows of any length.
#include "fft/sphere/square_rows.hpp"

#include <complex>
#include <random>
#include <vector>

#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

template <class Value>
std::vector<Value> some_row(std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Value> row;
  for (std::size_t x = 0; x < length; ++x) {
    const std::complex<double> value(number(random), number(random));
    if constexpr (std::is_floating_point_v<Value>) {
      row.push_back(static_cast<Value>(value.real()));
    } else {
      row.push_back(Value(value));
    }
  }
  return row;
}

/// Computes one operation. `volatile` prevents compilers from combining or reordering operations.
double plain(double a, double b, char operation) {
  volatile double first = a, second = b;
  return operation == '*' ? first * second : operation == '+' ? first + second : first - second;
}
double square(std::complex<double> value) {
  return plain(plain(value.real(), value.real(), '*'), plain(value.imag(), value.imag(), '*'), '+');
}
void add(double& sum, double weight, double value) { sum = plain(sum, plain(weight, value, '*'), '+'); }

template <class Value>
class SquareRows : public ::testing::Test {};
using Values = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(SquareRows, Values);

TYPED_TEST(SquareRows, AreWhatTheyAreOneByOne) {
  constexpr double weight = 0.3;
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 7, 8, 13, 60, 61}) {
    const auto up = some_row<TypeParam>(length, 1), down = some_row<TypeParam>(length, 2);
    std::vector<double> one = some_row<double>(length, 3), two = one, wanted_one = one, wanted_two = one;
    std::array<std::vector<double>, 4> four{one, one, one, one}, wanted = four;
    add_squares<TypeParam>(weight, up, one.data());
    add_squares<TypeParam>(weight, up, down, two.data());
    add_magnetism<TypeParam>(weight, up, down, {four[0].data(), four[1].data(), four[2].data(), four[3].data()});
    for (std::size_t x = 0; x < length; ++x) {
      const std::complex<double> u(up[x]), d(down[x]);
      const double uu = square(u), dd = square(d);
      add(wanted_one[x], weight, uu);
      add(wanted_two[x], weight, plain(uu, dd, '+'));
      add(wanted[0][x], weight, plain(uu, dd, '+'));
      const auto product = [&](double a, double b, double c, double e, char sign) {
        return 2 * plain(plain(a, b, '*'), plain(c, e, '*'), sign);
      };
      add(wanted[1][x], weight, product(u.real(), d.real(), u.imag(), d.imag(), '+'));
      add(wanted[2][x], weight, product(u.real(), d.imag(), u.imag(), d.real(), '-'));
      add(wanted[3][x], weight, plain(uu, dd, '-'));
    }
    EXPECT_EQ(one, wanted_one) << length;
    EXPECT_EQ(two, wanted_two) << length;
    EXPECT_EQ(four, wanted) << length;
    compared(static_cast<std::int64_t>(6 * length));
  }
}

}  // namespace
}  // namespace seiche::testing
