// SPDX-License-Identifier: BSD-3-Clause
/// \file  The plan of a dense grid. Slabs: x and y lines of planes, one exchange, z lines. Pencils: x, y and z lines
/// with an exchange between each two. Inside a node the slab exchange moves nothing: the z lines run through all ranks'
/// planes.
#include <algorithm>

#include "comm/agree.hpp"
#include "comm/arrival_skew.hpp"
#include "exchange/exchange.hpp"
#include "fft/decomposition.hpp"
#include "fft/dense_layouts.hpp"
#include "fft/field.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/tiles.hpp"
#include "pipeline/pipeline.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Strides of a box in memory: rows and planes of whole cache lines, an odd number of each.
template <class Complex>
Strides padded_strides(const Box& box) {
  const std::int64_t row = padded_row<Complex>(box.size(0));
  return {1, row, padded_row<Complex>(row * box.size(1))};
}

template <class T>
T* at(T* base, const Strides& stride, std::int64_t x, std::int64_t y, std::int64_t z) {
  return base + x * stride[0] + y * stride[1] + z * stride[2];
}

}  // namespace

template <class Value>
struct DenseFft<Value>::Body : CachedPlan, std::enable_shared_from_this<typename DenseFft<Value>::Body> {
  using Real = typename Complex::value_type;
  using Memory = typename Field<Value>::Body;
  static constexpr bool real = !std::is_same_v<Value, Complex>;

  Body(MPI_Comm theirs, const GridShape& grid_shape, const FftOptions& asked)
      : comm(Communicator::duplicate(theirs)),
        shape(grid_shape),
        nx(real ? shape.nx / 2 + 1 : shape.nx),
        options(resolved(comm, asked, dense_transform(grid_shape, letter_of<Value>()))),
        ranks(dense_ranks(comm.size(), shape, options.decomposition)),
        library(options.library),
        pencil(ranks.fast > 1),
        layouts(dense_layouts(ranks, comm.size(), shape, nx)),
        row_comm(pencil ? comm.split(row_members(ranks, comm.size(), comm.rank()).front()) : comm),
        column_comm(pencil ? comm.split(column_members(ranks, comm.size(), comm.rank()).front()) : comm),
        chunks(chunks_of(options)),
        pipeline(static_cast<int>(chunks.size()), options.progress) {
    rows_stride = padded_strides<Complex>(mine(layouts.rows));
    middle_stride = padded_strides<Complex>(mine(layouts.middle));
    columns_stride = padded_strides<Complex>(mine(layouts.columns));
    grid_box = mine(layouts.rows);
    if (!grid_box.empty()) grid_box.axis[0] = {0, shape.nx};
    // neighbours' planes, lent, keep the strides they have there
    zero_copy = !pencil && shared();
    if (zero_copy) columns_stride = rows_stride;
    plan_lines();
    spectrum_stages = stages_to_spectrum();
    grid_stages = stages_to_grid();
    describe();
  }

  bool shared() const { return resolved_algorithm(comm, options.algorithm) == Algorithm::shared; }

  /// Where nothing is sent there is nothing to hide, and the grid is one chunk.
  std::vector<int> chunks_of(const FftOptions& asked) const {
    if (shared()) return {1};
    if (asked.chunks.empty()) return std::vector<int>(usual_chunks(), 1);
    for (const int weight : asked.chunks) {
      require(weight > 0, Fault::bad_argument, "fft: a chunk of relative size {}; give positive numbers", weight);
    }
    return asked.chunks;
  }

