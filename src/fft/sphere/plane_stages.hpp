// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of a sphere's transform between the target of the exchange to planes and the grid,
/// on the host.
#pragma once

#include <array>
#include <vector>

#include "fft/sphere/sphere_stages.hpp"

namespace seiche {

template <class Value>
class PlaneStages : public SphereStage<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using SphereStage<Value>::SphereStage;

  /// First stage of forward transforms. Transfers the memory of the exchanges to their targets, without values.
  Stage open() const {
    return {nullptr, posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::target, Payload::release});
              if (exchange.to_rows) all.add({exchange.to_rows.get(), Toward::target, Payload::release});
            })};
  }

  /// 1D FFTs on the grid. Slabs: along x and y of whole planes. Pencils: along x.
  std::vector<Stage> on_grid(GivenBy) const {
    return {{[this](std::int64_t item, int slot) { lines_on_grid(item, slot, flow()); }, leaves_grid()}};
  }
  /// Convolutions: sets the values on the grid, and starts to transform them.
  Stage fill() const {
    return {[this](std::int64_t item, int slot) { lines_on_grid(item, slot, Flow::forward); },
            posted([this](const SphereExchanges& exchange, PostedExchanges& all) {
              leave_grid(exchange, Payload::values, all);
            })};
  }
  /// Last stage of convolutions: 1D FFTs to the grid, and the function.
  Stage take() const {
    return {[this](std::int64_t item, int slot) { lines_on_grid(item, slot, Flow::to_the_function); }, leaves_grid()};
  }

  /// Pencils: 1D FFTs along y of this rank's columns, then the exchange to rows.
  Stage columns_to_rows() const {
    return {[this](std::int64_t item, int slot) {
              each_column(item, [this, slot](std::int64_t z, int c) {
                lines().y.to_plane(*at(slot, c).to_planes, z, source(at(slot, c).to_rows) + z * lines().y.memory());
              });
            },
            posted([this](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_rows.get(), Toward::target, Payload::values});
              if (!goes_to_waves(flow())) all.add({exchange.to_planes.get(), Toward::source, Payload::release});
            })};
  }
  /// Pencils: 1D FFTs along y after the exchange from rows, then the exchange from planes.
  Stage columns_from_rows() const {
    return {[this](std::int64_t item, int slot) {
              each_column(item, [this, slot](std::int64_t z, int c) {
                lines().y.from_plane(source(at(slot, c).to_rows) + z * lines().y.memory(), *at(slot, c).to_planes, z);
              });
            },
            posted([this](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::source, Payload::values});
              if (exchange.to_sticks && goes_to_waves(flow())) {
                all.add({exchange.to_sticks.get(), Toward::target, Payload::release});
              }
            })};
  }

 private:
  using SphereStage<Value>::plan;
  using SphereStage<Value>::lines;
  using SphereStage<Value>::call;
  using SphereStage<Value>::components;
  using SphereStage<Value>::at;
  using SphereStage<Value>::source;
  using SphereStage<Value>::between;
  using SphereStage<Value>::my_band;
  using SphereStage<Value>::posted;
  using SphereStage<Value>::flow;
  using SphereStage<Value>::leaves_grid;
  using SphereStage<Value>::leave_grid;
  using SphereStage<Value>::band_in_run;
  using SphereStage<Value>::box_of_rows;
  using SphereStage<Value>::call_function;

  /// A plane on which a thread works.
  struct Place {
    std::int64_t item;
    int slot;
    std::int64_t z;  ///< relative to this rank's first plane
    int thread;
    Flow way;  ///< transforms of this plane
  };

  /// Calls work(plane, thread) for the planes of this rank's band, if its group has one.
  template <class Work>
  void each_plane(std::int64_t item, const Work& work) const {
    if (my_band(item)) for_tiles(plan().box.size(2), plan().options.threads, work, between());
  }
  template <class Work>
  void each_column(std::int64_t item, const Work& work) const {
    each_plane(item, [&](std::int64_t z, int) {
      for (int c = 0; c < components(); ++c) work(z, c);
    });
  }
  void lines_on_grid(std::int64_t item, int slot, Flow way) const {
    each_plane(item, [=, this](std::int64_t z, int thread) {
      const Place place{item, slot, z, thread, way};
      plan().pencil ? rows_of_plane(place) : whole_plane(place);
    });
  }

  void whole_plane(const Place& place) const {
    auto& rows = lines().rows[static_cast<std::size_t>(place.thread)];
    for (int c = 0; c < components(); ++c) {
      Complex* plane = lines().plane(place.thread, c);
      if (comes_from_waves(place.way)) lines().y.to_plane(*at(place.slot, c).to_planes, place.z, plane);
      PlaneRows<Complex>& in_plane = rows[static_cast<std::size_t>(c)];
      if (plan().full_planes) {
        in_plane.full = plane;
      } else {
        in_plane.parts.assign(1, {plane, lines().y.pitch(), 0});
      }
    }
    x_lines(place, rows);
    for (int c = 0; goes_to_waves(place.way) && c < components(); ++c) {
      lines().y.from_plane(lines().plane(place.thread, c), *at(place.slot, c).to_planes, place.z);
    }
  }

  void rows_of_plane(const Place& place) const {
    auto& rows = lines().rows[static_cast<std::size_t>(place.thread)];
    for (int c = 0; c < components(); ++c) {
      auto& parts = rows[static_cast<std::size_t>(c)].parts;
      parts.clear();
      for (int j = 0; j < plan().row_comm.size(); ++j) {
        const TargetPatch target = at(place.slot, c).to_rows->target(j);
        parts.push_back({reinterpret_cast<Complex*>(target.data) + place.z * target.patch.stride[2],
                         target.patch.stride[1], static_cast<std::size_t>(j)});
      }
    }
    x_lines(place, rows);
  }

  void x_lines(const Place& place, const std::vector<PlaneRows<Complex>>& rows) const {
    for (std::int64_t tile = 0; tile < lines().x.tiles(); ++tile) {
      if (place.way == Flow::forward && flow() == Flow::convolution) {
        const auto fill = [&](const Range& y, std::span<const View<Value>> views) {
          (*call().function.fill)(band_in_run(place.item, 0), box_of_rows(place.z, y), views);
        };
        lines().x.fill(tile, rows[0], fill, place.thread);
      } else if (place.way == Flow::backward || place.way == Flow::forward) {
        stored_tile(place, tile, rows);
      } else {
        const auto visit = [&](const Range& y, std::span<const View<Value>> views) {
          call_function(place.item, 0, place.z, y, views);
        };
        lines().x.visit(tile, rows, goes_to_waves(place.way), visit, place.thread);
      }
    }
  }
  void stored_tile(const Place& place, std::int64_t tile, const std::vector<PlaneRows<Complex>>& rows) const {
    for (int c = 0; c < components(); ++c) {
      Value* plane = call().my_plane(place.item, c, place.z);
      const PlaneRows<Complex>& in_plane = rows[static_cast<std::size_t>(c)];
      if (place.way == Flow::backward) {
        lines().x.backward(tile, in_plane, plane, place.thread);
      } else {
        lines().x.from_grid(tile, plane, in_plane, place.thread);
      }
    }
  }
};

}  // namespace seiche
