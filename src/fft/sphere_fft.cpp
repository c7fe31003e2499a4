// SPDX-License-Identifier: BSD-3-Clause
/// \file  The plan of a sphere: coefficients -> (their sticks' ranks) -> z lines -> planes -> y and x lines, and back.
/// Slabs: one exchange, and both y and x lines of a plane while it is in cache. Pencils: a second exchange between
/// them. With band groups, each band takes these ways inside one group, and items of the pipeline are bundles of one
/// band for each group.
#include <algorithm>

#include "comm/agree.hpp"
#include "comm/arrival_skew.hpp"
#include "exchange/exchange.hpp"
#include "fft/column_lines.hpp"
#include "fft/decomposition.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/row_lines.hpp"
#include "fft/sphere_routes.hpp"
#include "fft/stick_lines.hpp"
#include "pipeline/pipeline.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
struct SphereFft<Value>::Body : CachedPlan, std::enable_shared_from_this<typename SphereFft<Value>::Body> {
  using Real = typename Complex::value_type;
  static constexpr bool half = RowLines<Value>::real;

  /// What the call that is running was given.
  struct Call {
    std::int64_t bands = 0;
    std::span<const Complex> in{};
    std::span<Complex> out{};
    Value* grid = nullptr;
    const RealSpace* function = nullptr;
  };

  /// What one band in flight needs.
  struct Slot {
    std::unique_ptr<Exchange> to_sticks, to_planes, to_rows;
  };

  Body(MPI_Comm theirs, const GridShape& grid_shape, std::span<const Miller> mine, const FftOptions& asked)
      : comm(Communicator::duplicate(theirs)),
        shape(grid_shape),
        waves(static_cast<std::int64_t>(mine.size())),
        options(
            resolved(comm, asked,
                     sphere_transform(comm, grid_shape, static_cast<std::int64_t>(mine.size()), letter_of<Value>()))),
        band_groups{options.band_groups, comm.size() / options.band_groups},
        my_group(band_groups.group_of(comm.rank())),
        group(band_groups.count > 1 ? comm.split(my_group) : comm),
        me(group.rank()),
        ranks(sphere_ranks(group.size(), shape, options.decomposition)),
        library(options.library),
        box(grid_box_of(ranks, me, shape)),
        pencil(ranks.fast > 1),
        member(ranks.active(me) ? ranks.fast_of(me) : 0),
        // idle ranks are groups of their own
        row_comm(pencil ? group.split(ranks.active(me) ? ranks.slow_of(me) : me) : group),
        map(map_sticks(comm, shape, mine, half, band_groups, ranks)),
        z_lines(map, me, shape.nz, 1.0 / static_cast<double>(shape.volume()), options, library),
        full_planes(!pencil &&
                    shape.ny * padded_row<Complex>(row_length()) * static_cast<std::int64_t>(sizeof(Complex)) <=
                        largest_full_plane),
        y_lines(map, static_cast<std::size_t>(member), shape.ny, plane_layout(), options, library),
        x_lines(map.columns, map.groups, shape.nx, box.size(1), options, library),
        planes(options.threads, pencil ? 0 : y_lines.memory()),
        in_plane_of(static_cast<std::size_t>(options.threads)),
        pipeline(options.window, options.progress) {
    map.arrivals = std::vector<Arrival>();  // the z lines have their own list of them
    if (!map.routed) map.leaving = std::vector<Placed>();
    flows = {stages_of(Flow::backward), stages_of(Flow::forward), stages_of(Flow::there_and_back)};
    describe();
  }

  std::int64_t row_length() const { return half ? shape.nx / 2 + 1 : shape.nx; }

  /// Full planes save copying rows; compact ones stay in cache longer, and are what pencils send on.
  PlaneLayout plane_layout() const {
    return full_planes ? PlaneLayout::full<Complex>(map.columns, row_length())
                       : PlaneLayout::compact<Complex>(map.groups[static_cast<std::size_t>(member)]);
  }
  static constexpr std::int64_t largest_full_plane = 512 * 1024;  // bytes, half of a second-level cache

  /// Collective. Slots are there while the plan is among those in use.
  void open() {
    while (slots.size() < static_cast<std::size_t>(options.window)) slots.push_back(make_slot());
    comm.plan_cache().use(this->shared_from_this(), key);
  }
  void close() override {
    pipeline.drain();
    slots.clear();
  }

