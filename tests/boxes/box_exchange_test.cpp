// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges against the values of the grid: random boxes, halos, layouts, types and algorithms.
#include "seiche/boxes.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <random>
#include <vector>

#include "support/memory.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using Point = std::array<std::int64_t, 3>;

/// Boxes of all ranks; the same on each rank.
using Boxes = std::vector<std::vector<Box>>;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high - 1)(engine);
  }
};

/// Cuts a box at random planes, and gives each part to a random rank or to nobody.
void cut(const Box& box, int depth, bool all, Random& random, Boxes& boxes) {
  if (depth == 0 || box.volume() < 2) {
    if (all || random(0, 4) > 0) boxes[static_cast<std::size_t>(random(0, ranks()))].push_back(box);
    return;
  }
  const auto axis = static_cast<std::size_t>(random(0, 3));
  const std::int64_t at = random(box.axis[axis].low, box.axis[axis].high + 1);
  Box low = box, high = box;
  low.axis[axis].high = high.axis[axis].low = at;
  cut(low, depth - 1, all, random, boxes);
  cut(high, depth - 1, all, random, boxes);
}

Boxes cut_grid(const GridShape& shape, Random& random) {
  Boxes boxes(static_cast<std::size_t>(ranks()));
  cut(whole(shape), 4, true, random, boxes);
  return boxes;
}

/// Boxes that overlap and extend beyond the grid.
Boxes any_boxes(const GridShape& shape, Random& random) {
  Boxes boxes(static_cast<std::size_t>(ranks()));
  for (auto& list : boxes) {
    list.resize(static_cast<std::size_t>(random(0, 4)));
    for (Box& box : list) {
      const Point n{shape.nx, shape.ny, shape.nz};
      for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t low = random(-n[a], n[a]);
        box.axis[a] = {low, low + random(0, n[a] + 3)};
      }
    }
  }
  return boxes;
}

enum class Layout { consecutive, interleaved, padded };

/// Returns the boxes of this rank, one after another in one array.
std::vector<FieldArray> arrays_of(const std::vector<Box>& boxes, Layout layout, std::int64_t fields,
                                  std::size_t& size) {
  std::vector<FieldArray> arrays;
  std::int64_t offset = 0;
  for (const Box& box : boxes) {
    FieldArray array = layout == Layout::consecutive   ? consecutive(box)
                       : layout == Layout::interleaved ? interleaved(box, std::max<std::int64_t>(fields, 1))
                                                       : padded(box, box.size(0) + 1, box.size(1) + 2);
    array.offset = offset;
    offset += fields * (box.size(0) + 1) * (box.size(1) + 2) * (box.size(2) + 1);
    arrays.push_back(array);
  }
  size = static_cast<std::size_t>(offset);
  return arrays;
}

/// Calls visit(point of the periodic grid, index in the array) for all points of a field.
template <class Visit>
void each_point(const GridShape& shape, const std::vector<FieldArray>& arrays, std::int64_t field, const Visit& visit) {
  const auto within = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
  for (const FieldArray& array : arrays) {
    if (array.box.empty()) continue;
    const auto& [x, y, z] = array.box.axis;
    for (std::int64_t k = z.low; k < z.high; ++k) {
      for (std::int64_t j = y.low; j < y.high; ++j) {
        for (std::int64_t i = x.low; i < x.high; ++i) {
          const std::int64_t at = array.offset + field * array.field_stride + (i - x.low) * array.stride[0] +
                                  (j - y.low) * array.stride[1] + (k - z.low) * array.stride[2];
          visit(Point{within(i, shape.nx), within(j, shape.ny), within(k, shape.nz)}, static_cast<std::size_t>(at));
        }
      }
    }
  }
}

template <class T>
T value_at(const Point& p, std::int64_t field) {
  const auto number = static_cast<double>(1 + p[0] + 20 * (p[1] + 20 * (p[2] + 20 * field)));
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else {
    return T(static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(-field));
  }
}

struct Case {
  GridShape shape;
  Boxes sources, targets;
  Layout source_layout = Layout::consecutive, target_layout = Layout::consecutive;
  std::int64_t fields = 1;
  Policy policy{};
};

