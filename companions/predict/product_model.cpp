// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of block-sparse matrices.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "blocksparse/product/share.hpp"
#include "predict/links.hpp"
#include "support/require.hpp"

namespace seiche::predict {

namespace {

double mean_size(const ProductCase& product) {
  return std::accumulate(product.sizes.begin(), product.sizes.end(), 0.0) / static_cast<double>(product.sizes.size());
}

/// Returns the bytes of the matrices, as matrix_bytes() does for existing ones.
MatrixBytes bytes_of(const ProductCase& product) {
  const double n = static_cast<double>(product.blocks), side = n * mean_size(product);
  const double filled = 1 - std::exp(-product.fill * product.fill * n);
  const double all = sizeof(double) * side * side;
  return {all * product.fill, all * product.fill, all * filled, product.fill, product.fill};
}

/// Returns multiplications and additions: each block of A is multiplied by the blocks of a row of B, unless the filter
/// skips the product.
double operations_of(const ProductCase& product) {
  const double n = static_cast<double>(product.blocks);
  return 2 * product.multiplied * std::pow(product.fill * n, 2) * n * std::pow(mean_size(product), 3);
}

}  // namespace

Prediction predicted(const Machine& machine, const Where& where, const ProductCase& product) {
  require_sound(where);
  const Links links = links_of(machine, where);
  const auto [rows, columns] = square_grid(where.ranks);
  const MatrixBytes whole = bytes_of(product);
  const ReplicationGroups groups = choose_groups({rows, columns}, product.layers, whole);
  const double received = bytes_received({rows, columns}, groups, whole), ranks = where.ranks;
  const double in_node = where.ranks_of_node(), sharing = std::max(1.0, in_node / machine.cores);
  // the partners of a rank are distributed evenly
  const double inside = ranks > 1 ? received * (in_node - 1) / (ranks - 1) : 0, between = received - inside;
  Prediction result;
  Parts& parts = result.parts;
  parts.lines = sharing * operations_of(product) / ranks / product_rate(machine, mean_size(product));
  parts.cpu = sharing * (inside * links.inside.cpu + between * links.between.cpu);
  parts.network = std::max(inside > 0 ? inside / links.inside.bandwidth : 0,
                           between > 0 ? in_node * between / links.between.bandwidth : 0);
  constexpr double agreements = 4;  // on lists of blocks, memory and errors
  parts.latency = where.ranks > 1 ? agreements * rounds_of(where.ranks) * links.farthest(where).latency : 0;
  const bool alternating = product.window == 1;
  result.seconds = parts.latency + (alternating ? parts.lines + std::max(parts.network, parts.cpu)
                                                : std::max(parts.lines + parts.cpu, parts.network));
  result.limited_by = longest_of(parts, !alternating && parts.network > parts.lines + parts.cpu);
  result.bytes_sent = static_cast<std::int64_t>(received);
  result.memory = static_cast<std::int64_t>((whole.a + whole.b + whole.c) / ranks + received);
  result.settings = {{"layers", std::to_string(groups.layers())}, {"algorithm", "automatic"}};
  return result;
}

}  // namespace seiche::predict
