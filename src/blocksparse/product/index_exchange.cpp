// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/index_exchange.hpp"

#include <mpi.h>

#include <numeric>
#include <optional>

#include "blocksparse/matrix/block_messages.hpp"
#include "comm/check.hpp"

namespace seiche {

namespace {

/// The description of a block that a rank sends to others.
struct Notice {
  BlockPlace at;
  float norm;
};
using Notices = std::vector<std::vector<Notice>>;

/// The ranks that may need blocks of an operand, and the position of the blocks in their lists.
struct Audience {
  const BlockLayout& c;
  const ReplicationGroups& groups;
  const Share& share;
  std::vector<int> layer_of_inner{};

  Audience(const BlockLayout& of_c, const ReplicationGroups& of, const Share& mine, std::int64_t inner)
      : c(of_c), groups(of), share(mine) {
    for (std::int64_t k = 0; k < inner; ++k) layer_of_inner.push_back(groups.layer_of_inner(inner, k));
  }
};

struct AudienceOfA : Audience {
  using Audience::Audience;
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

/// Returns the notices for each rank, and records them in `told`.
template <class Value, class Listeners>
Notices notices_of(const BlockMatrix<Value>& m, const Listeners& listeners,
                   std::vector<std::vector<std::int64_t>>& told) {
  Notices notices(m.layout().comm.size());
  told.resize(notices.size());
  const std::vector<float>& norms = m.norms();
  each_block(m, [&](const StoredBlock& b) {
    listeners.each_listener(b.at, [&](int rank) {
      told[rank].push_back(b.number);
      notices[rank].push_back({b.at, norms[b.number]});
    });
  });
  return notices;
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
  auto& start = index.blocks.start;
  start.assign(listeners.rows() + 1, 0);
  for (const auto& notices : heard) {
    for (const Notice& one : notices) ++start[listeners.listed_at(one.at).row + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  resize(index, start.back());
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  for (int q = 0; q < std::ssize(heard); ++q) {
    const bool own = q == m.layout().comm.rank();
    for (std::int32_t n = 0; n < std::ssize(heard[q]); ++n) {
      const BlockPlace place = listeners.listed_at(heard[q][n].at);
      const std::int64_t entry = next[place.row]++;
      index.blocks.index[entry] = place.column;
      index.norm[entry] = heard[q][n].norm;
      index.source[entry] = own ? -1 : q;
      index.ordinal[entry] = n;
      if (own) index.data[entry] = m.values().data() + m.offset()[index.told[q][n]];
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
    put_in_order(index.data, order, row.low);
  }
}

/// Collective. Exchanges the notices of one operand, and lists the received ones. \return bytes received
template <class Value, class Listeners>
std::int64_t gather(const BlockMatrix<Value>& m, const Listeners& listeners, OperandIndex<Value>& index,
                    std::vector<std::int64_t>* row_blocks = nullptr) {
  const Communicator& comm = m.layout().comm;
  std::int64_t received = 0;
  std::vector<Notice> own;
  const auto send = [&] {
    Notices notices = notices_of(m, listeners, index.told);
    own = std::exchange(notices[comm.rank()], {});
    return notices;
  };
  pass_lists(comm, send, [&](Notices heard) {
    for (const auto& notices : heard) received += notices.size() * sizeof(Notice);
    heard[comm.rank()] = std::move(own);
    list(m, heard, listeners, index);
    sort_rows(index);
    for (std::int64_t r = 0; row_blocks && r < index.blocks.rows(); ++r) {
      row_blocks->push_back(index.blocks.row(r).size());
    }
  });
  return received;
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
  const double start = MPI_Wtime();
  together(c.comm, [&] {
    const BlockSizes& inner = a.layout().column_sizes;
    exchange.share = share_of(c, groups, inner);
    audience_of_a.emplace(c, groups, exchange.share, std::ssize(inner));
    audience_of_b.emplace(c, groups, exchange.share, std::ssize(inner));
  });
  exchange.bytes = gather(a, *audience_of_a, exchange.a, &exchange.row_blocks);
  exchange.bytes += gather(b, *audience_of_b, exchange.b);
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
