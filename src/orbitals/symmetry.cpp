// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operations and what they do to waves of one k-point.
///
/// {R|t} takes psi(x) to psi(R^-1 (x - t)). A wave exp(2 pi i q.x), q = k + G, goes to exp(2 pi i q'.(x - t)) with
/// q' = R^-T q, so its coefficient gets the phase exp(-2 pi i q'.t). Time reversal afterwards conjugates: q' turns
/// round, and with it the sign in the exponent, so exp(-2 pi i q'.t) holds for it too.
#include "seiche/symmetry.hpp"

#include <spglib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "crystal/crystal.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Rotation = std::array<std::array<int, 3>, 3>;
using Spin = std::array<std::array<Complex, 2>, 2>;

Rotation times(const Rotation& a, const Rotation& b) {
  Rotation c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  }
  return c;
}

template <class Number>
std::array<Number, 3> times(const Rotation& a, const std::array<Number, 3>& x) {
  std::array<Number, 3> y{};
  for (std::size_t i = 0; i < 3; ++i) y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
  return y;
}

int determinant(const Rotation& r) {
  return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
         r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
}

Rotation transposed(const Rotation& r) {
  Rotation t{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) t[i][j] = r[j][i];
  }
  return t;
}

Rotation inverse(const Rotation& r) {
  const int d = determinant(r);
  require(d == 1 || d == -1, Fault::bad_argument,
          "a rotation of determinant {} is no symmetry of a lattice; its matrix must have determinant 1 or -1", d);
  Rotation inverted{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      inverted[i][j] = d * (r[a][p] * r[b][q] - r[a][q] * r[b][p]);
    }
  }
  return inverted;
}

/// R^-T, with time reversal -R^-T: what k + G is multiplied by.
Rotation on_waves(const SymmetryOperation& operation) {
  Rotation m = transposed(inverse(operation.rotation));
  if (!operation.time_reversal) return m;
  for (auto& row : m) {
    for (int& number : row) number = -number;
  }
  return m;
}

/// det(R) A R A^-1 with the lattice vectors as columns of A: the proper part, cartesian.
std::array<Vector3, 3> proper_part(const Crystal& crystal, const Rotation& r) {
  const auto b = crystal.reciprocal();
  std::array<Vector3, 3> m{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t q = 0; q < 3; ++q) m[i][j] += crystal.lattice[p][i] * r[p][q] * b[q][j];
      }
      m[i][j] *= determinant(r) / (2 * std::numbers::pi);
    }
  }
  return m;
}

/// The unit quaternion (w, x, y, z) of a rotation; of its two signs the one whose first number that is not 0 is
/// positive. The largest of the four is found first, so that no small number is divided by.
std::array<double, 4> quaternion(const std::array<Vector3, 3>& m) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  std::array<double, 4> q{};
  std::size_t i = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (m[a][a] > (i == 0 ? trace : m[i - 1][i - 1])) i = a + 1;
  }
  if (i == 0) {
    q = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  } else {
    const std::size_t a = i - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    q[0] = m[c][b] - m[b][c];
    q[a + 1] = 1 + m[a][a] - m[b][b] - m[c][c];
    q[b + 1] = m[a][b] + m[b][a];
    q[c + 1] = m[a][c] + m[c][a];
  }
  double length = 0, sign = 0;
  for (const double x : q) length += x * x;
  length = std::sqrt(length);
  for (double& x : q) {
    x /= length;
    if (std::abs(x) < 1e-9) x = 0;  // rotations of crystals have no such small parts
    if (sign == 0 && x != 0) sign = x > 0 ? 1 : -1;
  }
  for (double& x : q) x *= sign;
  return q;
}

void expect_symmetry_of(const Crystal& crystal, const SymmetryOperation& operation) {
  require(
      keeps_lattice(crystal, operation), Fault::bad_argument,
      "a symmetry operation changes lengths or angles of the lattice: cell and symmetry disagree; take the operations "
      "of this crystal");
}

/// The fraction of a turn x.t, reduced before it is summed so that large indices cost no digits.
double turns(const Vector3& x, const Vector3& t) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += std::remainder(x[i] * t[i], 1.0);
  return std::remainder(sum, 1.0);
}

