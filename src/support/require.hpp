// SPDX-License-Identifier: BSD-3-Clause
/// \file  Errors with formatted messages.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "seiche/error.hpp"
#include "support/printable.hpp"

namespace seiche {

/// Throws an Error. Bytes that are not printable are replaced.
template <class... Values>
[[noreturn]] void fail(Fault fault, fmt::format_string<Values...> sentence, Values&&... values) {
  throw Error(fault, printable(fmt::format(sentence, std::forward<Values>(values)...)));
}

/// Checks a condition. \throws Error(fault, sentence) unless `holds`. The message names the problem and the remedy
template <class... Values>
void require(bool holds, Fault fault, fmt::format_string<Values...> sentence, Values&&... values) {
  if (!holds) fail(fault, sentence, std::forward<Values>(values)...);
}

}  // namespace seiche
