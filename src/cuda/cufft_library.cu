// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/cufft_library.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include "seiche/error.hpp"

#ifndef SEICHE_CUDA_EMULATED
#include <dlfcn.h>
#endif

namespace seiche::cuda {

namespace {

// hipFFT has the functions of cuFFT with other names.
#ifdef __HIP__
constexpr std::array files{"libhipfft.so.0", "libhipfft.so"};
const std::string library_name = "hipFFT", prefix = "hipfft", packages = "ROCm";
#else
constexpr std::array files{"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
const std::string library_name = "cuFFT", prefix = "cufft",
                  packages = "the CUDA toolkit or the package nvidia-cufft of PyPI";
#endif

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Fault::unsupported, "these transforms need the library " + library_name + ": " + reason + ": install " +
                                      packages + ", and add the folder of " + files[0] + " to LD_LIBRARY_PATH");
}

#ifdef SEICHE_CUDA_EMULATED

void require_present() {
  if (std::getenv("SEICHE_EMULATED_NO_CUFFT")) refuse("SEICHE_EMULATED_NO_CUFFT is set");
}

Cufft load() {
  return {cufftPlanMany, cufftGetSize, cufftSetStream, cufftDestroy, cufftExecZ2Z,
          cufftExecC2C,  cufftExecZ2D, cufftExecC2R,   cufftExecD2Z, cufftExecR2C};
}

#else

void require_present() {}

void* open_library() {
  for (const char* name : files) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  refuse(dlerror());
}

template <class Function>
void find(void* library, Function& function, const char* name) {
  const std::string whole = prefix + name;
  function = reinterpret_cast<Function>(dlsym(library, whole.c_str()));
  if (!function) {
    throw Error(Fault::unsupported,
                "the library " + library_name + " has no function " + whole + ": install another version of it");
  }
}

Cufft load() {
  void* library = open_library();
  Cufft all{};
  find(library, all.plan_many, "PlanMany");
  find(library, all.get_size, "GetSize");
  find(library, all.set_stream, "SetStream");
  find(library, all.destroy, "Destroy");
  find(library, all.z2z, "ExecZ2Z");
  find(library, all.c2c, "ExecC2C");
  find(library, all.z2d, "ExecZ2D");
  find(library, all.c2r, "ExecC2R");
  find(library, all.d2z, "ExecD2Z");
  find(library, all.r2c, "ExecR2C");
  return all;
}

#endif

void check(cufftResult result, const char* name) {
  if (result == CUFFT_SUCCESS) return;
  const bool memory = result == CUFFT_ALLOC_FAILED;
  throw Error(Fault::unsupported,
              std::string(name) + " failed with code " + std::to_string(static_cast<int>(result)) +
                  (memory ? " (no memory): use more devices or a smaller grid"
                          : ": install another version of " + library_name + ", or compute on the host"));
}

}  // namespace

const Cufft& cufft() {
  require_present();
  static const Cufft functions = load();
  return functions;
}

FftPlan::FftPlan(int axes, std::array<int, 3> shape, FftOrder in, FftOrder out, cufftType type, int batch)
    : type_(type) {
  std::array<int, 3> in_shape = shape, out_shape = shape;
  if (in.row > 0) in_shape[1] = in.row;
  if (out.row > 0) out_shape[1] = out.row;
  int* in_embed = in.stride > 0 ? in_shape.data() : nullptr;
  int* out_embed = out.stride > 0 ? out_shape.data() : nullptr;
  check(cufft().plan_many(&handle_, axes, shape.data(), in_embed, in.stride, in.distance, out_embed, out.stride,
                          out.distance, type, batch),
        "cufftPlanMany");
  made_ = true;
  check(cufft().get_size(handle_, &bytes_), "cufftGetSize");
}

FftPlan::~FftPlan() {
  if (made_) cufft().destroy(handle_);
}

FftPlan::FftPlan(FftPlan&& other) noexcept
    : handle_(other.handle_), type_(other.type_), made_(std::exchange(other.made_, false)), bytes_(other.bytes_) {}

FftPlan& FftPlan::operator=(FftPlan&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(type_, other.type_);
  std::swap(made_, other.made_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void FftPlan::run(cudaStream_t stream, const void* in, void* out, int sign) const {
  check(cufft().set_stream(handle_, stream), "cufftSetStream");
  void* from = const_cast<void*>(in);  // functions of cuFFT take no const pointers
  const auto exec = [&]() -> cufftResult {
    switch (type_) {
      case CUFFT_Z2Z:
        return cufft().z2z(handle_, static_cast<cufftDoubleComplex*>(from), static_cast<cufftDoubleComplex*>(out),
                           sign);
      case CUFFT_C2C:
        return cufft().c2c(handle_, static_cast<cufftComplex*>(from), static_cast<cufftComplex*>(out), sign);
      case CUFFT_Z2D:
        return cufft().z2d(handle_, static_cast<cufftDoubleComplex*>(from), static_cast<cufftDoubleReal*>(out));
      case CUFFT_C2R:
        return cufft().c2r(handle_, static_cast<cufftComplex*>(from), static_cast<cufftReal*>(out));
      case CUFFT_D2Z:
        return cufft().d2z(handle_, static_cast<cufftDoubleReal*>(from), static_cast<cufftDoubleComplex*>(out));
      case CUFFT_R2C:
        return cufft().r2c(handle_, static_cast<cufftReal*>(from), static_cast<cufftComplex*>(out));
    }
    return CUFFT_INVALID_VALUE;
  };
  check(exec(), "cufftExec");
}

}  // namespace seiche::cuda
