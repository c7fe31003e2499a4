// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads a text file by words or lines with little memory.
#pragma once

#include <string>
#include <string_view>

#include "containers/extents.hpp"
#include "seiche/crystal.hpp"

namespace seiche {

class TextWords {
 public:
  explicit TextWords(const std::string& path) : file_(path) {}

  std::int64_t file_size() const { return file_.size(); }
  /// Returns the next word, valid until the next call. \throws Error(bad_file) at the end of the file, like all
  /// following functions
  std::string_view word();
  double number();
  /// \throws Error(bad_file) for a fraction, or an absolute value beyond `limit`
  std::int64_t integer(std::int64_t limit);
  Vector3 vector();
  /// Returns the rest of this line without its end, and moves to the next line.
  std::string line();
  /// Returns the rest of this line, at most 256 characters, without moving.
  std::string_view line_ahead();
  /// Skips blanks and returns whether the file has ended.
  bool ended();
  /// Skips blanks and returns whether the next word begins with a number.
  bool number_follows();

 private:
  bool fill(std::size_t bytes);
  void expect_more();
  std::string_view ahead() const { return std::string_view(text_).substr(at_); }

  File file_;
  std::string text_;        // a window of the file
  std::int64_t start_ = 0;  // offset of the window in the file
  std::size_t at_ = 0;      // next byte, within the window
};

}  // namespace seiche
