// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges on the host and on devices, for a table of settings in which each pair of settings
/// occurs; block-cyclic matrices, and reports.
#include <array>
#include <string>

#include "boxes/box_cases.hpp"
#include "boxes/box_tree.hpp"
#include "support/aligned_memory.hpp"
#include "support/pairwise.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// The settings of the table.
struct Settings {
  std::array<GridShape, 5> shapes{{{7, 5, 6}, {1, 8, 3}, {11, 1, 2}, {4, 3, std::int64_t{ranks()} + 1}, {13, 5, 11}}};
  std::vector<Algorithm> algorithms = ways_here();
  std::array<std::int64_t, 4> fields{1, 3, 0, 7};
  /// Limits of memory; small ones cut fields into parts that end in the middle of rows and planes.
  std::array<std::pair<int, std::int64_t>, 6> windows_and_memory{
      {{0, 0}, {0, 1}, {2, 4000}, {0, 300}, {1, 40}, {3, 0}}};

  std::vector<std::size_t> counts() const {
    return {shapes.size(), 6, 3, 3, fields.size(), algorithms.size() + 1, windows_and_memory.size(), 5, 4};
  }
  void check(const Choice& row, unsigned seed) const {
    Random random(seed);
    Case c{shapes[row[0]], {}, {}, static_cast<Layout>(row[2]), static_cast<Layout>(row[3]), fields[row[4]]};
    set_boxes(c, row[1], random);
    auto [window, memory] = windows_and_memory[row[6]];
    if (row[7] > 0 && memory > 0) memory = std::max<std::int64_t>(memory, 700);  // devices are slow for small parts
    c.policy = {
        .algorithm = row[5] == 0 ? Algorithm::automatic : algorithms[row[5] - 1], .window = window, .memory = memory};
    c.space = row[7] == 0 ? Space::host : Space::cuda;
    c.source_there = row[7] == 2 || row[7] == 4;
    c.target_there = row[7] == 3 || row[7] == 4;
    std::string name = "settings";
    for (const std::size_t value : row) name += " " + std::to_string(value);
    SCOPED_TRACE(name);
    if (row[8] == 0) testing::check<double>(c);
    if (row[8] == 1) testing::check<float>(c);
    if (row[8] == 2) testing::check<std::complex<double>>(c);
    if (row[8] == 3) testing::check<std::complex<float>>(c);
  }

 private:
  static void set_boxes(Case& c, std::size_t kind, Random& random) {
    const int fewer = std::max(ranks() - 1, 1);
    const Boxes nothing(static_cast<std::size_t>(ranks()));
    c.sources = c.targets = nothing;
    if (kind == 0) {  // random boxes
      cut(whole(c.shape), 4, random, c.sources);
      for (auto& list : c.targets) list = any_boxes(c.shape, random);
    } else if (kind == 1) {  // halos, of which some are thicker than the planes of a neighbour
      c.sources = planes(c.shape, 2, ranks());
      c.targets = planes(c.shape, 2, ranks(), random(1, 3));
    } else if (kind == 2) {  // transposition; the last of several ranks has nothing
      c.sources = planes(c.shape, 2, fewer);
      c.targets = planes(c.shape, 1, fewer);
    } else if (kind == 3) {  // each rank reads the whole grid, in many items, whose buffers are used again
      c.sources = planes(c.shape, 2, ranks());
      for (auto& list : c.targets) list = {whole(c.shape)};
    } else if (kind == 4) {  // one rank has all, and another receives all
      c.sources.back() = {whole(c.shape)};
      c.targets.front() = {whole(c.shape)};
    } else if (random(0, 2) == 0) {  // no targets, or nothing at all
      c.sources.back() = {whole(c.shape)};
    }
  }
};

TEST(BoxExchange, TargetsReceiveTheValuesOfTheGrid) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    unsigned row = 0;
    for (const Choice& choice : pairwise(settings.counts(), seed)) settings.check(choice, 100 * seed + row++);
  }
}

/// One megabyte is in flight in each of three slots at both ends, with up to one element more for each rank.
TEST(BoxExchange, LargeFieldsNeedSmallBuffers) {
  Case c{{101, 97, 16 * ranks() + 1}, {}, {}};
  c.sources = planes(c.shape, 2, ranks());
  c.targets = planes(c.shape, 1, ranks());
  c.policy.algorithm = Algorithm::alltoallv;
  check<std::complex<double>>(c);
  const auto me = static_cast<std::size_t>(rank());
  const FieldArray source = consecutive(c.sources[me][0]), target = consecutive(c.targets[me][0]);
  BoxExchange exchange(MPI_COMM_WORLD, c.shape, {&source, 1}, {&target, 1}, {.policy = c.policy});
  std::vector<std::complex<double>> in(static_cast<std::size_t>(source.box.volume())),
      out(static_cast<std::size_t>(target.box.volume()));
  exchange.copy<std::complex<double>>(in, out);
  const BoxReport report = exchange.report();
  EXPECT_EQ(16 * std::max(report.sent, report.received) > 1 << 20, ranks() > 1);
  EXPECT_LE(report.memory, 2 * 3 * ((1 << 20) + 16 * ranks()));
}

/// Results above four times the cache of a core are written directly to memory. Rows of targets do not begin at
/// multiples of 16 bytes.
TEST(BoxExchange, LargeResultsAreWrittenDirectly) {
  const GridShape shape{37, 3, static_cast<std::int64_t>(ranks()) + 1};
  Case c{shape, planes(shape, 2, ranks()), planes(shape, 2, ranks()), Layout::consecutive, Layout::padded};
  for (auto& list : c.targets) --list[0].axis[2].low;
  c.fields = 4 * core_cache() / (4 * 37 * 3 * 2) + 1;
  check<float>(c);
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

}  // namespace
}  // namespace seiche::testing
