// SPDX-License-Identifier: BSD-3-Clause
/// \file  S^(-1/2) by the coupled Newton-Schulz iteration: Y -> Y (3 - Z Y) / 2, Z -> (3 - Z Y) / 2 Z converge from Y =
/// S to S^(1/2) and from Z = 1 to S^(-1/2) (N. J. Higham, Functions of Matrices, SIAM 2008, section 6.7).
#include <cmath>

#include "blocksparse/solve/solver.hpp"
#include "interface/product_members.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// The residual |1 - Z Y| of all iterations.
class Residual {
 public:
  /// \return whether this is the last iteration
  bool note(double residual) {
    require(std::isfinite(residual) && residual < 10 * last_ + 10, Fault::bad_argument,
            "S^(-1/2) diverges: the overlap matrix is not positive definite, or eps is too large");
    constexpr double nearly = 1e-7;  // its square is below rounding
    const bool converged = residual < nearly || (residual < 0.1 && residual > 0.5 * last_);
    last_ = residual;
    return converged;
  }
  [[noreturn]] void give_up(int iterations) const {
    require(iterations >= usual_iterations, Fault::bad_argument,
            "S^(-1/2) has not converged in {} iterations (|1 - Z Y| = {:.1e}): allow more (default: {})", iterations,
            last_, usual_iterations);
    fail(Fault::bad_argument,
         "S^(-1/2) has not converged in {} iterations (|1 - Z Y| = {:.1e}): the overlap matrix is nearly singular or "
         "not positive definite, or eps is too large",
         iterations, last_);
  }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

}  // namespace

template <class Value>
Root<Value> inverse_square_root(const BlockMatrix<Value>& s, Products& product, int max_iterations,
                                const PurifyProgress& progress) {
  const double largest = spectrum(s).high;
  require(largest > 0 && std::isfinite(largest), Fault::bad_argument,
          "the overlap matrix has no positive eigenvalue: check that it is the right file");
  BlockMatrix<Value> y = affine(1 / largest, s, 0);  // eigenvalues between 0 and 1
  BlockMatrix<Value> z = identity<Value>(s.shared_layout());
  Residual residual;
  for (int n = 1; n <= max_iterations; ++n) {
    BlockMatrix<Value> t = n == 1 ? affine(-1, y, 1) : affine(-1, product(z, y).matrix, 1);
    const double off = frobenius_norm(t);  // |1 - Z Y|
    report_progress(s.layout().comm, progress, PurifyStage::overlap_root, n, off);
    const bool last = residual.note(off);
    make_affine(t, 0.5, 1);
    z = n == 1 ? affine(1, t, 0) : product(t, z).matrix;
    if (last) {
      make_affine(z, 1 / std::sqrt(largest), 0);
      double dropped = 0;
      return {symmetrized(z, 0, dropped), n};
    }
    y = product(y, t).matrix;
  }
  residual.give_up(max_iterations);
}

template <class Value>
BlockMatrix<Value> inverse_square_root(const BlockMatrix<Value>& s, Multiplier& multiply, int max_iterations) {
  together(s.layout().comm, "inverse_square_root", [&](EqualArguments& same) {
    require_iterations(max_iterations);
    same.add("max_iterations", max_iterations).add_options(multiply.options()).add("bytes of a value", sizeof(Value));
  });
  Products product(multiply);
  return inverse_square_root(s, product, max_iterations, nullptr).matrix;
}

#define SEICHE_INVERSE_ROOT(Value)                                                                            \
  template Root<Value> inverse_square_root(const BlockMatrix<Value>&, Products&, int, const PurifyProgress&); \
  template BlockMatrix<Value> inverse_square_root(const BlockMatrix<Value>&, Multiplier&, int)
SEICHE_INVERSE_ROOT(double);
SEICHE_INVERSE_ROOT(std::complex<double>);

}  // namespace seiche