/// The reciprocal lattice vector K in R^-T k = k' + K.
std::array<int, 3> reciprocal_shift(const ImageRequest& request) {
  const Vector3 image = image_of(request.operation, request.from);
  std::array<int, 3> shift{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double difference = image[i] - request.to[i], whole = std::round(difference);
    require(std::abs(difference - whole) < 1e-5, Fault::bad_argument,
            "the operation takes k-point ({:.6f}, {:.6f}, {:.6f}) to ({:.6f}, {:.6f}, {:.6f}), which is not ({:.6f}, "
            "{:.6f}, {:.6f}); choose an operation that maps the k-points onto each other",
            request.from[0], request.from[1], request.from[2], image[0], image[1], image[2], request.to[0],
            request.to[1], request.to[2]);
    shift[i] = static_cast<int>(whole);
  }
  return shift;
}

/// The product by its definition: std::complex's own looks for infinities, and is no loop that vectorises.
inline Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <bool conjugate>
inline Complex value(const Complex& c) {
  return conjugate ? std::conj(c) : c;
}

template <bool conjugate>
void turn_spinor(const PlaneWaveImage& image, const Complex* up, const Complex* down, Complex* to) {
  const Spin& s = image.spin;
  const std::size_t waves = image.phases.size();
  for (std::size_t i = 0; i < waves; ++i) {
    const Complex u = value<conjugate>(up[i]), d = value<conjugate>(down[i]);
    const Complex first = times(s[0][0], u) + times(s[0][1], d), second = times(s[1][0], u) + times(s[1][1], d);
    to[i] = times(image.phases[i], first);
    to[waves + i] = times(image.phases[i], second);
  }
}

template <bool conjugate>
void turn_scalar(const PlaneWaveImage& image, const Complex* from, Complex* to) {
  for (std::size_t i = 0; i < image.phases.size(); ++i) to[i] = times(image.phases[i], value<conjugate>(from[i]));
}

void turn_half(const PlaneWaveImage& image, const Complex* from, Complex* to) {
  for (std::size_t i = 0; i < image.phases.size(); ++i) {
    to[i] = times(image.phases[i], image.opposite[i] ? std::conj(from[i]) : from[i]);
  }
}

/// Whether coefficients stay as they are: rotations of functions that are no spinors only give waves other indices.
bool keeps_coefficients(const PlaneWaveImage& image) {
  const auto& [up, down] = image.spin;
  const bool spin_stays = up[0] == 1.0 && up[1] == 0.0 && down[0] == 0.0 && down[1] == 1.0;
  return !image.conjugate && spin_stays &&
         std::none_of(image.opposite.begin(), image.opposite.end(), [](bool opposite) { return opposite; }) &&
         std::all_of(image.phases.begin(), image.phases.end(), [](const Complex& phase) { return phase == 1.0; });
}

}  // namespace

SymmetryOperation product(const SymmetryOperation& second, const SymmetryOperation& first) {
  SymmetryOperation both{times(second.rotation, first.rotation), times(second.rotation, first.translation),
                         second.time_reversal != first.time_reversal};
  for (std::size_t i = 0; i < 3; ++i) both.translation[i] += second.translation[i];
  return both;
}

SymmetryOperation inverse(const SymmetryOperation& operation) {
  SymmetryOperation back{inverse(operation.rotation), {}, operation.time_reversal};
  back.translation = times(back.rotation, operation.translation);
  for (double& t : back.translation) t = -t;
  return back;
}

Vector3 image_of(const SymmetryOperation& operation, const Vector3& k) { return times(on_waves(operation), k); }

Spin spin_matrix(const Crystal& crystal, const SymmetryOperation& operation) {
  expect_symmetry_of(crystal, operation);
  const auto [w, x, y, z] = quaternion(proper_part(crystal, operation.rotation));
  const Spin u{{{Complex(w, -z), Complex(-y, -x)}, {Complex(y, -x), Complex(w, z)}}};
  if (!operation.time_reversal) return u;
  return {{{std::conj(u[1][0]), std::conj(u[1][1])}, {-std::conj(u[0][0]), -std::conj(u[0][1])}}};
}