  Slot make_slot() {
    Slot slot;
    each_leg([&](std::unique_ptr<Exchange> Slot::*exchange, const Communicator& among, const Route& route,
                 const ExchangeRequest& request) { slot.*exchange = make_exchange(among, route, request); });
    return slot;
  }
  /// visit(exchange, among, route, request) for each that a band goes through.
  template <class Visit>
  void each_leg(const Visit& visit) const {
    const auto leg = [&](auto exchange, const Communicator& among, const Route& route, TargetMemory target_memory) {
      visit(exchange, among, route, exchange_request(options, comm, among, sizeof(Complex), target_memory));
    };
    // arrivals at sticks are counted through the memory of one rank
    if (map.routed) leg(&Slot::to_sticks, comm, route_to_sticks(map), TargetMemory::own);
    leg(&Slot::to_planes, group, planes_route(), TargetMemory::zero_copy);
    if (pencil) leg(&Slot::to_rows, row_comm, rows_route(), TargetMemory::zero_copy);
  }

  Route planes_route() const { return route_to_planes(map, ranks, me, shape.nz, StickLines<Real>::pitch_of); }
  Route rows_route() const {
    std::vector<std::int64_t> pitch;
    if (ranks.active(me)) {
      for (const Range& columns : map.groups) pitch.push_back(padded_row<Complex>(columns.size()));
      return route_to_rows(ranks.fast, member, box.size(2), shape.ny, pitch);
    }
    return route_to_rows(1, 0, 0, shape.ny, {0});
  }

  void describe() {
    report.library = name_of(library);
    report.algorithm = name_of(resolved_algorithm(comm, options.algorithm));
    report.decomposition = name_of(decomposition_of(ranks));
    report.window = options.window;
    report.band_groups = band_groups.count;
    std::int64_t sent = 0;
    std::size_t memory_of_slot = 0;
    each_leg([&](auto, const Communicator& among, const Route& route, const ExchangeRequest& request) {
      sent += route.leaving(among.rank());
      memory_of_slot += memory_of_exchanges(among, {&route, 1}, request);
    });
    report.bytes_sent = bytes_of_one_band(sent);
    report.memory =
        static_cast<std::int64_t>(static_cast<std::size_t>(options.window) * memory_of_slot + z_lines.bytes() +
                                  x_lines.bytes() + y_lines.bytes() + planes.bytes() + map.bytes());
    // every value of this rank's sticks but those on its own planes has to leave; all waves but those of its own bands
    const auto sticks = static_cast<std::int64_t>(map.sticks[static_cast<std::size_t>(me)].size());
    report.bytes_lower_bound = bytes_of_one_band(waves * (band_groups.count - 1) + sticks * (shape.nz - box.size(2)));
  }
  /// Of elements that a bundle moves.
  std::int64_t bytes_of_one_band(std::int64_t elements) const {
    return elements * static_cast<std::int64_t>(sizeof(Complex)) / band_groups.count;
  }

  // --- bands ---

  std::int64_t bands_here(std::int64_t bands) const { return band_groups.bands_of(my_group, bands); }

  /// Work on the band of this rank's group. In the last bundle groups may have none; what they exchange then is void.
  Stage on_my_band(Stage stage) {
    if (!stage.work) return stage;
    return {[this, work = std::move(stage.work)](std::int64_t bundle, int slot) {
              if (bundle < bands_here(call.bands)) work(bundle, slot);
            },
            std::move(stage.posts)};
  }

  // --- the stages ---

  enum class Flow { backward, forward, there_and_back };

  Slot& at(int slot) { return slots[static_cast<std::size_t>(slot)]; }
  static Complex* source(Exchange& exchange) { return reinterpret_cast<Complex*>(exchange.source()); }
  auto between() {
    return [this] { pipeline.poll(); };
  }
  static Complex conjugate_if(bool yes, const Complex& value) { return yes ? std::conj(value) : value; }

  /// Elements that arrived at sticks' ranks lie in a row, by rank of origin.
  static Complex* arrived(Slot& slot) { return reinterpret_cast<Complex*>(slot.to_sticks->target(0).data); }

  Stage send_to_sticks() {
    return {[this](std::int64_t bundle, int slot) {
              Complex* leaving = source(*at(slot).to_sticks);
              each_band(bundle, [&](std::int64_t band) {
                const Complex* coefficients = call.in.data() + band * waves;
                for (std::size_t i = 0; i < map.leaving.size(); ++i) {
                  leaving[i] = conjugate_if(map.leaving[i].conjugate, coefficients[map.leaving[i].wave]);
                }
                leaving += map.leaving.size();
              });
            },
            [this](int slot) {
              return PostedExchanges{{at(slot).to_sticks.get(), Toward::target, Payload::values}};
            }};
  }

