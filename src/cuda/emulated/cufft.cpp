// SPDX-License-Identifier: BSD-3-Clause
#include <cufft.h>
#include <fftw3.h>

#include <array>
#include <string>

#include "support/shared_library.hpp"

namespace {

/// Functions of FFTW for one precision. They are loaded, because MKL may replace linked functions of FFTW.
struct InDouble {
  using Number = fftw_complex;
  using Plan = fftw_plan;
  decltype(fftw_plan_many_dft)* c2c = nullptr;
  decltype(fftw_plan_many_dft_c2r)* c2r = nullptr;
  decltype(fftw_plan_many_dft_r2c)* r2c = nullptr;
  decltype(fftw_execute_dft)* run_c2c = nullptr;
  decltype(fftw_execute_dft_c2r)* run_c2r = nullptr;
  decltype(fftw_execute_dft_r2c)* run_r2c = nullptr;
  decltype(fftw_destroy_plan)* destroy = nullptr;
  static constexpr const char *library = "libfftw3.so.3", *prefix = "fftw_";
};
struct InFloat {
  using Number = fftwf_complex;
  using Plan = fftwf_plan;
  decltype(fftwf_plan_many_dft)* c2c = nullptr;
  decltype(fftwf_plan_many_dft_c2r)* c2r = nullptr;
  decltype(fftwf_plan_many_dft_r2c)* r2c = nullptr;
  decltype(fftwf_execute_dft)* run_c2c = nullptr;
  decltype(fftwf_execute_dft_c2r)* run_c2r = nullptr;
  decltype(fftwf_execute_dft_r2c)* run_r2c = nullptr;
  decltype(fftwf_destroy_plan)* destroy = nullptr;
  static constexpr const char *library = "libfftw3f.so.3", *prefix = "fftwf_";
};

template <class Fftw>
Fftw load() {
  const seiche::SharedLibrary library{Fftw::library};
  const std::string prefix = Fftw::prefix;
  Fftw fftw;
  library.find(fftw.c2c, (prefix + "plan_many_dft").c_str());
  library.find(fftw.c2r, (prefix + "plan_many_dft_c2r").c_str());
  library.find(fftw.r2c, (prefix + "plan_many_dft_r2c").c_str());
  library.find(fftw.run_c2c, (prefix + "execute_dft").c_str());
  library.find(fftw.run_c2r, (prefix + "execute_dft_c2r").c_str());
  library.find(fftw.run_r2c, (prefix + "execute_dft_r2c").c_str());
  library.find(fftw.destroy, (prefix + "destroy_plan").c_str());
  return fftw;
}

/// Arguments of cufftPlanMany.
struct Many {
  int axes;
  std::array<int, 3> shape, in_shape, out_shape;  // the latter two are used if elements are embedded
  bool embedded;
  int in_stride, in_distance, out_stride, out_distance;
  cufftType type;
  int batch;
  const int* in_embed() const { return embedded ? in_shape.data() : nullptr; }
  const int* out_embed() const { return embedded ? out_shape.data() : nullptr; }
};

std::array<int, 3> sizes(const int* shape, int axes) {
  std::array<int, 3> copy{};
  for (int a = 0; shape && a < axes; ++a) copy.at(static_cast<std::size_t>(a)) = shape[a];
  return copy;
}

}  // namespace

/// Plans of FFTW. Only the creation of plans is not thread-safe.
struct cufftPlan {
  cufftPlan() = default;
  cufftPlan(const cufftPlan&) = delete;
  cufftPlan& operator=(const cufftPlan&) = delete;
  virtual ~cufftPlan() = default;
  /// Creates the plan of FFTW.
  virtual void prepare(bool in_place, int sign) = 0;
  virtual void run(void* in, void* out, int sign) = 0;
  virtual std::size_t alignment() const = 0;
  cudaStream_t stream = nullptr;
  int device = 0;
};

namespace {

template <class Fftw>
class Plan : public cufftPlan {
 public:
  using Number = typename Fftw::Number;
  using Real = std::remove_extent_t<Number>;

  explicit Plan(const Many& many) : many_(many) {}
  ~Plan() override {
    for (const auto plan : plans_)
      if (plan) fftw().destroy(plan);
  }

  void prepare(bool in_place, int sign) override {
    typename Fftw::Plan& plan = of(sign, in_place);
    if (!plan) plan = is_complex() ? complex_plan(sign, in_place) : real_plan(in_place);
  }
  void run(void* in, void* out, int sign) override {
    const typename Fftw::Plan plan = of(sign, in == out);
    if (is_complex()) {
      fftw().run_c2c(plan, static_cast<Number*>(in), static_cast<Number*>(out));
    } else if (to_real()) {
      fftw().run_c2r(plan, static_cast<Number*>(in), static_cast<Real*>(out));
    } else {
      fftw().run_r2c(plan, static_cast<Real*>(in), static_cast<Number*>(out));
    }
  }
  std::size_t alignment() const override { return sizeof(Number); }

