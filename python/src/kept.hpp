// SPDX-License-Identifier: BSD-3-Clause
/// \file  Things whose end is collective, in the hands of a garbage collector that ranks do not share.
/// What Python lets go of is kept until all ranks have let go of it, and no NumPy array lies in it any more; the next
/// such thing that is made or closed on its communicator looks for it, and ends it on all ranks in the same order.
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

#include "errors.hpp"

namespace seiche::python {

namespace nb = nanobind;

class Kept {
 public:
  virtual ~Kept() = default;  ///< Collective.
  virtual void end() = 0;     ///< Collective. Without Python's lock.
  bool over = false;          ///< Python holds it no more, or has closed it
  bool busy = false;          ///< a call uses it
  int arrays = 0;             ///< NumPy arrays that lie in it
};

template <class T>
void close_value(T& value) {
  if constexpr (requires { value.close(); }) value.close();
}
template <class... Ts>
void close_value(std::variant<Ts...>& value) {
  std::visit([](auto& held) { close_value(held); }, value);
}

/// Collective. With Python's lock, and `comm` reserved. From here on `thing` lives until it is over on all ranks.
void keep(const Communicator& comm, std::unique_ptr<Kept> thing);
/// Collective. With Python's lock, and `comm` reserved. Ends what is over on all ranks.
void end_what_is_over(const Communicator& comm);

/// Owner of a NumPy array in memory of `thing`.
nb::object owner_of_array(Kept& thing);

/// Whether a `with` block was left by an exception.
inline bool is_raised(const nb::args& exception) { return exception.size() > 0 && !exception[0].is_none(); }

/// What a Python object holds of such a thing.
template <class T>
class Held {
 public:
  /// Collective. With `comm` reserved.
  Held(const char* what, Communicator comm, T value) : what_(what), comm_(std::move(comm)) {
    auto made = std::make_unique<Body>(std::move(value));
    body_ = made.get();
    keep(comm_, std::move(made));
    number_ = fresh_number(comm_);
  }
  ~Held() { let_go(); }
  Held(Held&& other) noexcept
      : what_(other.what_), comm_(other.comm_), number_(other.number_), body_(std::exchange(other.body_, nullptr)) {}
  Held& operator=(Held&&) = delete;

  const Communicator& comm() const { return comm_; }
  bool closed() const { return body_ == nullptr; }
  /// Local. \throws Error after close(), and while a call uses it
  T& get() const {
    T& value = peek();
    require_idle();
    return value;
  }
  /// Local. The same for what only looks.
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
    {
      const nb::gil_scoped_release released;
      require_all_close(comm_, number_);
    }
    let_go();
    end_what_is_over(comm_);
  }

  /// The end of a `with` block. Collective where it came to its end; after an exception, which other ranks need not
  /// have met, it is only let go of.
  void leave(const nb::args& exception) {
    if (is_raised(exception)) {
      let_go();
    } else {
      close();
    }
  }

  /// Marks it as in use while it lives, for calls that give up Python's lock. \throws Error on this rank alone while
  /// another call uses it
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
  std::int64_t number_ = 0;
  Body* body_ = nullptr;
};

/// Collective. Holds what make(what checks return) makes.
template <class T, class Checks, class Make>
Held<T> held_of(const char* what, const Communicator& comm, const Checks& checks, const Make& make) {
  const Reserved reserved(comm);
  return Held<T>(what, comm, collective(comm, checks, make));
}

/// Collective. A call of a thing, which is in use meanwhile: work(thing, what checks return).
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
/// Collective. The same for calls of SphereFft on bands: work(what checks return).
template <class T, class Checks, class Work>
auto on_bands(const Held<T>& held, const Checks& checks, const Work& work) {
  const typename Held<T>::Busy busy(held);
  const auto all_checks = [&]() -> decltype(auto) { return held.peek(), checks(); };
  return on_bands(held.comm(), all_checks, work);
}

/// `with` of a class, which ends as leave(self, exception) says.
template <class Class, class Leave>
void bind_with(nb::class_<Class>& bound, const Leave& leave) {
  bound.def(
      "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> typing.Self"));
  bound.def("__exit__", [leave](Class& self, const nb::args& exception) { leave(self, exception); });
}
/// close() and `with` of a class that has its plan, or whatever, in `held`.
template <class Class>
void bind_end(nb::class_<Class>& bound, const char* what_close_does) {
  bound.def(
      "close", [](Class& self) { self.held.close(); }, what_close_does);
  bind_with(bound, [](Class& self, const nb::args& exception) { self.held.leave(exception); });
}

}  // namespace seiche::python