  /// visit(band) for each that the groups transform together.
  template <class Visit>
  void each_band(std::int64_t bundle, const Visit& visit) const {
    for (int other = 0; other < band_groups.count; ++other) {
      if (const std::int64_t band = band_groups.band_of(bundle, other); band < call.bands) visit(band);
    }
  }

  Stage lines_of_sticks() {
    return {[this](std::int64_t band, int slot) {
              const Complex* values = map.routed ? arrived(at(slot)) : call.in.data() + band * waves;
              z_lines.to_source(values, source(*at(slot).to_planes), between());
            },
            [this](int slot) {
              PostedExchanges posted{{at(slot).to_planes.get(), Toward::target, Payload::values}};
              if (map.routed) posted.add({at(slot).to_sticks.get(), Toward::source, Payload::release});
              return posted;
            }};
  }

  Stage sticks_of_lines() {
    return {[this](std::int64_t band, int slot) {
              Complex* values = map.routed ? arrived(at(slot)) : call.out.data() + band * waves;
              z_lines.from_source(source(*at(slot).to_planes), values, between());
            },
            [this](int slot) {
              PostedExchanges posted;
              if (map.routed) posted.add({at(slot).to_sticks.get(), Toward::source, Payload::values});
              return posted;
            }};
  }

  Stage return_from_sticks() {
    return {[this](std::int64_t bundle, int slot) {
              const Complex* returned = source(*at(slot).to_sticks);
              each_band(bundle, [&](std::int64_t band) {
                Complex* coefficients = call.out.data() + band * waves;
                for (std::size_t i = 0; i < map.leaving.size(); ++i) {
                  const Placed& placed = map.leaving[i];
                  if (!placed.mirror) coefficients[placed.wave] = conjugate_if(placed.conjugate, returned[i]);
                }
                returned += map.leaving.size();
              });
            },
            [](int) { return PostedExchanges{}; }};
  }

  /// What takes the values of a plane's rows, or gives them.
  using Rows = std::function<void(std::int64_t bundle, std::int64_t z, std::int64_t tile,
                                  const PlaneRows<Complex>& rows, int thread)>;

  Rows rows_of(Flow flow) {
    if (flow == Flow::backward) {
      return [this](std::int64_t bundle, std::int64_t z, std::int64_t tile, const auto& in_plane, int thread) {
        x_lines.backward(tile, in_plane, plane_of(bundle, z), thread);
      };
    }
    if (flow == Flow::forward) {
      return [this](std::int64_t bundle, std::int64_t z, std::int64_t tile, const auto& in_plane, int thread) {
        x_lines.from_grid(tile, plane_of(bundle, z), in_plane, thread);
      };
    }
    return [this](std::int64_t bundle, std::int64_t z, std::int64_t tile, const auto& in_plane, int thread) {
      x_lines.round_trip(
          tile, in_plane,
          [&](const Range& rows, const View<Value>& values) {
            const std::int64_t y = box.axis[1].low, plane = box.axis[2].low + z;
            (*call.function)(band_groups.band_of(bundle, my_group),
                             {{box.axis[0], Range{y + rows.low, y + rows.high}, Range{plane, plane + 1}}}, values);
          },
          thread);
    };
  }
  Value* plane_of(std::int64_t bundle, std::int64_t z) const {
    return call.grid + bundle * box.volume() + z * box.size(0) * box.size(1);
  }

  static PostedExchanges back(Exchange* exchange, Flow flow) {
    return {{exchange, Toward::source, flow == Flow::backward ? Payload::release : Payload::values}};
  }

  /// Slab: y and x lines of whole planes.
  Stage planes_stage(Flow flow, Rows rows) {
    return {[this, flow, rows](std::int64_t bundle, int slot) {
              Exchange& exchange = *at(slot).to_planes;
              for_tiles(
                  box.size(2), options.threads,
                  [&](std::int64_t z, int thread) {
                    Complex* plane = planes.of(thread);
                    if (flow != Flow::forward) y_lines.to_plane(exchange, z, plane);
                    PlaneRows<Complex>& in_plane = in_plane_of[static_cast<std::size_t>(thread)];
                    if (full_planes) {
                      in_plane.full = plane;
                    } else {
                      in_plane.parts.assign(1, {plane, y_lines.pitch(), 0});
                    }
                    for (std::int64_t t = 0; t < x_lines.tiles(); ++t) rows(bundle, z, t, in_plane, thread);
                    if (flow != Flow::backward) y_lines.from_plane(plane, exchange, z);
                  },
                  between());
            },
            [this, flow](int slot) {
              auto posted = back(at(slot).to_planes.get(), flow);
              if (map.routed && flow != Flow::backward) {
                posted.add({at(slot).to_sticks.get(), Toward::target, Payload::release});
              }
              return posted;
            }};
  }

