// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common parts of bindings: kinds of values, constructors, properties of variants, and reports.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <seiche/fft.hpp>

#include <complex>
#include <string>
#include <utility>
#include <variant>

#include "py_arrays.hpp"
#include "py_communicators.hpp"
#include "py_kept.hpp"
#include "py_options.hpp"

namespace seiche::python {

using namespace nb::literals;

/// A plan or a matrix of any kind of value.
template <template <class> class Plan>
using OfAnyKind = std::variant<Plan<double>, Plan<float>, Plan<std::complex<double>>, Plan<std::complex<float>>>;

enum class Kind { float64, float32, complex128, complex64 };
/// Converts a dtype. \throws TypeError for other dtypes
Kind kind_of(nb::handle dtype);
std::string name_of(Kind kind);

/// Calls make() with a value of the type of `kind`.
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

/// Creates Plan<Value>(arguments...) for a kind of value.
template <template <class> class Plan, class... Arguments>
OfAnyKind<Plan> of_kind(Kind kind, const Arguments&... arguments) {
  return with_kind(kind, [&](auto value) -> OfAnyKind<Plan> { return Plan<decltype(value)>(arguments...); });
}

template <class T>
struct ValueIn;
template <template <class> class Plan, class Value>
struct ValueIn<Plan<Value>> {
  using type = Value;
};
template <class T>
using ValueOf = typename ValueIn<std::remove_cvref_t<T>>::type;

/// A property that returns ask(plan) for the plan in `self.any()`.
template <class Class, class Ask>
auto asks(const Ask& ask) {
  return [ask](const Class& self) { return std::visit(ask, self.any()); };
}

template <class Class, class T>
Class class_of(T Class::*);  // never defined
/// Properties that return a member as a new array, or as a tuple.
template <auto member>
Array as_array(const decltype(class_of(member))& self) {
  return array_of(std::invoke(member, self));
}
template <auto member>
auto as_tuple(const decltype(class_of(member))& self) {
  return tuple_of(self.*member);
}

/// An __init__ that calls a function to create the object.
template <class Made, class... Arguments>
auto init(Made (*make)(Arguments...)) {
  return [make](Made* self, Arguments... arguments) { new (self) Made(make(std::forward<Arguments>(arguments)...)); };
}

/// Returns "<seiche.Name: member=value, ...>" with all properties of an object. Long lists show their length only.
nb::str text_of_members(nb::handle self);

/// Binds a class of reports, whose repr shows all properties.
template <class Report>
nb::class_<Report> bind_report(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Report> bound(module, name, doc);
  bound.def("__repr__", &text_of_members);
  return bound;
}
/// Same, with a read-only property for each member in interface/*.api. \tparam Whole has the members of `Report`
template <class Report, class Whole = Report>
nb::class_<Whole> bind_members(nb::module_& module, const char* name, const char* doc) {
  auto bound = bind_report<Whole>(module, name, doc);
  Members<Report>::each([&](const Member& member, const auto& place) {
    bound.def_prop_ro(
        member.name, [place](const Whole& report) { return place(report); }, member.text);
  });
  return bound;
}

/// Binds the properties of a plan.
template <class Plan>
void bind_reports(nb::class_<Plan>& plan) {
  plan.def_prop_ro("report", asks<Plan>([](const auto& fft) { return fft.report(); }),
                   "Settings and costs of the plan, a FftReport. Local.")
      .def_prop_ro("progress", asks<Plan>([](const auto& fft) { return fft.progress(); }),
                   "Use of this rank's time in the plan's calls, a ProgressReport. Local.")
      .def_prop_ro("shape", &as_tuple<&Plan::shape>, "Number of grid points (nx, ny, nz). Local.")
      .def_prop_ro(
          "dtype", [](const Plan& self) { return name_of(self.kind); }, "Type of grid values. Local.");
}

/// Arguments of plans: grid, kind of value and options.
struct PlanRequest {
  GridShape shape;
  Kind kind;
  FftOptions options;
};
inline PlanRequest request_of(nb::handle shape, nb::handle dtype, const nb::kwargs& options) {
  return {grid_shape_of(shape), kind_of(dtype), options_of<FftOptions>(options)};
}

void bind_layout(nb::module_& module);
void bind_pending(nb::module_& module);
void bind_boxes(nb::module_& module);
void bind_exact_exchange(nb::module_& module);
void bind_pair_densities(nb::module_& module);
void bind_dense_fft(nb::module_& module);
void bind_grid_operator(nb::module_& module);
void bind_grid_interpolation(nb::module_& module);
void bind_sphere_fft(nb::module_& module);
void bind_crystal(nb::module_& module);
void bind_header(nb::module_& module);
void bind_orbitals(nb::module_& module);
void bind_wavefile(nb::module_& module);
void bind_density(nb::module_& module);
void bind_planes(nb::module_& module);
void bind_questions(nb::module_& module);
void bind_block_matrix(nb::module_& module);
void bind_block_product(nb::module_& module);
void bind_tuning(nb::module_& module);

}  // namespace seiche::python
