// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/arrival_skew.hpp"

#include <array>
#include <cstdint>

#include "comm/agree.hpp"
#include "comm/check.hpp"

namespace seiche {

void ArrivalSkew::come() {
  if (left_) away_ = Clock::now() - *left_;
}

void ArrivalSkew::leave(const Communicator& comm, const std::optional<Error>& fault) {
  const bool seen = left_.has_value();
  std::array<std::int64_t, 3> least{fault ? comm.rank() : comm.size(), away_.count(), ~away_.count()};
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_INT64_T, MPI_MIN, comm.get()), "MPI_Allreduce");
  left_ = Clock::now();
  constexpr double weight_of_last = 1.0 / 32;
  const double apart = 1e-9 * static_cast<double>(~least[2] - least[1]);
  if (seen) skew_ = skew_ == 0 ? apart : skew_ + weight_of_last * (apart - skew_);
  throw_of(comm, static_cast<int>(least[0]), fault);
}

}  // namespace seiche
