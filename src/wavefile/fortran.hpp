// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sequential files as Fortran writes them: records between markers that hold their length.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "wavefile/extents.hpp"

namespace seiche {

/// The small records at the beginning of a file, one after the other.
class FortranRecords {
 public:
  /// A record's bytes, from which values are taken in turn.
  class Record {
   public:
    Record(std::string path, std::vector<std::byte> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}
    template <class Value>
    Value take() {
      require(at_ + sizeof(Value) <= bytes_.size(), Fault::bad_file,
              "{}: a record of its header is too short ({} bytes); is it a file of this kind?", path_, bytes_.size());
      Value value;
      std::memcpy(&value, bytes_.data() + at_, sizeof value);
      at_ += sizeof value;
      return value;
    }

   private:
    std::string path_;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
  };

  explicit FortranRecords(const File& file) : file_(file) {}

  /// The next record, which should have `bytes` bytes. \throws Error naming the place when its markers say otherwise
  Record next(std::int64_t bytes);
  /// Where the next record lies, taken to hold `count` numbers; its markers are checked when it is read.
  Extent skip(std::int64_t count, Element element);

 private:
  const File& file_;
  std::int64_t at_ = 0;
};

}  // namespace seiche
