// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lines by DUCC's transforms, from the module for this processor.
#include <dlfcn.h>

#include "fft/ducc/interface.h"
#include "fft/line_libraries.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"

namespace seiche {

namespace {

/// The widest instructions that this processor has and there may be a module for.
std::string instructions() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return "v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "v3";
#endif
  return "plain";
}

/// The folder of the program or library that has this code: that of a Python package has modules, too.
std::string folder_of_this_code() {
  Dl_info file;
  const bool found = dladdr(reinterpret_cast<void*>(&instructions), &file) != 0;
  const std::string name = found ? file.dli_fname : "";
  const auto slash = name.rfind('/');  // none where a program was found by PATH
  return slash == std::string::npos ? SEICHE_INSTALLED_MODULES : name.substr(0, slash);
}

SharedLibrary loaded() {
  const std::string name = "/libseiche_ducc_" + instructions() + ".so", folder = environment("SEICHE_DUCC");
  if (!folder.empty()) return SharedLibrary({folder + name});
  return SharedLibrary({SEICHE_BUILT_MODULES + name, SEICHE_INSTALLED_MODULES + name, folder_of_this_code() + name});
}

struct Module {
  SharedLibrary library = loaded();
  ducc_run* run = nullptr;
  Module() {
    if (library.loaded()) library.find(run, "seiche_ducc_run");
  }
  static const Module& get() {
    static const Module module;
    return module;
  }
};

/// As DUCC compares steps where lines stay in place: those that nothing is counted by are the same.
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
    require(Module::get().run(&lines_, in, out) != 0, Fault::internal, "DUCC refused {} lines of {} points",
            lines_.count, lines_.n);
  }

 private:
  ducc_lines lines_;
};

}  // namespace

bool ducc_is_there() { return Module::get().library.loaded(); }

std::unique_ptr<LineFft> make_ducc(const Lines& lines) { return std::make_unique<DuccLines>(lines); }

}  // namespace seiche
