// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda.hpp"

#include "support/environment.hpp"
#include "support/modules.hpp"
#include "support/require.hpp"

namespace seiche {

Device& cuda_device() {
  static const SharedLibrary module = load_module("libseiche_cuda.so", environment("SEICHE_CUDA"));
  require(module.loaded(), Fault::unsupported,
          "the space 'cuda' needs the module libseiche_cuda.so: build Seiche with -DSEICHE_CUDA=ON, or set SEICHE_CUDA "
          "to the folder of the module");
  SeicheDevice* device = nullptr;
  module.find(device, "seiche_device");
  return *device();
}

}  // namespace seiche
