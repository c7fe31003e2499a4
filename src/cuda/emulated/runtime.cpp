// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "cuda/emulated/guarded.hpp"
#include "cuda/emulated/runtime.hpp"
#include "cuda/emulated/stream_thread.hpp"
#include "support/aligned_memory.hpp"

struct CUstream_st {
  int device = 0;
  std::shared_ptr<seiche::emulated::StreamThread> thread = std::make_shared<seiche::emulated::StreamThread>();
};
struct CUevent_st {
  int device = 0;
  std::shared_ptr<seiche::emulated::StreamThread> thread;
  std::int64_t number = 0;
};

namespace {

using seiche::emulated::failed;

constexpr std::size_t granularity = 256;
constexpr char poison = static_cast<char>(0xff);  // such numbers are NaN
constexpr int devices = 2;

struct Block {
  int device;
  std::shared_ptr<std::byte> mapped;
  std::size_t bytes;
  int file;           // descriptor, so that other processes can map the memory
  std::size_t pages;  // bytes of the file
};

/// Place of memory of a process, as content of a cudaIpcMemHandle_t.
struct SharedPlace {
  pid_t process;
  int file;
  std::size_t pages, offset;
};

/// Memory of another process, and the descriptor of its file.
struct Mapping {
  std::shared_ptr<std::byte> mapped;
  int file;
};

/// Device memory and pinned host memory by the first address. Never destroyed, because plans may outlive main().
struct Blocks {
  std::mutex mutex;
  std::map<const std::byte*, Block> all;
  std::map<const std::byte*, std::size_t> pinned;  // host memory
  std::map<const std::byte*, Mapping> of_others;   // memory of other processes
};
Blocks& blocks() {
  static Blocks& all = *new Blocks;
  return all;
}

/// Creates a file in memory. Its descriptor stays open, so the limit of this process is raised.
int memory_file(std::size_t bytes) {
  static const bool raised = [] {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &files) == 0;
  }();
  const int file = raised ? memfd_create("emulated CUDA device", MFD_CLOEXEC) : -1;
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
  return file;
}

void fill_with_nan(int file, std::size_t bytes) {
  const std::string values(std::min<std::size_t>(bytes, 1 << 20), poison);
  for (std::size_t at = 0; at < bytes; at += values.size()) {
    const std::size_t size = std::min(values.size(), bytes - at);
    if (pwrite(file, values.data(), size, static_cast<off_t>(at)) != static_cast<ssize_t>(size)) throw std::bad_alloc();
  }
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Explanation of the last error of this thread.
thread_local std::string explanation;
thread_local cudaError_t last_error = cudaSuccess;

thread_local int current_device = gettid() == getpid() ? 1 : 0;

CUstream_st& stream_of(cudaStream_t stream) {
  struct OfDevices {
    std::array<CUstream_st, devices> streams;
    OfDevices() {
      for (int d = 0; d < devices; ++d) streams[static_cast<std::size_t>(d)].device = d;
    }
    CUstream_st& current() { return streams[static_cast<std::size_t>(current_device)]; }
  };
  static OfDevices& legacy = *new OfDevices;
  static thread_local OfDevices per_thread;
  if (stream == nullptr || stream == cudaStreamLegacy) return legacy.current();
  return stream == cudaStreamPerThread ? per_thread.current() : *stream;
}

cudaError_t other_device() {
  return failed(cudaErrorInvalidResourceHandle, "invalid resource handle (the device of the stream is not current)");
}

cudaError_t wait_for(seiche::emulated::StreamThread& thread, std::int64_t number) {
  try {
    thread.wait(number);
  } catch (const std::exception& error) {
    return failed(cudaErrorLaunchFailure, error.what());
  }
  return cudaSuccess;
}

}  // namespace

namespace seiche::emulated {

cudaError_t failed(cudaError_t error, const char* text) {
  explanation = text;
  return last_error = error;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  CUstream_st& on = stream_of(stream);
  if (on.device != current_device) return other_device();
  on.thread->add(std::move(work));
  return cudaSuccess;
}

}  // namespace seiche::emulated

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : error == cudaErrorNotReady ? "not ready" : explanation.c_str();
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return failed(cudaErrorInvalidValue, "invalid device ordinal");
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "emulated CUDA device");
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 4 : seiche::emulated::most_shared;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const std::size_t size = seiche::rounded_up(std::max<std::size_t>(bytes, 1), granularity);
  const std::size_t pages = seiche::rounded_up(size, page_size());
  std::shared_ptr<std::byte> mapped;
  int file = -1;
  try {
    file = memory_file(pages);
    mapped = seiche::emulated::guarded_memory(pages, file);
    fill_with_nan(file, pages);
  } catch (const std::bad_alloc&) {
    if (file >= 0) close(file);
    return failed(cudaErrorMemoryAllocation, "out of memory");
  }
  std::byte* data = mapped.get() + pages - size;
  const std::scoped_lock held(blocks().mutex);
  blocks().all[data] = {current_device, std::move(mapped), size, file, pages};
  *memory = data;
  return cudaSuccess;
}

