// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/index_exchange.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "blocksparse/matrix/block_messages.hpp"
#include "comm/check.hpp"

namespace seiche {

namespace {

/// The description of a block that a rank sends to others.
struct Notice {
  BlockPlace at;
  float norm;
};
/// For each rank the blocks of A, then the blocks of B. Row r of a block of B is stored as ~r, which is negative.
using Notices = std::vector<std::vector<Notice>>;

BlockPlace place_of(const Notice& one) { return one.at.row < 0 ? BlockPlace{~one.at.row, one.at.column} : one.at; }

/// Returns the part of a list that describes blocks of A or of B.
std::span<const Notice> part_of(const std::vector<Notice>& list, bool of_b) {
  const auto first_of_b = std::find_if(list.begin(), list.end(), [](const Notice& one) { return one.at.row < 0; });
  return of_b ? std::span(first_of_b, list.end()) : std::span(list.begin(), first_of_b);
}

/// The ranks that may need blocks of an operand, and the position of the blocks in their lists.
struct Audience {
  const BlockLayout& c;
  const ReplicationGroups& groups;
  const Share& share;
  std::vector<int> layer_of_inner{};

  Audience(const BlockLayout& of_c, const ReplicationGroups& of, const Share& mine,
           const std::vector<std::int64_t>& cuts)
      : c(of_c), groups(of), share(mine) {
    for (int layer = 0; layer < of.layers(); ++layer) layer_of_inner.resize(cuts[layer + 1], layer);
  }
};

struct AudienceOfA : Audience {
  using Audience::Audience;
  static constexpr bool of_b = false;
  std::int64_t rows() const { return std::ssize(share.rows); }
  BlockPlace listed_at(const BlockPlace& at) const {
    return {share.row_at[at.row], static_cast<std::int32_t>(at.column - share.inner.low)};
  }
  template <class Tell>
  void each_listener(const BlockPlace& at, const Tell& tell) const {
    const int row = c.row_owner[at.row] / groups.across;
    for (int column = 0; column < c.grid_columns / groups.along; ++column)
      tell(groups.rank_of(c, row, column, layer_of_inner[at.column]));
  }
};

struct AudienceOfB : Audience {
  using Audience::Audience;
  static constexpr bool of_b = true;
  std::int64_t rows() const { return share.inner.size(); }
  BlockPlace listed_at(const BlockPlace& at) const {
    return {static_cast<std::int32_t>(at.row - share.inner.low), share.column_at[at.column]};
  }
  template <class Tell>
  void each_listener(const BlockPlace& at, const Tell& tell) const {
    const int column = c.column_owner[at.column] / groups.along;
    for (int row = 0; row < c.grid_rows / groups.across; ++row)
      tell(groups.rank_of(c, row, column, layer_of_inner[at.row]));
  }
};

/// Adds the notices for each rank, and records them in `told`.
template <class Value, class Listeners>
void add_notices(const BlockMatrix<Value>& m, const Listeners& listeners, OperandIndex<Value>& index,
                 Notices& notices) {
  index.told.resize(notices.size());
  const std::vector<float>& norms = m.norms();
  each_block(m, [&](const StoredBlock& b) {
    const BlockPlace at{listeners.of_b ? ~b.at.row : b.at.row, b.at.column};
    listeners.each_listener(b.at, [&](int rank) {
      index.told[rank].push_back(b.number);
      notices[rank].push_back({at, norms[b.number]});
    });
  });
}

template <class Value>
void resize(OperandIndex<Value>& index, std::int64_t n) {
  index.blocks.index.resize(n);
  index.norm.resize(n);
  index.source.resize(n);
  index.ordinal.resize(n);
  index.data.resize(n);
  index.needed.assign(n, 0);
}

/// Lists the received notices, by rank within a row.
template <class Value, class Listeners>
void list(const BlockMatrix<Value>& m, const Notices& heard, const Listeners& listeners, OperandIndex<Value>& index) {
  std::vector<std::span<const Notice>> from;
  for (const auto& notices : heard) from.push_back(part_of(notices, listeners.of_b));
  auto& start = index.blocks.start;
  start.assign(listeners.rows() + 1, 0);
  for (const auto& notices : from) {
    for (const Notice& one : notices) ++start[listeners.listed_at(place_of(one)).row + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  resize(index, start.back());
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  for (int q = 0; q < std::ssize(from); ++q) {
    const bool own = q == m.layout().comm.rank();
    for (std::int32_t n = 0; n < std::ssize(from[q]); ++n) {
      const BlockPlace place = listeners.listed_at(place_of(from[q][n]));
      const std::int64_t entry = next[place.row]++;
      index.blocks.index[entry] = place.column;
      index.norm[entry] = from[q][n].norm;
      index.source[entry] = own ? -1 : q;
      index.ordinal[entry] = n;
    }
  }
}

/// Reorders: list[first + n] becomes the old list[order[n]].
template <class Thing>
void put_in_order(std::vector<Thing>& list, const std::vector<std::int64_t>& order, std::int64_t first) {
  std::vector<Thing> sorted;
  for (const std::int64_t n : order) sorted.push_back(list[n]);
  std::copy(sorted.begin(), sorted.end(), list.begin() + first);
}

/// Sorts the rows with notices from several ranks by index.
template <class Value>
void sort_rows(OperandIndex<Value>& index) {
  std::vector<std::int64_t> order;
  auto& place = index.blocks.index;
  for (std::int64_t r = 0; r < index.blocks.rows(); ++r) {
    const Range row = index.blocks.row(r);
    if (std::is_sorted(place.begin() + row.low, place.begin() + row.high)) continue;
    order.resize(row.size());
    std::iota(order.begin(), order.end(), row.low);
    std::sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) { return place[x] < place[y]; });
    put_in_order(place, order, row.low);
    put_in_order(index.norm, order, row.low);
    put_in_order(index.source, order, row.low);
    put_in_order(index.ordinal, order, row.low);
  }
}

/// Collective. Adds the blocks of other layers to the number of blocks in each row.
template <class Value>
void add_layers(const BlockMatrix<Value>& a, IndexExchange<Value>& exchange) {
  std::vector<int> all;
  together(a.layout().comm, [&] {
    all.resize(a.layout().row_sizes.size());
    const CompressedRows& mine = inside(a).blocks;
    for (std::int64_t r = 0; r < mine.rows(); ++r) all[a.rows()[r]] = static_cast<int>(mine.row(r).size());
  });
  check(MPI_Allreduce(MPI_IN_PLACE, all.data(), mpi_count(std::ssize(all)), MPI_INT, MPI_SUM, a.layout().comm.get()),
        "MPI_Allreduce");
  for (std::size_t r = 0; r < exchange.row_blocks.size(); ++r) exchange.row_blocks[r] = all[exchange.share.rows[r]];
}

}  // namespace

template <class Value>
IndexExchange<Value> exchange_index(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c,
                                    const ReplicationGroups& groups) {
  IndexExchange<Value> exchange;
  std::optional<AudienceOfA> audience_of_a;
  std::optional<AudienceOfB> audience_of_b;
  std::vector<Notice> own;
  const double start = MPI_Wtime();
  const auto send = [&] {
    const BlockSizes& inner = a.layout().column_sizes;
    const auto cuts = cut_inner(c, inner, groups.layers());
    exchange.share = share_of(c, groups, inner, cuts);
    audience_of_a.emplace(c, groups, exchange.share, cuts);
    audience_of_b.emplace(c, groups, exchange.share, cuts);
    Notices notices(c.comm.size());
    add_notices(a, *audience_of_a, exchange.a, notices);
    add_notices(b, *audience_of_b, exchange.b, notices);
    own = std::exchange(notices[c.comm.rank()], {});
    return notices;
  };
  pass_lists(c.comm, send, [&](Notices heard) {
    for (const auto& notices : heard) exchange.bytes += notices.size() * sizeof(Notice);
    heard[c.comm.rank()] = std::move(own);
    list(a, heard, *audience_of_a, exchange.a);
    list(b, heard, *audience_of_b, exchange.b);
    sort_rows(exchange.a);
    sort_rows(exchange.b);
    const CompressedRows& rows = exchange.a.blocks;
    for (std::int64_t r = 0; r < rows.rows(); ++r) exchange.row_blocks.push_back(rows.row(r).size());
  });
  if (groups.layers() > 1) add_layers(a, exchange);
  exchange.seconds = MPI_Wtime() - start;
  return exchange;
}

#define SEICHE_INDEX_EXCHANGE(Value)                                                                 \
  template IndexExchange<Value> exchange_index(const BlockMatrix<Value>&, const BlockMatrix<Value>&, \
                                               const BlockLayout&, const ReplicationGroups&)
SEICHE_INDEX_EXCHANGE(float);
SEICHE_INDEX_EXCHANGE(double);
SEICHE_INDEX_EXCHANGE(std::complex<float>);
SEICHE_INDEX_EXCHANGE(std::complex<double>);

}  // namespace seiche
