// SPDX-License-Identifier: BSD-3-Clause
/// \file  The side table: FFTW's plans are what programs hold; for those that are served, ours are here.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "our_plan.hpp"

namespace seiche::fftw_mpi {

template <class Real>
class Plans {
 public:
  using Handle = const void*;

  /// Collective. A plan of ours, where we have one for it.
  static std::unique_ptr<OurPlan<Real>> made(const Problem& problem) {
    MPI_Comm_rank(MPI_COMM_WORLD, &account().rank);
    const auto how = served(problem);
    if (!how) return nullptr;
    const auto use = integrations::use_of("SEICHE_FFTW_MPI", problem.comm);
    if (use == integrations::Use::never) return nullptr;
    auto plan = std::make_unique<OurPlan<Real>>(problem, *how);
    if (use == integrations::Use::trial) {
      plan->try_later();
    } else if (!plan->make()) {
      return nullptr;
    }
    return plan;
  }
  /// Keeps ours for the real one; nullptr where the real one is to run itself.
  void add(Handle real, std::unique_ptr<OurPlan<Real>> ours) {
    ++(ours ? account().plans_served : account().plans_forwarded);
    if (ours) plans_[real] = std::move(ours);
  }
  /// Of a real plan; nullptr where it is to run itself.
  OurPlan<Real>* find(Handle real) {
    const auto found = plans_.find(real);
    return found == plans_.end() ? nullptr : found->second.get();
  }
  void remove(Handle real) { plans_.erase(real); }

 private:
  std::map<Handle, std::unique_ptr<OurPlan<Real>>> plans_;
};

/// Never destroyed: programs end without destroying theirs, after MPI.
template <class Real>
Plans<Real>& plans() {
  static auto* all = new Plans<Real>;
  return *all;
}

}  // namespace seiche::fftw_mpi