  /// As many as leave messages of a size that networks take at once; a few to overlap in any case.
  std::size_t usual_chunks() const {
    constexpr std::int64_t message = 1'400'000;  // measured: docs/performance.md
    if (!goes_on_by_itself(options.algorithm)) return 1;
    const std::int64_t bytes = nx * shape.ny * shape.nz * static_cast<std::int64_t>(sizeof(Complex));
    const std::int64_t to_each = bytes / (std::int64_t{comm.size()} * std::max(ranks.slow, ranks.fast));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(to_each / message, 4, 16));
  }

  const Box& mine(const std::vector<Box>& boxes) const { return boxes[static_cast<std::size_t>(comm.rank())]; }

  Lines lines(LineKind kind, std::int64_t n, std::int64_t count, const LineLayout& in, const LineLayout& out) const {
    return {.kind = kind,
            .n = n,
            .count = count,
            .in = in,
            .out = out,
            .in_place = true,
            .single = sizeof(Real) == sizeof(float),
            .reproducible = options.reproducible};
  }

  void plan_lines() {
    const Box &rows = mine(layouts.rows), &middle = mine(layouts.middle), &columns = mine(layouts.columns);
    constexpr std::int64_t values = real ? 2 : 1;
    const LineLayout in_rows{1, values * rows_stride[1]}, in_spectrum{1, rows_stride[1]};
    const auto from = real ? LineKind::from_real_grid : LineKind::forward;
    const auto into = real ? LineKind::to_real_grid : LineKind::backward;
    const std::int64_t row_tile = tile_of_lines(shape.nx, sizeof(Complex));
    x_from_grid = LineTiles(library, lines(from, shape.nx, rows.size(1), in_rows, in_spectrum), row_tile);
    x_to_grid = LineTiles(library, lines(into, shape.nx, rows.size(1), in_spectrum, in_rows), row_tile);

    const LineLayout along_y{middle_stride[1], 1}, along_z{columns_stride[2], 1};
    Lines y = lines(LineKind::forward, shape.ny, middle.size(0), along_y, along_y);
    y.in_place = !pencil;
    y_from_grid = LineTiles(library, y, column_tile);
    y.kind = LineKind::backward;
    y_to_grid = LineTiles(library, y, column_tile);

    Lines z = lines(LineKind::forward, shape.nz, columns.size(0), along_z, along_z);
    z.scale = 1.0 / static_cast<double>(shape.volume());
    z_from_grid = LineTiles(library, z, far_column_tile);
    z.kind = LineKind::backward;
    z.scale = 1;
    z_to_grid = LineTiles(library, z, far_column_tile);
  }

  /// From each layout to the next, among some ranks, in one part for each chunk.
  struct Leg {
    const Communicator* among;
    std::vector<Route> parts;
  };
  Leg leg(const Communicator& among, const std::vector<Box>& source, const Strides& source_stride,
          const std::vector<Box>& target, const Strides& target_stride) const {
    Leg result{&among, {}};
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      std::vector<Box> parts = source;
      for (Box& box : parts) box.axis[2] = chunk(box, c);
      result.parts.push_back(route_of_boxes(among.rank(), source, source_stride, target, target_stride, parts));
    }
    return result;
  }
  std::vector<Leg> legs() const {
    if (!pencil) return {leg(comm, layouts.rows, rows_stride, layouts.columns, columns_stride)};
    const int me = comm.rank();
    const auto row = row_members(ranks, comm.size(), me), column = column_members(ranks, comm.size(), me);
    return {leg(row_comm, boxes_of(row, layouts.rows), rows_stride, boxes_of(row, layouts.middle), middle_stride),
            leg(column_comm, boxes_of(column, layouts.middle), middle_stride, boxes_of(column, layouts.columns),
                columns_stride)};
  }
  /// The planes of a box that go through the exchanges together.
  Range chunk(const Box& box, std::size_t c) const {
    const Range part = weighted_block(box.size(2), chunks, c);
    return {box.axis[2].low + part.low, box.axis[2].low + part.high};
  }
  /// The same, counted from the first plane of this rank's box.
  Range planes(const Box& box, std::int64_t c) const {
    return weighted_block(box.size(2), chunks, static_cast<std::size_t>(c));
  }

  Field<Value> allocate() const {
    auto fresh = std::make_unique<Memory>();
    fresh->grid_box = grid_box;
    fresh->grid_stride = rows_stride;
    fresh->spectrum_box = mine(layouts.columns);
    fresh->spectrum_stride = columns_stride;
    for (const Leg& one : legs()) {
      fresh->exchanges.push_back(make_exchanges(*one.among, one.parts, request(*one.among)));
    }
    return Field<Value>(std::move(fresh));
  }
  ExchangeRequest request(const Communicator& among) const {
    return exchange_request(options, comm, among, sizeof(Complex),
                            zero_copy ? TargetMemory::zero_copy : TargetMemory::own);
  }

  void describe() {
    report.library = name_of(library);
    report.algorithm = name_of(resolved_algorithm(comm, options.algorithm));
    report.decomposition = name_of(decomposition_of(ranks));
    for (const Leg& one : legs()) {
      for (const Route& part : one.parts) report.bytes_sent += part.leaving(one.among->rank());
      report.memory += static_cast<std::int64_t>(memory_of_exchanges(*one.among, one.parts, request(*one.among)));
    }
    report.bytes_sent *= static_cast<std::int64_t>(sizeof(Complex));
    const Box kept = intersect(mine(layouts.rows), mine(layouts.columns));
    report.bytes_lower_bound =
        (mine(layouts.rows).volume() - kept.volume()) * static_cast<std::int64_t>(sizeof(Complex));
  }

  // --- lines ---

  auto between() {
    return [this] { pipeline.poll(); };
  }

  /// x lines and, for slabs, y lines, plane by plane while each is in cache.
  void rows_from_grid(Complex* rows, const Range& some) {
    for_tiles(
        some.size(), options.threads,
        [&](std::int64_t z, int) {
          Complex* plane = at(rows, rows_stride, 0, 0, some.low + z);
          run_rows(x_from_grid, plane);
          if (!pencil) run_columns(y_from_grid, plane, plane);
        },
        between());
  }
  void rows_to_grid(Complex* rows, const Range& some) {
    for_tiles(
        some.size(), options.threads,
        [&](std::int64_t z, int) {
          Complex* plane = at(rows, rows_stride, 0, 0, some.low + z);
          if (!pencil) run_columns(y_to_grid, plane, plane);
          run_rows(x_to_grid, plane);
        },
        between());
  }
  /// y lines of pencils, on their way from the end of one exchange to that of the next.
  void middle_lines(const LineTiles& y, const Complex* from, Complex* into, const Range& some) {
    for_tiles(
        some.size(), options.threads,
        [&](std::int64_t z, int) {
          const std::int64_t plane = (some.low + z) * middle_stride[2];
          run_columns(y, from + plane, into + plane);
        },
        between());
  }
  /// z lines. Their points are a plane apart, too far for the hardware to foresee: while a tile is transformed, the
  /// next is on its way to the cache.
  void column_lines(const LineTiles& z, Complex* columns) {
    for_tiles(
        mine(layouts.columns).size(1), options.threads,
        [&](std::int64_t y, int) {
          Complex* first = at(columns, columns_stride, 0, y, 0);
          for (std::int64_t t = 0; t < z.tiles(); ++t) {
            const bool last = t + 1 == z.tiles();
            const std::int64_t next = last ? columns_stride[1] : z.lines(t + 1).low;
            fetch_ahead(first + next, z.lines(last ? 0 : t + 1).size());
            Complex* tile = first + z.lines(t).low;
            z.run(t, tile, tile);
          }
        },
        between());
  }
  /// Asks for the cache lines of a tile of z lines; harmless beyond the end of memory.
  void fetch_ahead(const Complex* tile, std::int64_t width) const {
    constexpr auto line = static_cast<std::int64_t>(cache_line / sizeof(Complex));
    for (std::int64_t z = 0; z < shape.nz; ++z) {
      for (std::int64_t x = 0; x < width; x += line) __builtin_prefetch(tile + z * columns_stride[2] + x, 1, 2);
    }
  }
  void run_rows(const LineTiles& x, Complex* plane) const {
    for (std::int64_t t = 0; t < x.tiles(); ++t) {
      Complex* first = plane + x.lines(t).low * rows_stride[1];
      x.run(t, first, first);
    }
  }
  static void run_columns(const LineTiles& tiles, const Complex* from, Complex* into) {
    for (std::int64_t t = 0; t < tiles.tiles(); ++t) {
      const std::int64_t first = tiles.lines(t).low;
      tiles.run(t, from + first, into + first);
    }
  }

  // --- stages: items are chunks; z lines need all of them ---

  Range row_planes(std::int64_t c) const { return planes(mine(layouts.rows), c); }
  Range middle_planes(std::int64_t c) const { return planes(mine(layouts.middle), c); }
  bool last_chunk(std::int64_t c) const { return c + 1 == static_cast<std::int64_t>(chunks.size()); }

  std::vector<Stage> stages_to_spectrum() {
    std::vector<Stage> stages;
    stages.push_back({[this](std::int64_t c, int) { rows_from_grid(memory->source(0), row_planes(c)); },
                      [this](int c) {
                        return PostedExchanges{{memory->first(c), Toward::target, Payload::values}};
                      }});
    if (pencil) {
      stages.push_back({[this](std::int64_t c, int) {
                          middle_lines(y_from_grid, memory->target(0), memory->source(1), middle_planes(c));
                        },
                        [this](int c) {
                          return PostedExchanges{{memory->first(c), Toward::source, Payload::release},
                                                 {memory->last(c), Toward::target, Payload::values}};
                        }});
    }
    stages.push_back({[this](std::int64_t c, int) {
                        if (last_chunk(c)) column_lines(z_from_grid, memory->target(memory->exchanges.size() - 1));
                      },
                      [](int) { return PostedExchanges{}; }});
    return stages;
  }

  std::vector<Stage> stages_to_grid() {
    std::vector<Stage> stages;
    stages.push_back({[this](std::int64_t c, int) {
                        if (c == 0) column_lines(z_to_grid, memory->target(memory->exchanges.size() - 1));
                      },
                      [this](int c) {
                        PostedExchanges posted{{memory->last(c), Toward::source, Payload::values}};
                        if (pencil) posted.add({memory->first(c), Toward::target, Payload::release});
                        return posted;
                      }});
    if (pencil) {
      stages.push_back({[this](std::int64_t c, int) {
                          middle_lines(y_to_grid, memory->source(1), memory->target(0), middle_planes(c));
                        },
                        [this](int c) {
                          return PostedExchanges{{memory->first(c), Toward::source, Payload::values}};
                        }});
    }
    stages.push_back({[this](std::int64_t c, int) { rows_to_grid(memory->source(0), row_planes(c)); },
                      [](int) { return PostedExchanges{}; }});
    return stages;
  }

  void transform(Field<Value>& field, bool forward, Pipeline::Work work = Pipeline::Work::all) {
    memory = &field.body();
    require(memory->is_spectrum != forward, Fault::bad_argument, "fft: the field holds {}",
            forward ? "a spectrum; fill its grid() first" : "grid values; fill its spectrum() first");
    comm.arrival_skew().come();
    const auto fault =
        pipeline.run(static_cast<std::int64_t>(chunks.size()), forward ? spectrum_stages : grid_stages, work);
    memory->is_spectrum = forward;
    if (!shared()) return comm.arrival_skew().leave(comm, fault);
    if (fault) throw Error(*fault);  // nothing but a defect can fail without messages
  }

  void close() override { own.reset(); }

  Field<Value>& own_field() {
    if (!own) own = std::make_unique<Field<Value>>(allocate());
    comm.plan_cache().use(this->shared_from_this(), key);
    return *own;
  }

  void check_sizes(std::size_t grid, std::size_t spectrum) const {
    together(comm, [&] {
      const auto points = static_cast<std::size_t>(grid_box.volume());
      const auto waves = static_cast<std::size_t>(mine(layouts.columns).volume());
      require(grid == points && spectrum == waves, Fault::bad_argument,
              "fft: this rank has {} grid points and {} of the spectrum; {} and {} were given", points, waves, grid,
              spectrum);
    });
  }

  static constexpr std::int64_t column_tile = 32;     // y lines, within a plane in cache
  static constexpr std::int64_t far_column_tile = 8;  // z lines, fetched from memory

  Communicator comm;
  GridShape shape;
  std::int64_t nx;  // points of the spectrum along x
  FftOptions options;
  ProcessGrid ranks;
  LineLibrary library;
  bool pencil, zero_copy = false;
  DenseLayouts layouts;
  Communicator row_comm, column_comm;
  Strides rows_stride{}, middle_stride{}, columns_stride{};
  LineTiles x_from_grid, x_to_grid, y_from_grid, y_to_grid, z_from_grid, z_to_grid;
  Box grid_box;
  std::vector<int> chunks;  // relative sizes
  Pipeline pipeline;
  std::vector<Stage> spectrum_stages, grid_stages;
  Memory* memory = nullptr;  // of the field that is being transformed
  FftReport report;
  std::string key;
  std::unique_ptr<Field<Value>> own;  // for callers' own arrays
};

