// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sequential Fortran files: records between markers with their length.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "containers/extents.hpp"
#include "support/require.hpp"

namespace seiche {

/// Reads the small records of a file in order.
class FortranRecords {
 public:
  /// The bytes of a record, from which values are taken in order.
  class Record {
   public:
    Record(std::string place, std::vector<std::byte> bytes, bool swap)
        : place_(std::move(place)), bytes_(std::move(bytes)), swap_(swap) {}
    std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

    /// A number, or an array of numbers.
    template <class Value>
    Value take() {
      Value value;
      move_to(reinterpret_cast<std::byte*>(&value), sizeof value);
      if (swap_) reverse_each(reinterpret_cast<std::byte*>(&value), sizeof value, alignof(Value));
      return value;
    }
    template <class Value>
    std::vector<Value> take(std::int64_t count) {
      require_left(count, sizeof(Value));
      std::vector<Value> values;
      values.reserve(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) values.push_back(take<Value>());
      return values;
    }
    /// Returns text without trailing blanks.
    std::string take_text(std::int64_t length) {
      require_left(length, 1);
      std::string text(static_cast<std::size_t>(length), ' ');
      move_to(reinterpret_cast<std::byte*>(text.data()), text.size());
      text.erase(std::find_if(text.rbegin(), text.rend(), [](char c) { return c != ' ' && c != '\0'; }).base(),
                 text.end());
      return text;
    }
    void skip(std::int64_t bytes) {
      require_left(bytes, 1);
      at_ += static_cast<std::size_t>(bytes);
    }

   private:
    static void reverse_each(std::byte* bytes, std::size_t size, std::size_t width) {
      for (std::size_t i = 0; i < size; i += width) std::reverse(bytes + i, bytes + i + width);
    }
    void require_left(std::int64_t count, std::size_t width) const {
      const std::size_t left = bytes_.size() - at_;
      require(count >= 0 && static_cast<std::size_t>(count) <= left / width, Fault::bad_file,
              "{} is too short ({} bytes): check that the file has the right format", place_, bytes_.size());
    }
    void move_to(std::byte* to, std::size_t size) {
      require_left(static_cast<std::int64_t>(size), 1);
      if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
      at_ += size;
    }

    std::string place_;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
    bool swap_;
  };

  explicit FortranRecords(const File& file, bool big_endian = std::endian::native == std::endian::big)
      : file_(file), big_endian_(big_endian) {}

  /// Returns the next record, of any length. \throws Error with the position if its markers disagree
  Record next();
  /// Returns the next record, which must have `bytes` bytes. \throws Error with the position otherwise
  Record next(std::int64_t bytes);
  /// Skips the next record and returns its extent of `count` numbers; its markers are checked when it is read.
  Extent skip(std::int64_t count, Element element);
  /// Sets the position to the start of a record.
  void seek(std::int64_t offset) { at_ = offset; }
  std::int64_t position() const { return at_; }
  bool at_end() const { return at_ >= file_.size(); }

 private:
  std::int64_t marker(std::int64_t offset) const;

  const File& file_;
  bool big_endian_;
  std::int64_t at_ = 0;
};

/// The first record of a file: its byte order and its length; {false, -1} if the file does not begin with a complete
/// record.
struct FirstRecord {
  bool big_endian = false;
  std::int64_t bytes = -1;
};
FirstRecord first_record(const File& file);

}  // namespace seiche