 private:
  static constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;  // such plans do not access arrays
  static const Fftw& fftw() {
    static const Fftw functions = load<Fftw>();
    return functions;
  }
  typename Fftw::Plan& of(int sign, bool in_place) { return plans_[(sign > 0 ? 2 : 0) + (in_place ? 1 : 0)]; }
  bool is_complex() const { return many_.type == CUFFT_C2C || many_.type == CUFFT_Z2Z; }
  bool to_real() const { return many_.type == CUFFT_C2R || many_.type == CUFFT_Z2D; }

  typename Fftw::Plan complex_plan(int sign, bool in_place) {
    const Many& m = many_;
    return fftw().c2c(m.axes, m.shape.data(), m.batch, arrays_, m.in_embed(), m.in_stride, m.in_distance,
                      in_place ? arrays_ : arrays_ + 1, m.out_embed(), m.out_stride, m.out_distance, sign, flags);
  }
  typename Fftw::Plan real_plan(bool in_place) {
    const Many& m = many_;
    Real* reals = in_place ? *arrays_ : *(arrays_ + 1);
    if (to_real())
      return fftw().c2r(m.axes, m.shape.data(), m.batch, arrays_, m.in_embed(), m.in_stride, m.in_distance, reals,
                        m.out_embed(), m.out_stride, m.out_distance, flags);
    return fftw().r2c(m.axes, m.shape.data(), m.batch, reals, m.in_embed(), m.in_stride, m.in_distance, arrays_,
                      m.out_embed(), m.out_stride, m.out_distance, flags);
  }

  Many many_;
  std::array<typename Fftw::Plan, 4> plans_{};
  Number arrays_[2];
};

// Reals must have the alignment of complex numbers. FFTW cannot plan all layouts in place, so plans are created when
// they are needed.
cufftResult enqueue(cufftHandle plan, void* in, void* out, int sign) {
  for (const void* array : {in, out}) {
    if (reinterpret_cast<std::uintptr_t>(array) % plan->alignment() != 0) return CUFFT_INVALID_VALUE;
  }
  int device = 0;
  cudaGetDevice(&device);
  if (device != plan->device) return CUFFT_EXEC_FAILED;
  plan->prepare(in == out, sign);
  const cudaError_t error = seiche::emulated::enqueue(plan->stream, [=] { plan->run(in, out, sign); });
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace

// Without embedding, the arrays of a transform are consecutive, and strides and distances are ignored.
cufftResult cufftPlanMany(cufftHandle* plan, int axes, int* shape, int* in_embed, int in_stride, int in_distance,
                          int* out_embed, int out_stride, int out_distance, cufftType type, int batch) {
  int points = 1;
  for (int a = 0; a < axes; ++a) points *= shape[a];
  const int last = shape[axes - 1], half = points / last * (last / 2 + 1);
  const bool from_half = type == CUFFT_C2R || type == CUFFT_Z2D, to_half = type == CUFFT_R2C || type == CUFFT_D2Z;
  if (batch <= 0 || points <= 0) return CUFFT_INVALID_VALUE;
  if (axes == 2 && in_embed && out_embed &&
      (in_embed[1] < (from_half ? last / 2 + 1 : last) || out_embed[1] < (to_half ? last / 2 + 1 : last)))
    return CUFFT_INVALID_VALUE;
  if (!in_embed || !out_embed) {
    in_embed = out_embed = nullptr;
    in_stride = out_stride = 1;
    in_distance = from_half ? half : points;
    out_distance = to_half ? half : points;
  }
  const Many many{axes,
                  sizes(shape, axes),
                  sizes(in_embed, axes),
                  sizes(out_embed, axes),
                  in_embed != nullptr,
                  in_stride,
                  in_distance,
                  out_stride,
                  out_distance,
                  type,
                  batch};
  const bool wide = type == CUFFT_Z2Z || type == CUFFT_Z2D || type == CUFFT_D2Z;
  *plan = wide ? static_cast<cufftPlan*>(new Plan<InDouble>(many)) : new Plan<InFloat>(many);
  cudaGetDevice(&(*plan)->device);
  return CUFFT_SUCCESS;
}

cufftResult cufftGetSize(cufftHandle, std::size_t* bytes) {
  *bytes = 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  plan->stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  delete plan;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecZ2Z(cufftHandle plan, double2* in, double2* out, int sign) { return enqueue(plan, in, out, sign); }
cufftResult cufftExecC2C(cufftHandle plan, float2* in, float2* out, int sign) { return enqueue(plan, in, out, sign); }
cufftResult cufftExecZ2D(cufftHandle plan, double2* in, double* out) { return enqueue(plan, in, out, CUFFT_INVERSE); }
cufftResult cufftExecC2R(cufftHandle plan, float2* in, float* out) { return enqueue(plan, in, out, CUFFT_INVERSE); }
cufftResult cufftExecD2Z(cufftHandle plan, double* in, double2* out) { return enqueue(plan, in, out, CUFFT_FORWARD); }
cufftResult cufftExecR2C(cufftHandle plan, float* in, float2* out) { return enqueue(plan, in, out, CUFFT_FORWARD); }
