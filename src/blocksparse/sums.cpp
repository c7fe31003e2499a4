// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums that do not depend on the number of ranks, and lists passed between all of them.
#include "blocksparse/parts.hpp"
#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "exchange/kinds.hpp"

namespace seiche {

double exact_sum(const Communicator& comm, std::span<const double> mine) {
  double largest = 0;
  bool finite = true;
  for (const double term : mine) {
    finite = finite && std::isfinite(term);
    largest = std::max(largest, std::abs(term));
  }
  const double scale_of = maximum(comm, finite ? largest : std::numeric_limits<double>::infinity());
  if (!std::isfinite(scale_of)) return std::numeric_limits<double>::quiet_NaN();
  if (scale_of == 0) return 0;
  int exponent = 0;
  std::frexp(scale_of, &exponent);
  // |term| < 2^exponent becomes a whole number below 2^90: 2^37 of them fit 128 bits
  constexpr int digits = 90;
  __extension__ using Wide = __int128;
  Wide total = 0;
  for (const double term : mine) {
    const double upper = std::ldexp(term, digits - exponent);
    const double high = std::trunc(std::ldexp(upper, -45));  // exact in two parts of 45 bits
    const double low = upper - std::ldexp(high, 45);
    total += static_cast<Wide>(high) * (Wide{1} << 45) + static_cast<Wide>(std::trunc(low));
  }
  constexpr Wide base = Wide{1} << 60;
  const auto lows = gather_all(comm, static_cast<std::int64_t>(total % base));
  const auto highs = gather_all(comm, static_cast<std::int64_t>(total / base));
  total = 0;
  for (std::size_t r = 0; r < lows.size(); ++r) total += static_cast<Wide>(highs[r]) * base + lows[r];
  return std::ldexp(static_cast<double>(total), exponent - digits);
}

std::vector<std::int64_t> swap_counts(const Communicator& comm, const std::vector<std::int64_t>& out) {
  std::vector<std::int64_t> in(out.size());
  check(MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, comm.get()), "MPI_Alltoall");
  return in;
}

aligned_vector<std::byte> pass_row(const Communicator& comm, const std::vector<std::int64_t>& out,
                                   const std::vector<std::int64_t>& in, const std::function<void(std::byte*)>& fill) {
  Route route;
  for (std::size_t q = 0; q < out.size(); ++q) {
    route.source.push_back(row_patch(route.source_size, out[q]));
    route.target.push_back(row_patch(route.target_size, in[q]));
    route.source_size += out[q];
    route.target_size += in[q];
  }
  const auto memory = std::make_shared<EndMemory>();
  memory->source.resize(static_cast<std::size_t>(route.source_size));
  fill(memory->source.data());
  memory->target.resize(static_cast<std::size_t>(route.target_size));
  const auto exchange = make_pairwise_exchange(comm, route, Form{1}, memory);
  exchange->start(Toward::target, Payload::values);
  exchange->finish();
  return std::move(memory->target);
}

}  // namespace seiche
