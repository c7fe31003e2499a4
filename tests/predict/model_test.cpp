// SPDX-License-Identifier: BSD-3-Clause
/// \file  Predictions of small cases beside what comes out by hand, at their limits, and where one number changes.
#include "predict/model.hpp"

#include "predict/a_machine.hpp"
#include "predict/best.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace predict;

FftOptions by(Algorithm way) {
  FftOptions options;
  options.policy.algorithm = way;
  return options;
}

const TransformCase cube8{{8, 8, 8}}, cube32{{32, 32, 32}};

Work work_of(const LinesOf& lines) {
  Work work;
  work.lines = {lines};
  return work;
}

void expect_near(double value, double expected) {
  EXPECT_NEAR(value, expected, 1e-9 * expected);
  compared();
}

TEST(Model, RanksShareCores) {
  expect_near(on_cores({1, 1, 1}, 2), 1.5);
  expect_near(on_cores({3, 1}, 2), 3);
  expect_near(on_cores({1, 1}, 0.5), 4);
  EXPECT_EQ(on_cores({}, 2), 0);
}

TEST(Model, OneRankOnlyTransformsLines) {
  const Prediction one = predicted(a_machine(), {1, 1}, cube8, {});
  expect_near(one.seconds, 2 * 3 * 64 * 5 * 8 * 3 / 1e9);  // there and back, 64 lines of 5 n log2 n along each axis
  EXPECT_EQ(one.bytes_sent, 0);
  EXPECT_EQ(one.parts.network + one.parts.cpu + one.parts.memory + one.parts.latency, 0);
  EXPECT_EQ(one.limited_by, "lines");
  EXPECT_EQ(one.memory, 8 * 9 * 12 * 16);  // rows of three cache lines, an odd number of rows in a plane
}

TEST(Model, TwoRanksOnTwoNodesByHand) {
  const Prediction pair = predicted(a_machine(), {2, 2}, cube8, by(Algorithm::alltoallv));
  const double lines = 23.04e-6, sent = 2 * 2048;  // half of 256 values of 16 bytes, there and back
  const double copied = 2 * (2048 + 2 * 2048);     // at each end: what stays once, what goes and comes back
  expect_near(pair.parts.lines, lines);
  expect_near(pair.parts.memory, copied / 8e9);
  expect_near(pair.parts.network, sent / 1e9);
  expect_near(pair.parts.cpu, sent * 4e-10 + 2 * 3e-6);
  expect_near(pair.parts.latency, (2 + 2) * 1e-5);  // a message of each exchange, one reduction after each transform
  expect_near(pair.seconds, lines + copied / 8e9 + sent * 4e-10 + 6e-6 + 4e-5);
  EXPECT_EQ(pair.bytes_sent, 2048);
}

TEST(Model, ChunksHideAllButTheFirstPlanesAndTheLastColumns) {
  Machine machine = a_machine();
  machine.between = Link{1e-5, 0, 1e6, 0};  // slow: 4 ms for a pair
  FftOptions options = by(Algorithm::pairwise);
  options.chunks = {1, 1, 1, 1};
  const Prediction pair = predicted(machine, {2, 2}, cube8, options);
  const double z = 7.68e-6, beside = 15.36e-6 + 12288 / 8e9;
  expect_near(pair.seconds, z / 2 + 4.096e-3 + beside / 4 + 4e-5);
  EXPECT_EQ(pair.limited_by, "network");
}

TEST(Model, BandsHideTheShorterOfWorkAndWire) {
  NodeWork work;
  work.ranks = {work_of({8, 1e6, false, 0})};
  work.ranks[0].copies = {{1e5, 2e9}, {4e5, 1e9}};  // half of the time each, from memory and cached
  work.ranks[0].between.bytes = 1e6;
  const Where where{2,
                    2};  // one rank on each node: a millisecond of lines, 0.1 of copies, 0.4 of CPU; 1 on the network
  expect_near(predicted(a_machine(), where, work, false).seconds, 1.1e-3 + 1e-3);
  expect_near(predicted(a_machine(), where, work, true, 10).seconds, 1.5e-3 + 1e-3 / 10);
  Machine slow = a_machine();
  slow.between->bandwidth = 2.5e8;
  expect_near(predicted(slow, where, work, true, 10).seconds, 4e-3 + 1.5e-3 / 10);
  work.units = 2;
  expect_near(predicted(slow, where, work, true, 10).seconds, 2e-3 + 0.75e-3 / 10);
}

