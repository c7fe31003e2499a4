// SPDX-License-Identifier: BSD-3-Clause
#include "c/c_handles.hpp"

#include <mutex>
#include <unordered_map>

#include "support/formatted.hpp"

namespace seiche::c {

namespace {

/// All objects by the number of their handle.
struct Kept {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects;
  std::uintptr_t last = 0;
};

/// Never destroyed: objects that a program does not destroy must not call MPI after its end.
Kept& kept() {
  static Kept* all = new Kept;
  return *all;
}

std::uintptr_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

}  // namespace

const void* keep(std::shared_ptr<Object> object) {
  const std::lock_guard lock(kept().mutex);
  const std::uintptr_t number = kept().last +=
      16;  // a multiple of 16, so that pointer checkers accept it as an aligned address
  kept().objects.emplace(number, std::move(object));
  return reinterpret_cast<const void*>(number);
}

std::shared_ptr<Object> find(const void* handle, const char* noun) {
  if (handle == nullptr) throw Error(misuse, formatted("{}: the handle is NULL: create the object first", noun));
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().objects.find(number_of(handle));
  if (found == kept().objects.end()) {
    throw Error(misuse, formatted("{}: this handle {}: create another with seiche_{}_create()", noun,
                                  number_of(handle) <= kept().last && number_of(handle) % 16 == 0 ? "was destroyed"
                                                                                                  : "was never created",
                                  noun));
  }
  return found->second;
}

void forget(const void* handle) {
  std::shared_ptr<Object> last;  // destroyed after the lock is released, because its destructor may call back
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().objects.find(number_of(handle));
  last = std::move(found->second);
  kept().objects.erase(found);
}

std::int64_t kept_objects() {
  const std::lock_guard lock(kept().mutex);
  return static_cast<std::int64_t>(kept().objects.size());
}

void fail_other_kind(const Object& given, const char* noun) {
  throw Error(misuse, formatted("{0}: this handle is a seiche_{1}: pass a seiche_{0}", noun, given.noun));
}

}  // namespace seiche::c
