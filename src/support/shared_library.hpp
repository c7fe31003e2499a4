// SPDX-License-Identifier: BSD-3-Clause
/// \file  A library loaded at run time, and its functions.
#pragma once

#include <initializer_list>
#include <string>

namespace seiche {

class SharedLibrary {
 public:
  /// Tries the names in turn; afterwards loaded() says whether one was found. Stays loaded until the process ends.
  explicit SharedLibrary(std::initializer_list<std::string> names);
  bool loaded() const noexcept { return handle_ != nullptr; }
  /// \throws Error when the library has no such function
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
};

}  // namespace seiche