TEST(Model, MoreRanksThanCoresShareThem) {
  NodeWork work;
  work.ranks.assign(8, work_of({8, 1e6, false, 0}));
  for (Work& of : work.ranks) of.signals = 2;
  work.in_place = true;
  const Prediction shared = predicted(a_machine(), {8, 1}, work, true);
  expect_near(shared.parts.lines, 2 * 1e6 / 0.5e9);            // two for each core, all of which are busy
  expect_near(shared.parts.latency, 2 * 1e-6 + 2 * 1 * 1e-5);  // each signal waits for a core once
  work.ranks.resize(3);
  expect_near(predicted(a_machine(), {3, 1}, work, true).parts.lines, 1e6 / (1e9 - 0.5e9 * 2 / 3));
}

TEST(Model, WhatIsNotInCacheTakesTheOtherRate) {
  Machine machine = a_machine();
  machine.computing = {{1, 1e9, 1e9, {{8, 1e9, 2e9, 4e9, 8e9}}}};
  const auto seconds = [&](bool columns, double footprint) {
    NodeWork work;
    work.ranks = {work_of({8, 1e9, columns, footprint})};
    return predicted(machine, {1, 1}, work, false).seconds;
  };
  expect_near(seconds(false, 1e9), 1);
  expect_near(seconds(true, 1e9), 0.5);
  expect_near(seconds(false, 1.1e9), 0.25);
  expect_near(seconds(true, 1.1e9), 0.125);
}

TEST(Model, FilesTakeTheDisksTime) {
  const FileCase file{2, 10, 1000, false};
  EXPECT_EQ(file.bytes(), 2 * 1000 * (10 * 16 + 12));
  const Prediction write = predicted(a_machine(), {1, 1}, file);
  expect_near(write.seconds, file.bytes() / 2e8);
  EXPECT_EQ(write.limited_by, "disk");
  FileCase back = file;
  back.reading = true;
  expect_near(predicted(a_machine(), {1, 1}, back).seconds, file.bytes() / 4e8);
  Machine without = a_machine();
  without.disk.reset();
  expect_error(Fault::bad_argument, "no rates of a disk", [&] { predicted(without, {1, 1}, file); });
}

TEST(Model, ProductsByHand) {
  const ProductCase product{100, {10}, 0.1, 1};
  const double operations = 2.0 * 100 * 100 * 100 * 0.01 * 1000;
  expect_near(predicted(a_machine(), {1, 1}, product).seconds, operations / 3e9);
  ProductCase filtered = product;
  filtered.multiplied = 0.25;
  expect_near(predicted(a_machine(), {1, 1}, filtered).seconds, operations / 4 / 3e9);
  const Prediction four = predicted(a_machine(), {4, 4}, product);
  const double received = 2 * 8e6 * 0.1 / 2 / 2;  // of A and B the half of a row and of a column of the grid
  EXPECT_EQ(four.bytes_sent, static_cast<std::int64_t>(received));
  expect_near(four.parts.network, received / 1e9);
  expect_near(four.seconds, operations / 4 / 3e9 + received * 4e-10 + 4 * 2 * 1e-5);
}

TEST(Model, ProductsThatAlternateByHand) {
  ProductCase product{100, {10}, 0.1, 1, 1};
  const double operations = 2.0 * 100 * 100 * 100 * 0.01 * 1000, received = 2 * 8e6 * 0.1 / 2 / 2;
  Machine machine = a_machine();
  const Prediction by_network = predicted(machine, {4, 4}, product);
  expect_near(by_network.seconds, operations / 4 / 3e9 + received / 1e9 + 4 * 2 * 1e-5);
  EXPECT_EQ(by_network.limited_by, "lines");
  machine.between->cpu = 4e-9;
  expect_near(predicted(machine, {4, 4}, product).seconds, operations / 4 / 3e9 + received * 4e-9 + 4 * 2 * 1e-5);
  machine.between->cpu = 0;
  machine.between->bandwidth = 1e7;
  machine.between->latency = 1;
  EXPECT_EQ(predicted(machine, {4, 4}, product).limited_by, "latency");
  machine.between->latency = 1e-5;
  product.window = 3;
  const Prediction hidden = predicted(machine, {4, 4}, product);
  expect_near(hidden.seconds, received / 1e7 + 4 * 2 * 1e-5);
  EXPECT_EQ(hidden.limited_by, "network");
}

TEST(Model, MoreRanksThanPlanesHaveIdleOnes) {
  for (const int ranks : {20, 64, 100}) {
    const Prediction many = predicted(a_machine(), {ranks, 4}, TransformCase{{4, 4, 4}}, {});
    EXPECT_GT(many.seconds, 0);
    EXPECT_LT(many.seconds, 1);
    EXPECT_EQ(many.settings.at("decomposition"), "pencil");
    compared(3);
  }
}

