// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chooses blocks for efficient products: merges small blocks, and cuts large ones.
#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/matrix/regroup.hpp"
#include "comm/agree.hpp"

namespace seiche {

namespace {

constexpr std::int32_t few_rows = 16, most_rows = 24, too_many = 48;
constexpr std::size_t couplings_kept = 12;  // per block: few, so that each rank can store the couplings of all blocks

/// The coupling of a block to another block.
struct Coupling {
  std::int32_t block, other;
  double squared;  ///< squared norm of the elements between them
};

/// Collective. Returns the strongest couplings of each block, in descending order.
template <class Value>
std::vector<std::vector<Coupling>> strongest_couplings(const BlockMatrix<Value>& matrix) {
  const auto keep_strongest = [](std::vector<Coupling>& all) {
    std::sort(all.begin(), all.end(), [](const Coupling& a, const Coupling& b) {
      return a.squared != b.squared ? a.squared > b.squared : a.other < b.other;
    });
    all.resize(std::min(all.size(), couplings_kept));
  };
  const Communicator& comm = matrix.layout().comm;
  std::vector<std::vector<Coupling>> of;
  std::vector<double> mine;
  together(comm, [&] {
    of.resize(matrix.layout().row_sizes.size());
    const auto& norms = matrix.norms();
    each_block(matrix, [&](const StoredBlock& b) {
      if (b.on_diagonal()) return;
      const double norm = norms[static_cast<std::size_t>(b.number)];
      of[static_cast<std::size_t>(b.at.row)].push_back({b.at.row, b.at.column, norm * norm});
      if (matrix.symmetry() != Symmetry::none) {
        of[static_cast<std::size_t>(b.at.column)].push_back({b.at.column, b.at.row, norm * norm});
      }
    });
    for (auto& couplings : of) {
      keep_strongest(couplings);
      for (const Coupling& c : couplings) {
        mine.insert(mine.end(), {static_cast<double>(c.block), static_cast<double>(c.other), c.squared});
      }
      couplings.clear();
    }
  });
  const std::vector<double> all = join_all(comm, mine);
  together(comm, [&] {
    for (std::size_t n = 0; n < all.size(); n += 3) {
      const auto block = static_cast<std::int32_t>(all[n]);
      of[static_cast<std::size_t>(block)].push_back({block, static_cast<std::int32_t>(all[n + 1]), all[n + 2]});
    }
    for (auto& couplings : of) keep_strongest(couplings);
  });
  return of;
}

using Groups = std::vector<std::vector<std::int32_t>>;  // ascending blocks of each group, sorted by their first block

/// Merges consecutive small blocks of the user's list.
Groups in_runs(const BlockSizes& sizes) {
  Groups groups;
  std::size_t open = 0;
  std::int32_t rows = most_rows;  // of the current run
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const bool small = sizes[b] < few_rows, fits = small && rows + sizes[b] <= most_rows;
    if (fits) {
      groups[open].push_back(static_cast<std::int32_t>(b));
      rows += sizes[b];
      continue;
    }
    if (small) {
      open = groups.size();
      rows = sizes[b];
    }
    groups.push_back({static_cast<std::int32_t>(b)});
  }
  return groups;
}

/// Groups of blocks, which grow by merging the two groups with the strongest average coupling of their rows (average
/// linkage, after R. R. Sokal and C. D. Michener, Univ. Kansas Sci. Bull. 38, 1409 (1958)), up to a maximal size.
class Grouping {
 public:
  Grouping(const BlockSizes& sizes, const std::vector<std::vector<Coupling>>& couplings)
      : rows_(sizes), coupled_(sizes.size()), members_(sizes.size()), version_(sizes.size()) {
    for (std::size_t b = 0; b < sizes.size(); ++b) members_[b] = {static_cast<std::int32_t>(b)};
    for (const auto& list : couplings) {
      for (const Coupling& c : list) {
        if (is_small(c.block) && is_small(c.other)) couple(c.block, c.other, c.squared);
      }
    }
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      for (const auto& [other, squared] : coupled_[b]) {
        if (static_cast<std::size_t>(other) > b) propose(static_cast<std::int32_t>(b), other, squared);
      }
    }
    join_strongest();
    join_left_over();
  }