template <class T>
void check(const Case& c) {
  const auto me = static_cast<std::size_t>(rank());
  std::size_t source_size = 0, target_size = 0;
  const auto source = arrays_of(c.sources[me], c.source_layout, c.fields, source_size);
  const auto target = arrays_of(c.targets[me], c.target_layout, c.fields, target_size);
  BoxExchange exchange(MPI_COMM_WORLD, c.shape, source, target, c.policy);
  std::vector<T> in(source_size, T(-1)), out(target_size, T(-2)), want = out;
  for (std::int64_t field = 0; field < c.fields; ++field) {
    each_point(c.shape, source, field, [&](const Point& p, std::size_t at) { in[at] = value_at<T>(p, field); });
    each_point(c.shape, target, field, [&](const Point& p, std::size_t at) { want[at] = value_at<T>(p, field); });
  }
  const std::vector<T> before = in;
  exchange.copy<T>(in, out, c.fields);
  expect_equal(out, want);
  expect_equal(in, before);

  // add_back() adds each value as often as it is in a target box of any rank
  std::map<Point, double> copies;
  for (const auto& list : c.targets) {
    std::size_t size = 0;
    each_point(c.shape, arrays_of(list, Layout::consecutive, 1, size), 0,
               [&](const Point& p, std::size_t) { copies[p] += 1; });
  }
  std::vector<T> sums = before;
  for (std::int64_t field = 0; field < c.fields; ++field) {
    each_point(c.shape, source, field, [&](const Point& p, std::size_t at) {
      sums[at] += static_cast<decltype(std::real(T{}))>(copies[p]) * value_at<T>(p, field);
    });
  }
  Pending pending = exchange.start_add_back<T>(out, in, c.fields);
  for (int i = 0; i < 5 * rank(); ++i) pending.progress();
  pending.finish();
  expect_equal(in, sums);
  Pending again = exchange.start_copy<T>(before, out, c.fields);
  pending = exchange.start_copy<T>(before, want, c.fields);
  pending.finish();
  again.finish();
  expect_equal(out, want);
}

TEST(BoxExchange, RandomBoxesReceiveTheValuesOfTheGrid) {
  unsigned seed = 0;
  for (const GridShape& shape : {GridShape{7, 5, 6}, GridShape{1, 8, 3}, GridShape{11, 1, 2}}) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::alltoallv, Algorithm::alltoall,
                                      Algorithm::ialltoallv, Algorithm::pairwise, Algorithm::two_level}) {
      Random random(++seed);
      const auto layout = [&] { return static_cast<Layout>(random(0, 3)); };
      Case c{shape,        cut_grid(shape, random), any_boxes(shape, random), layout(), layout(),
             random(1, 5), {.algorithm = algorithm}};
      check<double>(c);
      check<std::complex<double>>(c);
      c.policy.memory = 1;  // at most one element for each rank at a time
      check<float>(c);
      c.policy = {.algorithm = algorithm, .window = 2, .memory = 4000};
      c.fields = 0;
      check<std::complex<float>>(c);
      c.fields = 7;
      check<std::complex<float>>(c);
    }
  }
}

/// The slabs of neighbours, with one and two planes more on each side. One slab is thinner than its halo.
TEST(BoxExchange, HalosArePeriodic) {
  const GridShape shape{4, 3, static_cast<std::int64_t>(ranks()) + 1};
  for (const std::int64_t planes : {1, 2}) {
    Case c{shape, {}, {}};
    for (int r = 0; r < ranks(); ++r) {
      Box box = whole(shape);
      box.axis[2] = block(shape.nz, ranks(), r);
      c.sources.push_back({box});
      for (Range& range : box.axis) range = {range.low - planes, range.high + planes};
      c.targets.push_back({box});
    }
    check<double>(c);
  }
}

