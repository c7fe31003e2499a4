// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/survey.hpp"

#include <omp.h>

#include <atomic>
#include <numeric>

namespace seiche {

namespace {

/// What a rank tells others of one of its blocks.
struct Notice {
  std::int32_t row, column;
  float norm;
};

template <class Value>
void resize(Listing<Value>& view, std::size_t n) {
  view.index.resize(n);
  view.norm.resize(n);
  view.source.resize(n);
  view.ordinal.resize(n);
  view.data.resize(n);
  view.needed.assign(n, 0);
}

/// Gathers the view of one operand. `users(i, j, tell)` calls tell(rank) for all ranks that may need block (i, j);
/// `place(i, j)` gives the row of the view and the index in it.
template <class Value, class Users, class Place>
std::int64_t gather(const BlockMatrix<Value>& m, bool with_norms, std::size_t rows, const Users& users,
                    const Place& place, Listing<Value>& view, Told& told, double& seconds) {
  const int me = m.layout().comm.rank();
  const auto ranks = static_cast<std::size_t>(m.layout().comm.size());
  std::vector<std::vector<Notice>> notices(ranks);
  told.assign(ranks, {});
  static const std::vector<float> none;
  const std::vector<float>& norms = with_norms ? m.norms() : none;
  each_block(m, [&](std::size_t, std::size_t block, std::size_t row, std::size_t column) {
    const auto i = static_cast<std::int32_t>(row), j = static_cast<std::int32_t>(column);
    users(i, j, [&](int rank) {
      const auto q = static_cast<std::size_t>(rank);
      told[q].push_back(static_cast<std::int64_t>(block));
      notices[q].push_back({i, j, with_norms ? norms[block] : 1.0F});
    });
  });
  const auto mine = std::exchange(notices[static_cast<std::size_t>(me)], {});
  const double start = MPI_Wtime();
  auto heard = ranks > 1 ? pass_things(m.layout().comm, notices) : std::vector<std::vector<Notice>>(1);
  seconds += MPI_Wtime() - start;
  notices = {};
  std::int64_t bytes = 0;
  for (const auto& list : heard) bytes += static_cast<std::int64_t>(list.size() * sizeof(Notice));
  heard[static_cast<std::size_t>(me)] = mine;

  view.start.assign(rows + 1, 0);
  for (const auto& list : heard) {
    for (const Notice& n : list) ++view.start[static_cast<std::size_t>(place(n.row, n.column).first) + 1];
  }
  std::partial_sum(view.start.begin(), view.start.end(), view.start.begin());
  resize(view, static_cast<std::size_t>(view.start.back()));
  std::vector<std::int64_t> next(view.start.begin(), view.start.end() - 1);
  for (std::size_t q = 0; q < ranks; ++q) {
    const bool own = static_cast<int>(q) == me;
    for (std::size_t n = 0; n < heard[q].size(); ++n) {
      const auto [row, index] = place(heard[q][n].row, heard[q][n].column);
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
      view.index[at] = index;
      view.norm[at] = heard[q][n].norm;
      view.source[at] = own ? -1 : static_cast<int>(q);
      view.ordinal[at] = static_cast<std::int32_t>(n);
      if (own) view.data[at] = m.values().data() + m.offset()[static_cast<std::size_t>(told[q][n])];
    }
  }
  return bytes;
}

/// Rows that several ranks told of are put in order of their index.
template <class Value>
void sort_rows(Listing<Value>& view) {
  std::vector<std::size_t> order;
  Listing<Value> sorted;
  for (std::size_t r = 0; r + 1 < view.start.size(); ++r) {
    const auto first = static_cast<std::size_t>(view.start[r]), last = static_cast<std::size_t>(view.start[r + 1]);
    if (std::is_sorted(view.index.begin() + view.start[r], view.index.begin() + view.start[r + 1])) continue;
    order.resize(last - first);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return view.index[x] < view.index[y]; });
    resize(sorted, order.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
      sorted.index[n] = view.index[order[n]];
      sorted.norm[n] = view.norm[order[n]];
      sorted.source[n] = view.source[order[n]];
      sorted.ordinal[n] = view.ordinal[order[n]];
      sorted.data[n] = view.data[order[n]];
    }
    const auto put = [&](auto& from, auto& into) {
      std::copy(from.begin(), from.end(), into.begin() + static_cast<std::ptrdiff_t>(first));
    };
    put(sorted.index, view.index);
    put(sorted.norm, view.norm);
    put(sorted.source, view.source);
    put(sorted.ordinal, view.ordinal);
    put(sorted.data, view.data);
  }
}

}  // namespace

