// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges: random boxes, halos, layouts, types, algorithms and errors.
#include "boxes/box_cases.hpp"
#include "boxes/box_tree.hpp"

namespace seiche::testing {
namespace {

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

/// Returns the index of element (i, j) in the local matrix of its process. The element is in block (i / block_rows,
/// j / block_columns).
std::size_t place_of(const BlockCyclic& m, std::int64_t i, std::int64_t j, std::int64_t leading) {
  const std::int64_t bi = i / m.block_rows / m.process_rows, bj = j / m.block_columns / m.process_columns;
  return static_cast<std::size_t>(bi * m.block_rows + i % m.block_rows +
                                  leading * (bj * m.block_columns + j % m.block_columns));
}

/// Changes the block size and the process grid of a matrix.
void check_redistribution(const BlockCyclic& from, const BlockCyclic& to) {
  const int from_row = rank() % from.process_rows, from_column = rank() / from.process_rows;
  const int to_row = rank() / to.process_columns, to_column = rank() % to.process_columns;
  const std::int64_t from_leading = from.rows + 1, to_leading = from.rows + 4;
  const auto source = blocks_of_process(from, from_row, from_column, from_leading);
  const auto target = blocks_of_process(to, to_row, to_column, to_leading);
  BoxExchange exchange(MPI_COMM_WORLD, {from.rows, from.columns, 1}, source, target);
  std::vector<double> in(static_cast<std::size_t>(from_leading * from.columns), -1),
      out(static_cast<std::size_t>(to_leading * from.columns), -2), want = out;
  for (std::int64_t i = 0; i < from.rows; ++i) {
    for (std::int64_t j = 0; j < from.columns; ++j) {
      const auto value = static_cast<double>(10000 * i + j);
      const auto mine = [&](const BlockCyclic& m, int row, int column) {
        return i / m.block_rows % m.process_rows == row && j / m.block_columns % m.process_columns == column;
      };
      if (mine(from, from_row, from_column)) in[place_of(from, i, j, from_leading)] = value;
      if (mine(to, to_row, to_column)) want[place_of(to, i, j, to_leading)] = value;
    }
  }
  exchange.copy<double>(in, out);
  expect_equal(out, want);
}

/// Large matrices have many blocks: the work must not grow with the square of their number.
TEST(BoxExchange, BlockCyclicMatricesAreRedistributed) {
  const int rows = ranks() % 2 == 0 ? 2 : 1;
  BlockCyclic from{.rows = 13,
                   .columns = 9,
                   .block_rows = 2,
                   .block_columns = 3,
                   .process_rows = rows,
                   .process_columns = ranks() / rows};
  for (const std::int64_t size : {13, 500}) {
    from.rows = size;
    from.columns = size - 4;
    from.block_columns = size < 20 ? 3 : 2;
    BlockCyclic to = from;
    to.block_rows = size < 20 ? 5 : 1;
    to.block_columns = size < 20 ? 1 : 3;
    std::swap(to.process_rows, to.process_columns);
    check_redistribution(from, to);
  }
}

TEST(BoxTree, FindsTheBoxesThatOverlap) {
  for (const std::int64_t reach : {1, 3, 20}) {  // points, few common points, many
    Random random(static_cast<unsigned>(reach));
    const auto any_box = [&] {
      Box box;
      for (Range& range : box.axis) {
        range.low = random(-20, 20);
        range.high = range.low + random(0, reach + 1);
      }
      return box;
    };
    for (const int count : {0, 1, 4, 5, 300}) {
      std::vector<Box> boxes;
      for (int i = 0; i < count; ++i) boxes.push_back(any_box());
      if (count > 4) boxes.resize(boxes.size() + 20, boxes[2]);  // boxes with the same place
      const BoxTree tree(boxes);
      std::vector<std::size_t> found, want;
      for (int search = 0; search < 50; ++search) {
        const Box box = any_box();
        want.clear();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          if (!intersect(box, boxes[i]).empty()) want.push_back(i);
        }
        tree.search(box, found);
        EXPECT_EQ(found, want);
        compared();
      }
    }
  }
}

TEST(BoxExchange, ReportsItsTraffic) {
  const GridShape shape{2, 3, 4 * ranks()};
  Box mine = whole(shape), next = whole(shape);
  mine.axis[2] = {4 * rank(), 4 * rank() + 4};
  next.axis[2] = {mine.axis[2].low + 1, mine.axis[2].high + 1};
  const auto source = consecutive(mine), target = consecutive(next);
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1},
                       {.policy = {.algorithm = Algorithm::pairwise}});
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
  expect_error(Fault::bad_argument, "grid dimensions must be positive (got 0 x 1 x 1)", [&] {
    BoxExchange(MPI_COMM_WORLD, {0, 1, 1}, {&none, 1}, {&none, 1});
  });
  for (const Range& range : {Range{0, 1'000'000'000'000}, {0, 1LL << 62}, {-(1LL << 62), -(1LL << 62) + 1}}) {
    FieldArray far = first;
    if (rank() == 0) far.box.axis[2] = range;
    expect_error(Fault::bad_argument, "boxes: a box is too large, or too far from the grid", [&] { make(first, far); });
  }
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
  for (const std::int64_t fields : {std::int64_t{1'000'000'000'000}, std::int64_t{1} << 62}) {
    expect_error(Fault::bad_argument, "boxes: arrays are too short: ", [&] { exchange.copy<double>(in, out, fields); });
  }
  if (ranks() > 1) {
    std::vector<float> small(128), other(128);
    expect_error(Fault::bad_argument, "copy: bytes of a value is 4 on rank 1, but 8 on rank 0",
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

#ifdef SEICHE_CHECKS
TEST(BoxExchange, FindsChangedInputsInBuildsWithChecks) {
  const GridShape shape{3, 2, 4 * ranks()};
  Box own = whole(shape);
  own.axis[2] = {4 * rank(), 4 * rank() + 4};
  const std::vector<FieldArray> source{consecutive(own)}, target{consecutive(rank() == 0 ? whole(shape) : Box{})};
  BoxExchange exchange(MPI_COMM_WORLD, shape, source, target);
  std::vector<double> values(static_cast<std::size_t>(own.volume())), gathered(rank() == 0 ? shape.volume() : 0);
  Pending pending = exchange.start_copy<double>(values, gathered);
  if (rank() == ranks() - 1) values[0] = 1;
  expect_error(Fault::bad_argument, "was changed before finish()", [&] { pending.finish(); });
}
#endif

}  // namespace
}  // namespace seiche::testing
