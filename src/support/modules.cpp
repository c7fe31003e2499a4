// SPDX-License-Identifier: BSD-3-Clause
#include "support/modules.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace seiche {

namespace {

/// Returns the folder of the program or library that contains this code.
std::string folder_of_this_code() {
  Dl_info file;
  std::filesystem::path path = dladdr(reinterpret_cast<void*>(&folder_of_this_code), &file) != 0 ? file.dli_fname : "";
  std::error_code unreadable;
  if (!path.has_parent_path()) path = std::filesystem::read_symlink("/proc/self/exe", unreadable);  // started from PATH
  return path.parent_path().string();
}

}  // namespace

SharedLibrary load_module(const std::string& file, const std::string& folder) {
  const std::string name = "/" + file;
  if (!folder.empty()) return SharedLibrary({folder + name});
  const std::string here = folder_of_this_code();
  return SharedLibrary({here + name, here + "/seiche" + name, here + "/../" SEICHE_MODULES + name,
                        SEICHE_BUILT_IN "/" SEICHE_MODULES + name, SEICHE_INSTALLED_TO "/" SEICHE_MODULES + name});
}

}  // namespace seiche
