// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the table of hosts, and the order of ranks in nested levels.
#include <algorithm>
#include <string>
#include <vector>

#include "comm/levels.hpp"
#include "seiche/c/fft.h"
#include "support/fresh_communicator.hpp"
#include "support/topology.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {

using Names = std::vector<std::string>;

void expect_table_error(const std::string& text, const std::string& part) {
  expect_error(Fault::bad_file, part, [&] { host_table(text, "hosts"); });
}

/// Returns how often neighbours in `ranks` are in different groups.
int changes(const std::vector<int>& ranks, const std::vector<Names>& groups, std::size_t level) {
  int count = 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const auto &a = groups[static_cast<std::size_t>(ranks[i - 1])], &b = groups[static_cast<std::size_t>(ranks[i])];
    count += !std::equal(a.begin() + static_cast<std::ptrdiff_t>(level), a.end(),
                         b.begin() + static_cast<std::ptrdiff_t>(level));
  }
  return count;
}

}  // namespace

TEST(HostTable, HasLevelsAndGroups) {
  const HostTable read = host_table("# a machine\n\nhost group hall  # two levels\n a 1 x\nb 1\ty\n", "hosts");
  expect_equal(read.levels, Names{"group", "hall"});
  expect_equal(read.hosts, Names{"a", "b"});
  expect_equal(read.groups, std::vector<Names>{{"1", "x"}, {"1", "y"}});
  EXPECT_TRUE(host_table("host", "hosts").levels.empty());
}

TEST(HostTable, NamesTheWrongLine) {
  expect_table_error("# nothing\n", "the topology file hosts is empty: begin with 'host'");
  expect_table_error("\na 1\n", "line 2 of the topology file hosts begins with 'a': begin with 'host'");
  expect_table_error("host group\na 1\nb\n", "line 3 of the topology file hosts has 0 groups: give 1");
  expect_table_error("host group\na 1 2\n", "line 2 of the topology file hosts has 2 groups: give 1");
  expect_table_error("host group\na 1\na 2\n", "line 3 of the topology file hosts has the host 'a' again");
}

/// Each group is contiguous: neighbours change their group as often as there are further groups.
TEST(Order, KeepsEachGroupTogether) {
  for (const int ranks_here : {1, 2, 7, 12, 30}) {
    std::vector<Names> groups;
    for (int r = 0; r < ranks_here; ++r)
      groups.push_back({std::to_string(r * 5 % 6), std::to_string(r * 7 % 3), std::to_string(r % 2)});
    auto levels = nested_levels({"node", "group", "hall"}, groups);
    const auto order = put_in_order(levels);
    for (std::size_t l = 0; l < 3; ++l) {
      std::vector<Names> distinct;
      for (const Names& of : groups) distinct.emplace_back(of.begin() + static_cast<std::ptrdiff_t>(l), of.end());
      for (int p = 0; p < ranks_here; ++p) {
        const auto q = static_cast<std::size_t>(order[static_cast<std::size_t>(p)]);
        EXPECT_EQ(levels[l].ordered[static_cast<std::size_t>(p)], levels[l].given[q]);
        const auto first = std::find(distinct.begin(), distinct.end(), distinct[q]) - distinct.begin();
        EXPECT_EQ(levels[l].given[q], first) << "a group has the number of its lowest rank";
      }
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      EXPECT_EQ(changes(order, groups, l), std::ssize(distinct) - 1);
      compared(1 + 2 * ranks_here);
    }
  }
}

TEST(Order, KeepsRanksThatAreInOrder) {
  auto levels = nested_levels({"node", "group"}, {{"9", "b"}, {"9", "b"}, {"3", "b"}, {"1", "a"}, {"0", "a"}});
  expect_equal(put_in_order(levels), std::vector<int>{0, 1, 2, 3, 4});
}

TEST(Order, OfACommunicatorFollowsTheFile) {
  const EmulatedNodes nodes(-ranks());  // each rank is on its own node
  const ScratchDirectory scratch;
  std::string text = "host parity\n";
  for (int r = 0; r < ranks(); ++r) text += "node" + std::to_string(r) + (r % 2 == 0 ? " even\n" : " odd\n");
  const TopologySetting file(topology_file(scratch, text));
  const FreshCommunicator fresh;
  const Communicator comm = fresh.raw, ordered = order_ranks(comm);
  const int evens = (ranks() + 1) / 2;
  EXPECT_EQ(ordered.rank(), rank() % 2 == 0 ? rank() / 2 : evens + rank() / 2);
  EXPECT_EQ(order_ranks(comm).get(), ordered.get()) << "the order is kept";
  EXPECT_EQ(order_ranks(ordered).get(), ordered.get()) << "it is in order";
  int told = -1;
  EXPECT_EQ(seiche_order_ranks(fresh.raw, &told), SEICHE_OK);
  EXPECT_EQ(told, ordered.rank()) << "C tells the same rank";
  compared(5);
}

TEST(Order, OfNodesNeedsNoFile) {
  const EmulatedNodes nodes(-2);
  const TopologySetting topology("nodes");
  const FreshCommunicator fresh;
  const Communicator ordered = order_ranks(fresh.raw);
  const int evens = (ranks() + 1) / 2;
  EXPECT_EQ(ordered.rank(), rank() % 2 == 0 ? rank() / 2 : evens + rank() / 2);
  compared();
}

TEST(Order, IsThatOfTheCallerWithoutATopology) {
  const EmulatedNodes nodes(-2);
  const FreshCommunicator fresh;
  const Communicator comm = fresh.raw;
  EXPECT_EQ(order_ranks(comm).get(), comm.get());
  EXPECT_TRUE(levels_of(comm).empty());
  compared(2);
}

TEST(Order, ReportsAFileOnAllRanks) {
  if (ranks() == 1) GTEST_SKIP() << "one rank needs no order";
  const EmulatedNodes nodes(-ranks());
  const ScratchDirectory scratch;
  const FreshCommunicator fresh;
  const Communicator comm = fresh.raw;
  const auto fails = [&](const std::string& path, const std::string& part) {
    const TopologySetting file(path);
    expect_error(Fault::bad_file, part, [&] { order_ranks(comm); });
  };
  fails(scratch.file("none"), "cannot read the topology file " + scratch.file("none") + ": change SEICHE_TOPOLOGY");
  fails(scratch.path().string(), "cannot read the topology file");
  fails(topology_file(scratch, "host group\nnode0\n"), "has 0 groups");
  const std::string last = "node" + std::to_string(ranks() - 1);
  std::string text = "host group\n";
  for (int r = 0; r + 1 < ranks(); ++r) text += "node" + std::to_string(r) + " a\n";
  fails(topology_file(scratch, text), "does not contain the host '" + last + "': add a line for it");
  const TopologySetting file(topology_file(scratch, text + last + " b\n"));
  EXPECT_NO_THROW(order_ranks(comm)) << "a later call reads the file again";
}
