// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums, traces, norms and bounds of block-sparse matrices for C.
#include "c/block_matrix.hpp"
#include "seiche/purify.hpp"

using namespace seiche::c;

namespace {

constexpr const char* in_block_algebra = "block_matrix";

/// Puts `work(matrix)` where the caller wants it.
template <class Work>
seiche_status put_number(const seiche_block_matrix* matrix, double* into, const Work& work) {
  return call([&] {
    on_matrix(matrix, [&](const auto& typed, auto) {
      require_place(into, in_block_algebra, "the place for the result");
      *into = work(typed);
    });
  });
}

}  // namespace

seiche_status seiche_block_matrix_create_sum(seiche_block_matrix** matrix, const double* a,
                                             const seiche_block_matrix* x, const double* b,
                                             const seiche_block_matrix* y) {
  return create(matrix, [&] {
    return std::visit(
        [&]<class Value>(const seiche::BlockMatrix<Value>& first) {
          return object_of(seiche::add<Value>(factor_of<Value>(a), first, factor_of<Value>(b), matrix_of<Value>(y)));
        },
        behind(x).matrix);
  });
}

seiche_status seiche_block_matrix_scale(seiche_block_matrix* matrix, const double* factor) {
  return call([&] {
    on_matrix(matrix, [&]<class Value>(auto& typed, Value) { seiche::scale<Value>(typed, factor_of<Value>(factor)); });
  });
}

seiche_status seiche_block_matrix_add_to_diagonal(seiche_block_matrix* matrix, const double* factor) {
  return call([&] {
    on_matrix(matrix, [&]<class Value>(auto& typed, Value) {
      seiche::add_to_diagonal<Value>(typed, factor_of<Value>(factor));
    });
  });
}

seiche_status seiche_block_matrix_error_bound(const seiche_block_matrix* matrix, double* bound) {
  return put_number(matrix, bound, [](const auto& typed) { return typed.error_bound(); });
}

seiche_status seiche_block_matrix_trace(const seiche_block_matrix* matrix, double* trace) {
  return put_number(matrix, trace, [](const auto& typed) { return seiche::trace(typed); });
}

seiche_status seiche_block_matrix_trace_of_product(const seiche_block_matrix* a, const seiche_block_matrix* b,
                                                   double* trace) {
  return put_number(a, trace, [&]<class Value>(const seiche::BlockMatrix<Value>& typed) {
    return seiche::trace_of_product(typed, matrix_of<Value>(b));
  });
}

seiche_status seiche_block_matrix_norm(const seiche_block_matrix* matrix, double* norm) {
  return put_number(matrix, norm, [](const auto& typed) { return seiche::frobenius_norm(typed); });
}

seiche_status seiche_block_matrix_spectrum(const seiche_block_matrix* matrix, double* low, double* high) {
  return call([&] {
    on_matrix(matrix, [&](const auto& typed, auto) {
      require_place(low, in_block_algebra, "the place for the low end");
      require_place(high, in_block_algebra, "the place for the high end");
      const seiche::Interval found = seiche::spectrum(typed);
      *low = found.low;
      *high = found.high;
    });
  });
}
