// SPDX-License-Identifier: BSD-3-Clause
#include "support/modules.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace seiche {

namespace {

/// Returns the folder of the program or library that contains this code, or "" if it is not known.
std::string folder_of_this_code() {
  Dl_info file;
  std::filesystem::path path = dladdr(reinterpret_cast<void*>(&folder_of_this_code), &file) != 0 ? file.dli_fname : "";
  // The loader knows programs by the words that started them. Paths relative to the working directory are not safe.
  std::error_code unreadable;
  if (!path.is_absolute()) path = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  return path.parent_path().string();
}

}  // namespace

SharedLibrary load_module(const std::string& file, const std::string& folder) {
  const std::string name = "/" + file;
  if (!folder.empty()) return SharedLibrary({folder + name});
  const std::string here = folder_of_this_code();
  if (here.empty()) return SharedLibrary({file});
  return SharedLibrary({here + name, here + "/seiche" + name, here + "/../" SEICHE_MODULES + name, file});
}

}  // namespace seiche