  Groups groups() const {
    Groups all;
    for (const auto& group : members_) {
      if (!group.empty()) all.push_back(group);
    }
    return all;
  }

 private:
  /// Two groups that may be merged, unless one of them has changed since.
  struct Proposal {
    double strength;
    std::int32_t one, other, version_one, version_other;
    bool operator<(const Proposal& than) const {  // ties are resolved in order of the groups
      return std::tuple(strength, than.one, than.other) < std::tuple(than.strength, one, other);
    }
  };

  bool is_small(std::int32_t block) const { return rows_[static_cast<std::size_t>(block)] < few_rows; }
  bool fit(std::size_t one, std::size_t other) const { return rows_[one] + rows_[other] <= most_rows; }
  void couple(std::int32_t one, std::int32_t other, double squared) {
    coupled_[static_cast<std::size_t>(one)][other] = coupled_[static_cast<std::size_t>(other)][one] = squared;
  }

  void propose(std::int32_t one, std::int32_t other, double squared) {
    const auto a = static_cast<std::size_t>(std::min(one, other)), b = static_cast<std::size_t>(std::max(one, other));
    if (!fit(a, b)) return;
    const double pairs = static_cast<double>(rows_[a]) * rows_[b];
    proposals_.push(
        {squared / pairs, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), version_[a], version_[b]});
  }

  void join_strongest() {
    for (; !proposals_.empty(); proposals_.pop()) {
      const Proposal best = proposals_.top();
      const auto one = static_cast<std::size_t>(best.one), other = static_cast<std::size_t>(best.other);
      if (version_[one] != best.version_one || version_[other] != best.version_other) continue;
      join(one, other);
      for (const auto& [block, squared] : coupled_[other]) {
        if (block == best.one) continue;
        auto& theirs = coupled_[static_cast<std::size_t>(block)];
        theirs.erase(best.other);
        coupled_[one][block] = theirs[best.one] += squared;
      }
      coupled_[one].erase(best.other);
      coupled_[other].clear();
      for (const auto& [block, squared] : coupled_[one]) propose(best.one, block, squared);
    }
  }

  /// Merges groups without a coupled partner of suitable size with the next such group in the list, unless they are
  /// large enough.
  void join_left_over() {
    std::size_t open = members_.size();
    for (std::size_t g = 0; g < members_.size(); ++g) {
      if (members_[g].empty() || rows_[g] >= few_rows / 2) continue;
      if (open < members_.size() && fit(open, g)) {
        join(open, g);
      } else {
        open = g;
      }
    }
  }

  void join(std::size_t one, std::size_t other) {
    rows_[one] += rows_[other];
    members_[one].insert(members_[one].end(), members_[other].begin(), members_[other].end());
    std::sort(members_[one].begin(), members_[one].end());
    members_[other].clear();
    ++version_[one];
    ++version_[other];
  }

  BlockSizes rows_;                                      // of each group; a group has the number of its first block
  std::vector<std::map<std::int32_t, double>> coupled_;  // to other groups: sums of squared elements
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::int32_t> version_;
  std::priority_queue<Proposal> proposals_;
};

/// Cuts the rows of a large block into equal parts.
std::vector<BlockSegment> cut(std::int32_t rows, std::int32_t first_block) {
  const std::int32_t parts = (rows + most_rows - 1) / most_rows;
  std::vector<BlockSegment> segments;
  for (std::int32_t p = 0; p < parts; ++p) {
    const std::int32_t low = p * rows / parts, high = (p + 1) * rows / parts;
    segments.push_back({first_block + p, low, 0, high - low});
  }
  return segments;
}

