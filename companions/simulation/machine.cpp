// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

namespace seiche::simulation {

namespace {

double named(const char* text, const char* name) {
  for (const char* at = text; (at = std::strstr(at, name)); ++at) {
    const std::size_t length = std::strlen(name);
    if ((at == text || at[-1] == ' ') && at[length] == '=') return std::strtod(at + length + 1, nullptr);
  }
  std::fprintf(stderr, "SEICHE_MACHINE has no %s: run companions/simulation/simulate.py, which sets it\n", name);
  std::abort();
}

Machine read_machine() {
  const char* given = std::getenv("SEICHE_MACHINE");
  const char* text = given ? given : "";
  return {named(text, "flops"), named(text, "disk"), named(text, "copy"), named(text, "queue")};
}

std::map<int, std::deque<int>> unexpected;  // by receiver: the senders, in order of arrival
double disk_is_free_at = 0;

}  // namespace

const Machine& machine() {
  static const Machine only = read_machine();
  return only;
}

double disk_until(double not_before, std::int64_t bytes) {
  disk_is_free_at = std::max(disk_is_free_at, not_before) + static_cast<double>(bytes) / machine().disk;
  return disk_is_free_at;
}

void arrives(int receiver, int sender) { unexpected[receiver].push_back(sender); }

std::int64_t match(int receiver, int sender) {
  auto& queue = unexpected[receiver];
  const auto found = std::find(queue.begin(), queue.end(), sender);
  if (found == queue.end()) return 0;
  const auto looked_at = found - queue.begin() + 1;
  queue.erase(found);
  return looked_at;
}

}  // namespace seiche::simulation
