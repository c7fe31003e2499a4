// SPDX-License-Identifier: BSD-3-Clause
/// \file  Two block-sparse matrices to multiply, generated or read from files, for benchmarks and tuning.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "seiche/block_product.hpp"
#include "session.hpp"

namespace seiche::command {

struct BlockCase {
  std::vector<int> blocks{200};
  std::vector<int> sizes{23};
  double fill = 0.1;
  int water = 0;
  double reach = 1.5;
  std::string deal = "random";
  std::vector<std::string> files;
  std::string file_blocks;
  ProductOptions options;
};

void add_block_case(CLI::App& command, BlockCase& wanted);

struct BlockOperands {
  BlockMatrix<double> a, b;
};
/// Collective.
BlockOperands operands_of(const Session& session, const BlockCase& wanted);

}  // namespace seiche::command
