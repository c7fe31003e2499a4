// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is behind the handles of transforms of spheres, and functions on the grid.
#pragma once

#include <algorithm>
#include <array>

#include "c/fft_options.hpp"
#include "c/handles.hpp"
#include "support/require.hpp"

namespace seiche::c {

struct SphereObject : Object {
  static constexpr const char* name = "sphere_fft";
  const char* noun() const override { return name; }
  SphereObject(const Communicator& ranks, AnyValue<SphereFft> of) : comm(ranks), fft(std::move(of)) {}
  void close() {
    std::visit([](auto& plan) { plan.close(); }, fft);
  }
  Communicator comm;
  AnyValue<SphereFft> fft;
};

template <>
struct BehindHandle<seiche_sphere_fft> {
  using type = SphereObject;
};

/// A C function as C++'s of all components; what it returns becomes an exception, which the plan tells to all ranks.
template <class Value>
auto on_grid(seiche_grid_function function, void* user) {
  return [function, user](std::int64_t band, const Box& box, std::span<const View<Value>> components) {
    require(function != nullptr, Fault::bad_argument, "fft: NULL was given for the function on the grid");
    std::array<seiche_view, 2> views{};  // no band has more components
    for (std::size_t c = 0; c < components.size(); ++c) {
      views[c].data = components[c].data;
      std::copy_n(components[c].shape.begin(), 3, views[c].shape);
      std::copy_n(components[c].stride.begin(), 3, views[c].stride);
    }
    const seiche_grid_part part{band, box_for_c(box), static_cast<int>(components.size()), views.data()};
    const int code = function(&part, user);
    require(code == 0, Fault::bad_argument,
            "fft: the function on the grid returned {} for band {}; it returns 0 where all is well", code, band);
  };
}

}  // namespace seiche::c
