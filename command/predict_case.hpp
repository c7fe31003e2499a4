// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cases of `seiche predict`, with the names of `seiche bench`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "predict/best.hpp"
#include "session.hpp"

namespace seiche::command {

/// A prediction. For transforms also the fastest prediction, and that of a code with its own exchange.
struct CasePrediction {
  predict::Where where;
  predict::Prediction usual;
  std::optional<predict::Prediction> best, own;
};

/// A case with its sizes: its name, and its prediction anywhere.
struct PredictedCase {
  std::string name;
  std::function<CasePrediction(const predict::Machine& machine, const predict::Where& where)> foretell;
  std::int64_t bands = 0;  ///< number of bands of a call, if times are of one band
};

/// Adds one subcommand for each case; `then` is called with the chosen case.
void add_predicted_cases(CLI::App& predict, const std::function<void(const PredictedCase&)>& then);

}  // namespace seiche::command
