// SPDX-License-Identifier: BSD-3-Clause
/// \file  Objects with a collective destructor, under a garbage collector that differs between ranks.
///
/// Objects released by Python are destroyed only after every rank has released them and no NumPy array uses their
/// memory. The next creation or close on the communicator destroys them, in the same order on all ranks.
#pragma once

#include <nanobind/nanobind.h>
#include <seiche/communicator.hpp>
#include <seiche/error.hpp>
#include <seiche/presence.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "py_errors.hpp"

namespace seiche::python {

namespace nb = nanobind;

class Kept {
 public:
  virtual ~Kept() = default;  ///< Collective.
  virtual void end() = 0;     ///< Collective. Called without the GIL.
  bool over = false;          ///< released or closed by Python
  bool busy = false;          ///< in use by a call
  int arrays = 0;             ///< number of NumPy arrays in its memory
};

template <class T>
void close_value(T& value) {
  if constexpr (requires { value.close(); }) value.close();
}
template <class... Ts>
void close_value(std::variant<Ts...>& value) {
  std::visit([](auto& held) { close_value(held); }, value);
}

/// Collective. Needs the GIL and a reserved `comm`. Stores `thing` until it is released on all ranks.
void keep(const Communicator& comm, std::unique_ptr<Kept> thing);
/// Collective. Needs the GIL and a reserved `comm`. Destroys objects that are released on all ranks.
void end_what_is_over(const Communicator& comm);

/// Creates the owner of a NumPy array in memory of `thing`.
nb::object owner_of_array(Kept& thing);

/// Tells whether a `with` block was left by an exception.
inline bool is_raised(const nb::args& exception) { return exception.size() > 0 && !exception[0].is_none(); }

/// Reference of a Python object to such an object.
template <class T>
class Held {
 public:
  /// Collective. Needs a reserved `comm`.
  Held(const char* what, Communicator comm, T value) : what_(what), comm_(std::move(comm)) {
    auto made = std::make_unique<Body>(std::move(value));
    body_ = made.get();
    keep(comm_, std::move(made));
  }
  ~Held() { let_go(); }
  Held(Held&& other) noexcept : what_(other.what_), comm_(other.comm_), body_(std::exchange(other.body_, nullptr)) {}
  Held& operator=(Held&&) = delete;

  const Communicator& comm() const { return comm_; }
  bool closed() const { return body_ == nullptr; }
  /// Local. Returns the value. \throws Error after close(), and during a call
  T& get() const {
    T& value = peek();
    require_idle();
    return value;
  }
  /// Local. Same, also during a call. For reading only.
  T& peek() const {
    if (!body_) throw BadArgument("this " + std::string(what_) + " is closed: create another");
    return body_->value;
  }
  Kept& kept() const { return peek(), *body_; }
  /// Collective.
  void close() {
    if (!body_) return;
    require_idle();
    const Reserved reserved(comm_);
    let_go();
    end_what_is_over(comm_);
  }

  /// Leaves a `with` block. Collective without an exception. After an exception the object is only released, because
  /// other ranks may not have it.
  void leave(const nb::args& exception) {
    if (is_raised(exception)) {
      let_go();
    } else {
      close();
    }
  }

  /// Marks the object as in use, for calls without the GIL. \throws Error on this rank only, if another call uses it
  class Busy {
   public:
    explicit Busy(const Held& held) : body_(held.body_) {
      held.require_idle();
      if (body_) body_->busy = true;
    }
    ~Busy() {
      if (body_) body_->busy = false;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    typename Held::Body* body_;
  };

 private:
  struct Body : Kept {
    explicit Body(T made) : value(std::move(made)) {}
    void end() override { close_value(value); }
    T value;
  };
  friend class Busy;

  void require_idle() const {
    if (!body_ || !body_->busy) return;
    throw BadArgument("this " + std::string(what_) +
                      " is in use: do not use it from its callback or from other threads during a call");
  }

  void let_go() {
    if (body_) body_->over = true;
    body_ = nullptr;
  }

  const char* what_;
  Communicator comm_;
  Body* body_ = nullptr;
};

/// Collective. Creates an object with make(result of checks).
template <class T, class Checks, class Make>
Held<T> held_of(const char* what, const Communicator& comm, const Checks& checks, const Make& make) {
  const Reserved reserved(comm);
  return Held<T>(what, comm, collective(comm, checks, make));
}

/// Collective. Calls work(thing, result of checks). The object is in use meanwhile.
template <class T, class Checks, class Work>
auto collective(const Held<T>& held, const Checks& checks, const Work& work) {
  const typename Held<T>::Busy busy(held);
  T* thing = nullptr;
  const auto all_checks = [&]() -> decltype(auto) { return thing = &held.peek(), checks(); };
  return collective(held.comm(), all_checks, [&](auto&... found) { return work(*thing, found...); });
}
template <class T, class Work>
auto collective(const Held<T>& held, const Work& work) {
  return collective(
      held, [] {}, work);
}
/// Collective. Same for calls of SphereFft on bands: work(result of checks).
template <class T, class Checks, class Work>
auto on_bands(const Held<T>& held, const Checks& checks, const Work& work) {
  const typename Held<T>::Busy busy(held);
  const auto all_checks = [&]() -> decltype(auto) { return held.peek(), checks(); };
  return on_bands(held.comm(), all_checks, work);
}

/// Binds `with` for a class. leave(self, exception) is called at the end.
template <class Class, class Leave>
void bind_with(nb::class_<Class>& bound, const Leave& leave) {
  bound.def(
      "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> typing.Self"));
  bound.def("__exit__", [leave](Class& self, const nb::args& exception) { leave(self, exception); });
}
/// Binds close() and `with` for a class with a member `held`.
template <class Class>
void bind_end(nb::class_<Class>& bound, const char* what_close_does) {
  bound.def(
      "close", [](Class& self) { self.held.close(); }, what_close_does);
  bind_with(bound, [](Class& self, const nb::args& exception) { self.held.leave(exception); });
}

}  // namespace seiche::python
