// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs that take simulated time. The file of FFTW is compiled with another name for its make_fftw
/// (CMakeLists.txt).
#include <cmath>

#include "fft/lines/line_libraries.hpp"
#include "machine.hpp"
#include "time.hpp"

namespace seiche {

std::unique_ptr<LineFft> make_fftw_itself(const Lines& lines);

namespace {

/// 5 n log2 n operations each, half of it for real ones.
double seconds_of(const Lines& lines) {
  const bool real = lines.kind == LineKind::to_real_grid || lines.kind == LineKind::from_real_grid;
  const auto n = static_cast<double>(lines.n);
  return (real ? 2.5 : 5.0) * n * std::log2(n) * static_cast<double>(lines.count) / simulation::machine().flops;
}

class ChargedLines : public LineFft {
 public:
  explicit ChargedLines(const Lines& lines) : lines_(make_fftw_itself(lines)), seconds_(seconds_of(lines)) {}
  void run(const void* in, void* out) const override {
    lines_->run(in, out);
    simulation::compute(seconds_);
  }

 private:
  std::unique_ptr<LineFft> lines_;
  double seconds_;
};

}  // namespace

std::unique_ptr<LineFft> make_fftw(const Lines& lines) { return std::make_unique<ChargedLines>(lines); }

}  // namespace seiche
