// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda.hpp"

#include <atomic>
#include <string_view>

#include "support/environment.hpp"
#include "support/modules.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::atomic<Device*> loaded{nullptr};

Device& load_device() {
  static const SharedLibrary module = load_module("libseiche_cuda.so", environment("SEICHE_CUDA"));
  require(module.loaded(), Fault::unsupported,
          "the space 'cuda' needs the module libseiche_cuda.so: install the package seiche-cuda, build Seiche with "
          "-DSEICHE_CUDA=ON, or set SEICHE_CUDA to the folder of the module");
  SeicheDeviceVersion* version = nullptr;
  module.find(version, "seiche_device_version");
  require(version() == std::string_view(SEICHE_VERSION), Fault::unsupported,
          "libseiche_cuda.so belongs to Seiche {}, but this library is Seiche {}: install the module of this version",
          version(), SEICHE_VERSION);
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