namespace {

template <class From, class Into>
void copy(const View<From>& from, const View<Into>& into) {
  for (std::int64_t z = 0; z < from.shape[2]; ++z) {
    for (std::int64_t y = 0; y < from.shape[1]; ++y) {
      std::copy_n(&from(0, y, z), from.shape[0], &into(0, y, z));
    }
  }
}

}  // namespace

template <class Value>
DenseFft<Value>::DenseFft(MPI_Comm comm, GridShape shape, FftOptions options) {
  const auto key = PlanKey().add(std::array{'d', letter_of<Value>()}).add(shape).add(options);
  body_ = cached_plan<Body>(Communicator::duplicate(comm), key,
                            [&] { return std::make_shared<Body>(comm, shape, options); });
  body_->key = key.text();
}
template <class Value>
DenseFft<Value>::~DenseFft() = default;
template <class Value>
DenseFft<Value>::DenseFft(DenseFft&&) noexcept = default;
template <class Value>
DenseFft<Value>& DenseFft<Value>::operator=(DenseFft&&) noexcept = default;

template <class Value>
Field<Value> DenseFft<Value>::allocate() {
  return body_->allocate();
}
template <class Value>
void DenseFft<Value>::forward(Field<Value>& field) {
  body_->transform(field, true);
}
template <class Value>
void DenseFft<Value>::backward(Field<Value>& field) {
  body_->transform(field, false);
}

