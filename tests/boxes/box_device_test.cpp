// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges on devices: arrays in host and device memory, sums, started calls and errors.
#include <array>
#include <cstdlib>
#include <fstream>

#include "boxes/box_cases.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Which arrays of the caller are in device memory.
struct Place {
  bool source_there, target_there;
};
constexpr std::array places{Place{false, false}, Place{true, false}, Place{false, true}, Place{true, true}};

template <class T>
void check_in(const Place& place, Case c) {
  c.space = Space::cuda;
  c.source_there = place.source_there;
  c.target_there = place.target_there;
  check<T>(c);
}

TEST(BoxExchangeOnDevices, RandomBoxesReceiveTheValuesOfTheGrid) {
  unsigned seed = 500;
  const GridShape shape{7, 5, 6};
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::alltoallv, Algorithm::alltoall,
                                    Algorithm::ialltoallv, Algorithm::pairwise, Algorithm::two_level}) {
    std::vector<Place> some{places.front()};  // and one of the others, a different one for each algorithm
    some.push_back(places[1 + seed / 2 % (places.size() - 1)]);
    for (const Place& place : some) {
      Random random(++seed);
      const auto layout = [&] { return static_cast<Layout>(random(0, 3)); };
      Case c{shape,        cut_grid(shape, random), any_boxes(shape, random), layout(), layout(),
             random(1, 4), {.algorithm = algorithm}};
      check_in<double>(place, c);
      check_in<std::complex<double>>(place, c);
      c.policy.memory = 300;  // parts of fields, which end in the middle of rows
      check_in<float>(place, c);
      c.policy = {.algorithm = algorithm, .window = 2, .memory = 4000};
      c.fields = 7;
      check_in<std::complex<float>>(place, c);
      c.fields = 0;
      check_in<double>(place, c);
    }
  }
}

/// Slabs with two planes more on each side. One slab is thinner than its halo.
TEST(BoxExchangeOnDevices, HalosArePeriodic) {
  const GridShape shape{4, 3, static_cast<std::int64_t>(ranks()) + 1};
  Case c{shape, {}, {}};
  for (int r = 0; r < ranks(); ++r) {
    Box box = whole(shape);
    box.axis[2] = block(shape.nz, ranks(), r);
    c.sources.push_back({box});
    for (Range& range : box.axis) range = {range.low - 2, range.high + 2};
    c.targets.push_back({box});
  }
  for (const Place& place : places) check_in<double>(place, c);
}

TEST(BoxExchangeOnDevices, SomeRanksHaveNothing) {
  const GridShape shape{3, 4, 5};
  Case c{shape, Boxes(static_cast<std::size_t>(ranks())), Boxes(static_cast<std::size_t>(ranks()))};
  c.sources.back() = {whole(shape)};
  c.targets.front() = {whole(shape)};
  for (const Place& place : places) check_in<float>(place, c);
}

/// Each rank reads the values of all others in many small items, whose buffers are used again.
TEST(BoxExchangeOnDevices, ItemsWaitForTheirBuffers) {
  const GridShape shape{8, 3, 2 * ranks()};
  Case c{shape, {}, {}};
  for (int r = 0; r < ranks(); ++r) {
    Box box = whole(shape);
    box.axis[2] = {2 * r, 2 * r + 2};
    c.sources.push_back({box});
    c.targets.push_back({whole(shape)});
  }
  c.fields = 40;
  c.policy = {.window = 2, .memory = 2 * shape.volume() * std::int64_t{sizeof(double)}};
  for (const Place& place : places) check_in<double>(place, c);
}

/// Slabs of this rank, and target boxes of the whole grid on all ranks, so that each sum has a term of each rank.
struct Overlapping {
  GridShape shape{5, 3, 2 * ranks()};
  FieldArray source, target = consecutive(whole(shape));
  std::vector<double> terms;

  Overlapping() {
    Box mine = whole(shape);
    mine.axis[2] = {2 * rank(), 2 * rank() + 2};
    source = consecutive(mine);
    Random random(static_cast<unsigned>(rank()));
    for (std::int64_t i = 0; i < 2 * shape.volume(); ++i) terms.push_back(1.0 / static_cast<double>(random(1, 1000)));
  }
  BoxExchange exchange(const BoxOptions& options) const {
    return BoxExchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1}, options);
  }
  std::vector<double> sums(const BoxOptions& options) const {
    std::vector<double> into(static_cast<std::size_t>(2 * source.box.volume()), 0.1);
    exchange(options).add_back<double>(terms, into, 2);
    return into;
  }
};