  /// Pencil: y lines of this rank's columns, then rows elsewhere.
  Stage columns_stage(Flow flow) {
    return {
        [this](std::int64_t, int slot) {
          Complex* columns = source(*at(slot).to_rows);
          for_tiles(
              box.size(2), options.threads,
              [&](std::int64_t z, int) { y_lines.to_plane(*at(slot).to_planes, z, columns + z * y_lines.memory()); },
              between());
        },
        [this, flow](int slot) {
          PostedExchanges posted{{at(slot).to_rows.get(), Toward::target, Payload::values}};
          if (flow == Flow::backward) posted.add({at(slot).to_planes.get(), Toward::source, Payload::release});
          return posted;
        }};
  }
  Stage columns_back_stage() {
    return {
        [this](std::int64_t, int slot) {
          Complex* columns = source(*at(slot).to_rows);
          for_tiles(
              box.size(2), options.threads,
              [&](std::int64_t z, int) { y_lines.from_plane(columns + z * y_lines.memory(), *at(slot).to_planes, z); },
              between());
        },
        [this](int slot) {
          PostedExchanges posted{{at(slot).to_planes.get(), Toward::source, Payload::values}};
          if (map.routed) posted.add({at(slot).to_sticks.get(), Toward::target, Payload::release});
          return posted;
        }};
  }
  Stage rows_stage(Flow flow, Rows rows) {
    return {[this, rows](std::int64_t bundle, int slot) {
              for_tiles(
                  box.size(2), options.threads,
                  [&](std::int64_t z, int thread) {
                    PlaneRows<Complex>& in_parts = in_plane_of[static_cast<std::size_t>(thread)];
                    parts_of_rows(*at(slot).to_rows, z, in_parts.parts);
                    for (std::int64_t t = 0; t < x_lines.tiles(); ++t) rows(bundle, z, t, in_parts, thread);
                  },
                  between());
            },
            [this, flow](int slot) { return back(at(slot).to_rows.get(), flow); }};
  }
  void parts_of_rows(Exchange& exchange, std::int64_t z, std::vector<CompactRows<Complex>>& parts) const {
    parts.clear();
    for (int j = 0; j < row_comm.size(); ++j) {
      const TargetPatch target = exchange.target(j);
      parts.push_back({reinterpret_cast<Complex*>(target.data) + z * target.patch.stride[2], target.patch.stride[1],
                       static_cast<std::size_t>(j)});
    }
  }

  /// Hands the target of the first exchange over to those who fill it.
  Stage open_grid_side() {
    return {nullptr, [this](int slot) {
              PostedExchanges posted{{at(slot).to_planes.get(), Toward::target, Payload::release}};
              if (pencil) posted.add({at(slot).to_rows.get(), Toward::target, Payload::release});
              return posted;
            }};
  }

  std::vector<Stage> stages_of(Flow flow) {
    std::vector<Stage> stages;
    const Rows rows = rows_of(flow);
    if (flow == Flow::forward) {
      stages.push_back(open_grid_side());
    } else {
      if (map.routed) stages.push_back(send_to_sticks());
      stages.push_back(on_my_band(lines_of_sticks()));
      if (pencil) stages.push_back(on_my_band(columns_stage(flow)));
    }
    stages.push_back(on_my_band(pencil ? rows_stage(flow, rows) : planes_stage(flow, rows)));
    if (flow != Flow::backward) {
      if (pencil) stages.push_back(on_my_band(columns_back_stage()));
      stages.push_back(on_my_band(sticks_of_lines()));
      if (map.routed) stages.push_back(return_from_sticks());
    }
    return stages;
  }

  void run(std::int64_t bands, Flow flow, const Call& asked, Pipeline::Work work = Pipeline::Work::all) {
    open();
    comm.arrival_skew().come();
    call = asked;
    call.bands = bands;
    const auto fault = pipeline.run(band_groups.bundles(bands), flows[static_cast<std::size_t>(flow)], work);
    call = {};
    comm.arrival_skew().leave(comm, fault);
  }

