// SPDX-License-Identifier: BSD-3-Clause
/// \file  Libraries that are loaded at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace seiche {

class SharedLibrary {
 public:
  /// Loads the first library that is found; loaded() tells whether there is one. It stays loaded until the process
  /// exits.
  explicit SharedLibrary(std::initializer_list<std::string> names);
  bool loaded() const noexcept { return handle_ != nullptr; }
  /// Looks up a function. \throws Error if the library does not have it
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
};

}  // namespace seiche
