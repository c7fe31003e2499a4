// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans tuned by measurement; what happened when.
#include <nanobind/stl/map.h>
#include <seiche/block_product.hpp>
#include <seiche/fft.hpp>
#include <seiche/orbitals.hpp>
#include <seiche/trace.hpp>
#include <seiche/tuning.hpp>

#include <set>
#include <string>

#include "bind.hpp"
#include "block_matrix.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

/// Of a product: how it is tuned, and its filter.
struct ProductTuning {
  ProductOptions product;
  TuneRequest request;
};

}  // namespace

template <>
Keywords<ProductTuning> keywords_of() {
  Keywords<ProductTuning> all{keyword<ProductTuning>(
      "eps", "the filter", [](auto& of) -> auto& { return of.product.eps; })};
  nest(all, &ProductTuning::request);
  return all;
}

namespace {

/// What a plan to be tuned is like, once it has been looked at.
struct Tuned {
  GridShape shape;
  bool is_real;
  std::span<const Miller> waves;
  TuneRequest request;
};

Tuned tuned_of(nb::handle shape, nb::handle dtype, const nb::kwargs& options) {
  const Kind kind = kind_of(dtype);
  if (kind == Kind::float64 || kind == Kind::complex128) {
    return {grid_shape_of(shape), kind == Kind::float64, {}, options_of<TuneRequest>(options)};
  }
  throw TypeError("unsupported dtype for tuning: use float64 or complex128 (single precision uses their settings)");
}

TuneReport<FftOptions> dense(const Shape& shape, const Dtype& dtype, const Comm& comm, const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  return collective(
      own, [&] { return tuned_of(shape, dtype, options); },
      [&](const Tuned& plan) {
        return plan.is_real ? tune_dense<double>(own, plan.shape, plan.request)
                            : tune_dense<std::complex<double>>(own, plan.shape, plan.request);
      });
}

TuneReport<FftOptions> sphere(const Shape& shape, const Array& waves, const Dtype& dtype, const Comm& comm,
                              const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  const auto checks = [&] {
    Tuned plan = tuned_of(shape, dtype, options);
    plan.waves = waves_of(waves, "waves");
    return plan;
  };
  return collective(own, checks, [&](const Tuned& plan) {
    return plan.is_real ? tune_sphere<double>(own, plan.shape, plan.waves, plan.request)
                        : tune_sphere<std::complex<double>>(own, plan.shape, plan.waves, plan.request);
  });
}

TuneReport<ProductOptions> multiplication(const HeldMatrix& a, const HeldMatrix& b, const nb::kwargs& options) {
  const auto checks = [&] {
    const auto asked = options_of<ProductTuning>(options);
    return require_same_kind(a, b), asked;
  };
  return collective(a.comm(), checks, [&](const ProductTuning& asked) {
    const auto tune = [&]<class Value>(const BlockMatrix<Value>& left) {
      const auto& right = std::get<BlockMatrix<Value>>(b.get());
      const SharedLayout into = product_layout(left.layout(), right.layout());
      return tune_product(Product<Value>{left, right}, into, asked.product, asked.request);
    };
    return std::visit(tune, a.get());
  });
}

/// `tuned`: the names of those options that a plan takes from the report.
template <class Options>
void bind_found(nb::module_& module, const char* name, const char* of_what, const std::set<std::string>& tuned) {
  using Report = TuneReport<Options>;
  const auto options = [tuned](const Report& report) {
    nb::dict found;
    for (const Keyword<Options>& one : keywords<Options>()) {
      if (tuned.count(one.name) > 0) found[one.name.c_str()] = one.get(report.options);
    }
    return found;
  };
  bind_report<Report>(module, name, "What tuning found.")
      .def_ro("tuned_case", &Report::tuned_case, "The key in the tuning file.")
      .def_ro("skew", &Report::skew, "Seconds by which trials delayed ranks, at most.")
      .def_prop_ro("options", options, of_what)
      .def_ro("trials", &Report::trials, "All of them.");
}

void bind_tuning_only(nb::module_& module) {
  bind_report<Trial>(module, "Trial", "One way of running a plan, timed.")
      .def_ro("settings", &Trial::settings, "In words.")
      .def_ro("seconds", &Trial::seconds, "Median.")
      .def_ro("rounds", &Trial::rounds, "Fewer for those that were soon out of the race.");
  bind_found<FftOptions>(
      module, "TuneReport", "The fastest, as keywords of DenseFft or SphereFft.",
      {"algorithm", "progress", "window", "library", "decomposition", "threads", "chunks", "band_groups"});
  bind_found<ProductOptions>(module, "ProductTuneReport", "The fastest, as keywords of Multiplier.",
                             {"algorithm", "progress", "window", "panels", "layers", "communication_share", "memory"});
  bind_found<MoveOptions>(module, "MoveTuneReport", "The fastest, as keywords of redistribute.",
                          {"algorithm", "progress", "window", "memory"});
  def_with<TuneRequest>(
      module, "tune_dense", &dense,
      R"(Runs forward and backward pairs in all ways that these ranks can use, and writes what won to the tuning file.

Collective. Plans of the same case take it from then on (docs/tuning.md). `budget` and `skew` in seconds.)",
      "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none());
  def_with<TuneRequest>(module, "tune_sphere", &sphere, "The same for round trips of bands of the waves. Collective.",
                        "shape"_a, "waves"_a.none(), "dtype"_a = "complex128", "comm"_a = nb::none());
  def_with<ProductTuning>(module, "tune_product", &multiplication,
                          R"(The same for products A B with a filter of `eps`, into a new matrix each time. Collective.

Multipliers that have not done a product yet begin with what won.)",
                          "a"_a, "b"_a);
  def_with<TuneRequest>(module, "tune_move", together(&tune_move),
                        "The same for redistribute(orbitals, layout). Collective.", "orbitals"_a, "layout"_a);
  module.def("tuning_path", &tuning_path, "Where the tuning file is; empty: nowhere. Local.");
  module.def("tuned_cases", &tuned_cases, "Settings of each case in the tuning file. Local.");
}

}  // namespace

void bind_tuning(nb::module_& module) {
  bind_tuning_only(module);
  using namespace timeline;
  bind_report<Work>(module, "Work", "Computing, polls among it included; seconds of this process's steady clock.")
      .def_ro("stage", &Work::stage, "Of the plan's pipeline.")
      .def_ro("item", &Work::item, "E.g. the band.")
      .def_ro("begin", &Work::begin, "Seconds.")
      .def_ro("end", &Work::end, "Seconds.");
  bind_report<Transfer>(module, "Transfer", "An exchange of values.")
      .def_ro("started", &Transfer::started, "This rank sent its part off, seconds.")
      .def_ro("needed", &Transfer::needed, "It had nothing else to do from here on, seconds.")
      .def_ro("arrived", &Transfer::arrived, "It had all values, seconds.");
  bind_report<Timeline>(module, "Timeline", "What a recording holds.")
      .def_ro("work", &Timeline::work, "In order.")
      .def_ro("transfers", &Timeline::transfers, "In order.");
  module.def("start_recording", &start_recording, "Records what plans do, for this process alone. Local.");
  module.def("stop_recording", &stop_recording,
             "What was recorded: a Timeline, empty when no recording was on. Local.");
}

}  // namespace seiche::python
