// SPDX-License-Identifier: BSD-3-Clause
/// \file  Handles of the C face. A handle is a number, not an address, and no number is given twice: one that was
/// destroyed is known for ever, and nothing that a caller hands in is followed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "c/call.hpp"

namespace seiche::c {

/// What is behind a handle.
struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  virtual const char* noun() const = 0;  ///< as in the names of its functions, e.g. "dense_fft"
};

const void* keep(std::shared_ptr<Object> object);
/// \throws Error(misuse) for NULL and for what is no handle; `noun` is what it should be
std::shared_ptr<Object> find(const void* handle, const char* noun);
void forget(const void* handle);
std::int64_t kept_objects();
[[noreturn]] void fail_other_kind(const Object& given, const char* noun);

/// Which object is behind the handle of C's type `Public`.
template <class Public>
struct BehindHandle;

template <class Public>
using Behind = typename BehindHandle<Public>::type;

template <class Public>
std::shared_ptr<Behind<Public>> shared_behind(const Public* handle) {
  std::shared_ptr<Object> found = find(handle, Behind<Public>::name);
  auto fits = std::dynamic_pointer_cast<Behind<Public>>(found);
  if (!fits) fail_other_kind(*found, Behind<Public>::name);
  return fits;
}
template <class Public>
Behind<Public>& behind(const Public* handle) {
  return *shared_behind(handle);
}

/// Runs `make`, which gives an object, and puts its handle into `into`, or NULL when it fails.
template <class Public, class Make>
seiche_status create(Public** into, const Make& make) {
  return call([&] {
    require_place(into, Behind<Public>::name, "the place for the new handle");
    *into = nullptr;
    // callers cannot look behind a handle, and only this face makes one of it again
    *into = static_cast<Public*>(const_cast<void*>(keep(make())));
  });
}

/// Collective where close() of the object is.
template <class Public>
seiche_status destroy(Public** handle) {
  return call([&] {
    if (handle == nullptr || *handle == nullptr) return;
    behind(*handle).close();
    forget(*handle);
    *handle = nullptr;
  });
}

}  // namespace seiche::c
