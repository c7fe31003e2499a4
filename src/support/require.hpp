// SPDX-License-Identifier: BSD-3-Clause
/// \file  Errors with formatted messages.
#pragma once

#include "seiche/error.hpp"
#include "support/formatted.hpp"
#include "support/printable.hpp"

namespace seiche {

/// Throws an Error. Bytes that are not printable are replaced.
template <class... Values>
[[noreturn]] void fail(Fault fault, FormatFor<Values...> sentence, const Values&... values) {
  throw Error(fault, printable(formatted(sentence, values...)));
}

/// Checks a condition. \throws Error(fault, sentence) unless `holds`. The message names the problem and the remedy
template <class... Values>
void require(bool holds, Fault fault, FormatFor<Values...> sentence, const Values&... values) {
  if (!holds) fail(fault, sentence, values...);
}

}  // namespace seiche
