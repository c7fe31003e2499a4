// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of pair densities and of exact exchange. A thread computes one point, or one line of points.
#include <cstdint>

#include "cuda/arithmetic.cuh"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

using Number = Complex<double>;
constexpr unsigned pair_threads = 256;

SEICHE_DEVICE double scaled(double a, double factor) { return a * factor; }

/// Returns the number of this thread in x.
SEICHE_DEVICE std::int64_t element() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class Value>
__global__ void set_densities(DevicePairs pairs, const Value* targets, Value* densities) {
  const std::int64_t at = element(), target = blockIdx.y;
  if (at >= pairs.points) return;
  const Value* psi = static_cast<const Value*>(pairs.orbital) + at;
  const Value* of_target = targets + target * pairs.components * pairs.points + at;
  Value sum = conjugate_product(psi[0], of_target[0]);
  for (std::int64_t c = 1; c < pairs.components; ++c) {
    sum = sum + conjugate_product(psi[c * pairs.points], of_target[c * pairs.points]);
  }
  densities[target * pairs.points + at] = sum;
}

template <class Value>
__global__ void subtract(DevicePairs pairs, double weight, const Value* potentials, Value* sums) {
  const std::int64_t at = element(), target = blockIdx.y;
  if (at >= pairs.points) return;
  const Value* psi = static_cast<const Value*>(pairs.orbital) + at;
  Value* sum = sums + target * pairs.components * pairs.points + at;
  const Value potential = scaled(potentials[target * pairs.points + at], weight);
  for (std::int64_t c = 0; c < pairs.components; ++c) {
    sum[c * pairs.points] = sum[c * pairs.points] - product(psi[c * pairs.points], potential);
  }
}

__global__ void multiply(Number* coefficients, const Number* factors, std::int64_t waves) {
  const std::int64_t at = element();
  if (at >= waves) return;
  Number& value = coefficients[blockIdx.y * waves + at];
  value = scaled(value, factors[at].x);
}

template <class Value>
__global__ void set_overlaps(DeviceLines lines, const Value* a, const Value* b, double* overlaps) {
  const std::int64_t line = element();
  if (line >= lines.lines) return;
  double all = 0;
  for (std::int64_t c = 0; c < lines.components; ++c) {
    const std::int64_t first = (c * lines.lines + line) * lines.points;
    double sum = 0;
    for (std::int64_t i = first; i < first + lines.points; ++i) sum += real_part(conjugate_product(a[i], b[i]));
    all += sum;
  }
  overlaps[line] = all;
}

LaunchShape shape_of(std::int64_t elements, std::int32_t rows = 1) {
  return {dim3(static_cast<unsigned>((elements + pair_threads - 1) / pair_threads), static_cast<unsigned>(rows)),
          pair_threads};
}

}  // namespace

void Stream::pair_densities(const DevicePairs& pairs, const void* targets, void* densities) {
  if (pairs.points == 0 || pairs.targets == 0) return;
  const Current current;
  const auto start = [&]<class Value>(const Value* of_targets) {
    launch(set_densities<Value>, shape_of(pairs.points, pairs.targets), handle_, pairs, of_targets,
           static_cast<Value*>(densities));
  };
  if (pairs.single) {
    pairs.real ? start(static_cast<const float*>(targets)) : start(static_cast<const Complex<float>*>(targets));
  } else {
    pairs.real ? start(static_cast<const double*>(targets)) : start(static_cast<const Number*>(targets));
  }
}

void Stream::subtract_products(const DevicePairs& pairs, double weight, const void* potentials, void* sums) {
  if (pairs.points == 0 || pairs.targets == 0) return;
  const Current current;
  const auto start = [&]<class Value>(const Value* of_pairs) {
    launch(subtract<Value>, shape_of(pairs.points, pairs.targets), handle_, pairs, weight, of_pairs,
           static_cast<Value*>(sums));
  };
  pairs.real ? start(static_cast<const double*>(potentials)) : start(static_cast<const Number*>(potentials));
}

void Stream::multiply_waves(void* coefficients, const void* factors, std::int64_t waves, std::int32_t rows) {
  if (waves == 0 || rows == 0) return;
  const Current current;
  launch(multiply, shape_of(waves, rows), handle_, static_cast<Number*>(coefficients),
         static_cast<const Number*>(factors), waves);
}

void Stream::line_overlaps(const DeviceLines& lines, const void* a, const void* b, double* overlaps) {
  if (lines.lines == 0) return;
  const Current current;
  const auto start = [&]<class Value>(const Value* left) {
    launch(set_overlaps<Value>, shape_of(lines.lines), handle_, lines, left, static_cast<const Value*>(b), overlaps);
  };
  lines.real ? start(static_cast<const double*>(a)) : start(static_cast<const Number*>(a));
}

}  // namespace seiche::cuda
