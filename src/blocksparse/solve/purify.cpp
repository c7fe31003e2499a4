// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes the density matrix in the orthogonal basis Z = S^(-1/2), and the bound on its error.
#include "seiche/purify.hpp"

#include <cmath>
#include <limits>

#include "blocksparse/matrix/regroup.hpp"
#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/solve/fermi.hpp"
#include "blocksparse/solve/purification.hpp"
#include "interface/product_members.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

template <class Value>
void require_hermitian(const BlockMatrix<Value>& m, const char* name) {
  const double size = frobenius_norm(m);
  require(std::isfinite(size), Fault::bad_argument, "{} has elements that are not finite: rerun the code that wrote it",
          name);
  const double off = frobenius_norm(combination(1, m, -1, redistribute(m, m.shared_layout(), Transpose::conjugate)));
  constexpr double allowed = 1e-8;
  constexpr const char *wanted = is_complex<Value> ? "hermitian" : "symmetric",
                       *adjoint = is_complex<Value> ? "H" : "T";
  require(off <= allowed * size, Fault::bad_argument,
          "{} is not {} (|{} - {}^{}| is {:.1e} of |{}|): check that the file is the right one and complete", name,
          wanted, name, name, adjoint, off / size, name);
}

/// Returns the sum of occupations, which need not be whole with a temperature.
double fractional_states(double electrons, int per_state, std::int64_t functions) {
  const double most = static_cast<double>(per_state * functions);
  require(electrons > 0 && electrons < most, Fault::bad_argument,
          "with a temperature, the number of electrons must be above 0 and below {} for {} functions (got {})", most,
          functions, electrons);
  return electrons / per_state;
}

double states_of(double electrons, const PurifyOptions& options, std::int64_t functions) {
  const int per_state = options.electrons_per_state;
  require(per_state == 1 || per_state == 2, Fault::bad_argument,
          "invalid number of electrons per state ({}): give 1 or 2", per_state);
  constexpr double hottest = 1e300;
  require(options.temperature >= 0 && options.temperature < hottest, Fault::bad_argument,
          "invalid temperature ({}): give a positive, finite value, or 0 for full states", options.temperature);
  if (options.temperature > 0) return fractional_states(electrons, per_state, functions);
  const double states = electrons / per_state;
  const bool whole = electrons > 0 && std::abs(states - std::round(states)) < 1e-6;
  require(whole || per_state == 1, Fault::bad_argument,
          "{} electrons do not fill states in pairs: give an even, positive number, or K and the electrons of one spin",
          electrons);
  require(whole, Fault::bad_argument, "the number of electrons of one spin must be a positive integer (got {})",
          electrons);
  require(states <= static_cast<double>(functions), Fault::bad_argument,
          "{} electrons need {} states, but the basis has {} functions: check the number of electrons", electrons,
          states, functions);
  return std::round(states);
}

/// Collective. Returns K or S for products: all blocks stored, exact by definition.
template <class Value>
BlockMatrix<Value> whole(const BlockMatrix<Value>& given, const SharedLayout& layout, const char* name) {
  BlockMatrix<Value> matrix = given.symmetry() == Symmetry::none ? affine(1, given, 0) : redistribute(given, layout);
  require_hermitian(matrix, name);
  set_error_bound(matrix, 0);
  return matrix;
}

/// The blocks used for the purification, independent of the user's blocks.
class WorkingBlocks {
 public:
  /// Collective.
  template <class Value>
  explicit WorkingBlocks(const BlockMatrix<Value>& of) : theirs_(of.shared_layout()), into_(efficient_blocks(of)) {
    if (!into_.changes()) return;
    const std::array<int, 2> grid{theirs_->grid_rows, theirs_->grid_columns};
    std::vector<int> rows, columns;
    BlockSizes sizes;
    together(theirs_->comm, [&] {
      sizes = into_.sizes();
      rows = distribute_cyclic(sizes.size(), grid[0]);
      columns = distribute_cyclic(sizes.size(), grid[1]);
    });
    ours_ = make_layout(theirs_->comm, sizes, sizes, grid, std::move(rows), std::move(columns));
  }

  /// Collective.
  template <class Value>
  BlockMatrix<Value> enter(BlockMatrix<Value>&& m) const {
    return ours_ ? regroup(m, into_, into_, ours_) : std::move(m);
  }
  /// Collective. Returns a matrix in the user's blocks, without blocks below the filter. \param error is increased by
  /// the dropped blocks
  template <class Value>
  BlockMatrix<Value> leave(BlockMatrix<Value>&& m, double eps, double& error) const {
    if (!ours_) return std::move(m);
    const Regrouping back = made_together(theirs_->comm, [&] { return into_.inverse(); });
    BlockMatrix<Value> left = regroup(m, back, back, theirs_);
    error += drop_below(left, eps);
    return left;
  }

 private:
  SharedLayout theirs_, ours_;
  Regrouping into_;
};

/// Collective. Returns Z M Z for exact Z and M.
template <class Value>
Bounded<Value> transformed(const BlockMatrix<Value>& z, const BlockMatrix<Value>& m, double z_norm, Products& product,
                           double factor = 1) {
  const Bounded<Value> half = product(z, m);
  Bounded<Value> both = product(half.matrix, z, factor);
  both.error += factor * half.error * z_norm;
  return both;
}

void take_edges(PurifyReport& found, const Edges& edges) {
  found.homo = edges.occupied;
  found.lumo = edges.empty;
  found.chemical_potential = 0.5 * (found.homo + found.lumo);
}

