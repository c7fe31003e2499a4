// SPDX-License-Identifier: BSD-3-Clause
/// \file  Hashes: equal for equal bytes, different for any other.
#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

Hash hash_of(const std::vector<std::byte>& bytes) {
  Hash hash;
  hash.add(bytes);
  return hash;
}

TEST(Hash, OfEqualBytesIsEqual) {
  const std::vector<std::byte> bytes(21, std::byte{7});
  EXPECT_EQ(hash_of(bytes).bytes(), hash_of(bytes).bytes());
  EXPECT_EQ(hash_of(bytes).bytes().size(), 16U);
  testing::compared();
}

/// Changes of one and of two bits, which a weak hash would let cancel.
TEST(Hash, DiffersForEachChangeOfTwoBits) {
  std::set<std::string> hashes;
  std::set<std::uint64_t> short_values;
  std::vector<std::byte> bytes(21);
  std::size_t changes = 0;
  const auto flip = [&](std::size_t bit) { bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8); };
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    for (std::size_t j = i; j < 8 * bytes.size(); ++j) {
      flip(i);
      if (j > i) flip(j);
      hashes.insert(hash_of(bytes).bytes());
      short_values.insert(hash_of(bytes).short_value());
      if (j > i) flip(j);
      flip(i);
      ++changes;
    }
  }
  EXPECT_EQ(hashes.size(), changes);
  EXPECT_EQ(short_values.size(), changes);
  testing::compared();
}

TEST(Hash, KnowsWhereOneListEnds) {
  Hash one, two, none;
  one.add(std::vector<std::byte>(3));
  one.add(std::vector<std::byte>(5));
  two.add(std::vector<std::byte>(5));
  two.add(std::vector<std::byte>(3));
  none.add(std::vector<std::byte>(8));
  EXPECT_EQ((std::set{one.bytes(), two.bytes(), none.bytes(), Hash().bytes()}).size(), 4U);
  testing::compared();
}

}  // namespace
}  // namespace seiche
