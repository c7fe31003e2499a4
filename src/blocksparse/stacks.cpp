// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/stacks.hpp"

#include <mpi.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <mutex>

namespace seiche {

namespace {

constexpr double operations_between_polls = 2e5;  // some 5 microseconds; the pipeline decides whether it is time

/// One thread's row of C: the products of each of its blocks, in a row, sorted by inner index.
template <class Value>
class RowWork {
 public:
  RowWork(const StackWork<Value>& work, const Panel& panel, bool last)
      : w_(work), panel_(panel), last_(last), place_(work.survey->share.columns.size(), -1) {}

  /// \param between called after each block of C with the operations done in it
  template <class Between>
  void operator()(std::size_t r, const Between& between) {
    Growing<Value>& c = *w_.c;
    const auto columns = c.columns.begin();
    const auto first = std::lower_bound(columns + c.start[r], columns + c.start[r + 1],
                                        static_cast<std::int32_t>(panel_.columns.low)) -
                       columns;
    const auto end =
        std::lower_bound(columns + first, columns + c.start[r + 1], static_cast<std::int32_t>(panel_.columns.high)) -
        columns;
    if (first == end) return;
    list(r, first, end);
    const auto m_kind = static_cast<std::size_t>(w_.rows.kind[r]);
    const double m = w_.rows.sizes[m_kind];
    std::size_t next = 0;
    for (std::int64_t e = first; e < end; ++e) {
      const auto block = static_cast<std::size_t>(e);
      const auto n_kind = static_cast<std::size_t>(w_.columns.kind[static_cast<std::size_t>(c.columns[block])]);
      const double mn = m * w_.columns.sizes[n_kind];
      Value* into = c.values.data() + c.offset[block];
      const auto stop = static_cast<std::size_t>(begin_[static_cast<std::size_t>(e - first)]);
      bool fresh = !c.filled[block];
      double inner = 0;
      for (; next < stop; ++next) {
        const Pair& pair = pairs_[next];
        if (next + 1 < pairs_.size()) fetch(pairs_[next + 1].b, pairs_[next + 1].bytes);
        (*w_.kernels)(m_kind, n_kind, static_cast<std::size_t>(pair.kind))(pair.a, pair.b, into, fresh);
        fresh = false;
        inner += w_.inner.sizes[static_cast<std::size_t>(pair.kind)];
      }
      c.filled[block] = !fresh;
      if (last_) finish(block, into, static_cast<std::int64_t>(mn), fresh);
      between(2 * mn * inner);
    }
  }

 private:
  struct Pair {
    const Value *a, *b;
    std::int32_t kind;
    std::int32_t bytes;  // of b
  };

  static void fetch(const Value* block, std::int32_t bytes) {
    const char* line = reinterpret_cast<const char*>(block);
    for (const char* const end = line + bytes; line < end; line += 64) __builtin_prefetch(line);
  }

  /// Lists the pairs of row r for C's blocks first .. end; begin_[e] becomes the end of those of block first + e.
  void list(std::size_t r, std::int64_t first, std::int64_t end) {
    const Growing<Value>& c = *w_.c;
    begin_.assign(static_cast<std::size_t>(end - first), 0);
    for (std::int64_t e = first; e < end; ++e) {
      place_[static_cast<std::size_t>(c.columns[static_cast<std::size_t>(e)])] = static_cast<std::int32_t>(e - first);
    }
    each_pair(r, [&](std::int32_t place, std::size_t, std::size_t, std::size_t) {
      ++begin_[static_cast<std::size_t>(place)];
    });
    std::int32_t sum = 0;
    for (std::int32_t& begin : begin_) {
      const std::int32_t count = begin;
      begin = sum;
      sum += count;
    }
    pairs_.resize(static_cast<std::size_t>(sum));
    const Listing<Value>&a = w_.survey->a, &b = w_.survey->b;
    each_pair(r, [&](std::int32_t place, std::size_t x, std::size_t y, std::size_t column) {
      const std::int32_t kind = w_.inner.kind[static_cast<std::size_t>(a.index[x])];
      const std::int32_t bytes = w_.inner.sizes[static_cast<std::size_t>(kind)] *
                                 w_.columns.sizes[static_cast<std::size_t>(w_.columns.kind[column])] *
                                 static_cast<std::int32_t>(sizeof(Value));
      pairs_[static_cast<std::size_t>(begin_[static_cast<std::size_t>(place)]++)] = {a.data[x], b.data[y], kind, bytes};
    });
  }

