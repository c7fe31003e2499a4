// SPDX-License-Identifier: BSD-3-Clause
/// \file  Applies symmetry operations to the plane waves of one k-point and to coefficients.
///
/// {R|t} maps psi(x) to psi(R^-1 (x - t)). A wave exp(2 pi i q.x) with q = k + G becomes exp(2 pi i q'.(x - t)) with q'
/// = R^-T q, so its coefficient gets the phase exp(-2 pi i q'.t). Time reversal is applied last and conjugates the
/// function. It reverses q' and the sign of the phase, so exp(-2 pi i q'.t) holds for the reversed q' too.
#include "seiche/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crystal/operations.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Spin = std::array<std::array<Complex, 2>, 2>;

/// Returns x.t modulo 1. Each product is reduced before the sum, so that large indices lose no digits.
double turns(const Vector3& x, const Vector3& t) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += std::remainder(x[i] * t[i], 1.0);
  return std::remainder(sum, 1.0);
}

/// Returns the reciprocal lattice vector K in R^-T k = k' + K.
std::array<int, 3> reciprocal_shift(const ImageRequest& request) {
  const Vector3 image = image_of(request.operation, request.from);
  std::array<int, 3> shift{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double difference = image[i] - request.to[i], whole = std::round(difference);
    require(std::abs(difference - whole) < 1e-5, Fault::bad_argument,
            "the operation maps k-point ({:.6f}, {:.6f}, {:.6f}) to ({:.6f}, {:.6f}, {:.6f}), not to ({:.6f}, {:.6f}, "
            "{:.6f}): choose an operation that maps the k-points onto each other",
            request.from[0], request.from[1], request.from[2], image[0], image[1], image[2], request.to[0],
            request.to[1], request.to[2]);
    shift[i] = static_cast<int>(whole);
  }
  return shift;
}

/// Multiplies by the definition. The operator of std::complex handles infinities and prevents vectorization.
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

/// Returns whether coefficients do not change. Rotations without spinors and phases only change the indices of waves.
bool keeps_coefficients(const PlaneWaveImage& image) {
  const auto& [up, down] = image.spin;
  const bool spin_stays = up[0] == 1.0 && up[1] == 0.0 && down[0] == 0.0 && down[1] == 1.0;
  return !image.conjugate && spin_stays &&
         std::none_of(image.opposite.begin(), image.opposite.end(), [](bool opposite) { return opposite; }) &&
         std::all_of(image.phases.begin(), image.phases.end(), [](const Complex& phase) { return phase == 1.0; });
}

}  // namespace

PlaneWaveImage image_of(const Crystal& crystal, const ImageRequest& request, std::span<const Miller> waves) {
  require_symmetry_of(crystal, request.operation);
  SymmetryOperation operation = request.operation;
  if (request.half_sphere) operation.time_reversal = false;  // conjugation does not change real functions
  const Rotation m = reciprocal_rotation(operation);
  const auto shift = reciprocal_shift(request);
  // The phase uses R^-T k instead of the listed k', so that rounding of k' in a file has no effect.
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
          Fault::bad_argument, "wrong number of coefficients ({} for {} bands of {} waves)", from.size(), bands, waves);
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
