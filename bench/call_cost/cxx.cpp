// SPDX-License-Identifier: BSD-3-Clause
/// \file  The call of call_cost.c from C++.
#include <complex>
#include <memory>
#include <seiche/fft.hpp>
#include <span>

namespace {
using Complex = std::complex<double>;
constexpr std::int64_t bands = 8;
std::unique_ptr<seiche::SphereFft<Complex>> fft;

static_assert(sizeof(seiche::Miller) == 3 * sizeof(std::int32_t));
}  // namespace

extern "C" {
void seiche_bench_cxx_create(const void* waves, std::int64_t count) {
  const std::span mine(static_cast<const seiche::Miller*>(waves), static_cast<std::size_t>(count));
  fft = std::make_unique<seiche::SphereFft<Complex>>(MPI_COMM_WORLD, seiche::GridShape{32, 32, 32}, mine);
}
void seiche_bench_cxx_apply(const double* in, double* out, const double* potential, std::int64_t count,
                            std::int64_t points) {
  const auto all = static_cast<std::size_t>(bands * count);
  const std::span from(reinterpret_cast<const Complex*>(in), all);
  const std::span to(reinterpret_cast<Complex*>(out), all);
  fft->apply_potential(from, to, bands, {potential, static_cast<std::size_t>(points)});
}
void seiche_bench_cxx_destroy() { fft.reset(); }
}