template <class Value>
void DenseFft<Value>::forward(std::span<const Value> grid, std::span<Complex> spectrum) {
  body_->check_sizes(grid.size(), spectrum.size());
  Field<Value>& field = body_->own_field();
  copy(dense_view(grid.data(), grid_box()), field.grid());
  forward(field);
  copy(field.spectrum(), dense_view(spectrum.data(), spectrum_box()));
}
template <class Value>
void DenseFft<Value>::backward(std::span<const Complex> spectrum, std::span<Value> grid) {
  body_->check_sizes(grid.size(), spectrum.size());
  Field<Value>& field = body_->own_field();
  copy(dense_view(spectrum.data(), spectrum_box()), field.spectrum());
  backward(field);
  copy(field.grid(), dense_view(grid.data(), grid_box()));
}

template <class Value>
const Box& DenseFft<Value>::grid_box() const noexcept {
  return body_->grid_box;
}
template <class Value>
const Box& DenseFft<Value>::spectrum_box() const noexcept {
  return body_->mine(body_->layouts.columns);
}
template <class Value>
void DenseFft<Value>::exchange_only(Field<Value>& field, bool asleep) {
  const auto work = asleep ? Pipeline::Work::asleep : Pipeline::Work::skip;
  field.grid();
  body_->transform(field, true, work);
  body_->transform(field, false, work);
}
template <class Value>
ProgressReport DenseFft<Value>::progress() const {
  ProgressReport report = body_->pipeline.report();
  report.skew = body_->comm.arrival_skew().skew();
  return report;
}
template <class Value>
const FftReport& DenseFft<Value>::report() const noexcept {
  return body_->report;
}

template class DenseFft<double>;
template class DenseFft<float>;
template class DenseFft<std::complex<double>>;
template class DenseFft<std::complex<float>>;

}  // namespace seiche
