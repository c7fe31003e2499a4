// SPDX-License-Identifier: BSD-3-Clause
/// \file  Throws the library's Error with a formatted sentence.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "seiche/error.hpp"
#include "support/printable.hpp"

namespace seiche {

/// Bytes of files that come into the sentence are made printable.
template <class... Values>
[[noreturn]] void fail(Fault fault, fmt::format_string<Values...> sentence, Values&&... values) {
  throw Error(fault, printable(fmt::format(sentence, std::forward<Values>(values)...)));
}

/// \throws Error(fault, sentence) unless `holds`. The sentence names the place and the remedy.
template <class... Values>
void require(bool holds, Fault fault, fmt::format_string<Values...> sentence, Values&&... values) {
  if (!holds) fail(fault, sentence, std::forward<Values>(values)...);
}

}  // namespace seiche
