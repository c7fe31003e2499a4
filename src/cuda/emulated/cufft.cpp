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
  const int* shape;
  const int* in_embed;
  int in_stride, in_distance;
  const int* out_embed;
  int out_stride, out_distance;
  cufftType type;
  int batch;
};

}  // namespace

/// Plans of FFTW. Only the creation of plans is not thread-safe.
struct cufftPlan {
  cufftPlan() = default;
  cufftPlan(const cufftPlan&) = delete;
  cufftPlan& operator=(const cufftPlan&) = delete;
  virtual ~cufftPlan() = default;
  virtual void run(void* in, void* out, int sign) = 0;
  cudaStream_t stream = nullptr;
};

namespace {

template <class Fftw>
class Plan : public cufftPlan {
 public:
  using Number = typename Fftw::Number;
  using Real = std::remove_extent_t<Number>;

  explicit Plan(const Many& many) : type_(many.type) {
    if (type_ == CUFFT_C2C || type_ == CUFFT_Z2Z) {
      for (const int sign : {CUFFT_FORWARD, CUFFT_INVERSE})
        for (const bool in_place : {false, true}) of(sign, in_place) = complex_plan(many, sign, in_place);
    } else {
      of(CUFFT_FORWARD, false) = real_plan(many);
    }
  }
  ~Plan() override {
    for (const auto plan : plans_)
      if (plan) fftw().destroy(plan);
  }

  void run(void* in, void* out, int sign) override {
    if (type_ == CUFFT_C2C || type_ == CUFFT_Z2Z) {
      fftw().run_c2c(of(sign, in == out), static_cast<Number*>(in), static_cast<Number*>(out));
    } else if (type_ == CUFFT_C2R || type_ == CUFFT_Z2D) {
      fftw().run_c2r(of(CUFFT_FORWARD, false), static_cast<Number*>(in), static_cast<Real*>(out));
    } else {
      fftw().run_r2c(of(CUFFT_FORWARD, false), static_cast<Real*>(in), static_cast<Number*>(out));
    }
  }

 private:
  static constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;  // such plans do not access arrays
  static const Fftw& fftw() {
    static const Fftw functions = load<Fftw>();
    return functions;
  }
  typename Fftw::Plan& of(int sign, bool in_place) { return plans_[(sign > 0 ? 2 : 0) + (in_place ? 1 : 0)]; }

  typename Fftw::Plan complex_plan(const Many& m, int sign, bool in_place) {
    return fftw().c2c(m.axes, m.shape, m.batch, arrays_, m.in_embed, m.in_stride, m.in_distance,
                      in_place ? arrays_ : arrays_ + 1, m.out_embed, m.out_stride, m.out_distance, sign, flags);
  }
  typename Fftw::Plan real_plan(const Many& m) {
    Real* reals = *(arrays_ + 1);
    if (type_ == CUFFT_C2R || type_ == CUFFT_Z2D)
      return fftw().c2r(m.axes, m.shape, m.batch, arrays_, m.in_embed, m.in_stride, m.in_distance, reals, m.out_embed,
                        m.out_stride, m.out_distance, flags);
    return fftw().r2c(m.axes, m.shape, m.batch, reals, m.in_embed, m.in_stride, m.in_distance, arrays_, m.out_embed,
                      m.out_stride, m.out_distance, flags);
  }

  cufftType type_;
  std::array<typename Fftw::Plan, 4> plans_{};
  Number arrays_[2];
};

cufftResult enqueue(cufftHandle plan, void* in, void* out, int sign) {
  seiche::emulated::enqueue(plan->stream, [=] { plan->run(in, out, sign); });
  return CUFFT_SUCCESS;
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
  if (!in_embed || !out_embed) {
    in_embed = out_embed = nullptr;
    in_stride = out_stride = 1;
    in_distance = from_half ? half : points;
    out_distance = to_half ? half : points;
  }
  const Many many{axes, shape, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type, batch};
  const bool wide = type == CUFFT_Z2Z || type == CUFFT_Z2D || type == CUFFT_D2Z;
  *plan = wide ? static_cast<cufftPlan*>(new Plan<InDouble>(many)) : new Plan<InFloat>(many);
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
