// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the plans of transforms have in common: kinds of numbers, reports.
#pragma once

#include <seiche/fft.hpp>

#include <complex>
#include <string>
#include <variant>

#include "arrays.hpp"

namespace seiche::python {

/// A plan for any kind of grid values.
template <template <class> class Plan>
using OfAnyKind = std::variant<Plan<double>, Plan<float>, Plan<std::complex<double>>, Plan<std::complex<float>>>;

enum class Kind { float64, float32, complex128, complex64 };
/// \throws TypeError for what is none of them
Kind kind_of(nb::handle dtype);
std::string name_of(Kind kind);

/// make(type) with a value of the type that `kind` stands for.
template <class Make>
auto with_kind(Kind kind, const Make& make) {
  switch (kind) {
    case Kind::float64:
      return make(double{});
    case Kind::float32:
      return make(float{});
    case Kind::complex64:
      return make(std::complex<float>{});
    default:
      return make(std::complex<double>{});
  }
}

template <class T>
struct ValueOf;
template <template <class> class Plan, class Value>
struct ValueOf<Plan<Value>> {
  using type = Value;
};

/// What a plan says of itself.
template <class Plan>
void bind_reports(nb::class_<Plan>& plan) {
  plan.def_prop_ro(
          "report",
          [](const Plan& self) { return std::visit([](const auto& fft) { return fft.report(); }, self.held.peek()); },
          "What the plan does and costs: a FftReport. Local.")
      .def_prop_ro(
          "progress",
          [](const Plan& self) { return std::visit([](const auto& fft) { return fft.progress(); }, self.held.peek()); },
          "What became of this rank's time in the plan's calls: a ProgressReport. Local.");
}

}  // namespace seiche::python
