// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operators with factors of each kind, and their results by the definition.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fft/dense_case.hpp"
#include "seiche/grid_operator.hpp"

namespace seiche::testing {

/// Fields and factors on the whole grid, and the outputs by sums over all waves.
template <class Value>
struct OperatorCase {
  using Complex = typename ComplexOf<Value>::type;
  static constexpr bool real = std::is_floating_point_v<Value>;

  OperatorCase(const GridShape& of, std::int64_t in, std::int64_t out)
      : shape(of), inputs(in), outputs(out), grids(of, in) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      std::vector<Wide> sum(static_cast<std::size_t>(shape.volume()));
      for (std::int64_t i = 0; i < inputs; ++i) {
        factors.push_back(factor(o, i));
        for (std::size_t g = 0; g < sum.size(); ++g) {
          sum[g] += factors.back()[g] * grids.spectrum[static_cast<std::size_t>(i)][g];
        }
      }
      results.push_back(shared_fourier_sum(sum, shape, +1));
    }
  }
  /// Returns [field][z][y][x] of a box.
  template <class T>
  static std::vector<T> on(const Box& box, const std::vector<std::vector<Wide>>& fields, const GridShape& shape) {
    const FieldArray array = consecutive(box);
    return values_in<T>(array, std::ssize(fields), extent(array, std::ssize(fields)), shape,
                        [&](std::int64_t f, std::size_t at) { return fields[static_cast<std::size_t>(f)][at]; });
  }
  GridOperator<Value> make(const DenseFft<Value>& fft) const {
    return GridOperator<Value>(fft, inputs, outputs, on<Complex>(fft.spectrum_box(), factors, shape));
  }

  GridShape shape;
  std::int64_t inputs, outputs;
  Grids<Value> grids;
  std::vector<std::vector<Wide>> factors;  // [output][input][point]
  std::vector<std::vector<Wide>> results;  // [output][point]

 private:
  /// Returns zero, real, imaginary or complex factors. The transform of a real function is right for real fields.
  std::vector<Wide> factor(std::int64_t output, std::int64_t input) const {
    auto values = random_values(shape.volume(), static_cast<unsigned>(90 + 10 * output + input));
    for (Wide& value : values) value = real ? Wide(value.real()) : value;
    auto waves = shared_fourier_sum(values, shape, -1);
    const std::int64_t kind = (output + 2 * input) % 4;
    for (Wide& wave : waves) {
      if (kind == 1) wave = wave.real();
      if (kind == 2) wave = {0, wave.imag()};
      if (kind == 3) wave = 0;
    }
    return waves;
  }
};

}  // namespace seiche::testing
