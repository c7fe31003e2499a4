// SPDX-License-Identifier: BSD-3-Clause
/// \file  Formatted text, compared with the library fmt.
#include "support/formatted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

TEST(Formatted, TakesValuesInOrderOrByNumber) {
  EXPECT_EQ(formatted("no value"), "no value");
  EXPECT_EQ(formatted("{} and {}", 1, "two"), "1 and two");
  EXPECT_EQ(formatted("{1} {0} {1}", std::string("a"), std::string_view("b")), "b a b");
  EXPECT_EQ(formatted("{{{}}} {{}}", 3), "{3} {}");
  EXPECT_EQ(formatted("{}{}{}", true, 'c', false), "truecfalse");
  testing::compared();
}

TEST(Formatted, WritesIntegersOfAnySize) {
  EXPECT_EQ(formatted("{} {}", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(formatted("{:02x}|{:x}", static_cast<unsigned char>(7), 255U), "07|ff");
  for (const int i : {0, 7, -7, 12345, -12345}) {
    EXPECT_EQ(formatted("{:5d}|{:05d}|{:<8}|{:>8}|{:3}", i, i, i, i, i),
              fmt::format("{:5d}|{:05d}|{:<8}|{:>8}|{:3}", i, i, i, i, i));
  }
  testing::compared();
}

TEST(Formatted, FillsAndAlignsText) {
  EXPECT_EQ(formatted("{:5}|{:>5}|{:*<5}|{:.>5}|{:1}", "ab", "ab", "ab", "ab", "ab"), "ab   |   ab|ab***|...ab|ab");
  EXPECT_EQ(formatted("{:3}|", 'c'), "c  |");
  testing::compared();
}

template <class Real>
void compare(Real x) {
  EXPECT_EQ(formatted("{} {:g} {:.3g} {:.17g}", x, x, x, x), fmt::format("{} {:g} {:.3g} {:.17g}", x, x, x, x));
  EXPECT_EQ(formatted("{:.0f} {:.6f} {:20.14f}", x, x, x), fmt::format("{:.0f} {:.6f} {:20.14f}", x, x, x));
  EXPECT_EQ(formatted("{:.1e} {:.16e} {:22.13E} {:e}", x, x, x, x),
            fmt::format("{:.1e} {:.16e} {:22.13E} {:e}", x, x, x, x));
  EXPECT_EQ(formatted("{:012.3f}|{:<12.3f}|{:f}", x, x, x), fmt::format("{:012.3f}|{:<12.3f}|{:f}", x, x, x));
}

TEST(Formatted, WritesRealsAsFmtDoes) {
  using Limits = std::numeric_limits<double>;
  for (const double x : {0.0, -0.0, 1.0, 0.1, -2.5, 1e-4, 1e-5, 0.00012345, 1e15, 1e16, 123456789012345678.0, 1e300,
                         Limits::min(), Limits::max(), Limits::denorm_min()}) {
    compare(x);
  }
  EXPECT_EQ(formatted("{} {:E} {:5}", Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()), "inf -INF   nan");
  EXPECT_EQ(formatted("{} {}", 0.1F, 1.0F / 3), "0.1 0.33333334");
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30, 30), digits(-10, 10);
  for (int i = 0; i < 1000; ++i) compare(digits(random) * std::pow(10, exponent(random)));
  testing::compared();
}

TEST(Formatted, CountsPlaces) {
  EXPECT_TRUE(has_places("", 0) && has_places("{} {:5d}", 2) && has_places("{0} {1} {0}", 2) && has_places("{{}}", 0));
  EXPECT_FALSE(has_places("{}", 0) || has_places("{}", 2) || has_places("{", 1) || has_places("}", 0) ||
               has_places("{0}", 2));
  testing::compared();
}

}  // namespace
}  // namespace seiche
