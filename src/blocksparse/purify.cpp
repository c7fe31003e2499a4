// SPDX-License-Identifier: BSD-3-Clause
/// \file  Purification in the orthogonal basis Z = S^(-1/2), and the bound on the error of what comes of it.
///
/// A step X -> f(X) leaves eigenvectors alone, so the exact result depends on the occupied subspace of X only. What a
/// step does wrong, E in norm, turns that subspace by at most sqrt(2) |E| / gap, where the gap is that between occupied
/// and empty eigenvalues at that step (C. Davis and W. M. Kahan, SIAM J. Numer. Anal. 7, 1 (1970)). The gaps follow
/// from the end backwards: eigenvalues of the last X lie near 0 and 1 by its idempotency, and each f is monotonic, so
/// it can be inverted (after E. H. Rubensson and A. M. N. Niklasson, SIAM J. Sci. Comput. 36, B147 (2014)).
#include "seiche/purify.hpp"

#include "blocksparse/solver.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

/// One step: what it does to an eigenvalue, and what it does wrong.
struct Step {
  std::function<double(double)> f;
  double error = 0;
};

/// x in [0, 1] with f(x) = y for a monotonic f.
double inverse(const std::function<double(double)>& f, double y) {
  double low = 0, high = 1;
  for (int n = 0; n < 60; ++n) {
    const double middle = 0.5 * (low + high);
    (f(middle) < y ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Eigenvalues of X: the lowest occupied, the highest empty one.
struct Edges {
  double occupied = 1, empty = 0;
};

/// Walks back through the steps. \return edges of the first X, and the distance of the last X from the projector on its
/// occupied subspace
struct Walk {
  Edges first;
  double distance = 0;
};
Walk walk_back(const std::vector<Step>& steps, double idempotency) {
  require(idempotency < 0.2, Fault::bad_argument,
          "the purification ended with |X^2 - X| = {:.1e}, too much to tell occupied from empty states; give a smaller "
          "eps or more iterations",
          idempotency);
  const double root = std::sqrt(1 - 4 * idempotency);
  Walk walk{{0.5 * (1 + root), 0.5 * (1 - root)}, 2 * idempotency / (1 + root)};
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const double gap = walk.first.occupied - walk.first.empty - step->error;
    if (gap <= 0) {
      walk.distance = std::numeric_limits<double>::infinity();
      return walk;
    }
    walk.distance += std::sqrt(2.0) * step->error / gap;
    walk.first = {inverse(step->f, walk.first.occupied - step->error),
                  inverse(step->f, walk.first.empty + step->error)};
  }
  return walk;
}

/// The state of a purification.
struct State {
  Matrix x, squared;
  double squared_error = 0;  ///< of `squared`
  double trace = 0, trace_squared = 0;
  double idempotency = 0;  ///< |X^2 - X|, its own error included
};

class Purification {
 public:
  Purification(const Matrix& h, double states, Products& product, const PurifyOptions& options)
      : h_(h), states_(states), product_(product), options_(options), range_(spectrum(h)) {
    const double margin = 1e-6 * (range_.high - range_.low) + 1e-300;
    range_ = {range_.low - margin, range_.high + margin};
  }

  /// Runs to convergence. \return X
  Matrix run(Purifier purifier) {
    if (purifier == Purifier::mcweeny || purifier == Purifier::sign) {
      find_chemical_potential();
      begin_at(middle_);
    } else {
      begin();
    }
    best_ = std::numeric_limits<double>::infinity();
    stalled_ = 0;
    for (iterations_ = 1;; ++iterations_) {
      square();
      if (options_.progress) options_.progress(iterations_, state_.idempotency);
      if (converged()) break;
      require(iterations_ < options_.max_iterations, Fault::bad_argument,
              "the purification has not converged in {} iterations (|X^2 - X| = {:.1e}): there may be no gap between "
              "occupied and empty states; check the number of electrons, or give a smaller eps",
              options_.max_iterations, state_.idempotency);
      step(purifier);
    }
    require(std::abs(state_.trace - states_) < 0.4, Fault::bad_argument,
            "the purification found {:.3f} occupied states instead of {}; check the number of electrons, or give a "
            "smaller eps",
            state_.trace, states_);
    walk_ = walk_back(steps_, state_.idempotency);
    if (purifier == Purifier::tc2 || purifier == Purifier::trs4) note_edges();
    return std::move(state_.x);
  }

  double distance() const { return walk_.distance; }
  double occupied() const { return occupied_; }
  double empty() const { return empty_; }
  int iterations() const { return iterations_; }

 private:
  double width() const { return range_.high - range_.low; }

  /// X = (highest - H) / width: occupied states near 1.
  void begin() {
    steps_.clear();
    state_.x = h_;
    scale(state_.x, -1 / width());
    add_to_diagonal(state_.x, range_.high / width());
    offset_ = range_.high;
    slope_ = width();
  }
  /// X = (1 - (H - mu) / a) / 2, 1/2 at the chemical potential.
  void begin_at(double mu) {
    steps_.clear();
    const double a = std::max(range_.high - mu, mu - range_.low);
    state_.x = h_;
    scale(state_.x, -0.5 / a);
    add_to_diagonal(state_.x, 0.5 + 0.5 * mu / a);
  }

  void note_edges() {
    occupied_ = offset_ - slope_ * walk_.first.occupied;  // upper bound of the highest occupied state
    empty_ = offset_ - slope_ * walk_.first.empty;
    middle_ = 0.5 * (occupied_ + empty_);
  }

  void find_chemical_potential() { run(Purifier::tc2); }

  void square() {
    state_.x.error = 0;
    Bounded square = product_(state_.x, state_.x);
    state_.squared = std::move(square.matrix);
    state_.squared.error = 0;
    state_.squared_error = square.error;
    state_.trace = trace(state_.x);
    state_.trace_squared = trace(state_.squared);
    state_.idempotency = frobenius_norm(add(1.0, state_.squared, -1.0, state_.x)) + square.error;
    require(std::isfinite(state_.idempotency), Fault::bad_argument,
            "the purification diverges: K or S has elements that are not numbers, or eps is too large");
  }

  /// X^2 - X is lost in what the product may do wrong, or has not been halved for some steps: single ones of the
  /// trace-correcting polynomials may double it.
  bool converged() {
    const double measured = state_.idempotency - state_.squared_error;
    stalled_ = measured < 0.5 * best_ ? 0 : stalled_ + 1;
    best_ = std::min(best_, measured);
    constexpr double far_below = 0.01;
    constexpr int patience = 3;
    return measured <= far_below * state_.squared_error || (measured < 1e-2 && stalled_ >= patience);
  }

  /// X becomes a x + b y + c z ...: symmetric again, with what is dropped in the step's error.
  void take(Matrix next, std::function<double(double)> f, double error) {
    error += 8 * rounding * frobenius_norm(next);
    state_.x = symmetrized(next, product_.eps(), error);
    steps_.push_back({std::move(f), error});
  }

  void square_it() {
    take(
        std::move(state_.squared), [](double x) { return x * x; }, state_.squared_error);
  }
  void mirror_it() {
    take(
        add(2.0, state_.x, -1.0, state_.squared), [](double x) { return 2 * x - x * x; }, state_.squared_error);
  }

  void step(Purifier purifier) {
    switch (purifier) {
      case Purifier::tc2:
        return tc2();
      case Purifier::trs4:
        return trs4();
      case Purifier::mcweeny:
        return mcweeny();
      case Purifier::sign:
        return sign();
    }
  }

  void tc2() {
    const double down = std::abs(state_.trace_squared - states_);
    const double up = std::abs(2 * state_.trace - state_.trace_squared - states_);
    down < up ? square_it() : mirror_it();
  }

  /// X^2 (4 X - 3 X^2) + gamma X^2 (1 - X)^2, with the gamma that gives the right trace.
  void trs4() {
    const Matrix &x = state_.x, &xx = state_.squared;
    const double cubic = trace_of_product(xx, x), quartic = trace_of_product(xx, xx);
    const double f = 4 * cubic - 3 * quartic, g = state_.trace_squared - 2 * cubic + quartic;
    const double gamma = g > 1e-14 * states_ ? (states_ - f) / g : 3;
    constexpr double largest = 6;  // beyond, the polynomial leaves [0, 1]
    if (gamma > largest && state_.idempotency > 1e-2) return mirror_it();
    if (gamma < 0 && state_.idempotency > 1e-2) return square_it();
    const double c = std::clamp(gamma, 0.0, largest);
    Matrix w = add(4 - 2 * c, x, c - 3, xx);
    add_to_diagonal(w, c);
    Bounded next = product_(xx, w);
    const double error = next.error + state_.squared_error * (4.0 / 3 + c + std::abs(c - 3)) * 1.01;
    take(
        std::move(next.matrix), [c](double t) { return t * t * (4 * t - 3 * t * t + c * (1 - t) * (1 - t)); }, error);
  }

  void mcweeny() {
    Bounded cube = product_(state_.squared, state_.x);
    const double error = 2 * cube.error + 5 * state_.squared_error * 1.01;
    take(
        add(3.0, state_.squared, -2.0, cube.matrix), [](double t) { return t * t * (3 - 2 * t); }, error);
  }

  /// Y = 1 - 2 X goes to Y (3 - Y^2) / 2.
  void sign() {
    Matrix y = state_.x;
    scale(y, -2.0);
    add_to_diagonal(y, 1.0);
    const Bounded yy = product_(y, y);
    Matrix w = yy.matrix;
    scale(w, -0.5);
    add_to_diagonal(w, 1.5);
    Bounded next = product_(y, w);
    scale(next.matrix, -0.5);
    add_to_diagonal(next.matrix, 0.5);
    const double error = 0.5 * (next.error + 0.5 * yy.error * 1.01);
    take(
        std::move(next.matrix), [](double t) { return t * t * (3 - 2 * t); }, error);
  }

  const Matrix& h_;
  double states_;
  Products& product_;
  const PurifyOptions& options_;
  Interval range_;
  State state_{Matrix(h_.shared_layout()), Matrix(h_.shared_layout())};
  std::vector<Step> steps_;
  Walk walk_;
  double offset_ = 0, slope_ = 1, occupied_ = 0, empty_ = 0, middle_ = 0;
  double best_ = 0;  // least |X^2 - X| so far
  int iterations_ = 0, stalled_ = 0;
};

void require_symmetric(const Matrix& m, const char* name) {
  const double size = frobenius_norm(m);
  require(std::isfinite(size), Fault::bad_argument,
          "{} has elements that are not numbers; rerun the code that wrote it", name);
  const double off = frobenius_norm(add(1.0, m, -1.0, redistribute(m, m.shared_layout(), Transpose::yes)));
  constexpr double allowed = 1e-8;
  require(off <= allowed * size, Fault::bad_argument,
          "{} is not symmetric: |{} - {}^T| is {:.1e} of |{}|; is it the right file, and complete?", name, name, name,
          off / size, name);
}

/// How far X may be from the exact one: by the steps, by the error of H, and because Z S Z = 1 + R. With
/// T = (1 + R)^(-1/2), Z T is an exact root, and belongs to T H T. Its occupied subspace differs from that of H by no
/// more than |R| + sqrt(2) |mu| |R| / gap: in the equation G2 M - M G1 = G2 F1 + F2 G1 for the angle M between the
/// negative space of G = H - mu and the positive one of T G T, F = T - 1 or 1 - T^(-1), each element of M lies between
/// those of F1 and -F2. T X T differs from X by |R| once more. Norms of R squared are covered by the factor.
double subspace_error(const Purification& purification, double h_error, double residual) {
  const double gap = purification.empty() - purification.occupied();
  const double mu = 0.5 * (purification.empty() + purification.occupied());
  const double off = h_error + std::abs(mu) * residual;
  if (off >= gap || residual > 0.1) return std::numeric_limits<double>::infinity();
  return purification.distance() + std::sqrt(2.0) * off / (gap - off) + 2 * 1.2 * residual;
}

double states_of(double electrons, std::int64_t functions) {
  const double states = electrons / 2;
  require(electrons > 0 && std::abs(states - std::round(states)) < 1e-6, Fault::bad_argument,
          "{} electrons cannot be paired; give an even, positive number", electrons);
  require(states <= static_cast<double>(functions), Fault::bad_argument,
          "{} electrons need {} states, but the basis has {} functions; check the number of electrons", electrons,
          states, functions);
  return std::round(states);
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
  fail(Fault::bad_argument, "no purification is called '{}'; choose trs4, tc2, mcweeny or sign", name);
}

DensityMatrix purify(const Matrix& given_k, const Matrix& given_s, double electrons, const PurifyOptions& options) {
  require(
      given_k.layout().row_sizes == given_k.layout().column_sizes && same_layout(given_k.layout(), given_s.layout()),
      Fault::bad_argument, "K and S must be square, of the same block sizes and on the same layout");
  const SharedLayout& layout = given_k.shared_layout();
  const double states = states_of(electrons, starts_of(layout->row_sizes).back());
  const bool triangle = given_k.symmetry() != Symmetry::none || given_s.symmetry() != Symmetry::none;
  Matrix k = triangle ? redistribute(given_k, layout) : given_k, s = triangle ? redistribute(given_s, layout) : given_s;
  require_symmetric(k, "K");
  require_symmetric(s, "S");
  k.error = s.error = 0;

  Multiplier multiply(options.product);
  Products product(multiply);
  DensityMatrix result{Matrix(layout)};
  Matrix z = inverse_square_root(s, product, options.max_iterations, result.root_iterations);
  const double z_norm = spectrum(z).norm();

  // |Z S Z - 1|: how far Z is from S^(-1/2), whatever its own history
  const Bounded zs = product(z, s);
  Bounded zsz = product(zs.matrix, z);
  add_to_diagonal(zsz.matrix, -1.0);
  const double residual = frobenius_norm(zsz.matrix) + zsz.error + zs.error * z_norm;

  const Bounded zk = product(z, k);
  Bounded zkz = product(zk.matrix, z);
  double h_error = zkz.error + zk.error * z_norm;
  const Matrix h = symmetrized(zkz.matrix, product.eps(), h_error);

  Purification purification(h, states, product, options);
  Matrix x = purification.run(options.purifier);
  x.error = 0;
  const Bounded zx = product(z, x);
  const Bounded zxz = product(zx.matrix, z, 2.0);
  double p_error = zxz.error + 2 * zx.error * z_norm;
  result.p = symmetrized(zxz.matrix, 0, p_error);

  p_error += 2 * z_norm * z_norm * subspace_error(purification, h_error, residual);

  result.trace = trace_of_product(result.p, s);
  result.energy = trace_of_product(result.p, k);
  const Bounded ps = product(result.p, s);
  const Bounded psp = product(ps.matrix, result.p);
  result.idempotency = frobenius_norm(add(1.0, psp.matrix, -2.0, result.p));
  result.error_bound = result.p.error = std::max(p_error, result.idempotency);
  result.homo = purification.occupied();
  result.lumo = purification.empty();
  result.chemical_potential = 0.5 * (result.homo + result.lumo);
  result.iterations = purification.iterations();
  result.products = product.count();
  result.memory = product.memory();
  return result;
}

}  // namespace seiche