/// A small limit of memory cuts fields into parts that end in the middle of rows and planes.
TEST(BoxExchange, LargeFieldsTravelInParts) {
  const GridShape shape{13, 5, 11};
  const Boxes nothing(static_cast<std::size_t>(ranks()));
  unsigned seed = 100;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::alltoallv, Algorithm::alltoall,
                                    Algorithm::ialltoallv, Algorithm::pairwise, Algorithm::two_level}) {
    for (const std::int64_t memory : {40, 700, 3000}) {
      Random random(++seed);
      Case c{shape, cut_grid(shape, random), any_boxes(shape, random)};
      c.source_layout = static_cast<Layout>(random(0, 3));
      c.fields = random(1, 4);
      c.policy = {.algorithm = algorithm, .memory = memory};
      check<double>(c);
      check<std::complex<float>>(c);
      Case planes{shape, nothing, nothing, Layout::consecutive, static_cast<Layout>(random(0, 3)), 2, c.policy};
      for (int r = 0; r + 1 < std::max(ranks(), 2); ++r) {  // the last of several ranks has no box
        Box z = whole(shape), y = z;
        z.axis[2] = block(shape.nz, std::max(ranks() - 1, 1), r);
        y.axis[1] = block(shape.ny, std::max(ranks() - 1, 1), r);
        planes.sources[static_cast<std::size_t>(r)] = {z};
        planes.targets[static_cast<std::size_t>(r)] = {y};
      }
      check<std::complex<double>>(planes);
      check<float>(planes);
    }
  }
}

/// One megabyte is in flight in each of three slots at both ends, with up to one element more for each rank.
TEST(BoxExchange, LargeFieldsNeedSmallBuffers) {
  const GridShape shape{101, 97, 16 * ranks() + 1};
  Box z = whole(shape), y = z;
  z.axis[2] = block(shape.nz, ranks(), rank());
  y.axis[1] = block(shape.ny, ranks(), rank());
  const FieldArray source = consecutive(z), target = consecutive(y);
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1}, {.algorithm = Algorithm::alltoallv});
  const auto value = [](const Point& p) {
    return std::complex<double>(static_cast<double>(p[0] + 101 * p[1]), static_cast<double>(p[2]));
  };
  std::vector<std::complex<double>> from(static_cast<std::size_t>(z.volume())),
      into(static_cast<std::size_t>(y.volume()), -1), want = into;
  each_point(shape, {source}, 0, [&](const Point& p, std::size_t at) { from[at] = value(p); });
  each_point(shape, {target}, 0, [&](const Point& p, std::size_t at) { want[at] = value(p); });
  exchange.copy<std::complex<double>>(from, into);
  expect_equal(into, want);
  const BoxReport report = exchange.report();
  EXPECT_EQ(16 * std::max(report.sent, report.received) > 1 << 20, ranks() > 1);
  EXPECT_LE(report.memory, 2 * 3 * ((1 << 20) + 16 * ranks()));
}

/// Results above four times the cache of a core are written directly to memory. Rows of targets do not begin at
/// multiples of 16 bytes.
TEST(BoxExchange, LargeResultsAreWrittenDirectly) {
  const GridShape shape{37, 3, static_cast<std::int64_t>(ranks()) + 1};
  Case c{shape, {}, {}, Layout::consecutive, Layout::padded};
  for (int r = 0; r < ranks(); ++r) {
    Box box = whole(shape);
    box.axis[2] = block(shape.nz, ranks(), r);
    c.sources.push_back({box});
    box.axis[2] = {box.axis[2].low - 1, box.axis[2].high};
    c.targets.push_back({box});
  }
  c.fields = 4 * core_cache() / (4 * 37 * 3 * 2) + 1;
  check<float>(c);
}

TEST(BoxExchange, SomeRanksOrAllHaveNothing) {
  const GridShape shape{3, 4, 5};
  Case c{shape, Boxes(static_cast<std::size_t>(ranks())), Boxes(static_cast<std::size_t>(ranks()))};
  c.sources.back() = {whole(shape)};
  check<double>(c);
  c.targets.front() = {whole(shape)};
  check<double>(c);
  c.sources.back().clear();
  c.targets.front().clear();
  check<double>(c);
}