std::vector<SymmetryOperation> find_operations(const Crystal& crystal, double tolerance) {
  double lattice[3][3];
  std::vector<std::array<double, 3>> positions;
  std::vector<int> kinds;
  std::map<std::string, int> kind_of;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) lattice[i][j] = crystal.lattice[j][i];
  }
  for (const Atom& atom : crystal.atoms) {
    positions.push_back(fractional(crystal, atom.position));
    kinds.push_back(kind_of.emplace(atom.symbol, static_cast<int>(kind_of.size())).first->second);
  }
  const auto release = [](SpglibDataset* found) { spg_free_dataset(found); };
  const std::unique_ptr<SpglibDataset, decltype(release)> found(
      spg_get_dataset(lattice, reinterpret_cast<double(*)[3]>(positions.data()), kinds.data(),
                      static_cast<int>(kinds.size()), tolerance),
      release);
  require(found && found->n_operations > 0, Fault::bad_argument,
          "spglib finds no symmetry in this cell of {} atoms; check that no two of them coincide",
          crystal.atoms.size());
  std::vector<SymmetryOperation> operations(static_cast<std::size_t>(found->n_operations));
  for (std::size_t s = 0; s < operations.size(); ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      operations[s].translation[i] = found->translations[s][i];
      for (std::size_t j = 0; j < 3; ++j) operations[s].rotation[i][j] = found->rotations[s][i][j];
    }
  }
  return operations;
}

PlaneWaveImage image_of(const Crystal& crystal, const ImageRequest& request, std::span<const Miller> waves) {
  expect_symmetry_of(crystal, request.operation);
  SymmetryOperation operation = request.operation;
  if (request.half_sphere) operation.time_reversal = false;  // real functions are their own conjugates
  const Rotation m = on_waves(operation);
  const auto shift = reciprocal_shift(request);
  // The phase is that of R^-T k, not of the listed k', so that the digits which k' lost in a file do not matter.
  const double common = turns(image_of(operation, request.from), operation.translation);
  PlaneWaveImage image;
  image.conjugate = operation.time_reversal;
  if (request.spinor == 2) image.spin = spin_matrix(crystal, operation);
  image.waves.reserve(waves.size());
  image.phases.reserve(waves.size());
  for (const Miller& wave : waves) {
    const auto g = times(m, std::array<int, 3>{wave.x, wave.y, wave.z});
    const double turn = turns({double(g[0]), double(g[1]), double(g[2])}, operation.translation);
    const Miller moved{g[0] + shift[0], g[1] + shift[1], g[2] + shift[2]};
    const bool opposite = request.half_sphere && !in_half(moved);
    const double angle = -2 * std::numbers::pi * (turn + common);
    image.waves.push_back(opposite ? Miller{-moved.x, -moved.y, -moved.z} : moved);
    image.phases.push_back(std::polar(1.0, opposite ? -angle : angle));
    if (request.half_sphere) image.opposite.push_back(opposite);
  }
  return image;
}

void apply(const PlaneWaveImage& image, std::int64_t bands, std::span<const Complex> from, std::span<Complex> to) {
  const std::size_t waves = image.waves.size();
  const std::size_t spinor = waves == 0 || bands == 0 ? 1 : from.size() / waves / static_cast<std::size_t>(bands);
  require(from.size() == to.size() && from.size() == spinor * waves * static_cast<std::size_t>(bands),
          Fault::bad_argument, "{} coefficients cannot be {} bands of {} waves each", from.size(), bands, waves);
  if (keeps_coefficients(image)) {
    if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
    return;
  }
  for (std::size_t b = 0; b < static_cast<std::size_t>(bands); ++b) {
    const Complex* in = from.data() + b * spinor * waves;
    Complex* out = to.data() + b * spinor * waves;
    if (spinor == 2) {
      (image.conjugate ? turn_spinor<true> : turn_spinor<false>)(image, in, in + waves, out);
    } else if (!image.opposite.empty()) {
      turn_half(image, in, out);
    } else {
      (image.conjugate ? turn_scalar<true> : turn_scalar<false>)(image, in, out);
    }
  }
}

}  // namespace seiche