TEST(Model, WhatHelpsDoesNotHurt) {
  const auto seconds = [](const Machine& machine, const Where& where, const TransformCase& of) {
    compared();
    return predicted(machine, where, of, {}).seconds;
  };
  const Machine machine = a_machine();
  EXPECT_LT(seconds(machine, {2, 1}, cube32), seconds(machine, {1, 1}, cube32));
  EXPECT_GE(seconds(machine, {8, 1}, cube32), seconds(machine, {4, 1}, cube32));  // no more cores
  for (const TransformCase& of : {cube32, TransformCase{{32, 32, 32}, false, 10, 8}}) {
    Machine better = machine;
    better.between->bandwidth *= 10;
    EXPECT_LE(seconds(better, {4, 4}, of), seconds(machine, {4, 4}, of));
    better.between->cpu = 0;
    EXPECT_LT(seconds(better, {4, 4}, of), seconds(machine, {4, 4}, of));
    EXPECT_LE(best(machine, {4, 4}, of).seconds, seconds(machine, {4, 4}, of));
  }
}

TEST(Model, OwnExchangeOfGridsByHand) {
  const Prediction own = own_exchange(a_machine(), {2, 2}, {.shape = {8, 8, 8}, .looks_up = true});
  const double sent = 2 * 2048, copied = 2 * (2048 + 2 * 2048);  // as in TwoRanksOnTwoNodesByHand
  expect_near(own.seconds, 23.04e-6 + copied / 8e9 + sent * 4e-10 + 6e-6 + 4e-5);
  EXPECT_EQ(own.settings.at("algorithm"), "alltoallv");
  const Prediction alone = own_exchange(a_machine(), {1, 1}, cube8);  // nothing to exchange
  expect_near(alone.seconds, predicted(a_machine(), {1, 1}, cube8, {}).seconds);
  const Prediction idle = own_exchange(a_machine(), {8, 4}, {{4, 4, 4}});  // four of eight ranks have a plane
  expect_near(idle.parts.lines, own_exchange(a_machine(), {4, 2}, {{4, 4, 4}}).parts.lines);
}

TEST(Model, OwnExchangeOfBandsByHand) {
  Machine machine = a_machine();
  machine.between = Link{1e-5, 0, 1e6, 0};
  const TransformCase of{{8, 8, 8}, false, 2, 10};
  const Prediction own = own_exchange(machine, {2, 2}, of);
  const double network = 2 * 12 * 4 * 16 / 1e6;  // half of the sticks of both ranks, in rows of three cache lines
  expect_near(own.parts.network, network);
  expect_near(own.parts.latency, 2 * 1e-5);
  expect_near(own.seconds, own.parts.lines + own.parts.memory + network + 2 * 1e-5);
  EXPECT_EQ(own.settings.at("band_groups"), "1");
  FftOptions hidden = by(Algorithm::pairwise);
  hidden.band_groups = 1;
  EXPECT_LT(predicted(machine, {2, 2}, of, hidden).seconds, own.seconds);
}

TEST(Model, SlowLinksAskForBandGroups) {
  Machine machine = a_machine();
  machine.between->bandwidth = 1e6;
  const Prediction found = best(machine, {4, 2}, TransformCase{{32, 32, 32}, false, 8, 16});
  EXPECT_NE(found.settings.at("band_groups"), "1");  // between groups only coefficients travel
  compared();
}

TEST(Model, RefusesWhatNobodyHas) {
  const auto refused = [](const std::string& says, const Machine& machine, const Where& where,
                          const FftOptions& options) {
    expect_error(Fault::bad_argument, says, [&] { predicted(machine, where, cube8, options); });
  };
  const Machine machine = a_machine();
  refused("the number of ranks must be positive (got 0)", machine, {0, 1}, {});
  refused("3 nodes for 2 ranks: give at least one node and at most as many nodes as ranks", machine, {2, 3}, {});
  refused("the exchange algorithm 'shared' needs all ranks on one node (got 2 nodes)", machine, {2, 2},
          by(Algorithm::shared));
  Machine alone = machine;
  alone.between.reset();
  refused("no rates of messages between nodes: measure the machine again", alone, {2, 2}, {});
  alone.inside.reset();
  refused("no rates of messages inside a node", alone, {2, 1}, {});
  expect_error(Fault::bad_argument, "must divide the number of ranks (got 3 groups for 4 ranks)", [&] {
    FftOptions options;
    options.band_groups = 3;
    predicted(machine, {4, 2}, TransformCase{{8, 8, 8}, false, 2, 4}, options);
  });
  expect_error(Fault::bad_argument, "a sphere of radius 5 does not fit a grid of 8 x 8 x 8 points: give at most 4",
               [&] {
                 predicted(machine, {1, 1}, TransformCase{{8, 8, 8}, false, 5, 4}, {});
               });
  expect_error(Fault::bad_argument, "grid dimensions must be positive (got 0 x 8 x 8)", [&] {
    predicted(machine, {1, 1}, TransformCase{{0, 8, 8}}, {});
  });
}

}  // namespace
}  // namespace seiche::testing