/// Converts each group to a block, and cuts large ones.
Regrouping divided(const BlockSizes& sizes, const Groups& groups) {
  std::vector<std::vector<BlockSegment>> segments(sizes.size());
  std::int32_t next = 0;
  for (const auto& group : groups) {
    const auto first = static_cast<std::size_t>(group.front());
    if (sizes[first] > too_many) {
      segments[first] = cut(sizes[first], next);
      next += static_cast<std::int32_t>(segments[first].size());
      continue;
    }
    std::int32_t rows = 0;
    for (const std::int32_t block : group) {
      segments[static_cast<std::size_t>(block)] = {{next, 0, rows, sizes[static_cast<std::size_t>(block)]}};
      rows += sizes[static_cast<std::size_t>(block)];
    }
    ++next;
  }
  return Regrouping(std::move(segments));
}

/// Collective. Returns the blocks of the other division with elements of the matrix, as row * blocks + column; each on
/// one rank.
template <class Value>
std::vector<std::int64_t> filled_blocks(const BlockMatrix<Value>& matrix, const Regrouping& into) {
  const Communicator& comm = matrix.layout().comm;
  const auto blocks = static_cast<std::int64_t>(into.sizes().size());
  using Places = std::vector<std::int64_t>;
  const auto each_once = [](Places& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  };
  const auto told = [&] {
    std::vector<Places> lists(static_cast<std::size_t>(comm.size()));
    const auto tell = [&](std::int64_t row, std::int64_t column) {
      lists[static_cast<std::size_t>((row + column) % comm.size())].push_back(row * blocks + column);
    };
    each_block(matrix, [&](const StoredBlock& b) {
      for (const BlockSegment& row : into.of(b.at.row)) {
        for (const BlockSegment& column : into.of(b.at.column)) {
          tell(row.block, column.block);
          if (matrix.symmetry() != Symmetry::none) tell(column.block, row.block);
        }
      }
    });
    for (Places& places : lists) each_once(places);
    return lists;
  };
  Places filled;
  pass_lists(comm, told, [&](const std::vector<Places>& heard) {
    for (const Places& places : heard) filled.insert(filled.end(), places.begin(), places.end());
    each_once(filled);
  });
  return filled;
}

/// Collective. Returns a measure of the cost of products with the matrix in these blocks: its elements, plus an
/// overhead of some rows per block.
template <class Value>
std::int64_t cost_of(const BlockMatrix<Value>& matrix, const Regrouping& into) {
  constexpr std::int64_t overhead = 4;  // rows
  const auto blocks = static_cast<std::int64_t>(into.sizes().size());
  const auto rows_of = [&](std::int64_t block) { return into.sizes()[static_cast<std::size_t>(block)] + overhead; };
  std::int64_t cost = 0;
  for (const std::int64_t at : filled_blocks(matrix, into)) cost += rows_of(at / blocks) * rows_of(at % blocks);
  return sum(matrix.layout().comm, cost);
}
}  // namespace

template <class Value>
Regrouping efficient_blocks(const BlockMatrix<Value>& matrix) {
  const BlockSizes& sizes = matrix.layout().row_sizes;
  const Communicator& comm = matrix.layout().comm;
  Regrouping listed = made_together(comm, [&] { return divided(sizes, in_runs(sizes)); });
  if (std::all_of(sizes.begin(), sizes.end(), [](std::int32_t size) { return size >= few_rows; })) return listed;
  const auto couplings = strongest_couplings(matrix);
  Regrouping coupled = made_together(comm, [&] { return divided(sizes, Grouping(sizes, couplings).groups()); });
  return cost_of(matrix, listed) <= cost_of(matrix, coupled) ? listed : coupled;
}

template Regrouping efficient_blocks(const BlockMatrix<float>&);
template Regrouping efficient_blocks(const BlockMatrix<double>&);
template Regrouping efficient_blocks(const BlockMatrix<std::complex<float>>&);
template Regrouping efficient_blocks(const BlockMatrix<std::complex<double>>&);

}  // namespace seiche
