// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of DUCC, from the module for this processor.
#include <string>

#include "fft/lines/ducc/interface.h"
#include "fft/lines/line_libraries.hpp"
#include "support/environment.hpp"
#include "support/modules.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns the instruction set of this processor, as in the names of modules.
std::string instructions() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return "v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "v3";
#endif
  return "plain";
}

struct Module {
  SharedLibrary library = load_module("libseiche_ducc_" + instructions() + ".so", environment("SEICHE_DUCC"));
  ducc_run* run = nullptr;
  Module() {
    if (library.loaded()) library.find(run, "seiche_ducc_run");
  }
  static const Module& get() {
    static const Module module;
    return module;
  }
};

/// Converts lines for DUCC, which compares strides for in-place transforms: unused strides are set to the same value.
ducc_lines told(const Lines& lines) {
  const bool forward = lines.kind == LineKind::forward || lines.kind == LineKind::from_real_grid;
  const ducc_kind kind = lines.kind == LineKind::to_real_grid     ? ducc_to_real
                         : lines.kind == LineKind::from_real_grid ? ducc_from_real
                                                                  : ducc_complex;
  const auto step = [](std::int64_t count, std::int64_t by) { return count > 1 ? by : 1; };
  return {kind,
          forward,
          lines.single,
          lines.n,
          lines.count,
          step(lines.n, lines.in.stride),
          step(lines.count, lines.in.distance),
          step(lines.n, lines.out.stride),
          step(lines.count, lines.out.distance),
          lines.scale};
}

class DuccLines : public LineFft {
 public:
  explicit DuccLines(const Lines& lines) : lines_(told(lines)) {}
  void run(const void* in, void* out) const override {
    require(Module::get().run(&lines_, in, out) != 0, Fault::internal, "DUCC rejected {} 1D FFTs of {} points",
            lines_.count, lines_.n);
  }

 private:
  ducc_lines lines_;
};

}  // namespace

bool ducc_is_there() { return Module::get().library.loaded(); }

std::unique_ptr<LineFft> make_ducc(const Lines& lines) { return std::make_unique<DuccLines>(lines); }

}  // namespace seiche
