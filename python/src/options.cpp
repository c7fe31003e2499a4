// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <array>

namespace seiche::python {

namespace {

LineLibrary library_named(const std::string& word) {
  using enum LineLibrary;
  return named<LineLibrary>(
      "library", word, {{"automatic", automatic}, {"fftw", fftw}, {"mkl", mkl}, {"ducc", ducc}, {"fastest", fastest}});
}

Decomposition decomposition_named(const std::string& word) {
  using enum Decomposition;
  return named<Decomposition>("decomposition", word,
                              {{"automatic", automatic}, {"slab", slab}, {"pencil", pencil}, {"pencil_yz", pencil_yz}});
}

const Keywords<FftOptions>& fft_keywords() {
  static const Keywords<FftOptions> known = [] {
    Keywords<FftOptions> all{
        {"library",
         [](FftOptions& o, nb::handle given) { o.library = library_named(value_of<std::string>("library", given)); }},
        {"decomposition",
         [](FftOptions& o, nb::handle given) {
           o.decomposition = decomposition_named(value_of<std::string>("decomposition", given));
         }},
        sets("threads", &FftOptions::threads),
        sets("reproducible", &FftOptions::reproducible),
        sets("chunks", &FftOptions::chunks),
        sets("band_groups", &FftOptions::band_groups),
        sets("rounded_exchange", &FftOptions::rounded_exchange),
        sets("components", &FftOptions::components)};
    add_policy(all);
    return all;
  }();
  return known;
}

}  // namespace

Algorithm algorithm_of(nb::handle given) { return algorithm_named(value_of<std::string>("algorithm", given)); }
Progress progress_of(nb::handle given) { return progress_named(value_of<std::string>("progress", given)); }

FftOptions fft_options(const nb::kwargs& given, const FftOptions& otherwise) {
  return options_of(given, fft_keywords(), otherwise);
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
