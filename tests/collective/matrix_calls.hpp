// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small cases of collective calls on block-sparse matrices, for tests of errors that one rank has.
#pragma once

#include "blocksparse/samples.hpp"
#include "collective/collective_call.hpp"
#include "seiche/block_file.hpp"
#include "seiche/purify.hpp"
#include "support/data.hpp"

namespace seiche::testing {

/// Matrices of the calls.
struct MatrixData {
  BlockSizes sizes = mixed(4, 0), single = BlockSizes(4, 1);
  SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic),
               other = layout_of(sizes, sizes, Distribution::random),
               sites = make_layout(MPI_COMM_WORLD, single, single);
  BlockMatrix<double> a = sample<double>(layout, 1), b = sample<double>(layout, 2);
  BlockMatrix<double> k = diagonal([](std::int64_t i) { return static_cast<double>(i); }),
                      s = diagonal([](std::int64_t) { return 1.25; });
  Multiplier multiply;
  ScratchDirectory scratch;
  std::string path = scratch.file("matrix.mtx"), written = scratch.file("written.mtx");
  MatrixFileOptions as_layout{.blocks = {}, .layout = layout};
  Complex number = 0;

  MatrixData() { write_blocks(a, path, MatrixFormat::matrix_market); }
  BlockMatrix<double> diagonal(const std::function<double(std::int64_t)>& element) const {
    return from_function<double>(
        sites, [](std::int32_t i, std::int32_t j) { return i == j; },
        [&](std::int64_t i, std::int64_t j) { return i == j ? element(i) : 0.0; });
  }
  /// Keeps the sum of the squares of this rank's elements as the value of a call.
  std::span<const Complex> squares(const BlockMatrix<double>& matrix) {
    number = 0;
    for (const double x : matrix.values()) number += x * x;
    return {&number, 1};
  }
};

inline std::vector<CollectiveCall> matrix_calls(const std::shared_ptr<MatrixData>& d) {
  return {
      {"make_layout",
       [d]() -> std::span<const Complex> {
         const SharedLayout layout = make_layout(d->layout->comm, d->sizes, d->sizes);
         d->number = layout->grid_rows;
         return {&d->number, 1};
       }},
      {"multiply",
       [d] {
         BlockMatrix<double> c(d->layout);
         d->multiply(Product<double>{d->a, d->b}, c);
         return d->squares(c);
       }},
      {"first product",
       [d] {
         Multiplier multiply;
         BlockMatrix<double> c(d->layout);
         multiply(Product<double>{d->a, d->b, 1, 0, Transpose::yes}, c);
         return d->squares(c);
       }},
      {"start_multiply",
       [d] {
         BlockMatrix<double> c(d->layout);
         Pending call = d->multiply.start(Product<double>{d->a, d->b}, c);
         call.progress();
         call.finish();
         return d->squares(c);
       }},
      {"redistribute", [d] { return d->squares(redistribute(d->a, d->other, Transpose::yes)); }},
      {"trace_of_product",
       [d]() -> std::span<const Complex> {
         d->number = trace_of_product(d->a, d->b) + frobenius_norm(d->a);
         return {&d->number, 1};
       }},
      {"read_blocks", [d] { return d->squares(read_blocks<double>(d->layout->comm, d->path, d->as_layout)); }},
      {"write_blocks",
       [d]() -> std::span<const Complex> {
         write_blocks(d->a, d->written, MatrixFormat::matrix_market);
         d->number = static_cast<double>(std::filesystem::file_size(d->written));
         return {&d->number, 1};
       }},
  };
}

/// Calls that compute many products.
inline std::vector<CollectiveCall> solver_calls(const std::shared_ptr<MatrixData>& d) {
  return {
      {"inverse_square_root", [d] { return d->squares(inverse_square_root(d->s, d->multiply)); }},
      {"purify", [d] { return d->squares(purify(d->k, d->s, 4).p); }},
      {"purify with a temperature", [d] { return d->squares(purify(d->k, d->s, 4, {.temperature = 0.3}).p); }},
  };
}

}  // namespace seiche::testing
