// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests how `seiche tune --topology` finds groups of nodes, and the file that it writes.
#include "node_groups.hpp"

#include <nlohmann/json.hpp>

#include "comm/levels.hpp"
#include "support/topology.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {

/// Returns times of links that are slow between nodes of different groups. Each link has a time of its own.
std::vector<std::vector<double>> times(const std::vector<int>& groups, double slow) {
  std::vector<std::vector<double>> seconds(groups.size(), std::vector<double>(groups.size()));
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = 0; b < groups.size(); ++b)
      seconds[a][b] = (groups[a] == groups[b] ? 1 : slow) * (1 + 0.02 * static_cast<double>((a + b) % 10));
  return seconds;
}

}  // namespace

TEST(NodeGroups, HaveFastLinksInside) {
  for (const std::vector<int>& groups : {std::vector{0, 1, 0, 1}, {0, 0, 1}, {0, 1, 1, 2, 0, 2, 2, 1}, {0, 0, 0, 1, 2}})
    expect_equal(command::groups_by_time(times(groups, 2)), groups);
}

/// Links between groups differ, as if some of them were shared.
TEST(NodeGroups, AreTheSmallestOfSeveralLevels) {
  const std::vector<int> groups{0, 1, 1, 0, 2, 2};
  auto seconds = times(groups, 2);
  for (std::size_t a = 0; a < 4; ++a) seconds[a][4] = seconds[a][5] = seconds[4][a] = seconds[5][a] = 6;
  expect_equal(command::groups_by_time(seconds), groups);
}

TEST(NodeGroups, AreOneWithoutSlowLinks) {
  expect_equal(command::groups_by_time(times({0, 1, 0, 1}, 1.3)), std::vector<int>(4));
  expect_equal(command::groups_by_time(times({0, 1}, 9)), std::vector<int>(2));
  expect_equal(command::groups_by_time({{0}}), std::vector<int>(1));
}

/// Nodes 0, 2, 3 and 1 in a row, whose neighbours have fast links, are no groups.
TEST(NodeGroups, AreOneIfFastLinksChainThem) {
  auto seconds = times({0, 1, 2, 3}, 5);
  for (const auto& [a, b] : {std::pair{0, 2}, {2, 3}, {3, 1}}) seconds[a][b] = seconds[b][a] = 1;
  expect_equal(command::groups_by_time(seconds), std::vector<int>(4));
}

TEST(NodeGroups, AreWrittenForTheLibrary) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("groups");
  command::Session session;
  session.rank = rank();
  session.size = ranks();
  session.json = true;
  ::testing::internal::CaptureStdout();
  command::tune_topology(session, path);
  const std::string said = ::testing::internal::GetCapturedStdout();
  if (rank() == 0) {
    EXPECT_EQ(nlohmann::json::parse(said), (nlohmann::json{{"file", path}, {"nodes", 1}, {"groups", 1}}));
    std::ifstream file(path);
    const HostTable table = host_table({std::istreambuf_iterator<char>(file), {}}, path);
    expect_equal(table.levels, std::vector<std::string>{"group"});
    expect_equal(table.groups, std::vector<std::vector<std::string>>{{"0"}});
  }
  compared();
}