  /// Calls visit(place, entry of A, entry of B, column) for the products of row r in this panel that survive.
  template <class Visit>
  void each_pair(std::size_t r, const Visit& visit) {
    const Listing<Value>&a = w_.survey->a, &b = w_.survey->b;
    const float eps = w_.forecast->row_eps[r];
    const std::int64_t low = w_.survey->share.inner.low;
    const auto columns = static_cast<std::int64_t>(w_.survey->share.columns.size());
    const bool part = panel_.columns.size() != columns;
    const auto a_index = a.index.begin(), b_index = b.index.begin();
    auto x =
        std::lower_bound(a_index + a.start[r], a_index + a.start[r + 1], static_cast<std::int32_t>(panel_.inner.low)) -
        a_index;
    for (; x < a.start[r + 1] && a.index[static_cast<std::size_t>(x)] < panel_.inner.high; ++x) {
      const auto k = static_cast<std::size_t>(a.index[static_cast<std::size_t>(x)] - low);
      std::int64_t y = b.start[k], stop = b.start[k + 1];
      if (part) {
        y = std::lower_bound(b_index + y, b_index + stop, static_cast<std::int32_t>(panel_.columns.low)) - b_index;
        stop = std::lower_bound(b_index + y, b_index + stop, static_cast<std::int32_t>(panel_.columns.high)) - b_index;
      }
      const float norm = a.norm[static_cast<std::size_t>(x)];
      for (; y < stop; ++y) {
        const auto n = static_cast<std::size_t>(y);
        if (w_.filter && norm * b.norm[n] < eps) continue;
        const auto column = static_cast<std::size_t>(b.index[n]);
        visit(place_[column], static_cast<std::size_t>(x), n, column);
      }
    }
  }

  void finish(std::size_t block, Value* values, std::int64_t n, bool untouched) {
    if (untouched) std::fill(values, values + n, Value{});
    if (w_.alpha != Value(1)) {
      for (std::int64_t i = 0; i < n; ++i) values[i] *= w_.alpha;
    }
    if (w_.norms) w_.c->norms[block] = norm_above(sum_of_squares(values, n));
  }

  const StackWork<Value>& w_;
  const Panel& panel_;
  bool last_;
  std::vector<std::int32_t> place_;  // of a column among C's blocks of the row; stale outside them, and not looked up
  std::vector<std::int32_t> begin_;
  std::vector<Pair> pairs_;
};

/// Rows of a panel that a thread has still to do; others may take them as well.
struct alignas(128) Queue {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

/// Deals out rows so that thread 0 gets `load` for each 1 of the others, by operations.
void deal(std::vector<Queue>& queues, const Range& rows, const std::vector<double>& operations, double load) {
  double total = 0;
  for (std::int64_t r = rows.low; r < rows.high; ++r) total += operations[static_cast<std::size_t>(r)] + 1;
  const double shares = load + static_cast<double>(queues.size()) - 1;
  std::int64_t row = rows.low;
  double done = 0, due = 0;
  for (std::size_t t = 0; t < queues.size(); ++t) {
    due += total * (t == 0 ? load : 1.0) / shares;
    queues[t].next = row;
    while (row < rows.high &&
           (t + 1 == queues.size() || done + (operations[static_cast<std::size_t>(row)] + 1) / 2 < due)) {
      done += operations[static_cast<std::size_t>(row++)] + 1;
    }
    queues[t].end = row;
  }
}

/// Drives MPI, one thread at a time.
class Driver {
 public:
  Driver(const std::function<void()>& poll, bool anyone, StackTimes& times)
      : poll_(poll), anyone_(anyone), times_(times) {}
  bool may(int thread) const { return poll_ && (thread == 0 || anyone_); }
  void poll() {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const double start = MPI_Wtime();
    poll_();
    times_.poll += MPI_Wtime() - start;
  }

 private:
  const std::function<void()>& poll_;
  bool anyone_;
  StackTimes& times_;
  std::mutex mutex_;
};

}  // namespace

template <class Value>
void multiply_panel(const StackWork<Value>& work, const Panel& panel, bool last, StackTimes& times) {
  std::vector<Queue> queues(static_cast<std::size_t>(work.threads));
  deal(queues, panel.rows, work.forecast->row_operations, work.threads > 1 ? work.load : 1.0);
  Driver driver(work.poll, work.any_thread_may_poll, times);
  std::atomic<int> working{work.threads};
#pragma omp parallel num_threads(work.threads) if (work.threads > 1)
  {
    const int thread = omp_get_thread_num(), team = omp_get_num_threads();
    RowWork<Value> row(work, panel, last);
    double since_poll = 0;
    const auto between = [&](double some) {
      since_poll += some;
      if (since_poll < operations_between_polls || !driver.may(thread)) return;
      since_poll = 0;
      driver.poll();
    };
    const auto do_rows = [&](Queue& queue) {
      for (std::int64_t r; (r = queue.next.fetch_add(1)) < queue.end;) row(static_cast<std::size_t>(r), between);
    };
    // all queues, also where the run time gave fewer threads than asked for; thread 0 leaves the rest to others and
    // polls
    do_rows(queues[static_cast<std::size_t>(thread)]);
    const bool polls_now = thread == 0 && team > 1 && driver.may(0);
    for (std::size_t t = 1; t < queues.size() && !polls_now; ++t) {
      do_rows(queues[(static_cast<std::size_t>(thread) + t) % queues.size()]);
    }
    working.fetch_sub(1);
    const int finished = work.threads - team;
    while (driver.may(thread) && team > 1 && working.load() > finished) {
      driver.poll();
      sched_yield();  // those who still work may need this core
    }
  }
}

#define SEICHE_STACKS(Value) template void multiply_panel(const StackWork<Value>&, const Panel&, bool, StackTimes&)
SEICHE_STACKS(float);
SEICHE_STACKS(double);
SEICHE_STACKS(std::complex<float>);
SEICHE_STACKS(std::complex<double>);

}  // namespace seiche