  struct Sizes {
    std::size_t waves, grid;
  };
  void check_sizes(std::int64_t bands, std::initializer_list<Sizes> given) const {
    together(comm, [&] {
      for (const Sizes& sizes : given) {
        require(bands >= 0 && sizes.waves == static_cast<std::size_t>(bands * waves) &&
                    sizes.grid == static_cast<std::size_t>(bands_here(bands) * box.volume()),
                Fault::bad_argument,
                "fft: {} bands of {} waves and {} grid points need {} coefficients and {} values; {} and {} were given",
                bands, waves, box.volume(), bands * waves, bands_here(bands) * box.volume(), sizes.waves, sizes.grid);
      }
    });
  }

  Communicator comm;
  GridShape shape;
  std::int64_t waves;
  FftOptions options;
  BandGroups band_groups;
  int my_group;
  Communicator group;  // its members
  int me;              // in it
  ProcessGrid ranks;   // the members, on the grid
  LineLibrary library;
  Box box;
  bool pencil;
  int member;
  Communicator row_comm;
  StickMap map;
  StickLines<Real> z_lines;
  bool full_planes;  // planes hold rows at full width, so that x lines run in place
  ColumnLines<Real> y_lines;
  RowLines<Value> x_lines;
  Scratch<Complex> planes;
  std::vector<PlaneRows<Complex>> in_plane_of;  // by thread
  Pipeline pipeline;
  std::string key;
  std::vector<Slot> slots;
  std::array<std::vector<Stage>, 3> flows;
  Call call;
  FftReport report;
};

template <class Value>
SphereFft<Value>::SphereFft(MPI_Comm comm, GridShape shape, std::span<const Miller> mine, FftOptions options) {
  const auto key = PlanKey().add(std::array{'s', letter_of<Value>()}).add(shape).add(options).add(mine);
  body_ = cached_plan<Body>(Communicator::duplicate(comm), key,
                            [&] { return std::make_shared<Body>(comm, shape, mine, options); });
  body_->key = key.text();
}
template <class Value>
SphereFft<Value>::~SphereFft() = default;
template <class Value>
SphereFft<Value>::SphereFft(SphereFft&&) noexcept = default;
template <class Value>
SphereFft<Value>& SphereFft<Value>::operator=(SphereFft&&) noexcept = default;

template <class Value>
void SphereFft<Value>::backward(std::span<const Complex> waves, std::span<Value> grid, std::int64_t bands) {
  body_->check_sizes(bands, {{waves.size(), grid.size()}});
  body_->run(bands, Body::Flow::backward, {.in = waves, .grid = grid.data()});
}
template <class Value>
void SphereFft<Value>::forward(std::span<const Value> grid, std::span<Complex> waves, std::int64_t bands) {
  body_->check_sizes(bands, {{waves.size(), grid.size()}});
  // this flow only reads the grid
  body_->run(bands, Body::Flow::forward, {.out = waves, .grid = const_cast<Value*>(grid.data())});
}
template <class Value>
void SphereFft<Value>::round_trip(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                                  const RealSpace& function) {
  const auto points = static_cast<std::size_t>(body_->bands_here(bands) * body_->box.volume());
  body_->check_sizes(bands, {{in.size(), points}, {out.size(), points}});
  body_->run(bands, Body::Flow::there_and_back, {.in = in, .out = out, .function = &function});
}

template <class Value>
const Box& SphereFft<Value>::grid_box() const noexcept {
  return body_->box;
}
template <class Value>
std::int64_t SphereFft<Value>::bands_here(std::int64_t bands) const noexcept {
  return body_->bands_here(bands);
}
template <class Value>
std::int64_t SphereFft<Value>::first_band_here() const noexcept {
  return body_->my_group;
}
template <class Value>
void SphereFft<Value>::exchange_only(std::int64_t bands, bool asleep) {
  body_->run(bands, Body::Flow::there_and_back, {}, asleep ? Pipeline::Work::asleep : Pipeline::Work::skip);
}
template <class Value>
ProgressReport SphereFft<Value>::progress() const {
  ProgressReport report = body_->pipeline.report();
  report.skew = body_->comm.arrival_skew().skew();
  return report;
}
template <class Value>
const FftReport& SphereFft<Value>::report() const noexcept {
  return body_->report;
}

template class SphereFft<double>;
template class SphereFft<float>;
template class SphereFft<std::complex<double>>;
template class SphereFft<std::complex<float>>;

}  // namespace seiche
