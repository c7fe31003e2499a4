// SPDX-License-Identifier: BSD-3-Clause
#include "containers/fortran.hpp"

#include "support/formatted.hpp"

namespace seiche {

namespace {

std::int32_t marker_at(const File& file, std::int64_t offset, bool big_endian) {
  std::array<std::byte, 4> bytes{};
  file.read(offset, bytes);
  if (big_endian != machine_is_big_endian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<std::int32_t>(bytes);
}

}  // namespace

std::int64_t FortranRecords::marker(std::int64_t offset) const { return marker_at(file_, offset, big_endian_); }

Extent FortranRecords::skip(std::int64_t count, Element element) {
  const Extent extent{file_.path(), at_ + 4, count, element, big_endian_, true};
  at_ = extent.end();
  return extent;
}

FortranRecords::Record FortranRecords::next() {
  const std::int64_t length = marker(at_), begin = at_ + 4;
  require(length >= 0 && length <= file_.size() - begin - 4, Fault::bad_file,
          "{}: truncated record at byte {} (declared length {}): copy it again or rerun the code that wrote it",
          file_.path(), at_, length);
  require(marker(begin + length) == length, Fault::bad_file,
          "{}: wrong marker at byte {}: rerun the code that wrote the file", file_.path(), begin + length);
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  file_.read(begin, bytes);
  const std::string place = formatted("{}: the record at byte {}", file_.path(), at_);
  at_ = begin + length + 4;
  return {place, std::move(bytes), big_endian_ != machine_is_big_endian};
}

FortranRecords::Record FortranRecords::next(std::int64_t bytes) {
  const std::int64_t found = marker(at_);
  require(found == bytes, Fault::bad_file,
          "{}: wrong marker at byte {} ({} instead of the record length {}): rerun the code that wrote the file",
          file_.path(), at_, found, bytes);
  return next();
}

FirstRecord first_record(const File& file) {
  const std::int64_t size = file.size();
  for (const bool big_endian : {false, true}) {
    if (size < 8) break;
    const std::int64_t length = marker_at(file, 0, big_endian);
    if (length < 0 || length > size - 8 || marker_at(file, 4 + length, big_endian) != length) continue;
    return {big_endian, length};
  }
  return {};
}

}  // namespace seiche
