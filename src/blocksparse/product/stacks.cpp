// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/stacks.hpp"

#include <mpi.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "blocksparse/matrix/scalar.hpp"

namespace seiche {

namespace {

constexpr double operations_between_polls = 2e5;  // about 5 microseconds; the pipeline decides whether it polls

/// A group of rows of C of one thread in a panel. The products of each block are consecutive, sorted by inner index.
template <class Value>
class GroupWork {
 public:
  using Task = typename Stacks<Value>::Task;
  GroupWork(const Task& task, std::int64_t panel)
      : task_(task),
        panel_(task.plan.communication.panels.all[panel]),
        last_(task.plan.communication.panels.finishes(panel)),
        place_(task.columns.kind.size(), -1),
        rows_(static_cast<std::size_t>(task.plan.order.rows)) {}

  /// \param between called after each block of C with the number of its operations
  template <class Between>
  void operator()(const Range& rows, const Between& between) {
    Range part{panel_.inner.low, panel_.inner.low};
    do {
      part = {part.high, std::min(part.high + task_.plan.order.inner, panel_.inner.high)};
      const std::span group(rows_.data(), static_cast<std::size_t>(rows.size()));
      for (std::int64_t r = rows.low; r < rows.high; ++r) list(group[r - rows.low], r, part);
      multiply(group, last_ && part.high == panel_.inner.high, between);
    } while (part.high < panel_.inner.high);
  }

 private:
  struct Pair {
    const Value *a, *b;
    std::int32_t kind;
    std::int32_t bytes;  // of b
  };

  /// A row with its products in a part of the inner index.
  struct Row {
    std::int64_t r = 0;
    Range blocks;                   // of C
    std::int64_t block = 0;         // the next one
    std::int64_t next = 0;          // its first pair
    std::vector<std::int32_t> end;  // of the pairs of each block
    std::vector<Pair> pairs;
  };

  static void fetch(const Value* block, std::int32_t bytes) {
    const char* line = reinterpret_cast<const char*>(block);
    for (const char* const end = line + bytes; line < end; line += 64) __builtin_prefetch(line);
  }

  /// Computes the blocks of the group column by column, so that its rows use a block of B one after another.
  template <class Between>
  void multiply(const std::span<Row>& group, bool last, const Between& between) {
    const std::vector<std::int32_t>& columns = task_.plan.accumulator.blocks.index;
    if (group.size() == 1) {  // which needs no search for the next column
      Row& row = group.front();
      while (row.block < row.blocks.high) between(multiply(row, columns[row.block], last));
      return;
    }
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    const auto column_of = [&](const Row& row) { return row.block < row.blocks.high ? columns[row.block] : none; };
    for (;;) {
      std::int32_t column = none;
      for (const Row& row : group) column = std::min(column, column_of(row));
      if (column == none) return;
      for (Row& row : group) {
        if (column_of(row) == column) between(multiply(row, column, last));
      }
    }
  }

  /// Computes the next block of a row. \return the number of operations
  double multiply(Row& row, std::int32_t column, bool last) {
    Accumulator<Value>& c = task_.plan.accumulator;
    const std::int64_t block = row.block++;
    const std::int32_t m_kind = task_.rows.kind[row.r], n_kind = task_.columns.kind[column];
    const std::int64_t size = std::int64_t{task_.rows.sizes[m_kind]} * task_.columns.sizes[n_kind];
    Value* const into = c.values.data() + c.offset[block];
    const std::span<const Pair> pairs(row.pairs);
    const auto stop = static_cast<std::size_t>(row.end[block - row.blocks.low]);
    auto next = static_cast<std::size_t>(row.next);
    bool fresh = !c.filled[block];
    std::int64_t inner = 0;
    for (; next < stop; ++next) {
      const Pair& pair = pairs[next];
      if (next + 1 < pairs.size()) fetch(pairs[next + 1].b, pairs[next + 1].bytes);
      task_.kernels(m_kind, n_kind, pair.kind)(pair.a, pair.b, into, fresh);
      fresh = false;
      inner += task_.inner.sizes[pair.kind];
    }
    row.next = static_cast<std::int64_t>(next);
    c.filled[block] = !fresh;
    if (last) finish(row.r, block, {into, static_cast<std::size_t>(size)}, fresh);
    return 2.0 * static_cast<double>(size * inner);
  }

