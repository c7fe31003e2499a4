// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of a sphere along all three axes, with the scratch memory of their tiles.
#pragma once

#include <vector>

#include "fft/sphere/column_lines.hpp"
#include "fft/sphere/row_lines.hpp"
#include "fft/sphere/sphere_plan.hpp"
#include "fft/sphere/stick_lines.hpp"

namespace seiche {

template <class Value>
struct SphereLines {
  using Complex = typename ComplexOf<Value>::type;
  using Real = typename Complex::value_type;

  explicit SphereLines(const SpherePlan& plan)
      : z(plan.map, plan.me, plan.shape.nz, 1.0 / static_cast<double>(plan.shape.volume()), plan.options,
          plan.options.library),
        y(plan.map, static_cast<std::size_t>(plan.member), plan.shape.ny, plane_layout(plan), plan.options,
          plan.options.library),
        x(plan.map.columns, plan.map.groups, plan.shape.nx, plan.box.size(1), plan.options, plan.options.library),
        planes(plan.options.threads, plan.pencil ? 0 : plan.options.components * y.memory()),
        rows(static_cast<std::size_t>(plan.options.threads)) {
    for (auto& of_thread : rows) of_thread.resize(static_cast<std::size_t>(plan.options.components));
  }
  std::size_t bytes() const { return z.bytes() + y.bytes() + x.bytes() + planes.bytes(); }
  /// Returns the memory of a thread for a plane of one component.
  Complex* plane(int thread, int component) { return planes.of(thread) + component * y.memory(); }

  StickLines<Real> z;
  ColumnLines<Real> y;
  RowLines<Value> x;
  Scratch<Complex> planes;
  std::vector<std::vector<PlaneRows<Complex>>> rows;  // [thread][component]: rows of the current plane

 private:
  /// Full planes avoid copies of rows. Compact planes need less cache, and pencils exchange them.
  static PlaneLayout plane_layout(const SpherePlan& plan) {
    return plan.full_planes ? PlaneLayout::full<Complex>(plan.map.columns, plan.row_length())
                            : PlaneLayout::compact<Complex>(plan.map.groups[static_cast<std::size_t>(plan.member)]);
  }
};

}  // namespace seiche
