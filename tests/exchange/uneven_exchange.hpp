// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange of uneven parts, some of them empty, and the values that arrive by index arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

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

inline double* element(std::byte* base, const Patch& patch, std::int64_t offset, std::int64_t i, std::int64_t j) {
  return reinterpret_cast<double*>(base) + offset + i * patch.stride[0] + j * patch.stride[1];
}

/// Visits all values of one end: visit(value, from, to, row, column).
template <class Visit>
void each_near(Exchange& exchange, const Route& route, const Visit& visit) {
  for (int q = 0; q < ranks(); ++q) {
    const Patch& patch = route.source[static_cast<std::size_t>(q)];
    for (std::int64_t j = 0; j < patch.count[1]; ++j) {
      for (std::int64_t i = 0; i < patch.count[0]; ++i) {
        visit(*element(exchange.source(), patch, patch.offset, i, j), rank(), q, j, i);
      }
    }
  }
}
template <class Visit>
void each_far(Exchange& exchange, const Visit& visit) {
  for (int q = 0; q < ranks(); ++q) {
    const TargetPatch target = exchange.target(q);
    for (std::int64_t j = 0; j < target.patch.count[1]; ++j) {
      for (std::int64_t i = 0; i < target.patch.count[0]; ++i) {
        visit(*element(target.data, target.patch, 0, i, j), q, rank(), j, i);
      }
    }
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
  const auto near = [&](auto visit) { request.queue.run([&, visit] { each_near(*exchange, route, visit); }); };
  const auto far = [&](auto visit) { request.queue.run([&, visit] { each_far(*exchange, visit); }); };
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
  request.queue.drain();
  EXPECT_EQ(wrong, 0);
  compared(seen);
}

}  // namespace seiche::testing
