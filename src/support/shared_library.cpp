// SPDX-License-Identifier: BSD-3-Clause
#include "support/shared_library.hpp"

#include <dlfcn.h>

#include "support/require.hpp"

namespace seiche {

SharedLibrary::SharedLibrary(std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (!handle_) handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
}

void* SharedLibrary::address(const char* name) const {
  void* found = handle_ ? dlsym(handle_, name) : nullptr;
  require(found != nullptr, Fault::unsupported,
          "the loaded library has no function {}: install another version of the library", name);
  return found;
}

}  // namespace seiche
