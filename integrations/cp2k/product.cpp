// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of DBCSR's matrices by Seiche. multiply.f90 calls the three functions at the end.
#include <mpi.h>
#include <omp.h>

#include <optional>

#include "dbcsr_matrix.hpp"
#include "or_abort.hpp"
#include "seiche/block_product.hpp"

namespace {

using Matrix = seiche::BlockMatrix<double>;

seiche::Transpose turn(int transposed) { return transposed ? seiche::Transpose::yes : seiche::Transpose::no; }

/// An operand with all its blocks, and the operation that is left.
struct Operand {
  Matrix matrix;
  seiche::Transpose op;
};

/// op(X) of a symmetric or antisymmetric X is X or -X. Other matrices are transposed by the product.
Operand operand(const LocalBlocks& x, int transposed, const Limits& rows, const Limits& columns, double factor) {
  if (x.symmetry != 0) {
    const double sign = transposed ? x.symmetry : 1;
    return {completed(x, {rows, columns}, sign * factor), seiche::Transpose::no};
  }
  const Window window = transposed ? Window{columns, rows} : Window{rows, columns};
  return {blocks_inside(x, window, factor), turn(transposed)};
}

/// Tells whether the operand made of A serves as B.
bool serves_as_b(const LocalBlocks& a, const ProductRequest& request) {
  const auto equal = [](const Limits& x, const Limits& y) { return x.first == y.first && x.last == y.last; };
  return request.b_is_a && a.symmetry != 0 && request.transpose_a == request.transpose_b && request.alpha == 1 &&
         equal(request.rows, request.inner) && equal(request.inner, request.columns);
}

/// The product of the last call, and the memory of products.
struct State {
  seiche::Multiplier multiply;
  std::optional<Matrix> result;
  std::vector<seiche::BlockPlace> places;  // of the blocks of the result that DBCSR stores on this rank
};

/// Not destroyed: a Multiplier must be destroyed by all ranks together, before MPI ends.
State& state() {
  static State& only = *new State;
  return only;
}

void multiply(const LocalBlocks& a, const LocalBlocks& b, const LocalBlocks& c, const ProductRequest& request) {
  State& now = state();
  const Operand left = operand(a, request.transpose_a, request.rows, request.inner, 1);
  // B is multiplied by alpha before the product, because the filter of DBCSR includes alpha.
  std::optional<Operand> of_b;
  if (!serves_as_b(a, request)) {
    of_b.emplace(operand(b, request.transpose_b, request.inner, request.columns, request.alpha));
  }
  const Operand& right = of_b ? *of_b : left;
  now.result.emplace(request.keep_c ? half_of(c, 1) : Matrix(layout_of(c)));
  if (request.keep_c && request.beta != 1) scale_inside(*now.result, {request.rows, request.columns}, request.beta);
  now.multiply.options().eps = request.eps;
  now.multiply.options().threads = omp_get_max_threads();
  const double beta = request.keep_c ? 1 : 0;
  now.multiply.options().wanted = c.symmetry == 0 ? nullptr : seiche::BlockChoice(in_stored_half);
  now.multiply(seiche::Product<double>{left.matrix, right.matrix, 1, beta, left.op, right.op}, *now.result);
}

}  // namespace

extern "C" {

/// Collective. Computes a product and keeps it. `count` is the number of its blocks that DBCSR stores on this rank.
void seiche_dbcsr_multiply(const LocalBlocks* a, const LocalBlocks* b, const LocalBlocks* c,
                           const ProductRequest* request, std::int64_t* operations, int* count) {
  or_abort("the product of DBCSR's matrices", [&] {
    multiply(*a, *b, *c, *request);
    *operations = state().multiply.report().operations;
    state().places = stored_places(*state().result, c->symmetry);
    *count = static_cast<int>(state().places.size());
  });
}

/// Returns the places of the blocks that DBCSR stores on this rank, in ascending order.
void seiche_dbcsr_places(int* rows, int* columns) {
  for (const seiche::BlockPlace& at : state().places) {
    *rows++ = at.row + 1;
    *columns++ = at.column + 1;
  }
}

/// Copies the product to the blocks of `c`.
void seiche_dbcsr_store(const LocalBlocks* c) {
  or_abort("the product of DBCSR's matrices", [&] {
    write_blocks(*state().result, *c);
    state().result.reset();
  });
}
}
