// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <deque>

namespace seiche::python {

Algorithm algorithm_of(nb::handle given) { return algorithm_named(value_of<std::string>("algorithm", given)); }

const char* kept_text(std::string text) {
  static std::deque<std::string> all;  // whose elements stay where they are
  return all.emplace_back(std::move(text)).c_str();
}

FftOptions fft_options(const nb::kwargs& given, const FftOptions& otherwise) {
  static const auto known = keywords_of<FftOptions>();
  return options_of(given, known, otherwise);
}

GridShape grid_shape_of(nb::handle given) {
  const auto shape = value_of<std::array<std::int64_t, 3>>("shape", given);
  for (const std::int64_t points : shape) {
    if (points < 1)
      throw Error(Fault::bad_argument, "python: shape (nx, ny, nz) needs one point along each axis at least");
  }
  return {shape[0], shape[1], shape[2]};
}

nb::tuple tuple_of(const GridShape& shape) { return nb::make_tuple(shape.nx, shape.ny, shape.nz); }

}  // namespace seiche::python