  /// Lists the pairs of row r in a part of the inner index; row.end[n] becomes the end of the pairs of block n.
  void list(Row& row, std::int64_t r, const Range& inner) {
    const CompressedRows& c = task_.plan.accumulator.blocks;
    const OperandIndex<Value>&a = task_.plan.index.a, &b = task_.plan.index.b;
    row.r = r;
    row.blocks = c.part_of_row(r, panel_.columns);
    row.block = row.blocks.low;
    row.next = 0;
    row.end.assign(row.blocks.size(), 0);
    // Blocks of C without products, which were there before or are not wanted, have no place.
    const CompressedRows& made = task_.plan.symbolic.blocks;
    const Range computed = made.part_of_row(r, panel_.columns);
    for (std::int64_t m = computed.low, n = row.blocks.low; m < computed.high; ++m, ++n) {
      while (c.index[n] != made.index[m]) ++n;
      place_[made.index[m]] = static_cast<std::int32_t>(n - row.blocks.low);
    }
    each_pair(r, inner, [&](std::int32_t place, std::int64_t, std::int64_t) { ++row.end[place]; });
    std::int32_t sum = 0;
    for (std::int32_t& end : row.end) sum += std::exchange(end, sum);
    row.pairs.resize(sum);
    each_pair(r, inner, [&](std::int32_t place, std::int64_t x, std::int64_t y) {
      const std::int32_t kind = task_.inner.kind[a.blocks.index[x]];
      const std::int32_t elements = task_.inner.sizes[kind] * task_.plan.index.share.column_sizes[b.blocks.index[y]];
      row.pairs[row.end[place]++] = {a.data[x], b.data[y], kind, elements * static_cast<std::int32_t>(sizeof(Value))};
    });
    for (std::int64_t m = computed.low; m < computed.high; ++m) place_[made.index[m]] = -1;
  }

  /// Calls visit(position, entry of A, entry of B) for the products of row r in this panel above the filter.
  template <class Visit>
  void each_pair(std::int64_t r, const Range& inner, const Visit& visit) {
    const OperandIndex<Value>&a = task_.plan.index.a, &b = task_.plan.index.b;
    const float eps = task_.plan.symbolic.row_eps[r];
    const bool all_columns = panel_.columns.size() == std::ssize(place_);
    const Range of_a = a.blocks.part_of_row(r, inner);
    for (std::int64_t x = of_a.low; x < of_a.high; ++x) {
      const std::int32_t k = a.blocks.index[x];
      const Range of_b = all_columns ? b.blocks.row(k) : b.blocks.part_of_row(k, panel_.columns);
      const float norm = a.norm[x];
      for (std::int64_t y = of_b.low; y < of_b.high; ++y) {
        const std::int32_t place = place_[b.blocks.index[y]];
        if (place >= 0 && !(norm * b.norm[y] < eps)) visit(place, x, y);
      }
    }
  }

  void finish(std::int64_t r, std::int64_t block, std::span<Value> values, bool untouched) {
    const Scaling<Value>& scaling = task_.scaling;
    const Value* const old = old_block(r, block);
    if (!untouched && scaling.alpha != Value(1)) {
      for (Value& v : values) v *= scaling.alpha;
    }
    for (std::size_t k = 0; untouched && k < values.size(); ++k) values[k] = old ? scaling.of_old(old[k]) : Value{};
    for (std::size_t k = 0; !untouched && old && k < values.size(); ++k) values[k] += scaling.of_old(old[k]);
    auto& norms = task_.plan.accumulator.norms;
    if (!norms.empty()) norms[block] = norm_above(sum_of_squares(values.data(), std::ssize(values)));
  }

  /// Returns the old values of C for a block of row r; null: none.
  const Value* old_block(std::int64_t r, std::int64_t block) const {
    const BlockMatrix<Value>* const old = task_.scaling.old;
    if (old == nullptr) return nullptr;
    const std::int32_t column = task_.plan.index.share.columns[task_.plan.accumulator.blocks.index[block]];
    const auto begin = old->columns().begin() + old->row_start()[r],
               end = old->columns().begin() + old->row_start()[r + 1];
    const auto found = std::lower_bound(begin, end, column);
    if (found == end || *found != column) return nullptr;
    return old->values().data() + old->offset()[found - old->columns().begin()];
  }

