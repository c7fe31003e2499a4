// SPDX-License-Identifier: BSD-3-Clause
#include "fft/exchange_only.hpp"

#include <complex>

#include "fft/dense/dense_body.hpp"
#include "fft/sphere/sphere_body.hpp"

namespace seiche {

namespace {

RunOptions without_computing(bool asleep) {
  return {.skip = true, .waiting = asleep ? Waiting::sleeping : Waiting::spinning};
}

}  // namespace

template <class Value>
void exchange_only(const DenseFft<Value>& fft, Field<Value>& field, bool asleep) {
  auto& body = DenseFft<Value>::Body::of(fft);
  together(body.plan().comm, [&] { body.require_own(field); });
  field.become_grid();
  body.transform(field, true, without_computing(asleep));
  body.transform(field, false, without_computing(asleep));
}

template <class Value>
void exchange_only(const SphereFft<Value>& fft, std::int64_t bands, bool asleep) {
  auto& body = SphereFft<Value>::Body::of(fft);
  body.check("exchange_only", bands, [&](EqualArguments&) {
    require(bands >= 0, Fault::bad_argument, "fft: the number of bands must not be negative (got {})", bands);
  });
  SphereRun<Value> run(*body.kept, Flow::round_trip, {.by = GivenBy::library}, body.spent, without_computing(asleep));
  run.feed({.bands = bands});
  run.finish();
}

template void exchange_only(const DenseFft<double>&, Field<double>&, bool);
template void exchange_only(const DenseFft<float>&, Field<float>&, bool);
template void exchange_only(const DenseFft<std::complex<double>>&, Field<std::complex<double>>&, bool);
template void exchange_only(const DenseFft<std::complex<float>>&, Field<std::complex<float>>&, bool);
template void exchange_only(const SphereFft<double>&, std::int64_t, bool);
template void exchange_only(const SphereFft<float>&, std::int64_t, bool);
template void exchange_only(const SphereFft<std::complex<double>>&, std::int64_t, bool);
template void exchange_only(const SphereFft<std::complex<float>>&, std::int64_t, bool);

}  // namespace seiche
