// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda.hpp"

#include <atomic>

#include "support/environment.hpp"
#include "support/modules.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::atomic<Device*> loaded{nullptr};

Device& load_device() {
  static const SharedLibrary module = load_module("libseiche_cuda.so", environment("SEICHE_CUDA"));
  require(module.loaded(), Fault::unsupported,
          "the space 'cuda' needs the module libseiche_cuda.so: build Seiche with -DSEICHE_CUDA=ON, or set SEICHE_CUDA "
          "to the folder of the module");
  SeicheDevice* device = nullptr;
  module.find(device, "seiche_device");
  loaded = device();
  return *loaded;
}

}  // namespace

Device& cuda_device() {
  static Device& device = load_device();
  return device;
}

void use_cuda_device_here() noexcept {
  if (Device* device = loaded) device->make_current();
}

}  // namespace seiche
