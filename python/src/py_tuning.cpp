// SPDX-License-Identifier: BSD-3-Clause
/// \file  Autotuning, and recordings.
#include <nanobind/stl/map.h>
#include <seiche/block_product.hpp>
#include <seiche/fft.hpp>
#include <seiche/orbitals.hpp>
#include <seiche/trace.hpp>
#include <seiche/tuning.hpp>

#include <set>
#include <string>

#include "py_bind.hpp"
#include "py_block_matrix.hpp"
#include "py_boxes.hpp"
#include "py_wavefile.hpp"

namespace seiche::python {

namespace {

/// Options of tune_product: filter threshold and tuning.
struct ProductTuning {
  ProductOptions product;
  TuneRequest request;
};

}  // namespace

template <>
Keywords<ProductTuning> keywords_of() {
  Keywords<ProductTuning> all{keyword<ProductTuning>(
      "eps", "filter threshold of the product", [](auto& of) -> auto& { return of.product.eps; })};
  nest(all, &ProductTuning::request);
  return all;
}

namespace {

/// Checked arguments of a plan to be tuned.
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

TuneReport<BoxOptions> exchange_of_boxes(const Shape& shape, const Boxes& source, const Boxes& target,
                                         const Dtype& dtype, std::int64_t fields, const Comm& comm,
                                         const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  struct Asked {
    GridShape shape;
    BoxesOfEnd source, target;
    Kind kind;
    TuneRequest request;
  };
  const auto checks = [&] {
    return Asked{grid_shape_of(shape), boxes_of(source), boxes_of(target), kind_of(dtype),
                 options_of<TuneRequest>(options)};
  };
  return collective(own, checks, [&](const Asked& asked) {
    return with_kind(asked.kind, [&]<class Value>(Value) {
      return tune_boxes<Value>(own, asked.shape, asked.source.arrays, asked.target.arrays, fields, asked.request);
    });
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

/// `tuned`: names of the options that a plan takes from the report.
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
  bind_report<Report>(module, name, "Result of the autotuning.")
      .def_ro("tuned_case", &Report::tuned_case, "Key in the tuning file.")
      .def_ro("skew", &Report::skew, "Largest delay of ranks in trials, seconds.")
      .def_prop_ro("options", options, of_what)
      .def_ro("trials", &Report::trials, "All candidates.");
}

void bind_tuning_only(nb::module_& module) {
  bind_report<Trial>(module, "Trial", "Timing of one candidate.")
      .def_ro("settings", &Trial::settings, "Algorithm, and settings that differ from the first candidate.")
      .def_ro("seconds", &Trial::seconds, "Median time.")
      .def_ro("rounds", &Trial::rounds, "Number of timings; slow candidates are dropped early.");
  bind_found<FftOptions>(
      module, "TuneReport", "Fastest settings, as keywords of DenseFft or SphereFft.",
      {"algorithm", "progress", "window", "library", "decomposition", "threads", "chunks", "band_groups"});
  bind_found<ProductOptions>(module, "ProductTuneReport", "Fastest settings, as keywords of Multiplier.",
                             {"algorithm", "progress", "window", "panels", "layers", "communication_share", "memory"});
  bind_found<MoveOptions>(module, "MoveTuneReport", "Fastest settings, as keywords of redistribute.",
                          {"algorithm", "progress", "window", "memory"});
  bind_found<BoxOptions>(module, "BoxTuneReport", "Fastest settings, as keywords of BoxExchange.",
                         {"algorithm", "progress", "window"});
  def_with<TuneRequest>(
      module, "tune_dense", &dense,
      R"(Times transforms of a dense grid with different settings and writes the fastest to the tuning file. Collective.

Later plans of the same case use them. `budget` and `skew` are in seconds.)",
      "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none());
  def_with<TuneRequest>(module, "tune_sphere", &sphere,
                        "Times round trips of bands of `waves`. Otherwise same as tune_dense(). Collective.", "shape"_a,
                        "waves"_a, "dtype"_a = "complex128", "comm"_a = nb::none());
  def_with<ProductTuning>(module, "tune_product", &multiplication,
                          R"(Times products A B with filter threshold `eps`. Otherwise same as tune_dense(). Collective.

New multipliers use the fastest settings.)",
                          "a"_a, "b"_a);
  def_with<TuneRequest>(module, "tune_move", together(&tune_move),
                        "Times redistribute(orbitals, layout). Otherwise same as tune_dense(). Collective.",
                        "orbitals"_a, "layout"_a);
  def_with<TuneRequest>(module, "tune_boxes", &exchange_of_boxes,
                        R"(Times copies of boxes, as BoxExchange.copy(). Otherwise same as tune_dense(). Collective.

Calls of exchanges with similar sizes use the fastest settings. `fields` is the number of fields of a call.)",
                        "shape"_a, "source"_a, "target"_a, "dtype"_a = "complex128", "fields"_a = 1,
                        "comm"_a = nb::none());
  module.def("tuning_path", &tuning_path,
             "Returns the path of the tuning file, or an empty string if there is none. Local.");
  module.def("tuned_cases", &tuned_cases, "Returns the settings of all cases in the tuning file. Local.");
}

}  // namespace

void bind_tuning(nb::module_& module) {
  bind_tuning_only(module);
  using namespace timeline;
  bind_report<Work>(
      module, "Work",
      "An interval of computation, including polls. Times are seconds of the steady clock of this process.")
      .def_ro("stage", &Work::stage, "Stage of the plan's pipeline.")
      .def_ro("item", &Work::item, "Item, e.g. the band.")
      .def_ro("begin", &Work::begin, "Start time, seconds.")
      .def_ro("end", &Work::end, "End time, seconds.");
  bind_report<Transfer>(module, "Transfer", "An exchange.")
      .def_ro("started", &Transfer::started, "Time at which this rank started to send, seconds.")
      .def_ro("needed", &Transfer::needed, "Time from which this rank had nothing else to do, seconds.")
      .def_ro("arrived", &Transfer::arrived, "Time at which all values had arrived, seconds.");
  bind_report<Timeline>(module, "Timeline", "A recording.")
      .def_ro("work", &Timeline::work, "Intervals of computation, in order of time.")
      .def_ro("transfers", &Timeline::transfers, "Exchanges, in order of time.");
  module.def("start_recording", &start_recording,
             "Starts a recording of this process. A running recording is discarded. Local.");
  module.def("stop_recording", &stop_recording,
             "Stops the recording and returns it as a Timeline, which is empty if there was none. Local.");
}

}  // namespace seiche::python
