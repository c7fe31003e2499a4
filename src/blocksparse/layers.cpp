// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/layers.hpp"

#include <numeric>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
Masses masses_of(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c) {
  const auto all = join_all(
      c.comm, std::vector<double>{static_cast<double>(a.values().size()), static_cast<double>(b.values().size()),
                                  static_cast<double>(a.local_blocks()), static_cast<double>(b.local_blocks())});
  std::array<double, 4> sums{};
  for (std::size_t n = 0; n < all.size(); ++n) sums[n % 4] += all[n];
  const auto along = [](const BlockSizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0.0); };
  const double cells = static_cast<double>(c.row_sizes.size() * c.column_sizes.size());
  const double inner = std::max(1.0, static_cast<double>(a.layout().column_sizes.size()));
  const double filled = cells > 0 ? 1 - std::exp(-sums[2] * sums[3] / inner / cells) : 0;
  const double size = sizeof(Value);
  return {size * sums[0], size * sums[1], size * filled * along(c.row_sizes) * along(c.column_sizes)};
}

double bytes_received(const BlockLayout& c, const Teams& teams, const Masses& masses) {
  const double rows = c.grid_rows, columns = c.grid_columns, across = teams.across, along = teams.along;
  const double a = masses.a_bytes / (rows * along) * (1 - 1 / (columns * across));
  const double b = masses.b_bytes / (columns * across) * (1 - 1 / (rows * along));
  return a + b + masses.c_bytes / (rows * columns) * (across * along - 1);
}

Teams choose_teams(const BlockLayout& c, int layers, const Masses& masses) {
  Teams best;
  double least = layers > 1 ? std::numeric_limits<double>::infinity() : bytes_received(c, best, masses) * 5 / 6;
  for (int across = 1; across <= c.grid_rows && layers != 1; ++across) {
    for (int along = 1; along <= c.grid_columns; ++along) {
      const Teams teams{across, along};
      if (c.grid_rows % across != 0 || c.grid_columns % along != 0) continue;
      if (layers == 0 ? teams.layers() == 1 : teams.layers() != layers) continue;
      const double bytes = bytes_received(c, teams, masses);
      if (bytes < least) {
        least = bytes;
        best = teams;
      }
    }
  }
  require(
      layers <= 1 || best.layers() == layers, Fault::bad_argument,
      "a grid of {} x {} processes cannot be cut into {} layers; give a number whose factors divide both sides, or 0",
      c.grid_rows, c.grid_columns, layers);
  return best;
}

namespace {

/// Calls work(place, entry) for each block of what has grown here, in order.
template <class Value, class Work>
void each_partial(const Growing<Value>& partial, const Share& share, const Work& work) {
  for (std::size_t r = 0; r < share.rows.size(); ++r) {
    for (auto n = static_cast<std::size_t>(partial.start[r]); n < static_cast<std::size_t>(partial.start[r + 1]); ++n) {
      work(BlockPlace{share.rows[r], share.columns[static_cast<std::size_t>(partial.columns[n])]}, n);
    }
  }
}

}  // namespace

template <class Value>
LayerMail plan_layers(const Growing<Value>& partial, const Share& share, const BlockMatrix<Value>& c,
                      bool adds_to_old) {
  const BlockLayout& layout = c.layout();
  std::vector<std::vector<BlockPlace>> leaving(static_cast<std::size_t>(layout.comm.size()));
  each_partial(partial, share, [&](const BlockPlace& at, std::size_t) {
    leaving[static_cast<std::size_t>(layout.owner(at.row, at.column))].push_back(at);
  });
  LayerMail mail;
  mail.arriving = pass_things(layout.comm, leaving);
  mail.out = bytes_per_rank<Value>(layout, leaving);
  mail.in = bytes_per_rank<Value>(layout, mail.arriving);
  leaving = {};
  for (const auto& list : mail.arriving) mail.blocks.insert(mail.blocks.end(), list.begin(), list.end());
  if (adds_to_old) {
    each_block(c, [&](std::size_t, std::size_t, std::size_t i, std::size_t j) {
      mail.blocks.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    });
  }
  const auto key = [](const BlockPlace& at) { return std::pair(at.row, at.column); };
  std::sort(mail.blocks.begin(), mail.blocks.end(),
            [&](const BlockPlace& x, const BlockPlace& y) { return key(x) < key(y); });
  mail.blocks.erase(std::unique(mail.blocks.begin(), mail.blocks.end(),
                                [&](const BlockPlace& x, const BlockPlace& y) { return key(x) == key(y); }),
                    mail.blocks.end());
  for (const BlockPlace& at : mail.blocks)
    mail.result_bytes += block_size(layout, at) * static_cast<std::int64_t>(sizeof(Value));
  return mail;
}

