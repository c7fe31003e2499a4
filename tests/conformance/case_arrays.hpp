// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays of a case, as C++ makes them.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "case_arrays.h"
#include "seiche/boxes.hpp"
#include "seiche/c/boxes.h"
#include "seiche/exact_exchange.hpp"
#include "seiche/fft.hpp"
#include "seiche/grid_interpolation.hpp"
#include "seiche/grid_operator.hpp"
#include "seiche/pair_densities.hpp"

namespace seiche::conformance {

void add_array(const std::string& name, std::size_t element, const std::vector<std::int64_t>& extents);
void keep_first_values(const std::string& name);

template <class T>
std::span<T> array(const std::string& name) {
  return {static_cast<T*>(case_at(name.c_str())), static_cast<std::size_t>(case_count(name.c_str()))};
}

/// Adds an array of numbers that depend on their position only.
template <class T>
std::span<T> numbered(const std::string& name, const std::vector<std::int64_t>& extents) {
  add_array(name, sizeof(T), extents);
  const auto all = array<T>(name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto number = [&](std::size_t from) {
      return 0.25 * static_cast<double>((7 * i + 3 * name.size() + from) % 17) - 2;
    };
    if constexpr (std::is_arithmetic_v<T>) {
      all[i] = static_cast<T>(number(0));
    } else {
      all[i] = {static_cast<typename T::value_type>(number(0)), static_cast<typename T::value_type>(number(5))};
    }
  }
  keep_first_values(name);
  return all;
}

/// Adds an array with these elements.
template <class T>
std::span<T> filled(const std::string& name, const std::vector<T>& given) {
  add_array(name, sizeof(T), {static_cast<std::int64_t>(given.size())});
  std::copy(given.begin(), given.end(), array<T>(name).begin());
  keep_first_values(name);
  return array<T>(name);
}

inline std::vector<char> text(const std::string& of) { return {of.c_str(), of.c_str() + of.size() + 1}; }

/// The communicator of all ranks.
inline Communicator world() { return Communicator(MPI_COMM_WORLD); }

inline int rank_here() { return world().rank(); }
inline int ranks_here() { return world().size(); }

/// Every n-th of these, where n is the number of ranks; the last of several ranks has none.
template <class T>
std::vector<T> part_of(const std::vector<T>& all) {
  std::vector<T> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) % std::max(ranks_here() - 1, 1) == rank_here()) mine.push_back(all[i]);
  }
  return mine;
}

/// This rank's planes of constant x.
inline Box planes_of_x(const GridShape& shape) {
  return {block(shape.nx, ranks_here(), rank_here()), {0, shape.ny}, {0, shape.nz}};
}

inline seiche_box box_for_c(const Box& box) {
  return {{box.axis[0].low, box.axis[1].low, box.axis[2].low}, {box.axis[0].high, box.axis[1].high, box.axis[2].high}};
}

inline seiche_field_array field_for_c(const FieldArray& field) {
  return {box_for_c(field.box), {field.stride[0], field.stride[1], field.stride[2]}, field.field_stride};
}

/// The boxes of an array, one after another. All fields have the same distance.
inline std::vector<FieldArray> one_after_another(const std::vector<Box>& given) {
  std::vector<FieldArray> arrays;
  std::int64_t offset = 0;
  for (const Box& box : given) {
    arrays.push_back(consecutive(box));
    arrays.back().offset = offset;
    offset += box.volume();
  }
  for (FieldArray& array : arrays) array.field_stride = offset;
  return arrays;
}

inline auto box_arrays(const std::string& name, const std::vector<Box>& given) {
  std::vector<seiche_box_array> arrays;
  for (const FieldArray& one : one_after_another(given)) {
    const auto field = field_for_c(one);
    arrays.push_back({field.box, {field.stride[0], field.stride[1], field.stride[2]}, one.field_stride, one.offset});
  }
  return filled(name, arrays);
}

inline auto dense_arrays(const std::string& name, const DenseArrays& given) {
  return filled<seiche_dense_arrays>(name, {{sizeof(seiche_dense_arrays), given.fields, field_for_c(given.grid),
                                             field_for_c(given.spectrum), 0, 0, 0}});
}

inline void put_boxes(std::span<seiche_box> places, const std::vector<Box>& given) {
  std::transform(given.begin(), given.end(), places.begin(), box_for_c);
}

/// Adds a box as an array.
inline auto one_box(const std::string& name, const Box& box) { return filled<seiche_box>(name, {box_for_c(box)}); }

/// Lists pairs and densities in an array, whose first value is their number.
template <class Complex>
auto listed(std::span<double> seen) {
  return [seen](const PairBlock<Complex>& block) {
    auto at = static_cast<std::size_t>(seen[0]) + 1;
    auto density = block.densities.begin();
    for (const OrbitalPair& pair : block.pairs) {
      seen[at++] = static_cast<double>(pair.i);
      seen[at++] = static_cast<double>(pair.j);
      for (std::size_t g = 0; g < block.densities.size() / block.pairs.size(); ++g, ++density) {
        seen[at++] = density->real();
        seen[at++] = density->imag();
      }
    }
    seen[0] = static_cast<double>(at - 1);
  };
}

/// Doubles the values of a band on the grid. `seen` receives the number of points and the largest real part.
template <class Value>
auto doubled(std::span<double> seen) {
  return [seen](std::int64_t, const Box&, std::span<const View<Value>> components) {
    for (const View<Value>& view : components) {
      for (std::int64_t z = 0; z < view.shape[2]; ++z) {
        for (std::int64_t y = 0; y < view.shape[1]; ++y) {
          for (std::int64_t x = 0; x < view.shape[0]; ++x) {
            Value& value = view(x, y, z);
            seen[0] += 1;
            seen[1] = std::max(seen[1], static_cast<double>(std::real(value)));
            value += value;
          }
        }
      }
    }
  };
}

}  // namespace seiche::conformance
