// SPDX-License-Identifier: BSD-3-Clause
#include "fft/plan_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "comm/agree.hpp"

namespace seiche {

namespace {

constexpr std::size_t most_plans = 1024;  // of a communicator
constexpr std::size_t bits_of_word = 63;  // without the sign
constexpr std::size_t words_of_plans = most_plans / bits_of_word + 1;

/// Collective. Returns a quarter of the memory of the node for each of its ranks; the smallest of all ranks.
std::int64_t usual_memory_limit(const Communicator& comm) {
  const std::int64_t of_node = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::max<std::int64_t>(bounds(comm, of_node / comm.node().size() / 4).first, 1);
}

}  // namespace

PlanLimits& plan_limits() {
  static PlanLimits limits;
  return limits;
}

/// One reduction: a flag for errors, the digest and its complement, and a bit for each plan with the key of this rank.
/// A rank may find several plans under its key, because they differ on other ranks only.
std::shared_ptr<CachedPlan> PlanCache::find(const Communicator& comm, const PlanRequest& request) const {
  constexpr std::size_t header = 3;
  const std::optional<Error> fault = or_memory_fault(request.fault);
  const std::int64_t digest = request.equal.digest();
  std::array<std::int64_t, header + words_of_plans> words{fault ? 0 : 1, digest, ~digest};
  std::size_t position = 0;
  const auto word_at = [&]() -> std::int64_t& { return words[header + position / bits_of_word]; };
  const auto bit_at = [&] { return std::int64_t{1} << (position % bits_of_word); };
  for (const auto& plan : plans_) {
    if (plan->key == request.key) word_at() |= bit_at();
    ++position;
  }
  reduce_each(comm, std::span(words).first(header + plans_.size() / bits_of_word + 1), MPI_BAND);
  if (words[0] == 0) agree(comm, fault);
  if ((words[1] | words[2]) != -1) agree_on(comm, request.equal, {});
  position = 0;
  for (const auto& plan : plans_) {
    if ((word_at() & bit_at()) != 0) return plan;
    ++position;
  }
  return nullptr;
}

void PlanCache::add(const Communicator& comm, const std::shared_ptr<CachedPlan>& plan) {
  if (memory_limit_ == 0) memory_limit_ = usual_memory_limit(comm);
  const PlanCost cost = plan->cost();
  const auto [closed, open] = bounds(comm, std::array{cost.closed, cost.open}, {});
  plan->most = {closed.second, open.second, cost.exchanges};
  plans_.push_front(plan);
  keep_within_limits();
}

void PlanCache::use(const std::shared_ptr<CachedPlan>& plan) {
  const auto found = std::find(plans_.begin(), plans_.end(), plan);
  const bool was_open = std::exchange(plan->open, true);
  found == plans_.end() ? plans_.push_front(plan) : plans_.splice(plans_.begin(), plans_, found);
  if (found == plans_.end() || !was_open) keep_within_limits();
}

void PlanCache::keep_within_limits() {
  while (plans_.size() > 1 && (plans_.size() > most_plans || exceeds_limits())) {
    const auto last = plans_.back();
    plans_.pop_back();
    last->close();
  }
}

bool PlanCache::exceeds_limits() const {
  const PlanLimits& limits = plan_limits();
  std::int64_t memory = 0, exchanges = 0;
  for (const auto& plan : plans_) {
    memory += plan->bytes(plan->most);
    exchanges += plan->open ? plan->most.exchanges : 1;
  }
  return memory > (limits.memory > 0 ? limits.memory : memory_limit_) || exchanges > limits.exchanges;
}

void PlanCache::clear() {
  while (!plans_.empty()) {
    const auto plan = plans_.back();
    plans_.pop_back();
    plan->close();
  }
}

std::int64_t PlanCache::memory() const {
  return std::accumulate(plans_.begin(), plans_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& plan) { return sum + plan->bytes(plan->cost()); });
}

}  // namespace seiche
