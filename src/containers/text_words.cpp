// SPDX-License-Identifier: BSD-3-Clause
#include "containers/text_words.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "support/require.hpp"
#include "support/text_number.hpp"

namespace seiche {

/// Reads ahead at least `bytes`, or all remaining bytes. \return whether there are any
bool TextWords::fill(std::size_t bytes) {
  if (text_.size() - at_ >= bytes) return true;
  const std::int64_t read = start_ + std::ssize(text_);
  const auto more = static_cast<std::size_t>(std::clamp<std::int64_t>(file_.size() - read, 0, 1 << 20));
  start_ += static_cast<std::int64_t>(at_);
  text_.erase(0, at_);
  at_ = 0;
  const std::size_t kept = text_.size();
  text_.resize(kept + more);
  file_.read(read, std::as_writable_bytes(std::span(text_).subspan(kept)));
  return !text_.empty();
}

void TextWords::expect_more() {
  require(!ended(), Fault::bad_file, "{}: the file is truncated: copy it again", file_.path());
}

bool TextWords::ended() {
  while (fill(1)) {
    if (!is_blank(text_[at_])) return false;
    ++at_;
  }
  return true;
}

std::string_view TextWords::word() {
  constexpr std::size_t longest_word = 4096;
  expect_more();
  fill(longest_word);
  const std::string_view rest = ahead();
  const auto end = std::find_if(rest.begin(), rest.end(), is_blank);
  const auto size = static_cast<std::size_t>(end - rest.begin());
  at_ += size;
  return rest.substr(0, size);
}

double TextWords::number() {
  expect_more();
  fill(longest_number + 1);
  std::string_view rest = ahead();
  const auto value = take_number(rest);
  if (!value) {
    const std::int64_t place = start_ + static_cast<std::int64_t>(at_);
    fail(Fault::bad_file, "{}: '{}' near byte {} is not a number: the file is damaged or has another format",
         file_.path(), shortened(word()), place);
  }
  at_ = text_.size() - rest.size();
  return *value;
}

std::int64_t TextWords::integer(std::int64_t limit) {
  const double value = number();
  require(std::abs(value) <= static_cast<double>(limit) && value == std::floor(value), Fault::bad_file,
          "{}: invalid count {} near byte {}: rerun the code that wrote the file", file_.path(), value,
          start_ + static_cast<std::int64_t>(at_));
  return std::llround(value);
}

Vector3 TextWords::vector() {
  Vector3 values{};
  for (double& value : values) value = number();
  return values;
}

std::string TextWords::line() {
  require(fill(1), Fault::bad_file, "{}: the file is truncated: copy it again", file_.path());
  std::string text;
  while (fill(1)) {
    const std::string_view rest = ahead();
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    text += rest.substr(0, size);
    at_ += size;
    if (size == rest.size()) continue;
    ++at_;
    break;
  }
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string_view TextWords::line_ahead() {
  constexpr std::size_t most = 256;
  fill(most);
  const std::string_view rest = ahead().substr(0, most);
  return rest.substr(0, rest.find('\n'));
}

bool TextWords::number_follows() {
  if (ended()) return false;
  fill(longest_number + 1);
  std::string_view rest = ahead();
  return take_number(rest).has_value();
}

}  // namespace seiche