TEST(BoxExchangeOnDevices, SumsHaveTheBitsOfTheHost) {
  const Overlapping boxes;
  const auto want = boxes.sums({});
  expect_equal(boxes.sums({.space = Space::cuda}), want);
  expect_equal(boxes.sums({.policy = {.algorithm = Algorithm::pairwise, .memory = 300}, .space = Space::cuda}),
               boxes.sums({.policy = {.memory = 300}}));
}

TEST(BoxExchangeOnDevices, StartedCallsMayBeDroppedAndOutliveTheExchange) {
  const Overlapping boxes;
  std::vector<double> in(static_cast<std::size_t>(boxes.source.box.volume()), 3),
      out(static_cast<std::size_t>(boxes.shape.volume()));
  const std::vector<double> want(out.size(), 3);
  BoxExchange exchange = boxes.exchange({.space = Space::cuda});
  exchange.start_copy<double>(in, out);
  exchange.copy<double>(in, out);
  expect_equal(out, want);
  std::fill(out.begin(), out.end(), 0);
  Pending last = exchange.start_copy<double>(in, out);
  exchange.close();
  last.finish();
  expect_equal(out, want);
}

TEST(BoxExchangeOnDevices, KernelsRunInTheStreamOfTheCaller) {
  const Overlapping boxes;
  constexpr std::int64_t legacy_stream = 1;
  expect_equal(boxes.sums({.space = Space::cuda, .stream = legacy_stream}), boxes.sums({}));
}

TEST(BoxExchangeOnDevices, ReportsItsAlgorithmAndMemory) {
  const Overlapping boxes;
  std::vector<double> in(static_cast<std::size_t>(boxes.source.box.volume())),
      out(static_cast<std::size_t>(boxes.shape.volume()));
  BoxExchange exchange = boxes.exchange({.space = Space::cuda}),
              pairwise = boxes.exchange({.policy = {.algorithm = Algorithm::pairwise}, .space = Space::cuda}),
              host = boxes.exchange({.policy = {.algorithm = Algorithm::pairwise}});
  expect_equal(exchange.report().algorithm, std::string(ranks() == 1 ? "local" : "shared"));
  for (BoxExchange* one : {&pairwise, &host}) one->copy<double>(in, out);
  expect_equal(pairwise.report().algorithm, std::string("pairwise"));
  EXPECT_EQ(pairwise.report().memory > host.report().memory, ranks() > 1) << "values and messages are separate";
  const auto sent_from = [](const BoxExchange& by, const char* memory) {
    expect_equal(by.report().messages, std::string(ranks() == 1 ? "none" : memory));
  };
  sent_from(exchange, "none");
  sent_from(pairwise, "device");
  sent_from(host, "host");
  const SendsFromHost without;
  sent_from(boxes.exchange({.policy = {.algorithm = Algorithm::pairwise}, .space = Space::cuda}), "host");
}

/// The tuning file has settings of the host.
TEST(BoxExchangeOnDevices, DoesNotReadTheTuningFile) {
  const Overlapping boxes;
  const ScratchDirectory scratch;
  ::setenv("SEICHE_TUNING", scratch.file("tuning.json").c_str(), 1);
  if (rank() == 0) std::ofstream(scratch.file("tuning.json")) << "this is no tuning file";
  MPI_Barrier(MPI_COMM_WORLD);
  const auto sums = boxes.sums({.space = Space::cuda});
  ::setenv("SEICHE_TUNING", "none", 1);
  expect_equal(sums, boxes.sums({}));
}

TEST(BoxExchangeOnDevices, RefusesWrongArguments) {
  const Overlapping boxes;
  for (const Place& place : places) {
    BoxExchange exchange = boxes.exchange({.space = Space::cuda});
    CallersArray<double> in(std::vector<double>(static_cast<std::size_t>(boxes.source.box.volume())),
                            place.source_there);
    CallersArray<double> out(std::vector<double>(static_cast<std::size_t>(boxes.shape.volume())), place.target_there);
    expect_error(Fault::bad_argument, "boxes: arrays are too short: 1 fields need",
                 [&] { exchange.copy<double>(in.span(), out.span().subspan(1)); });
    expect_error(Fault::bad_argument, "boxes: the source and target arrays overlap",
                 [&] { exchange.copy<double>(out.span().first(in.span().size()), out.span()); });
    if (ranks() == 1) continue;
    expect_error(Fault::bad_argument, "the exchange algorithm 'local' sends nothing", [&] {
      BoxExchange local = boxes.exchange({.policy = {.algorithm = Algorithm::local}, .space = Space::cuda});
      local.copy<double>(in.span(), out.span());
    });
  }
}

}  // namespace
}  // namespace seiche::testing
