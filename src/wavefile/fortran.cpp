// SPDX-License-Identifier: BSD-3-Clause
#include "wavefile/fortran.hpp"

#include <bit>

namespace seiche {

Extent FortranRecords::skip(std::int64_t count, Element element) {
  const Extent extent{file_.path(), at_ + 4, count, element, std::endian::native == std::endian::big, true};
  at_ = extent.end();
  return extent;
}

FortranRecords::Record FortranRecords::next(std::int64_t bytes) {
  const Extent extent = skip(bytes / 4, Element::int32);
  std::vector<std::int32_t> words(static_cast<std::size_t>(extent.count));
  read_extent(file_, extent, {0, extent.count}, words);
  const auto raw = std::as_bytes(std::span(words));
  return {file_.path(), {raw.begin(), raw.end()}};
}

}  // namespace seiche
