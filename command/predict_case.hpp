// SPDX-License-Identifier: BSD-3-Clause
/// \file  What `seiche predict` can be asked for: the cases of `seiche bench`, by the same words.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "predict/best.hpp"
#include "session.hpp"

namespace seiche::command {

/// A prediction, and the fastest one where settings can be chosen.
struct Foretold {
  predict::Where where;
  predict::Prediction usual;
  std::optional<predict::Prediction> best;
};

/// A case with its sizes: in words, and what it comes to anywhere.
struct PredictedCase {
  std::string name;
  std::function<Foretold(const predict::Machine& machine, const predict::Where& where)> foretell;
};

/// Adds one subcommand for each case; `then` is called with the one that the user asks for.
void add_predicted_cases(CLI::App& predict, const std::function<void(const PredictedCase&)>& then);

}  // namespace seiche::command