Share share_of(const BlockLayout& c, const Teams& teams, std::int64_t inner, int rank) {
  Share share;
  const int team_row = rank / c.grid_columns / teams.across, team_column = rank % c.grid_columns / teams.along;
  const auto pick = [](const std::vector<int>& owner, int members, int team, std::vector<std::int32_t>& list,
                       std::vector<std::int32_t>& at) {
    at.assign(owner.size(), -1);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] / members != team) continue;
      at[i] = static_cast<std::int32_t>(list.size());
      list.push_back(static_cast<std::int32_t>(i));
    }
  };
  pick(c.row_owner, teams.across, team_row, share.rows, share.row_at);
  pick(c.column_owner, teams.along, team_column, share.columns, share.column_at);
  const int layer = teams.layer_of(c, rank);
  share.inner = {teams.cut(inner, layer), teams.cut(inner, layer + 1)};
  return share;
}

template <class Value>
Survey<Value> survey(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c, const Teams& teams,
                     bool norms) {
  Survey<Value> s;
  const auto inner = static_cast<std::int64_t>(a.layout().column_sizes.size());
  s.share = share_of(c, teams, inner, c.comm.rank());
  const int team_rows = c.grid_rows / teams.across, team_columns = c.grid_columns / teams.along;
  std::vector<int> layer_of(static_cast<std::size_t>(inner));
  for (std::size_t k = 0; k < layer_of.size(); ++k)
    layer_of[k] = teams.layer_of_inner(inner, static_cast<std::int64_t>(k));
  s.bytes_index += gather(
      a, norms, s.share.rows.size(),
      [&](std::int32_t i, std::int32_t k, const auto& tell) {
        const int team_row = c.row_owner[static_cast<std::size_t>(i)] / teams.across;
        for (int t = 0; t < team_columns; ++t)
          tell(teams.rank_of(c, team_row, t, layer_of[static_cast<std::size_t>(k)]));
      },
      [&](std::int32_t i, std::int32_t k) { return std::pair(s.share.row_at[static_cast<std::size_t>(i)], k); }, s.a,
      s.told_a, s.seconds_index);
  s.bytes_index += gather(
      b, norms, static_cast<std::size_t>(s.share.inner.size()),
      [&](std::int32_t k, std::int32_t j, const auto& tell) {
        const int team_column = c.column_owner[static_cast<std::size_t>(j)] / teams.along;
        for (int t = 0; t < team_rows; ++t)
          tell(teams.rank_of(c, t, team_column, layer_of[static_cast<std::size_t>(k)]));
      },
      [&](std::int32_t k, std::int32_t j) {
        return std::pair(static_cast<std::int32_t>(k - s.share.inner.low),
                         s.share.column_at[static_cast<std::size_t>(j)]);
      },
      s.b, s.told_b, s.seconds_index);
  sort_rows(s.a);
  sort_rows(s.b);
  return s;
}

namespace {

/// The blocks of C in one row, found by running over the products with a dense row of counters.
struct RowCounter {
  explicit RowCounter(std::size_t columns) : survives(columns, 0), skip(columns, 0.0), keep(columns, 0.0) {}
  std::vector<char> survives;
  std::vector<double> skip, keep;
  std::vector<std::int32_t> touched;
};

/// Threads may mark the same block. It is written once only, so that its cache line stays with all of them.
void mark(char& flag) {
  const std::atomic_ref<char> shared(flag);
  if (shared.load(std::memory_order_relaxed) == 0) shared.store(1, std::memory_order_relaxed);
}

}  // namespace