// Ends the process if a kernel wrote before the start of the memory. Accesses of other processes fail afterwards.
cudaError_t cudaFree(void* memory) {
  if (!memory) return cudaSuccess;
  const std::scoped_lock held(blocks().mutex);
  const auto* data = static_cast<std::byte*>(memory);
  const auto found = blocks().all.find(data);
  if (found == blocks().all.end()) return failed(cudaErrorInvalidValue, "invalid argument");
  std::string before(static_cast<std::size_t>(data - found->second.mapped.get()), poison);
  const ssize_t size = pread(found->second.file, before.data(), before.size(), 0);
  if (size != std::ssize(before) || std::any_of(before.begin(), before.end(), [](char c) { return c != poison; })) {
    std::fputs("a CUDA kernel wrote before the start of an array\n", stderr);
    std::abort();
  }
  static_cast<void>(ftruncate(found->second.file, 0));
  close(found->second.file);
  blocks().all.erase(found);
  return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  static_assert(sizeof(SharedPlace) <= sizeof *handle);
  const std::scoped_lock held(blocks().mutex);
  const auto found = blocks().all.find(static_cast<std::byte*>(memory));
  if (found == blocks().all.end()) return failed(cudaErrorInvalidValue, "invalid argument");
  const Block& block = found->second;
  const SharedPlace place{getpid(), block.file, block.pages,
                          static_cast<std::size_t>(found->first - block.mapped.get())};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &place, sizeof place);
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned) {
  SharedPlace place{};
  std::memcpy(&place, &handle, sizeof place);
  const std::string path = "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
  const int file = place.process == getpid() ? -1 : open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return failed(cudaErrorInvalidValue, "memory of this process, or of a process that cannot be accessed");
  std::shared_ptr<std::byte> mapped;
  try {
    mapped = seiche::emulated::guarded_memory(place.pages, file);
  } catch (const std::bad_alloc&) {
  }
  if (!mapped) {
    close(file);
    return failed(cudaErrorMemoryAllocation, "out of memory");
  }
  const std::scoped_lock held(blocks().mutex);
  std::byte* data = mapped.get() + place.offset;
  blocks().of_others[data] = {std::move(mapped), file};
  *memory = data;
  return cudaSuccess;
}

// Ends the process if the other one has freed the memory before.
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  const std::scoped_lock held(blocks().mutex);
  const auto found = blocks().of_others.find(static_cast<std::byte*>(memory));
  if (found == blocks().of_others.end()) return failed(cudaErrorInvalidValue, "invalid argument");
  struct stat state {};
  if (fstat(found->second.file, &state) != 0 || state.st_size == 0) {
    std::fputs("memory of another process was freed before this process closed it\n", stderr);
    std::abort();
  }
  close(found->second.file);
  blocks().of_others.erase(found);
  return cudaSuccess;
}

// Registrations must be undone, and must not overlap.
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  const std::scoped_lock held(blocks().mutex);
  const auto* first = static_cast<const std::byte*>(memory);
  const auto after = blocks().pinned.lower_bound(first);
  const bool below = after != blocks().pinned.begin() && first < std::prev(after)->first + std::prev(after)->second;
  if (below || (after != blocks().pinned.end() && after->first < first + bytes))
    return failed(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped");
  blocks().pinned[first] = bytes;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  const std::scoped_lock held(blocks().mutex);
  const bool found = blocks().pinned.erase(static_cast<const std::byte*>(memory)) > 0;
  return found ? cudaSuccess : failed(cudaErrorInvalidValue, "invalid argument");
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  const std::scoped_lock held(blocks().mutex);
  const auto* address = static_cast<const std::byte*>(memory);
  auto after = blocks().all.upper_bound(address);
  const bool found = after != blocks().all.begin() && (--after, address < after->first + after->second.bytes);
  attributes->type = found ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->device = found ? after->second.device : -1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  (*stream)->device = current_device;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  auto& thread = *stream_of(stream).thread;
  return wait_for(thread, thread.add([] {}));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return seiche::emulated::enqueue(stream, [thread = event->thread, number = event->number] {
    while (thread && !thread->done(number)) std::this_thread::sleep_for(std::chrono::microseconds(10));
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  (*event)->device = current_device;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const CUstream_st& on = stream_of(stream);
  if (on.device != current_device || on.device != event->device) return other_device();
  event->thread = on.thread;
  event->number = event->thread->add([] {});
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event->thread && !event->thread->done_soon(event->number)) return cudaErrorNotReady;
  return cudaEventSynchronize(event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event->thread ? wait_for(*event->thread, event->number) : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return seiche::emulated::enqueue(stream, [=] {
    if (bytes > 0) std::memmove(into, from, bytes);
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return seiche::emulated::enqueue(stream, [=] {
    if (bytes > 0) std::memset(memory, value, bytes);
  });
}
