// SPDX-License-Identifier: BSD-3-Clause
/// \file  Serializes results of one process for the others. One description serves both directions.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

/// Packs or unpacks values in order. Types with members provide `template <class A> void describe(A& archive, Type&
/// value)`, which passes each member.
class Archive {
 public:
  Archive() = default;  ///< packs
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}
  std::string take() { return std::move(bytes_); }  ///< Returns the packed bytes.

  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }

 private:
  template <class Value>
  void one(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      raw(&value, sizeof value);
    } else {
      describe(*this, value);
    }
  }
  void one(std::string& text) {
    sized(text);
    raw(text.data(), text.size());
  }
  template <class Value>
  void one(std::vector<Value>& values) {
    sized(values);
    for (Value& value : values) one(value);
  }
  template <class Container>
  void sized(Container& container) {
    std::size_t size = container.size();
    raw(&size, sizeof size);
    if (reading_) container.resize(size);
  }
  [[gnu::noinline]] void raw(void* data, std::size_t size) {  // if inlined, it triggers a false warning of g++ 12
    if (!reading_) {
      bytes_.append(static_cast<const char*>(data), size);
      return;
    }
    require(at_ + size <= bytes_.size(), Fault::internal, "an archive of {} bytes is truncated", bytes_.size());
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

/// Collective. Rank 0 computes `value` with `find`, and all ranks receive it; if `find` throws, all ranks throw the
/// same error.
template <class Value>
void found_by_root(const Communicator& comm, Value& value, const std::function<void()>& find) {
  Archive packed;
  on_root(comm, [&] {
    find();
    packed(value);
  });
  std::string bytes = packed.take();
  broadcast(comm, bytes);
  together(comm, [&] { Archive(std::move(bytes))(value); });
}

}  // namespace seiche
