// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans tuned by measurement; what happened when.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <seiche/block_product.hpp>
#include <seiche/fft.hpp>
#include <seiche/orbitals.hpp>
#include <seiche/trace.hpp>
#include <seiche/tuning.hpp>

#include "block_matrix.hpp"
#include "communicators.hpp"
#include "interface/tuning_members.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "plans.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

void put_options(nb::dict& keywords, const FftOptions& found) {
  keywords["library"] = name_of(found.library);
  keywords["decomposition"] = name_of(found.decomposition);
  keywords["threads"] = found.threads;
  keywords["chunks"] = found.chunks;
  keywords["band_groups"] = found.band_groups;
}
void put_options(nb::dict& keywords, const ProductOptions& found) {
  keywords["panels"] = found.panels;
  keywords["layers"] = found.layers;
  keywords["communication_share"] = found.communication_share;
  keywords["memory"] = found.policy.memory;
}
void put_options(nb::dict& keywords, const MoveOptions& found) { keywords["memory"] = found.policy.memory; }

const Keywords<TuneRequest>& tune_keywords() {
  static const Keywords<TuneRequest> known = [] {
    auto all = keywords_of<TuneRequest>();
    all["skew"] = [](TuneRequest& r, nb::handle given) {
      if (!given.is_none()) r.skew = value_of<double>("skew", given);
    };
    return all;
  }();
  return known;
}

nb::sig tune_signature(const std::string& before, const std::string& after) {
  return signature<TuneRequest>(before, ", skew: float | None = None" + after);
}

Kind double_kind_of(nb::handle dtype) {
  const Kind kind = kind_of(dtype);
  if (kind == Kind::float64 || kind == Kind::complex128) return kind;
  throw TypeError(
      "python: plans of float64 and complex128 are tuned; those of single precision use what is found for them");
}

template <class Tune>
TuneReport<FftOptions> tuned(nb::handle shape, nb::handle dtype, const Comm& comm, const nb::kwargs& keywords,
                             const Tune& tune) {
  const Communicator own = communicator(comm);
  GridShape grid;
  Kind kind{};
  TuneRequest request;
  TuneReport<FftOptions> report;
  collective(
      own,
      [&] {
        grid = grid_shape_of(shape);
        kind = double_kind_of(dtype);
        request = options_of(keywords, tune_keywords());
      },
      [&] { report = tune(own, grid, request, kind == Kind::float64); });
  return report;
}

TuneReport<FftOptions> dense(nb::handle shape, nb::handle dtype, const Comm& comm, const nb::kwargs& keywords) {
  return tuned(shape, dtype, comm, keywords,
               [](const Communicator& ranks, const GridShape& grid, const TuneRequest& request, bool real) {
                 return real ? tune_dense<double>(ranks, grid, request)
                             : tune_dense<std::complex<double>>(ranks, grid, request);
               });
}

TuneReport<FftOptions> sphere(nb::handle shape, const Array& waves, nb::handle dtype, const Comm& comm,
                              const nb::kwargs& keywords) {
  std::span<const Miller> mine;
  collective(
      communicator(comm), [&] { mine = waves_of(waves, "waves"); }, [] {});
  return tuned(shape, dtype, comm, keywords,
               [&](const Communicator& ranks, const GridShape& grid, const TuneRequest& request, bool real) {
                 return real ? tune_sphere<double>(ranks, grid, mine, request)
                             : tune_sphere<std::complex<double>>(ranks, grid, mine, request);
               });
}

/// Of a b; eps, the filter, is the one keyword that is not a TuneRequest's.
TuneReport<ProductOptions> tune_multiplication(const HeldMatrix& a, const HeldMatrix& b, const nb::kwargs& keywords) {
  struct Asked {
    TuneRequest request;
    ProductOptions product;
  };
  static const Keywords<Asked> known = [] {
    Keywords<Asked> all{
        {"eps", [](Asked& asked, nb::handle given) { asked.product.eps = value_of<double>("eps", given); }}};
    for (const auto& [name, set] : tune_keywords()) {
      all[name] = [set](Asked& asked, nb::handle given) { set(asked.request, given); };
    }
    return all;
  }();
  Asked asked;
  TuneReport<ProductOptions> report;
  std::visit(
      [&]<class Value>(const BlockMatrix<Value>& left) {
        const BlockMatrix<Value>* right = nullptr;
        collective(
            a.comm(),
            [&] {
              asked = options_of(keywords, known);
              require_same_kind(a, b);
              right = &std::get<BlockMatrix<Value>>(b.get());
            },
            [&] {
              const SharedLayout into = product_layout(left.layout(), right->layout());
              report = tune_product(Product<Value>{left, *right}, into, asked.product, asked.request);
            });
      },
      a.get());
  return report;
}