template <class Value>
std::int64_t add_layers(LayerMail& mail, Growing<Value>& partial, const Share& share, const Teams& teams,
                        const Product<Value>& product, BlockMatrix<Value>& c) {
  const BlockLayout& layout = c.layout();
  const auto row = pass_row(layout.comm, mail.out, mail.in, [&](std::byte* first) {
    auto next = starts_in_row(mail.out);
    each_partial(partial, share, [&](const BlockPlace& at, std::size_t n) {
      std::int64_t& into = next[static_cast<std::size_t>(layout.owner(at.row, at.column))];
      const std::int64_t size = block_size(layout, at);
      const Value* v = partial.values.data() + partial.offset[n];
      std::copy(v, v + size, reinterpret_cast<Value*>(first + into));
      into += size * static_cast<std::int64_t>(sizeof(Value));
    });
    partial.values = {};
  });

  const SharedLayout shared = c.shared_layout();
  if (product.beta == Value(0)) c = BlockMatrix<Value>(shared);
  BlockMatrix<Value> result(shared);
  result.reserve(std::move(mail.blocks));
  Value* const into = result.change_values().data();
  const BlockFinder<Value> find(result);
  each_block(c, [&](std::size_t r, std::size_t b, std::size_t i, std::size_t j) {
    Value* const to = into + find({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    const Value* from = c.values().data() + c.offset()[b];
    for (std::int64_t k = 0; k < block_size(c, r, static_cast<std::int64_t>(b)); ++k) to[k] = product.beta * from[k];
  });
  const auto begins = starts_in_row(mail.in);
  std::int64_t bytes = 0;
  for (int layer = 0; layer < teams.layers(); ++layer) {
    for (std::size_t q = 0; q < mail.in.size(); ++q) {
      if (teams.layer_of(layout, static_cast<int>(q)) != layer) continue;
      if (static_cast<int>(q) != layout.comm.rank()) bytes += mail.in[q];
      const auto* from = reinterpret_cast<const Value*>(row.data() + begins[q]);
      for (const BlockPlace& at : mail.arriving[q]) {
        Value* const to = into + find(at);
        const std::int64_t size = block_size(layout, at);
        for (std::int64_t k = 0; k < size; ++k) to[k] += product.alpha * from[k];
        from += size;
      }
    }
  }
  c = std::move(result);
  return bytes;
}

#define SEICHE_LAYERS(Value)                                                                                       \
  template LayerMail plan_layers(const Growing<Value>&, const Share&, const BlockMatrix<Value>&, bool);            \
  template std::int64_t add_layers(LayerMail&, Growing<Value>&, const Share&, const Teams&, const Product<Value>&, \
                                   BlockMatrix<Value>&)
template Masses masses_of(const BlockMatrix<float>&, const BlockMatrix<float>&, const BlockLayout&);
template Masses masses_of(const BlockMatrix<double>&, const BlockMatrix<double>&, const BlockLayout&);
template Masses masses_of(const BlockMatrix<std::complex<float>>&, const BlockMatrix<std::complex<float>>&,
                          const BlockLayout&);
template Masses masses_of(const BlockMatrix<std::complex<double>>&, const BlockMatrix<std::complex<double>>&,
                          const BlockLayout&);
SEICHE_LAYERS(float);
SEICHE_LAYERS(double);
SEICHE_LAYERS(std::complex<float>);
SEICHE_LAYERS(std::complex<double>);

}  // namespace seiche