/// Collective. Returns the unit matrix as the occupations of a full basis, for which P = n Z Z. No state is empty.
template <class Value>
Bounded<Value> all_occupied(PurifyReport& found, const BlockMatrix<Value>& h, double residual) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  take_edges(found, {spectrum(h).high, infinity});
  // S^-1 = Z (Z S Z)^-1 Z
  return {identity<Value>(h.shared_layout()), residual < 0.1 ? residual / (1 - residual) : infinity};
}

/// Collective. Returns the occupations in the orthogonal basis, with the bound on their error. \param residual
/// |Z S Z - 1|
template <class Value>
Bounded<Value> occupations(PurifyReport& found, const Bounded<Value>& h, double residual, double states,
                           Products& product, const PurifyOptions& options) {
  if (options.temperature > 0) {
    Occupied<Value> occupied = occupy_orthogonal(h, residual, states, product, options);
    take_edges(found, {occupied.chemical_potential, occupied.chemical_potential});
    found.entropy = options.electrons_per_state * occupied.entropy;
    found.iterations = occupied.iterations;
    return {std::move(occupied.x), occupied.distance};
  }
  if (states == static_cast<double>(functions_of(h.matrix.layout()))) return all_occupied(found, h.matrix, residual);
  Purified<Value> purified = purify_orthogonal(h.matrix, states, product, options);
  take_edges(found, purified.edges);
  found.iterations = purified.iterations;
  return {std::move(purified.x), subspace_error(purified.distance, purified.edges, h.error, residual)};
}

/// Collective. Computes traces, idempotency and norm of P.
template <class Value>
void describe(PurifyReport& found, const BlockMatrix<Value>& p, const BlockMatrix<Value>& k,
              const BlockMatrix<Value>& s, int per_state, Products& product) {
  found.trace = trace_of_product(p, s);
  found.energy = trace_of_product(p, k);
  const Bounded<Value> ps = product(p, s);
  const Bounded<Value> psp = product(ps.matrix, p);
  found.idempotency = frobenius_norm(combination(1, psp.matrix, -static_cast<double>(per_state), p));
  found.norm = frobenius_norm(p);
}

}  // namespace

std::string name_of(Purifier purifier) {
  switch (purifier) {
    case Purifier::trs4:
      return "trs4";
    case Purifier::tc2:
      return "tc2";
    case Purifier::mcweeny:
      return "mcweeny";
    case Purifier::sign:
      return "sign";
  }
  return "unknown";
}

Purifier purifier_named(const std::string& name) {
  for (const Purifier one : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    if (name == name_of(one)) return one;
  }
  fail(Fault::bad_argument, "unknown purification '{}': use one of trs4, tc2, mcweeny, sign", name);
}

template <class Value>
DensityMatrixOf<Value> purify(const BlockMatrix<Value>& given_k, const BlockMatrix<Value>& given_s, double electrons,
                              const PurifyOptions& options) {
  const SharedLayout& layout = given_k.shared_layout();
  double states = 0;
  together(layout->comm, "purify", [&](EqualArguments& same) {
    require(layout->row_sizes == layout->column_sizes && same_layout(*layout, given_s.layout()), Fault::bad_argument,
            "K and S must be square, with the same block sizes and the same layout");
    states = states_of(electrons, options, functions_of(*layout));
    require_iterations(options.max_iterations);
    same.add("electrons", electrons).add_options(options).add_options(options.product);
    same.add("bytes of a value", sizeof(Value));
  });
  BlockMatrix<Value> k = whole(given_k, layout, "K"), s = whole(given_s, layout, "S");
  const WorkingBlocks blocks(k);
  k = blocks.enter(std::move(k));
  s = blocks.enter(std::move(s));
  Multiplier multiply(options.product);
  Products product(multiply);
  const auto [z, root_iterations] = inverse_square_root(s, product, options.max_iterations, options.on_progress);
  const double z_norm = spectrum(z).norm();

  // |Z S Z - 1|: the distance of Z from S^(-1/2), independent of its iteration
  Bounded<Value> one = transformed(z, s, z_norm, product);
  make_affine(one.matrix, 1, -1);
  const double residual = frobenius_norm(one.matrix) + one.error;

  Bounded<Value> h = transformed(z, k, z_norm, product);
  h.matrix = symmetrized(h.matrix, product.eps(), h.error);
  PurifyReport found;
  Bounded<Value> x = occupations(found, h, residual, states, product, options);
  set_error_bound(x.matrix, 0);
  Bounded<Value> p = transformed(z, x.matrix, z_norm, product, options.electrons_per_state);
  DensityMatrixOf<Value> result{found, blocks.leave(symmetrized(p.matrix, 0, p.error), product.eps(), p.error)};
  p.error += options.electrons_per_state * z_norm * z_norm * x.error;

  describe(result, blocks.enter(affine(1, result.p, 0)), k, s, options.electrons_per_state, product);
  // without a temperature, deviations from a projector are errors
  result.error_bound = options.temperature > 0 ? p.error : std::max(p.error, result.idempotency);
  set_error_bound(result.p, result.error_bound);
  result.root_iterations = root_iterations;
  result.products = product.count();
  result.memory = product.memory();
  return result;
}

#define SEICHE_PURIFY(Value)                                                                           \
  template DensityMatrixOf<Value> purify(const BlockMatrix<Value>&, const BlockMatrix<Value>&, double, \
                                         const PurifyOptions&)
SEICHE_PURIFY(double);
SEICHE_PURIFY(std::complex<double>);

}  // namespace seiche
