// SPDX-License-Identifier: BSD-3-Clause
/// \file  What runs a problem that is served: ours, FFTW's own, or both in turns.
#pragma once

#include <complex>
#include <cstdlib>
#include <optional>
#include <seiche/communicator.hpp>
#include <span>
#include <variant>

#include "../trial.hpp"
#include "fftw_account.hpp"
#include "problem.hpp"
#include "seiche/error.hpp"

namespace seiche::fftw_mpi {

template <class Real>
class OurPlan {
 public:
  /// Collective.
  OurPlan(const Problem& problem, const Served& how)
      : in(const_cast<void*>(problem.in)),
        out(const_cast<void*>(problem.out)),
        real_grid_(problem.kind != Kind::c2c),
        how_(how),
        comm_(problem.comm) {}

  /// Collective. Whether ours could be made; all ranks get the same answer.
  bool make() {
    try {
      if (real_grid_) {
        fft_.emplace(DenseFft<Real>(comm_, how_.shape, how_.arrays));
      } else {
        fft_.emplace(DenseFft<std::complex<Real>>(comm_, how_.shape, how_.arrays));
      }
      return true;
    } catch (const Error& error) {  // on all ranks
      tell_refusal(error.what());
      return false;
    }
  }

  /// Whether ours runs next.
  bool ours() const { return fft_ && (!trial_ || trial_->ours()); }
  /// Collective. Ours, over the program's arrays.
  void run(void* from, void* into) {
    std::visit([&]<class Value>(DenseFft<Value>& plan) { run(plan, from, into); }, *fft_);
  }
  /// Finds out by a trial whether ours is to run, and makes it when its turns begin.
  void try_later() { trial_.emplace(); }
  /// While it is not decided who runs.
  bool on_trial() const { return trial_.has_value(); }
  /// Collective, after each execution by either.
  void took(double seconds) {
    if (!trial_) return;
    if (!fft_) {
      if (trial_->begins(seconds, comm_.get()) && !make()) trial_.reset();
      return;
    }
    trial_->took(seconds, comm_.get());
    if (!trial_->over()) return;
    if (!trial_->ours()) fft_.reset();
    trial_.reset();
  }

  void *in, *out;  ///< the arrays that the program made it for

 private:
  template <class Value>
  void run(DenseFft<Value>& plan, void* from, void* into) {
    using Complex = typename ComplexOf<Value>::type;
    const auto grid = values<Value>(how_.forward ? from : into, how_.arrays.grid);
    const auto spectrum = values<Complex>(how_.forward ? into : from, how_.arrays.spectrum);
    how_.forward ? plan.forward(grid, spectrum) : plan.backward(spectrum, grid);
  }
  /// From the first value of this rank to the last.
  template <class Value>
  std::span<Value> values(void* data, const FieldArray& array) const {
    if (array.box.empty()) return {};
    std::int64_t last = (how_.arrays.fields - 1) * array.field_stride;
    for (int a = 0; a < 3; ++a) last += (array.box.size(a) - 1) * array.stride[static_cast<std::size_t>(a)];
    return {static_cast<Value*>(data), static_cast<std::size_t>(last + 1)};
  }

  bool real_grid_;
  Served how_;
  Communicator comm_;  ///< a duplicate: programs free theirs
  std::optional<std::variant<DenseFft<Real>, DenseFft<std::complex<Real>>>> fft_;
  std::optional<integrations::Trial> trial_;
};

}  // namespace seiche::fftw_mpi
