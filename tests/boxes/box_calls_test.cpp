// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests box exchanges besides correct values: bits, streams, started calls, reports and errors.
#include <array>
#include <cstdlib>
#include <fstream>

#include "boxes/box_cases.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

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

TEST(BoxExchangeOnDevices, HasTheBitsOfTheHost) {
  const Overlapping boxes;
  const auto want = boxes.sums({});
  expect_equal(boxes.sums({.space = Space::cuda}), want);
  expect_equal(boxes.sums({.policy = {.algorithm = Algorithm::pairwise, .memory = 300}, .space = Space::cuda}),
               boxes.sums({.policy = {.memory = 300}}));
}

TEST(BoxExchange, StartedCallsMayBeDroppedAndOutliveTheExchange) {
  const Overlapping boxes;
  for (const Space space : {Space::host, Space::cuda}) {
    std::vector<double> in(static_cast<std::size_t>(boxes.source.box.volume()), 3),
        out(static_cast<std::size_t>(boxes.shape.volume()));
    const std::vector<double> want(out.size(), 3);
    BoxExchange exchange = boxes.exchange({.space = space});
    exchange.start_copy<double>(in, out);
    exchange.copy<double>(in, out);
    expect_equal(out, want);
    std::fill(out.begin(), out.end(), 0);
    Pending last = exchange.start_copy<double>(in, out);
    exchange.close();
    last.finish();
    expect_equal(out, want);
  }
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
  for (const auto& [in_there, out_there] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    BoxExchange device(MPI_COMM_WORLD, shape, {&mine, 1}, {&mine, 1}, {.space = Space::cuda});
    CallersArray<double> from(std::vector<double>(64), in_there), into(std::vector<double>(64), out_there);
    expect_error(Fault::bad_argument, "boxes: arrays are too short: 1 fields need",
                 [&] { device.copy<double>(from.span(), into.span().subspan(1)); });
    expect_error(Fault::bad_argument, "boxes: the source and target arrays overlap",
                 [&] { device.copy<double>(into.span(), into.span()); });
  }
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
  if (ranks() > 1) {
    expect_error(Fault::bad_argument, "the exchange algorithm 'local' sends nothing",
                 [&] { Overlapping().sums({.policy = {.algorithm = Algorithm::local}, .space = Space::cuda}); });
  }
  exchange.close();
  expect_error(Fault::bad_argument, "boxes: this exchange is closed or moved from",
               [&] { exchange.copy<double>(in, out); });
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
