// SPDX-License-Identifier: BSD-3-Clause
/// \file  Handles of the C interface. A handle is a number, not an address, and no number is used twice. The library
/// recognises a destroyed handle and never dereferences what a caller passes.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "c/c_call.hpp"

namespace seiche::c {

/// The base class of objects behind handles.
struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  void close() {}         ///< objects with a collective close() override it
  const char* noun = "";  ///< as in the function names, for example "dense_fft"
};

/// The object type behind the C handle type `Public`, and its noun; all are listed in c/handle_types.hpp.
template <class Public>
struct BehindHandle;

const void* keep(std::shared_ptr<Object> object);
/// \throws Error(misuse) for NULL and for invalid handles; `noun`: the expected kind
std::shared_ptr<Object> find(const void* handle, const char* noun);
void forget(const void* handle);
std::int64_t kept_objects();
[[noreturn]] void fail_other_kind(const Object& given, const char* noun);

template <class Public>
auto shared_behind(const Public* handle) {
  using Trait = BehindHandle<Public>;
  std::shared_ptr<Object> found = find(handle, Trait::noun);
  auto fits = std::dynamic_pointer_cast<typename Trait::type>(found);
  if (!fits) fail_other_kind(*found, Trait::noun);
  return fits;
}
template <class Public>
auto& behind(const Public* handle) {
  return *shared_behind(handle);
}

/// Constructs an object of a type with a handle.
template <class Made, class... Arguments>
std::shared_ptr<Made> make(Arguments&&... arguments) {
  return std::make_shared<Made>(std::forward<Arguments>(arguments)...);
}

/// Runs `work`, which constructs an object, and stores its handle in `into`, or NULL on failure.
template <class Public, class Work>
seiche_status create(Public** into, const Work& work) {
  return call([&] {
    require_place(into, BehindHandle<Public>::noun, "the output argument for the handle");
    *into = nullptr;
    const auto object = work();
    object->noun = BehindHandle<Public>::noun;
    // callers cannot dereference a handle; only this interface converts it back
    *into = static_cast<Public*>(const_cast<void*>(keep(object)));
  });
}

/// Collective if close() of the object is.
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
