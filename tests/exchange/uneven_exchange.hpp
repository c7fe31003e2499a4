// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange of uneven parts, some of them empty, and the values that arrive by index arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/exchange_interface.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Rank r has rows_of(r) rows of the source. Each row has width_of(q) elements for rank q. Some are empty.
inline std::int64_t rows_of(int r) { return r % 3 == 2 ? 0 : 2 + r; }
inline std::int64_t width_of(int r) { return r % 4 == 3 ? 0 : 1 + r % 4; }

/// Returns the route of these rows. The source is [row][column of all ranks], padded by 3, the target
/// [row of all ranks][column], padded by 1.
inline Route uneven_route() {
  Route route;
  std::int64_t columns = 0, rows = 0;
  for (int q = 0; q < ranks(); ++q) columns += width_of(q);
  const std::int64_t pitch = columns + 3, far_pitch = width_of(rank()) + 1;
  route.source_size = rows_of(rank()) * pitch;
  std::int64_t column = 0;
  for (int q = 0; q < ranks(); ++q) {
    route.source.push_back({column, {width_of(q), rows_of(rank()), 1}, {1, pitch, 1}});
    route.target.push_back({rows * far_pitch, {width_of(rank()), rows_of(q), 1}, {1, far_pitch, 1}});
    column += width_of(q);
    rows += rows_of(q);
  }
  route.target_size = rows * far_pitch;
  return route;
}

inline double value_of(int from, int to, std::int64_t row, std::int64_t column, int round) {
  return round + 100.0 * from + 10000.0 * to + static_cast<double>(row) / 8 + static_cast<double>(column) / 64;
}

/// Calls visit(column, row, value) for the elements of a patch, whose first one is at `first`. Copies values from the
/// device and back.
template <class Visit>
void each_element(const Queue& queue, std::byte* first, const Patch& patch, const Visit& visit) {
  if (patch.size() == 0) return;
  const std::int64_t last = (patch.count[0] - 1) * patch.stride[0] + (patch.count[1] - 1) * patch.stride[1];
  std::vector<double> copy(queue.on_host() ? 0 : static_cast<std::size_t>(last + 1));
  double* values = queue.on_host() ? reinterpret_cast<double*>(first) : copy.data();
  queue.copy(first, copy.data(), copy.size() * sizeof(double)).wait();
  for (std::int64_t j = 0; j < patch.count[1]; ++j) {
    for (std::int64_t i = 0; i < patch.count[0]; ++i) visit(i, j, values[i * patch.stride[0] + j * patch.stride[1]]);
  }
  queue.copy(copy.data(), first, copy.size() * sizeof(double)).wait();
}

/// Visits all values of one end: visit(value, from, to, row, column).
template <class Visit>
void each_near(Exchange& exchange, const Route& route, const Visit& visit, const Queue& queue = {}) {
  for (int q = 0; q < ranks(); ++q) {
    const Patch& patch = route.source[static_cast<std::size_t>(q)];
    std::byte* first = exchange.source() + patch.offset * static_cast<std::int64_t>(sizeof(double));
    each_element(queue, first, patch, [&](auto i, auto j, double& value) { visit(value, rank(), q, j, i); });
  }
}
template <class Visit>
void each_far(Exchange& exchange, const Visit& visit, const Queue& queue = {}) {
  for (int q = 0; q < ranks(); ++q) {
    const TargetPatch target = exchange.target(q);
    each_element(queue, target.data, target.patch,
                 [&](auto i, auto j, double& value) { visit(value, q, rank(), j, i); });
  }
}

inline void go(Exchange& exchange, Toward toward, Payload payload = Payload::values) {
  exchange.start(toward, payload);
  exchange.poll();
  exchange.finish();
}

/// Moves values to the target and back several times, and compares all of them.
inline void check_both_ways(const Communicator& comm, const ExchangeRequest& request) {
  const Route route = uneven_route();
  const auto exchange = make_exchange(comm, route, request);
  std::int64_t wrong = 0, seen = 0;
  const auto near = [&](auto visit) { each_near(*exchange, route, visit, request.queue); };
  const auto far = [&](auto visit) { each_far(*exchange, visit, request.queue); };
  for (int round = 0; round < 5; ++round) {
    near([=](double& v, int from, int to, auto j, auto i) { v = value_of(from, to, j, i, round); });
    go(*exchange, Toward::target);
    far([=, &wrong, &seen](double& v, int from, int to, auto j, auto i) {
      wrong += v != value_of(from, to, j, i, round);
      v = -v;
      ++seen;
    });
    go(*exchange, Toward::source);
    near([=, &wrong, &seen](double& v, int from, int to, auto j, auto i) {
      wrong += v != -value_of(from, to, j, i, round);
      ++seen;
    });
    go(*exchange, Toward::target, Payload::release);  // handed over without values, filled at the target
    far([=](double& v, int from, int to, auto j, auto i) { v = value_of(to, from, j, i, round); });
    go(*exchange, Toward::source);
    near([=, &wrong, &seen](double& v, int from, int to, auto j, auto i) {
      wrong += v != value_of(to, from, j, i, round);
      ++seen;
    });
  }
  EXPECT_EQ(wrong, 0);
  compared(seen);
}

}  // namespace seiche::testing
