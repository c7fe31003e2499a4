// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times the three-dimensional transform of Intel MKL, in place, with threads in one process: the speed of a
/// node without MPI. Dense and padded strides are tried, and the fastest is reported. MKL is loaded at run time
/// (SEICHE_MKL names its folder).
#include <dlfcn.h>

#include <array>
#include <new>

#include "peer.hpp"

namespace {

// Constants of mkl_dfti.h.
enum { double_precision = 36, complex_domain = 32, real_domain = 33, complex_complex = 39 };
enum { conjugate_even_storage = 10, input_strides = 12, output_strides = 13 };

struct Mkl {
  using Create = long (*)(void**, int, int, long, ...);
  using Set = long (*)(void*, int, ...);
  using Commit = long (*)(void*);
  using Compute = long (*)(void*, void*, ...);
  Create create;
  Set set;
  Commit commit;
  Compute forward, backward;
  void (*set_threads)(int);

  Mkl() {
    const char* folder = std::getenv("SEICHE_MKL");
    void* library = nullptr;
    for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}) {
      if (!library)
        library = dlopen(folder ? (std::string(folder) + "/" + name).c_str() : name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (!library) throw std::runtime_error("MKL was not found; SEICHE_MKL names the folder of libmkl_rt.so");
    load(library, create, "DftiCreateDescriptor");
    load(library, set, "DftiSetValue");
    load(library, commit, "DftiCommitDescriptor");
    load(library, forward, "DftiComputeForward");
    load(library, backward, "DftiComputeBackward");
    load(library, set_threads, "MKL_Set_Num_Threads");
  }
  template <class Function>
  static void load(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function) throw std::runtime_error(std::string("MKL has no ") + name);
  }
};

void must(long status) {
  if (status != 0) throw std::runtime_error("MKL refused a transform, status " + std::to_string(status));
}

/// Memory layout: distance of rows and of planes of the spectrum, in complex values.
struct Strides {
  long row, plane;
};

/// Returns a committed descriptor with strides `in` and `out`.
void* descriptor(const Mkl& mkl, const peer::Options& o, std::array<long, 4> in, std::array<long, 4> out) {
  std::array<long, 3> lengths{o.nz, o.ny, o.nx};
  void* handle = nullptr;
  must(mkl.create(&handle, double_precision, o.kind == "r2c" ? real_domain : complex_domain, 3L, lengths.data()));
  if (o.kind == "r2c") must(mkl.set(handle, conjugate_even_storage, complex_complex));
  must(mkl.set(handle, input_strides, in.data()));
  must(mkl.set(handle, output_strides, out.data()));
  must(mkl.commit(handle));
  return handle;
}

peer::Times time(const Mkl& mkl, const peer::Options& o, Strides s, peer::Line& line) {
  const bool real = o.kind == "r2c";
  const long per = real ? 2 : 1;  // values of the grid per complex value
  const std::array<long, 4> grid{0, per * s.plane, per * s.row, 1}, spectrum{0, s.plane, s.row, 1};
  void* forward = descriptor(mkl, o, grid, spectrum);
  void* backward = real ? descriptor(mkl, o, spectrum, grid) : forward;
  const auto size = static_cast<std::size_t>(2 * s.plane * o.nz);
  auto* memory = static_cast<double*>(::operator new (size * sizeof(double), std::align_val_t{64}));
  std::fill(memory, memory + size, 0.0);
  const auto visit = [&](auto&& one) {
    for (long z = 0; z < o.nz; ++z) {
      for (long y = 0; y < o.ny; ++y) {
        double* row = memory + 2 * (z * s.plane + y * s.row);
        for (long x = 0; x < (real ? 1 : 2) * o.nx; ++x) one(row[x], peer::value_at(x, y, z));
      }
    }
  };
  const auto times = peer::time_repeats(
      o.repeats, [&] { visit([](double& value, double expected) { value = expected; }); },
      [&] {
        must(mkl.forward(forward, memory));
        must(mkl.backward(backward, memory));
      });
  const double scale = 1.0 / static_cast<double>(o.nx * o.ny * o.nz);
  visit([&](double value, double expected) {
    line.max_error = std::max(line.max_error, std::abs(value * scale - expected));
  });
  ::operator delete (memory, std::align_val_t{64});
  return times;
}

void run(const peer::Options& o) {
  const Mkl mkl;
  mkl.set_threads(o.threads);
  const long row = o.kind == "r2c" ? o.nx / 2 + 1 : o.nx;
  const auto odd_lines = [](long n) {
    return ((n + 3) / 4 | 1) * 4;
  };  // an odd number of cache lines of 4 complex values
  const long padded = odd_lines(row);
  const std::pair<const char*, Strides> candidates[] = {{"dense", {row, row * o.ny}},
                                                        {"rows padded", {padded, padded * o.ny}},
                                                        {"rows and planes padded", {padded, odd_lines(padded * o.ny)}}};
  peer::Line line{peer::name_of_dense(o), "MKL", "", o.threads, 0, peer::gflops_of_pair(o)};
  peer::Times best;
  for (const auto& [label, strides] : candidates) {
    const auto times = time(mkl, o, strides, line);
    if (!best.seconds.empty() && best.median() <= times.median()) continue;
    best = times;
    line.chosen = label;
  }
  peer::print(line, best);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
