// SPDX-License-Identifier: BSD-3-Clause
#include "fft/crossing.hpp"

#include <cmath>
#include <numeric>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/formatted.hpp"

namespace seiche {

namespace {

/// Returns the rank in `all` of each rank of `some`.
std::vector<std::size_t> ranks_in(const Communicator& all, const Communicator& some) {
  MPI_Group of_all = MPI_GROUP_NULL, of_some = MPI_GROUP_NULL;
  check(MPI_Comm_group(all.get(), &of_all), "MPI_Comm_group");
  check(MPI_Comm_group(some.get(), &of_some), "MPI_Comm_group");
  std::vector<int> ranks(static_cast<std::size_t>(some.size())), found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  check(MPI_Group_translate_ranks(of_some, some.size(), ranks.data(), of_all, found.data()),
        "MPI_Group_translate_ranks");
  MPI_Group_free(&of_all);
  MPI_Group_free(&of_some);
  return {found.begin(), found.end()};
}

}  // namespace

void Crossing::add(const Communicator& among, const Route& route) {
  if (elements_.empty()) return;
  const auto ranks = ranks_in(ordered_, among);
  const auto me = static_cast<std::size_t>(ordered_.rank());
  auto sum = elements_.begin();
  for (const Level& level : levels_of(ordered_)) {
    for (const auto* group : {&level.ordered, &level.given}) {
      for (std::size_t q = 0; q < ranks.size(); ++q)
        if ((*group)[ranks[q]] != (*group)[me]) *sum += route.source[q].size();
      ++sum;
    }
  }
}

std::string Crossing::text(double bytes) const {
  std::string text;
  if (elements_.empty()) return text;
  const auto sums = sum_each(ordered_, elements_);
  auto sum = sums.begin();
  const auto next = [&] { return std::llround(static_cast<double>(*sum++) * bytes); };
  for (const Level& level : levels_of(ordered_)) {
    const auto with = next(), without = next();
    text += formatted("{}{} {} ({})", text.empty() ? "" : ", ", level.name, with, without);
  }
  return text;
}

}  // namespace seiche
