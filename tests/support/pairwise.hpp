// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tables of settings in which each pair of values of two settings occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace seiche::testing {

/// A row of settings: the number of the value of each setting.
using Choice = std::vector<std::size_t>;

/// Returns rows in which each pair of values of two settings occurs. The same arguments give the same rows.
/// \param counts number of values of each setting
inline std::vector<Choice> pairwise(const std::vector<std::size_t>& counts, unsigned seed = 1) {
  using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // settings a < b and their values
  std::set<Pair> missing;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      for (std::size_t i = 0; i < counts[a] * counts[b]; ++i) missing.insert({a, b, i % counts[a], i / counts[a]});
    }
  }
  const auto pair_of = [](const Choice& row, std::size_t a, std::size_t b) {
    return a < b ? Pair{a, b, row[a], row[b]} : Pair{b, a, row[b], row[a]};
  };
  std::mt19937 random(seed);
  std::vector<Choice> rows;
  while (!missing.empty()) {
    const auto [first, second, value, other] = *std::next(missing.begin(), random() % missing.size());
    Choice row(counts.size());
    row[first] = value;
    row[second] = other;
    std::vector<std::size_t> chosen{first, second}, rest(counts.size());
    std::iota(rest.begin(), rest.end(), 0);
    std::shuffle(rest.begin(), rest.end(), random);
    for (const std::size_t setting : rest) {
      if (setting == first || setting == second) continue;
      std::size_t best = random() % counts[setting], most = 0;
      for (std::size_t v = 0; v < counts[setting]; ++v) {  // the value with the most missing pairs
        row[setting] = v;
        const auto found = static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), [&](std::size_t with) {
          return missing.count(pair_of(row, with, setting)) > 0;
        }));
        if (found > most) std::tie(best, most) = std::pair(v, found);
      }
      row[setting] = best;
      chosen.push_back(setting);
    }
    for (std::size_t b = 0; b < counts.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) missing.erase(pair_of(row, a, b));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace seiche::testing
