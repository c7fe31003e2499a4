// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sphere_run.hpp"

#include "fft/sphere/sphere_device_steps.hpp"
#include "fft/sphere/sphere_host_steps.hpp"

namespace seiche {

template <class Value>
std::unique_ptr<SphereSteps> SphereWork<Value>::make_steps(const KeptSphere<Value>& kept) {
  if (kept.kernels()) return std::make_unique<SphereDeviceSteps<Value>>(plan, *kept.kernels(), slots, call);
  return std::make_unique<SphereHostSteps<Value>>(plan, *kept.lines(), slots, call);
}

SEICHE_SPHERE_CODE(, double)
SEICHE_SPHERE_CODE(, float)
SEICHE_SPHERE_CODE(, std::complex<double>)
SEICHE_SPHERE_CODE(, std::complex<float>)

}  // namespace seiche
