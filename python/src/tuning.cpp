// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans tuned by measurement; what happened when.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <seiche/fft.hpp>
#include <seiche/trace.hpp>
#include <seiche/tuning.hpp>

#include "communicators.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "plans.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

const Keywords<TuneRequest>& tune_keywords() {
  static const Keywords<TuneRequest> known{sets("budget", &TuneRequest::budget),
                                           {"skew",
                                            [](TuneRequest& r, nb::handle given) {
                                              if (!given.is_none()) r.skew = value_of<double>("skew", given);
                                            }},
                                           sets("bands", &TuneRequest::bands),
                                           sets("band_groups", &TuneRequest::band_groups),
                                           sets("threads", &TuneRequest::threads)};
  return known;
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

nb::dict options_of_report(const TuneReport<FftOptions>& report) {
  const FftOptions& found = report.options;
  nb::dict keywords;
  keywords["algorithm"] = name_of(found.policy.algorithm);
  keywords["library"] = name_of(found.library);
  keywords["decomposition"] = name_of(found.decomposition);
  keywords["progress"] = name_of(found.policy.progress);
  keywords["threads"] = found.threads;
  keywords["window"] = found.policy.window;
  keywords["chunks"] = found.chunks;
  keywords["band_groups"] = found.band_groups;
  return keywords;
}

#define SEICHE_TUNE_KEYWORDS \
  "budget: float = 10, skew: float | None = None, bands: int = 8, band_groups: int = 1, threads: int = 1"

void bind_tuning_only(nb::module_& module) {
  nb::class_<Trial>(module, "Trial", "One way of running a plan, timed.")
      .def_ro("settings", &Trial::settings, "In words.")
      .def_ro("seconds", &Trial::seconds, "Median.")
      .def_ro("rounds", &Trial::rounds, "Fewer for those that were soon out of the race.");
  nb::class_<TuneReport<FftOptions>>(module, "TuneReport", "What tuning found.")
      .def_ro("tuned_case", &TuneReport<FftOptions>::tuned_case, "The key in the tuning file.")
      .def_ro("skew", &TuneReport<FftOptions>::skew, "Seconds by which trials delayed ranks, at most.")
      .def_prop_ro("options", &options_of_report, "The fastest, as keywords of DenseFft or SphereFft.")
      .def_ro("trials", &TuneReport<FftOptions>::trials, "All of them.");
  module.def(
      "tune_dense", &dense, "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none(), "options"_a,
      R"(Runs forward and backward pairs in all ways that these ranks can use, and writes what won to the tuning file.

Collective. Plans of the same case take it from then on (docs/tuning.md). `budget` and `skew` in seconds.)",
      nb::sig("def tune_dense(shape: tuple[int, int, int], dtype: numpy.typing.DTypeLike = 'complex128', comm: "
              "mpi4py.MPI.Comm | None = None, *, " SEICHE_TUNE_KEYWORDS ") -> TuneReport"));
  module.def(
      "tune_sphere", &sphere, "shape"_a, "waves"_a.none(), "dtype"_a = "complex128", "comm"_a = nb::none(), "options"_a,
      "The same for round trips of bands of the waves. Collective.",
      nb::sig("def tune_sphere(shape: tuple[int, int, int], waves: numpy.ndarray, dtype: numpy.typing.DTypeLike = "
              "'complex128', comm: mpi4py.MPI.Comm | None = None, *, " SEICHE_TUNE_KEYWORDS ") -> TuneReport"));
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