/// Changes the block size and the process grid of a matrix.
TEST(BoxExchange, BlockCyclicMatricesAreRedistributed) {
  const int rows = ranks() % 2 == 0 ? 2 : 1;
  const BlockCyclic from{.rows = 13,
                         .columns = 9,
                         .block_rows = 2,
                         .block_columns = 3,
                         .process_rows = rows,
                         .process_columns = ranks() / rows};
  BlockCyclic to = from;
  to.block_rows = 5;
  to.block_columns = 1;
  std::swap(to.process_rows, to.process_columns);
  const auto source = blocks_of_process(from, rank() % from.process_rows, rank() / from.process_rows, 14);
  const auto target = blocks_of_process(to, rank() / to.process_columns, rank() % to.process_columns, 17);
  BoxExchange exchange(MPI_COMM_WORLD, {13, 9, 1}, source, target);
  std::vector<double> in(14 * 9, -1), out(17 * 9, -2), want = out;
  // element (i, j) is in block (i / block_rows, j / block_columns)
  const auto place = [](const BlockCyclic& m, std::int64_t i, std::int64_t j, std::int64_t leading) {
    const std::int64_t bi = i / m.block_rows / m.process_rows, bj = j / m.block_columns / m.process_columns;
    return static_cast<std::size_t>(bi * m.block_rows + i % m.block_rows +
                                    leading * (bj * m.block_columns + j % m.block_columns));
  };
  for (std::int64_t i = 0; i < 13; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      const auto value = static_cast<double>(100 * i + j);
      const auto mine = [&](const BlockCyclic& m, int row, int column) {
        return i / m.block_rows % m.process_rows == row && j / m.block_columns % m.process_columns == column;
      };
      if (mine(from, rank() % from.process_rows, rank() / from.process_rows)) in[place(from, i, j, 14)] = value;
      if (mine(to, rank() / to.process_columns, rank() % to.process_columns)) want[place(to, i, j, 17)] = value;
    }
  }
  exchange.copy<double>(in, out);
  expect_equal(out, want);
}

TEST(BoxExchange, ReportsItsTraffic) {
  const GridShape shape{2, 3, 4 * ranks()};
  Box mine = whole(shape), next = whole(shape);
  mine.axis[2] = {4 * rank(), 4 * rank() + 4};
  next.axis[2] = {mine.axis[2].low + 1, mine.axis[2].high + 1};
  const auto source = consecutive(mine), target = consecutive(next);
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1}, {.algorithm = Algorithm::pairwise});
  const BoxReport report = exchange.report();
  expect_equal(report.algorithm, std::string("pairwise"));
  EXPECT_EQ(report.sent, ranks() == 1 ? 0 : 6);
  EXPECT_EQ(report.received, report.sent);
  EXPECT_EQ(report.own, 24 - report.sent);
  EXPECT_EQ(report.memory, 0);
  std::vector<double> in(24), out(24);
  exchange.copy<double>(in, out);
  EXPECT_EQ(exchange.report().memory > 0, ranks() > 1);
  EXPECT_GE(exchange.progress().worked, 0);
}

