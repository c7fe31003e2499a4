// SPDX-License-Identifier: BSD-3-Clause
#include "support/packed.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "support/require.hpp"

namespace seiche {

namespace {

using namespace std::string_view_literals;

/// A compression format: first bytes of a file, and the program that unpacks it.
struct Packing {
  const char* name;
  std::string_view begins;
  const char* unpack;
};

constexpr std::array<Packing, 8> packings{{{"gzip", "\x1f\x8b"sv, "gunzip"},
                                           {"compress", "\x1f\x9d"sv, "uncompress"},
                                           {"bzip2", "BZh"sv, "bunzip2"},
                                           {"xz",
                                            "\xfd"
                                            "7zXZ\0"sv,
                                            "unxz"},
                                           {"zstd", "\x28\xb5\x2f\xfd"sv, "unzstd"},
                                           {"lz4", "\x04\x22\x4d\x18"sv, "unlz4"},
                                           {"zip", "PK\x03\x04"sv, "unzip"},
                                           {"7-Zip", "7z\xbc\xaf\x27\x1c"sv, "7z x"}}};

}  // namespace

void require_unpacked(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return;
  std::array<char, 6> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(file.gcount()));
  for (const Packing& packing : packings) {
    require(!start.starts_with(packing.begins), Fault::unsupported, "{} is compressed ({}): unpack it first ({} {})",
            path, packing.name, packing.unpack, path);
  }
}

}  // namespace seiche