TuneReport<MoveOptions> move(const Orbitals& orbitals, const OrbitalLayout& layout, const nb::kwargs& keywords) {
  TuneRequest request;
  TuneReport<MoveOptions> report;
  collective(
      orbitals.comm, [&] { request = options_of(keywords, tune_keywords()); },
      [&] { report = tune_move(orbitals, layout, request); });
  return report;
}

template <class Options>
nb::dict options_of_report(const TuneReport<Options>& report) {
  nb::dict keywords;
  keywords["algorithm"] = name_of(report.options.policy.algorithm);
  keywords["progress"] = name_of(report.options.policy.progress);
  keywords["window"] = report.options.policy.window;
  put_options(keywords, report.options);
  return keywords;
}

template <class Options>
void bind_report(nb::module_& module, const char* name, const char* of_what) {
  using Report = TuneReport<Options>;
  nb::class_<Report>(module, name, "What tuning found.")
      .def_ro("tuned_case", &Report::tuned_case, "The key in the tuning file.")
      .def_ro("skew", &Report::skew, "Seconds by which trials delayed ranks, at most.")
      .def_prop_ro("options", &options_of_report<Options>, of_what)
      .def_ro("trials", &Report::trials, "All of them.");
}

void bind_tuning_only(nb::module_& module) {
  nb::class_<Trial>(module, "Trial", "One way of running a plan, timed.")
      .def_ro("settings", &Trial::settings, "In words.")
      .def_ro("seconds", &Trial::seconds, "Median.")
      .def_ro("rounds", &Trial::rounds, "Fewer for those that were soon out of the race.");
  bind_report<FftOptions>(module, "TuneReport", "The fastest, as keywords of DenseFft or SphereFft.");
  bind_report<ProductOptions>(module, "ProductTuneReport", "The fastest, as keywords of Multiplier.");
  bind_report<MoveOptions>(module, "MoveTuneReport", "The fastest, as keywords of redistribute.");
  module.def(
      "tune_dense", &dense, "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none(), "options"_a,
      R"(Runs forward and backward pairs in all ways that these ranks can use, and writes what won to the tuning file.

Collective. Plans of the same case take it from then on (docs/tuning.md). `budget` and `skew` in seconds.)",
      tune_signature("def tune_dense(shape: tuple[int, int, int], dtype: numpy.typing.DTypeLike = 'complex128', comm: "
                     "mpi4py.MPI.Comm | None = None, *, ",
                     ") -> TuneReport"));
  module.def("tune_sphere", &sphere, "shape"_a, "waves"_a.none(), "dtype"_a = "complex128", "comm"_a = nb::none(),
             "options"_a, "The same for round trips of bands of the waves. Collective.",
             tune_signature(
                 "def tune_sphere(shape: tuple[int, int, int], waves: numpy.ndarray, dtype: numpy.typing.DTypeLike = "
                 "'complex128', comm: mpi4py.MPI.Comm | None = None, *, ",
                 ") -> TuneReport"));
  module.def(
      "tune_product", &tune_multiplication, "a"_a, "b"_a, "options"_a,
      R"(The same for products A B with a filter of `eps`, into a new matrix each time. Collective.

Multipliers that have not done a product yet begin with what won.)",
      tune_signature("def tune_product(a: BlockMatrix, b: BlockMatrix, *, eps: float = 0, ", ") -> ProductTuneReport"));
  module.def("tune_move", &move, "orbitals"_a, "layout"_a, "options"_a,
             "The same for redistribute(orbitals, layout). Collective.",
             tune_signature("def tune_move(orbitals: Orbitals, layout: OrbitalLayout, *, ", ") -> MoveTuneReport"));
  module.def("tuning_path", &tuning_path, "Where the tuning file is; empty: nowhere. Local.");
  module.def("tuned_cases", &tuned_cases, "Settings of each case in the tuning file. Local.");
}

}  // namespace

void bind_tuning(nb::module_& module) {
  bind_tuning_only(module);
  using namespace timeline;
  nb::class_<Work>(module, "Work", "Computing, polls among it included; seconds of this process's steady clock.")
      .def_ro("stage", &Work::stage, "Of the plan's pipeline.")
      .def_ro("item", &Work::item, "E.g. the band.")
      .def_ro("begin", &Work::begin, "Seconds.")
      .def_ro("end", &Work::end, "Seconds.");
  nb::class_<Transfer>(module, "Transfer", "An exchange of values.")
      .def_ro("started", &Transfer::started, "This rank sent its part off, seconds.")
      .def_ro("needed", &Transfer::needed, "It had nothing else to do from here on, seconds.")
      .def_ro("arrived", &Transfer::arrived, "It had all values, seconds.");
  nb::class_<Timeline>(module, "Timeline", "What a recording holds.")
      .def_ro("work", &Timeline::work, "In order.")
      .def_ro("transfers", &Timeline::transfers, "In order.");
  module.def("start_recording", &start_recording, "Records what plans do, for this process alone. Local.");
  module.def("stop_recording", &stop_recording,
             "What was recorded: a Timeline, empty when no recording was on. Local.");
}

}  // namespace seiche::python
