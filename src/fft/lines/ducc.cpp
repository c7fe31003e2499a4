// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of DUCC, from the module for this processor.
#include <dlfcn.h>

#include <filesystem>

#include "fft/lines/ducc/interface.h"
#include "fft/lines/line_libraries.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"

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

/// Returns the folder of the program or library that contains this code.
std::string folder_of_this_code() {
  Dl_info file;
  std::filesystem::path path = dladdr(reinterpret_cast<void*>(&instructions), &file) != 0 ? file.dli_fname : "";
  std::error_code unreadable;
  if (!path.has_parent_path()) path = std::filesystem::read_symlink("/proc/self/exe", unreadable);  // started from PATH
  return path.parent_path().string();
}

/// Loads the module: next to this code (Python package), in a subfolder (library), relative to a command, or in the
/// installation folder.
SharedLibrary load_ducc() {
  const std::string name = "/libseiche_ducc_" + instructions() + ".so", named = environment("SEICHE_DUCC");
  if (!named.empty()) return SharedLibrary({named + name});
  const std::string here = folder_of_this_code();
  return SharedLibrary({here + name, here + "/seiche" + name, here + "/../" SEICHE_MODULES + name,
                        SEICHE_BUILT_IN "/" SEICHE_MODULES + name, SEICHE_INSTALLED_TO "/" SEICHE_MODULES + name});
}

struct Module {
  SharedLibrary library = load_ducc();
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