TEST(BoxExchange, RefusesBoxesThatDoNotFit) {
  const GridShape shape{4, 4, 4};
  const FieldArray all = consecutive(whole(shape)), none = consecutive(Box{});
  const FieldArray first = rank() == 0 ? all : none;
  const auto make = [&](const FieldArray& source, const FieldArray& target) {
    BoxExchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1});
  };
  const std::array both{first, first};
  expect_error(Fault::bad_argument, "boxes: the source boxes of ranks 0 (x [0, 4), y [0, 4), z [0, 4)) and 0", [&] {
    BoxExchange(MPI_COMM_WORLD, shape, both, {&none, 1});
  });
  if (ranks() > 1) {
    expect_error(Fault::bad_argument, "boxes: the source boxes of ranks 0", [&] { make(all, none); });
  }
  FieldArray large = first;
  if (rank() == 0) large.box.axis[1].high = 5;
  expect_error(Fault::bad_argument,
               "boxes: a source box (x [0, 4), y [0, 5), z [0, 4)) extends beyond the grid of 4 x 4 x 4",
               [&] { make(large, none); });
  FieldArray half = first;
  half.box.axis[0].high = 2;
  expect_error(Fault::bad_argument, "boxes: 32 of the 64 points of a target box",
               [&] { make(half, rank() == ranks() - 1 ? all : none); });
  FieldArray flat = first;
  if (rank() == 0) flat.stride[1] = 0;
  expect_error(Fault::bad_argument, "boxes: strides must be positive", [&] { make(flat, none); });
  expect_error(Fault::bad_argument, "boxes: the grid needs at least one point along each axis (got 0 x 1 x 1)", [&] {
    BoxExchange(MPI_COMM_WORLD, {0, 1, 1}, {&none, 1}, {&none, 1});
  });
  expect_error(Fault::bad_argument, "boxes: the padded sizes 3 and 4 are smaller than the box",
               [&] { padded(whole(shape), 3, 4); });
  expect_error(Fault::bad_argument, "boxes: sizes of a block-cyclic matrix must be positive",
               [&] { blocks_of_process({.rows = 2, .columns = 2, .block_rows = 0}, 0, 0, 2); });
  expect_error(Fault::bad_argument, "boxes: process (1, 0) is not in the grid of 1 x 1",
               [&] { blocks_of_process({.rows = 2, .columns = 2}, 1, 0, 2); });
  expect_error(Fault::bad_argument, "boxes: the leading dimension 1 is smaller than the 2 rows",
               [&] { blocks_of_process({.rows = 2, .columns = 2}, 0, 0, 1); });
}

TEST(BoxExchange, RefusesArraysThatDoNotFit) {
  const GridShape shape{4, 4, 4};
  const FieldArray mine = consecutive(rank() == 0 ? whole(shape) : Box{});
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&mine, 1}, {&mine, 1});
  std::vector<double> in(128), out(128);
  expect_error(Fault::bad_argument,
               "boxes: arrays are too short: 2 fields need 128 source and 128 target values (got 128 and 127)",
               [&] { exchange.copy<double>(in, std::span(out).first(127), 2); });
  expect_error(Fault::bad_argument, "boxes: the source and target arrays overlap",
               [&] { exchange.copy<double>(std::span(in).first(64), std::span(in).subspan(63)); });
  expect_error(Fault::bad_argument, "boxes: the number of fields must not be negative (got -1)",
               [&] { exchange.copy<double>(in, out, -1); });
  if (ranks() > 1) {
    expect_error(Fault::bad_argument, "boxes: ranks passed different numbers of fields (1 to 2)",
                 [&] { exchange.copy<double>(in, out, rank() == 0 ? 1 : 2); });
    std::vector<float> small(128), other(128);
    expect_error(Fault::bad_argument, "boxes: ranks passed values of different types (4 and 8 bytes)",
                 [&] { rank() == 0 ? exchange.copy<double>(in, out) : exchange.copy<float>(small, other); });
  }
  exchange.close();
  expect_error(Fault::bad_argument, "boxes: this exchange is closed or moved from",
               [&] { exchange.copy<double>(in, out); });
}

TEST(BoxExchange, StartedCallsMayBeDroppedAndOutliveTheExchange) {
  const GridShape shape{3, 4, 2 * ranks()};
  Box box = whole(shape);
  box.axis[2] = {2 * rank(), 2 * rank() + 2};
  Box halo = box;
  halo.axis[2] = {box.axis[2].low - 1, box.axis[2].high + 1};
  const FieldArray source = consecutive(box), target = consecutive(halo);
  std::vector<double> in(24, 3), out(48);
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1});
  exchange.start_copy<double>(in, out);
  exchange.copy<double>(in, out);
  expect_equal(out, std::vector<double>(48, 3));
  std::fill(out.begin(), out.end(), 0);
  Pending last = exchange.start_copy<double>(in, out);
  exchange.close();
  last.finish();
  expect_equal(out, std::vector<double>(48, 3));
}

}  // namespace
}  // namespace seiche::testing
