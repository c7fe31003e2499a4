// SPDX-License-Identifier: BSD-3-Clause
/// \file  Numbers of the command line. Reading them does not depend on the locale.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seiche::command {

/// Reads a finite number at the beginning of `text`, and removes it and the blanks around it; empty if there is none.
std::optional<double> take_number(std::string_view& text);

/// Reads a text that is one finite number; empty if it is not.
std::optional<double> number_in(std::string_view text);

/// Reads a text that is one integer between `least` and `most`; empty if it is not.
std::optional<int> integer_in(std::string_view text, int least, int most);

/// Parses "18Ry", "-2 ev" or "9Ha", and returns hartree. Zero needs no unit. `option`: its name in the message.
/// \throws Error(bad_argument)
double energy_of(const std::string& option, const std::string& text);

/// Parses "64M", "2G" or "500kB" in powers of 1024, and returns bytes. `unit`: bytes of a number without a unit.
/// `option`: its name in the message. \throws Error(bad_argument)
std::int64_t bytes_of(const std::string& option, const std::string& text, std::int64_t unit = 1);

/// Checks that the value of an option is a finite number and at least `least`.
CLI::Validator at_least(std::int64_t least);
/// Checks that the value of an option is a finite number and above zero.
CLI::Validator positive();
/// Checks that the value of an option is a finite number.
CLI::Validator finite();

}  // namespace seiche::command
