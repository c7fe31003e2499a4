// SPDX-License-Identifier: BSD-3-Clause
/// \file  Hashes of bytes in memory. They are not written to files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace seiche {

/// A hash of 128 bits. Equal sequences of add() have equal hashes; different ones differ, except by chance.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, &bytes[i], sizeof word);
      add(word);
    }
    std::uint64_t rest = 0;
    if (i < bytes.size()) std::memcpy(&rest, &bytes[i], bytes.size() - i);
    add(rest);
  }
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * factor;  // both steps are reversible, so no state is lost
    state_ ^= state_ >> 64;
  }

  std::uint64_t short_value() const {
    return static_cast<std::uint64_t>(state_) ^ static_cast<std::uint64_t>(state_ >> 64);
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(&state_), sizeof state_}; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide factor =
      Wide{0x9e3779b97f4a7c15} << 64 | 0xf39cc0605cedc835;  // odd; digits of the golden ratio
  Wide state_ = factor;
};

}  // namespace seiche
