// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stream.hpp"

#include <mutex>
#include <vector>

#include "cuda/complex.cuh"
#include "cuda/launch.cuh"

namespace seiche::cuda {

namespace {

constexpr unsigned threads = 256;

unsigned blocks_of(std::int64_t elements) { return static_cast<unsigned>((elements + threads - 1) / threads); }

/// Events that are not in use. They are created once and never destroyed, because plans may outlive main().
class EventPool {
 public:
  cudaEvent_t take() {
    const std::scoped_lock held(mutex_);
    if (free_.empty()) {
      cudaEvent_t fresh = nullptr;
      check(cudaEventCreateWithFlags(&fresh, cudaEventDisableTiming), "cudaEventCreateWithFlags");
      free_.push_back(fresh);
    }
    const cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  void give_back(cudaEvent_t event) {
    const std::scoped_lock held(mutex_);
    free_.push_back(event);
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

EventPool& pool() {
  static EventPool& events = *new EventPool;
  return events;
}

class Event : public DeviceEvent {
 public:
  explicit Event(cudaStream_t stream) : event_(pool().take()) {
    const cudaError_t error = cudaEventRecord(event_, stream);
    if (error != cudaSuccess) pool().give_back(event_);
    check(error, "cudaEventRecord");
  }
  ~Event() override { pool().give_back(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t handle() const { return event_; }
  bool done() override {
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) return false;
    check(error, "work on the device, or cudaEventQuery");
    return true;
  }
  void wait() override { check(cudaEventSynchronize(event_), "work on the device, or cudaEventSynchronize"); }

 private:
  cudaEvent_t event_;
};

template <class Real>
__global__ void pack(const Complex<Real>* coefficients, Complex<Real>* packed, const std::int32_t* list,
                     std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int32_t entry = list[i];
  Complex<Real> value{0, 0};
  if (entry != DeviceSphere::no_wave) value = coefficients[entry / DeviceSphere::flags];
  if (entry != DeviceSphere::no_wave && (entry & DeviceSphere::conjugate) != 0) value.y = -value.y;
  packed[i] = value;
}

template <class Real>
__global__ void unpack(const Complex<Real>* packed, Complex<Real>* coefficients, const std::int32_t* list,
                       std::int64_t count, bool adds) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int32_t entry = list[i];
  if (entry == DeviceSphere::no_wave || (entry & DeviceSphere::mirror) != 0) return;
  Complex<Real> value = packed[i];
  if ((entry & DeviceSphere::conjugate) != 0) value.y = -value.y;
  Complex<Real>& stored = coefficients[entry / DeviceSphere::flags];
  if (adds) value = {stored.x + value.x, stored.y + value.y};
  stored = value;
}

__global__ void to_float(const double* from, float* into, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) into[i] = static_cast<float>(from[i]);
}

template <class Real>
const Complex<Real>* numbers(const void* array) {
  return static_cast<const Complex<Real>*>(array);
}
template <class Real>
Complex<Real>* numbers(void* array) {
  return static_cast<Complex<Real>*>(array);
}

}  // namespace

Stream::Stream(void* callers) : handle_(static_cast<cudaStream_t>(callers)), owned_(callers == nullptr) {
  if (!owned_) return;
  const Current current;
  check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

Stream::~Stream() {
  if (owned_) cudaStreamDestroy(handle_);
}

void Stream::copy(const void* from, void* into, std::size_t bytes) {
  const Current current;
  check(cudaMemcpyAsync(into, from, bytes, cudaMemcpyDefault, handle_), "cudaMemcpyAsync");
}

void Stream::pack_waves(const void* coefficients, void* packed, const std::int32_t* list, std::int64_t count,
                        bool single) {
  if (count == 0) return;
  const Current current;
  const LaunchShape shape{dim3(blocks_of(count)), threads};
  if (single) {
    launch(pack<float>, shape, handle_, numbers<float>(coefficients), numbers<float>(packed), list, count);
  } else {
    launch(pack<double>, shape, handle_, numbers<double>(coefficients), numbers<double>(packed), list, count);
  }
}

void Stream::unpack_waves(const void* packed, void* coefficients, const std::int32_t* list, std::int64_t count,
                          bool single, bool adds) {
  if (count == 0) return;
  const Current current;
  const LaunchShape shape{dim3(blocks_of(count)), threads};
  if (single) {
    launch(unpack<float>, shape, handle_, numbers<float>(packed), numbers<float>(coefficients), list, count, adds);
  } else {
    launch(unpack<double>, shape, handle_, numbers<double>(packed), numbers<double>(coefficients), list, count, adds);
  }
}

void Stream::narrow(const double* from, float* into, std::int64_t count) {
  if (count == 0) return;
  const Current current;
  launch(to_float, {dim3(blocks_of(count)), threads}, handle_, from, into, count);
}

void Stream::zero(void* memory, std::size_t bytes) {
  const Current current;
  check(cudaMemsetAsync(memory, 0, bytes, handle_), "cudaMemsetAsync");
}

void Stream::follow_default() {
  if (!owned_) return;
  const Current current;
  const Event before(cudaStreamLegacy);
  check(cudaStreamWaitEvent(handle_, before.handle()), "cudaStreamWaitEvent");
}

std::shared_ptr<DeviceEvent> Stream::record() {
  const Current current;
  return std::make_shared<Event>(handle_);
}

}  // namespace seiche::cuda
