// SPDX-License-Identifier: BSD-3-Clause
/// \file  The side table: FFTW's plans are what programs hold; for those that are served, ours are here.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "account.hpp"
#include "problem.hpp"
#include "seiche/error.hpp"
#include "trial.hpp"

namespace seiche::fftw_mpi {

/// One of our plans, and the arrays that it was made for.
template <class Real>
struct OurPlan {
  std::variant<DenseFft<Real>, DenseFft<std::complex<Real>>> fft;
  DenseArrays arrays;
  bool forward;
  void *in, *out;
  Trial trial;

  /// Collective.
  void run(void* from, void* into) {
    std::visit([&]<class Value>(DenseFft<Value>& plan) { run(plan, from, into); }, fft);
  }

 private:
  template <class Value>
  void run(DenseFft<Value>& plan, void* from, void* into) {
    using Complex = typename ComplexOf<Value>::type;
    const auto grid = values<Value>(forward ? from : into, arrays.grid);
    const auto spectrum = values<Complex>(forward ? into : from, arrays.spectrum);
    forward ? plan.forward(grid, spectrum) : plan.backward(spectrum, grid);
  }
  /// From the first value of this rank to the last.
  template <class Value>
  std::span<Value> values(void* data, const FieldArray& array) const {
    if (array.box.empty()) return {};
    std::int64_t last = (arrays.fields - 1) * array.field_stride;
    for (int a = 0; a < 3; ++a) last += (array.box.size(a) - 1) * array.stride[static_cast<std::size_t>(a)];
    return {static_cast<Value*>(data), static_cast<std::size_t>(last + 1)};
  }
};

template <class Real>
class Plans {
 public:
  using Handle = const void*;

  /// Collective. A plan of ours, where we have one for it.
  static std::unique_ptr<OurPlan<Real>> made(const Problem& problem) {
    MPI_Comm_rank(MPI_COMM_WORLD, &account().rank);
    const auto how = served(problem);
    if (!how) return nullptr;
    auto* in = const_cast<void*>(problem.in);
    auto* out = const_cast<void*>(problem.out);
    try {
      const auto plan = [&]<class Value>(Value) {
        return std::unique_ptr<OurPlan<Real>>(new OurPlan<Real>{DenseFft<Value>(problem.comm, how->shape, how->arrays),
                                                                how->arrays, how->forward, in, out,
                                                                Trial(problem.comm)});
      };
      return problem.kind == Kind::c2c ? plan(std::complex<Real>{}) : plan(Real{});
    } catch (const Error& error) {  // on all ranks
      tell_refusal(error.what());
      return nullptr;
    }
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