template <class Value>
Forecast forecast(Survey<Value>& s, const std::vector<std::int64_t>& nonzero, const ForecastRequest& request) {
  const std::size_t rows = s.share.rows.size(), columns = s.share.columns.size();
  Forecast f;
  f.row_operations.assign(rows, 0);
  f.row_eps.assign(rows, 0.0F);
  std::vector<std::vector<std::int32_t>> found(rows);
  std::vector<double> row_error(rows, 0.0), row_filter(rows, 0.0);
  std::vector<double> column_size(columns);
  for (std::size_t j = 0; j < columns; ++j)
    column_size[j] = (*request.column_sizes)[static_cast<std::size_t>(s.share.columns[j])];
  const bool bounds = request.rounding > 0;
  std::int64_t products = 0, skipped = 0, most = 0;
#pragma omp parallel num_threads(request.threads) reduction(+ : products, skipped) reduction(max : most)
  {
    RowCounter counter(columns);
#pragma omp for schedule(dynamic, 4)
    for (std::size_t r = 0; r < rows; ++r) {
      const double row_size = (*request.row_sizes)[static_cast<std::size_t>(s.share.rows[r])];
      const auto eps = static_cast<float>(request.eps / static_cast<double>(std::max<std::int64_t>(1, nonzero[r])));
      f.row_eps[r] = eps;
      counter.touched.clear();
      double terms = 2 + request.layers,
             operations = 0;  // additions that make an element of C, scaling it, adding layers
      const std::int64_t before = products;
      for (std::int64_t x = s.a.start[r]; x < s.a.start[r + 1]; ++x) {
        const auto n = static_cast<std::size_t>(x);
        const auto k = static_cast<std::size_t>(s.a.index[n] - s.share.inner.low);
        const double inner_size = (*request.inner_sizes)[static_cast<std::size_t>(s.a.index[n])];
        terms += inner_size;
        const float norm = s.a.norm[n];
        bool used = false;
        for (std::int64_t y = s.b.start[k]; y < s.b.start[k + 1]; ++y) {
          const auto m = static_cast<std::size_t>(y);
          const auto j = static_cast<std::size_t>(s.b.index[m]);
          const bool survives = !(norm * s.b.norm[m] < eps);
          if (!counter.survives[j]) {
            if (counter.skip[j] == 0.0) counter.touched.push_back(static_cast<std::int32_t>(j));
            counter.survives[j] = survives;
            if (!survives) counter.skip[j] += 1e-300;  // has been touched, even by a block of zeroes
          }
          if (bounds)
            (survives ? counter.keep : counter.skip)[j] += static_cast<double>(norm) * static_cast<double>(s.b.norm[m]);
          if (!survives) {
            ++skipped;
            continue;
          }
          ++products;
          operations += inner_size * column_size[j];
          mark(s.b.needed[m]);
          used = true;
        }
        if (used) s.a.needed[n] = 1;
      }
      f.row_operations[r] = 2 * operations * row_size;
      most = std::max(most, products - before);
      const bool dense = counter.touched.size() * 16 > columns;
      if (!dense) std::sort(counter.touched.begin(), counter.touched.end());
      const double relative = terms * request.rounding / (1 - std::min(0.5, terms * request.rounding));
      const std::size_t candidates = dense ? columns : counter.touched.size();
      for (std::size_t n = 0; n < candidates; ++n) {
        const std::size_t j = dense ? n : static_cast<std::size_t>(counter.touched[n]);
        if (counter.survives[j]) found[r].push_back(static_cast<std::int32_t>(j));
        const double error = counter.skip[j] + relative * counter.keep[j];
        row_error[r] += error * error;
        row_filter[r] += counter.skip[j] * counter.skip[j];
        counter.survives[j] = 0;
        counter.skip[j] = counter.keep[j] = 0;
      }
    }
  }
  f.products = products;
  f.skipped = skipped;
  f.most_products = most;
  f.start.assign(rows + 1, 0);
  for (std::size_t r = 0; r < rows; ++r) f.start[r + 1] = f.start[r] + static_cast<std::int64_t>(found[r].size());
  f.columns.resize(static_cast<std::size_t>(f.start.back()));
  for (std::size_t r = 0; r < rows; ++r) std::copy(found[r].begin(), found[r].end(), f.columns.begin() + f.start[r]);
  for (std::size_t r = 0; r < rows; ++r) {
    f.squared_error += row_error[r] * (1 + 1e-10);
    f.squared_filter += row_filter[r];
  }
  return f;
}

#define SEICHE_SURVEY(Value)                                                                              \
  template Survey<Value> survey(const BlockMatrix<Value>&, const BlockMatrix<Value>&, const BlockLayout&, \
                                const Teams&, bool);                                                      \
  template Forecast forecast(Survey<Value>&, const std::vector<std::int64_t>&, const ForecastRequest&)
SEICHE_SURVEY(float);
SEICHE_SURVEY(double);
SEICHE_SURVEY(std::complex<float>);
SEICHE_SURVEY(std::complex<double>);

}  // namespace seiche
