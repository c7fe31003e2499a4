// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges of large fields, which travel in parts.
#include "boxes/box_cases.hpp"
#include "support/aligned_memory.hpp"

namespace seiche::testing {
namespace {

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
  BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1},
                       {.policy = {.algorithm = Algorithm::alltoallv}});
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

}  // namespace
}  // namespace seiche::testing
