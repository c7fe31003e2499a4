// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of Intel MKL (DFTI interface), loaded at run time. Its declarations are repeated here, because
/// headers are in a separate package. Values are from mkl_dfti.h.
#include <sys/mman.h>

#include <array>
#include <string>

#include "fft/lines/line_libraries.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"

namespace seiche {

namespace {

using Descriptor = void*;

enum Setting : int {
  forward_scale = 4,
  backward_scale = 5,
  number_of_transforms = 7,
  conjugate_even_storage = 10,
  placement = 11,
  input_strides = 12,
  output_strides = 13,
  input_distance = 14,
  output_distance = 15,
  thread_limit = 27
};
enum Choice : int { complex_domain = 32, real_domain = 33, complex_complex = 39, in_place = 43, not_in_place = 44 };

std::string in_folder(const std::string& name) {
  const std::string folder = environment("SEICHE_MKL");
  return folder.empty() ? name : folder + "/" + name;
}

/// Tells whether there is address space for the libraries that MKL loads at first use (up to 400 MB). If MKL cannot
/// load one, it ends the process.
bool room_for_parts() {
  constexpr std::size_t room = std::size_t{512} << 20;
  void* const reserved = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return false;
  ::munmap(reserved, room);
  return true;
}

SharedLibrary load_mkl() {
  if (!room_for_parts()) return SharedLibrary({});
  return SharedLibrary({in_folder("libmkl_rt.so.3"), in_folder("libmkl_rt.so.2"), in_folder("libmkl_rt.so")});
}

struct MklFunctions {
  SharedLibrary library = load_mkl();
  long (*create_double)(Descriptor*, int domain, long n) = nullptr;
  long (*create_single)(Descriptor*, int domain, long n) = nullptr;
  long (*set)(Descriptor, int setting, ...) = nullptr;
  long (*commit)(Descriptor) = nullptr;
  long (*forward)(Descriptor, void*, ...) = nullptr;
  long (*backward)(Descriptor, void*, ...) = nullptr;
  long (*release)(Descriptor*) = nullptr;
  char* (*message)(long) = nullptr;

  MklFunctions() {
    if (!library.loaded()) return;
    int (*set_threading_layer)(int) = nullptr;
    library.find(set_threading_layer, "MKL_Set_Threading_Layer");
    constexpr int sequential = 1;  // Seiche's threads share the lines; MKL uses no threads
    set_threading_layer(sequential);
    library.find(create_double, "DftiCreateDescriptor_d_1d");
    library.find(create_single, "DftiCreateDescriptor_s_1d");
    library.find(set, "DftiSetValue");
    library.find(commit, "DftiCommitDescriptor");
    library.find(forward, "DftiComputeForward");
    library.find(backward, "DftiComputeBackward");
    library.find(release, "DftiFreeDescriptor");
    library.find(message, "DftiErrorMessage");
    load_parts();
  }

  static const MklFunctions& get() {
    static const MklFunctions functions;
    return functions;
  }

  /// Computes a small transform, so that MKL loads its libraries now.
  void load_parts() const {
    Descriptor descriptor = nullptr;
    if (create_double(&descriptor, complex_domain, 2) != 0) return;
    commit(descriptor);
    release(&descriptor);
  }

  void check(long status) const {
    if (status != 0) fail(Fault::internal, "MKL rejected a transform: {}", message(status));
  }
};

class MklLines : public LineFft {
 public:
  explicit MklLines(const Lines& lines) : lines_(lines) {
    const auto& mkl = MklFunctions::get();
    const bool real = lines.kind == LineKind::to_real_grid || lines.kind == LineKind::from_real_grid;
    const auto create = lines.single ? mkl.create_single : mkl.create_double;
    mkl.check(create(&descriptor_, real ? real_domain : complex_domain, static_cast<long>(lines.n)));
    set(placement, lines.in_place ? in_place : not_in_place);
    if (real) set(conjugate_even_storage, complex_complex);
    set(number_of_transforms, static_cast<long>(lines.count));
    set_layout(input_strides, input_distance, lines.in);
    set_layout(output_strides, output_distance, lines.out);
    set(backward() ? backward_scale : forward_scale, lines.scale);
    set(thread_limit, 1L);
    mkl.check(mkl.commit(descriptor_));
  }
  ~MklLines() override { MklFunctions::get().release(&descriptor_); }

  void run(const void* in, void* out) const override {
    const auto& mkl = MklFunctions::get();
    void* from = const_cast<void*>(in);
    const auto compute = backward() ? mkl.backward : mkl.forward;
    mkl.check(lines_.in_place ? compute(descriptor_, out) : compute(descriptor_, from, out));
  }

 private:
  bool backward() const { return lines_.kind == LineKind::backward || lines_.kind == LineKind::to_real_grid; }

  template <class Value>
  void set(Setting setting, Value value) {
    const auto& mkl = MklFunctions::get();
    mkl.check(mkl.set(descriptor_, setting, value));
  }
  void set_layout(Setting strides, Setting distance, const LineLayout& layout) {
    std::array<long, 2> offset_and_stride{0, static_cast<long>(layout.stride)};
    set(strides, offset_and_stride.data());
    if (lines_.count > 1) set(distance, static_cast<long>(layout.distance));
  }

  Lines lines_;
  Descriptor descriptor_ = nullptr;
};

}  // namespace

bool mkl_is_there() { return MklFunctions::get().library.loaded(); }

bool mkl_is_optimized_here() {
#ifdef __x86_64__
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

std::unique_ptr<LineFft> make_mkl(const Lines& lines) { return std::make_unique<MklLines>(lines); }

}  // namespace seiche
