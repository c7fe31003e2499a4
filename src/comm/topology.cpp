// SPDX-License-Identifier: BSD-3-Clause
#include "comm/levels.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/handle.hpp"
#include "comm/node.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// The order of a communicator's ranks.
struct Order final : KeptOnCommunicator {
  bool known = false;
  std::vector<Level> levels;
  CommunicatorHandle handle;            // of `comm`
  std::optional<Communicator> ordered;  // none: the ranks are in order
  void clear() override {
    known = false;
    ordered.reset();
    handle = {};
  }
};

std::string host_name() {
  if (ranks_per_node() != 0) return formatted("node{}", emulated_node());
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  require(file && text << file.rdbuf(), Fault::bad_file, "cannot read the topology file {}: change SEICHE_TOPOLOGY",
          path);
  return text.str();
}

/// Collective. Returns the table of SEICHE_TOPOLOGY on rank 0, or nothing if it is not set.
std::optional<HostTable> table_of_machine(const Communicator& comm) {
  std::string path = environment("SEICHE_TOPOLOGY"), text;
  broadcast(comm, path);
  if (path.empty()) return {};
  if (path == "nodes") return HostTable{};
  on_root(comm, [&] { text = text_of_file(path); });
  broadcast(comm, text);
  return made_together(comm, [&] { return host_table(text, path); });
}

/// Collective. Returns the line of the host of each rank in the machine.
std::vector<std::int64_t> lines_of_ranks(const Communicator& comm, const HostTable& machine) {
  std::int64_t mine = 0;
  together(comm, [&] {
    const std::string host = host_name();
    const auto found = std::find(machine.hosts.begin(), machine.hosts.end(), host);
    require(machine.levels.empty() || found != machine.hosts.end(), Fault::bad_file,
            "the topology file {} does not contain the host '{}': add a line for it", machine.path, host);
    mine = found - machine.hosts.begin();
  });
  return gather_all(comm, mine);
}

/// Collective. Returns the levels of all ranks.
std::vector<Level> measured_levels(const Communicator& comm, const HostTable& machine) {
  const auto lines = lines_of_ranks(comm, machine);
  const auto nodes = gather_all(comm, bounds(comm.node(), comm.rank()).first);
  return made_together(comm, [&] {
    std::vector<std::string> names{"node"};
    names.insert(names.end(), machine.levels.begin(), machine.levels.end());
    std::vector<std::vector<std::string>> groups;
    for (std::size_t r = 0; r < lines.size(); ++r) {
      auto& mine = groups.emplace_back(1, std::to_string(nodes[r]));
      if (machine.levels.empty()) continue;
      const auto& above = machine.groups[static_cast<std::size_t>(lines[r])];
      mine.insert(mine.end(), above.begin(), above.end());
    }
    return nested_levels(names, groups);
  });
}

/// Collective. Finds the order of the ranks.
void find_order(const Communicator& comm, Order& order) {
  const auto machine = table_of_machine(comm);
  if (machine) {
    order.levels = measured_levels(comm, *machine);
    const auto ranks = made_together(comm, [&] { return put_in_order(order.levels); });
    if (!std::is_sorted(ranks.begin(), ranks.end())) {
      MPI_Comm raw = MPI_COMM_NULL;
      const auto place = std::find(ranks.begin(), ranks.end(), comm.rank()) - ranks.begin();
      check(MPI_Comm_split(comm.get(), 0, static_cast<int>(place), &raw), "MPI_Comm_split");
      order.handle = CommunicatorHandle(raw);
      order.ordered.emplace(raw);
      kept_on<Order>(*order.ordered).levels = std::exchange(order.levels, {});
    }
  }
  order.known = true;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

HostTable host_table(const std::string& text, const std::string& path) {
  HostTable machine;
  machine.path = path;
  std::istringstream lines(text);
  bool headed = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    auto words = words_of(line);
    if (words.empty()) continue;
    const std::string first = words.front();
    words.erase(words.begin());
    if (!headed) {
      require(first == "host", Fault::bad_file,
              "line {} of the topology file {} begins with '{}': begin with 'host' and the names of the levels", number,
              path, first);
      machine.levels = std::move(words);
      headed = true;
      continue;
    }
    require(words.size() == machine.levels.size(), Fault::bad_file,
            "line {} of the topology file {} has {} groups: give {}, one for each level", number, path, words.size(),
            machine.levels.size());
    require(std::find(machine.hosts.begin(), machine.hosts.end(), first) == machine.hosts.end(), Fault::bad_file,
            "line {} of the topology file {} has the host '{}' again: remove it", number, path, first);
    machine.hosts.push_back(first);
    machine.groups.push_back(std::move(words));
  }
  require(headed, Fault::bad_file, "the topology file {} is empty: begin with 'host' and the names of the levels",
          path);
  return machine;
}

std::vector<Level> nested_levels(const std::vector<std::string>& names,
                                 const std::vector<std::vector<std::string>>& groups) {
  std::vector<Level> levels(names.size());
  std::vector<int> above(groups.size(), 0);
  for (std::size_t l = names.size(); l-- > 0;) {
    std::map<std::pair<int, std::string>, int> lowest;
    levels[l].name = names[l];
    for (std::size_t r = 0; r < groups.size(); ++r)
      levels[l].given.push_back(lowest.try_emplace({above[r], groups[r][l]}, static_cast<int>(r)).first->second);
    above = levels[l].given;
  }
  return levels;
}

std::vector<int> put_in_order(std::vector<Level>& levels) {
  std::vector<int> ranks(levels.front().given.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const Level& level : levels) {  // the highest level is last and so comes first
    std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
      return level.given[static_cast<std::size_t>(a)] < level.given[static_cast<std::size_t>(b)];
    });
  }
  for (Level& level : levels) {
    level.ordered.clear();
    for (const int r : ranks) level.ordered.push_back(level.given[static_cast<std::size_t>(r)]);
  }
  return ranks;
}

const std::vector<Level>& levels_of(const Communicator& comm) { return kept_on<Order>(comm).levels; }

Communicator in_given_order(const Communicator& comm) {
  if (order_ranks(comm).get() == comm.get()) return comm;
  const Communicator same = comm.split(0);
  kept_on<Order>(same).known = true;
  return same;
}

Communicator order_ranks(const Communicator& comm) {
  if (comm.size() == 1) return comm;
  Order& order = kept_on<Order>(comm);
  if (!order.known) find_order(comm, order);
  return order.ordered ? *order.ordered : comm;
}

}  // namespace seiche