  const Task& task_;
  const Panel& panel_;
  bool last_;                        // blocks of C are finished in this panel
  std::vector<std::int32_t> place_;  // index of a column among C's blocks of the row while products are listed, or -1
  std::vector<Row> rows_;            // of a group
};

/// The remaining rows of a thread in a panel, which other threads may take as well.
struct alignas(128) RowQueue {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

/// Distributes rows by operations so that thread 0 gets `first` times the share of another thread.
void distribute(std::vector<RowQueue>& queues, const Range& rows, const std::vector<double>& operations, double first) {
  double total = 0;
  for (std::int64_t r = rows.low; r < rows.high; ++r) total += operations[r] + 1;
  const double shares = first + static_cast<double>(queues.size()) - 1;
  std::int64_t row = rows.low;
  double done = 0, due = 0;
  for (std::size_t t = 0; t < queues.size(); ++t) {
    due += total * (t == 0 ? first : 1.0) / shares;
    queues[t].next = row;
    while (row < rows.high && (t + 1 == queues.size() || done + (operations[row] + 1) / 2 < due))
      done += operations[row++] + 1;
    queues[t].end = row;
  }
}

/// The threads that compute a panel.
template <class Value>
class Team {
 public:
  Team(const typename Stacks<Value>::Task& task, std::int64_t panel, const MessageDriver& driver)
      : task_(task), panel_(panel), driver_(driver), queues_(task.options.threads), working_(task.options.threads) {
    distribute(queues_, task.plan.communication.panels.all[panel].rows, task.plan.symbolic.row_operations,
               task.options.threads > 1 ? task.options.first_share : 1.0);
  }

  /// The work of one of `threads` threads: its own rows, then rows of others. The OpenMP runtime may have started fewer
  /// threads than requested. After its own rows, thread 0 only polls.
  void work(int thread, int threads) {
    GroupWork<Value> multiply(task_, panel_);
    const std::int64_t rows = task_.plan.order.rows;
    double since_poll = 0;
    const auto between = [&](double operations) {
      since_poll += operations;
      if (since_poll < operations_between_polls || !may_poll(thread)) return;
      since_poll = 0;
      poll();
    };
    const bool own_only = thread == 0 && threads > 1 && may_poll(0);
    for (std::size_t t = 0; t < (own_only ? 1 : queues_.size()); ++t) {
      RowQueue& queue = queues_[(thread + t) % queues_.size()];
      for (std::int64_t r; (r = queue.next.fetch_add(rows)) < queue.end;) {
        multiply({r, std::min(r + rows, queue.end)}, between);
      }
    }
    working_.fetch_sub(1);
    const int absent = task_.options.threads - threads;
    while (may_poll(thread) && threads > 1 && working_.load() > absent) {
      poll();
      sched_yield();  // threads that still work may need this core
    }
  }
  double seconds_polling() const { return seconds_polling_; }

 private:
  bool may_poll(int thread) const { return driver_.poll && (thread == 0 || driver_.any_thread); }
  /// One thread at a time.
  void poll() {
    const std::unique_lock<std::mutex> lock(polling_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const double start = MPI_Wtime();
    driver_.poll();
    seconds_polling_ += MPI_Wtime() - start;
  }

  const typename Stacks<Value>::Task& task_;
  std::int64_t panel_;
  const MessageDriver& driver_;
  std::vector<RowQueue> queues_;
  std::atomic<int> working_;
  std::mutex polling_;
  double seconds_polling_ = 0;
};

}  // namespace

Kinds::Kinds(const BlockSizes& all) {
  for (const std::int32_t size : all) {
    auto found = std::find(sizes.begin(), sizes.end(), size);
    if (found == sizes.end()) found = sizes.insert(found, size);
    kind.push_back(static_cast<std::int32_t>(found - sizes.begin()));
  }
}

template <class Value>
Stacks<Value>::Stacks(ProductPlan<Value>& plan, const Scaling<Value>& scaling, const StackOptions& options)
    : task_([&] {
        const Share& share = plan.index.share;
        const Kinds rows(share.row_sizes), columns(share.column_sizes), inner(share.inner_sizes);
        return Task{
            plan, scaling, options, rows, columns, inner, KernelTable<Value>(rows.sizes, columns.sizes, inner.sizes)};
      }()) {}

template <class Value>
double Stacks<Value>::multiply(std::int64_t panel, const MessageDriver& driver) const {
  Team<Value> team(task_, panel, driver);
  const int threads = task_.options.threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
  team.work(omp_get_thread_num(), omp_get_num_threads());
  return team.seconds_polling();
}

template class Stacks<float>;
template class Stacks<double>;
template class Stacks<std::complex<float>>;
template class Stacks<std::complex<double>>;

}  // namespace seiche
