// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes sequential Fortran files on one process: small records directly, space for large ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "containers/extents.hpp"
#include "support/require.hpp"

namespace seiche {

/// A record under construction: numbers and texts in the byte order of the file.
class FortranRecord {
 public:
  explicit FortranRecord(bool big_endian) : swap_(big_endian != (std::endian::native == std::endian::big)) {}

  /// Adds numbers, and ranges of numbers.
  template <class... Values>
  FortranRecord& add(const Values&... values) {
    (add_one(values), ...);
    return *this;
  }
  /// Adds a text of `length` characters, padded with blanks.
  FortranRecord& add_text(std::string_view text, std::size_t length) {
    bytes_ += text.substr(0, length);
    bytes_.append(length - std::min(length, text.size()), ' ');
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class Value>
  void add_one(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      if (swap_) std::reverse(raw, raw + sizeof value);
      bytes_.append(raw, sizeof value);
    } else {
      for (const auto& item : value) add_one(item);
    }
  }

  bool swap_;
  std::string bytes_;
};

/// Writes the file record by record.
class FortranWriter {
 public:
  explicit FortranWriter(const std::string& path, bool big_endian = std::endian::native == std::endian::big)
      : file_(path, File::Mode::write), big_endian_(big_endian) {}

  FortranRecord record() const { return FortranRecord(big_endian_); }
  void write(const FortranRecord& record) {
    const std::string marker = marker_of(static_cast<std::int64_t>(record.bytes().size()));
    const std::string all = marker + record.bytes() + marker;
    file_.write(at_, std::as_bytes(std::span(all)));
    at_ += static_cast<std::int64_t>(all.size());
  }
  /// Writes a record of these numbers, or of this text.
  template <class... Values>
  void write(const Values&... values) {
    write(record().add(values...));
  }
  void write_text(std::string_view text, std::size_t length) { write(record().add_text(text, length)); }
  /// Leaves space for a record of `count` numbers, which is written later with its markers.
  Extent leave_room(std::int64_t count, Element element) {
    const Extent extent{file_.path(), at_ + 4, count, element, big_endian_, true};
    at_ = extent.end();
    return extent;
  }
  /// Leaves space for a record whose markers are written now, because its parts are written separately.
  Extent leave_marked_room(std::int64_t count, Element element) {
    Extent extent{file_.path(), at_ + 4, count, element, big_endian_, false};
    const std::string marker = marker_of(extent.bytes());
    file_.write(at_, std::as_bytes(std::span(marker)));
    file_.write(extent.offset + extent.bytes(), std::as_bytes(std::span(marker)));
    at_ = extent.offset + extent.bytes() + 4;
    return extent;
  }
  /// Leaves space for `times` consecutive records; returns the first one, and sets `stride` to the distance between
  /// them.
  Extent leave_room(std::int64_t count, Element element, std::int64_t times, std::int64_t& stride) {
    const std::int64_t begin = at_;
    const Extent first = leave_room(count, element);
    stride = at_ - begin;
    at_ = begin + times * stride;
    return first;
  }
  /// Sets the length of the file. The last call.
  void close() { file_.resize(at_); }

 private:
  /// \throws Error if a record has more bytes than a marker can hold
  std::string marker_of(std::int64_t length) const {
    require(length <= subrecord_limit(), Fault::unsupported,
            "{}: a record of {} bytes exceeds the limit of {} bytes: write another format", file_.path(), length,
            subrecord_limit());
    return FortranRecord(big_endian_).add(static_cast<std::int32_t>(length)).bytes();
  }

  File file_;
  bool big_endian_;
  std::int64_t at_ = 0;
};

}  // namespace seiche
