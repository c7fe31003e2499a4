// SPDX-License-Identifier: BSD-3-Clause
/// \file  The way to the grid for bands that come by and by.
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "sphere_plan.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

template <class Value>
using StreamOf = typename SphereFft<Value>::Stream;
struct SphereStream {
  std::int64_t waves;
  int components;
  Kind kind;
  std::optional<GridFunction> function;  // until it is finished: it may hold this stream in turn
  using Flow =
      std::variant<StreamOf<double>, StreamOf<float>, StreamOf<std::complex<double>>, StreamOf<std::complex<float>>>;
  using Flowing = Held<Flow>;
  Flowing held;
};

void add(const SphereStream& stream, const Array& waves) {
  std::visit(
      [&]<class Stream>(Stream& flowing) {
        using Complex = std::conditional_t<std::is_same_v<Stream, StreamOf<float>> ||
                                               std::is_same_v<Stream, StreamOf<std::complex<float>>>,
                                           std::complex<float>, std::complex<double>>;
        std::span<const Complex> in;
        Bands bands;
        const SphereStream::Flowing::Busy busy(stream.held);
        const Reserved reserved(stream.held.comm());
        require_mpi();
        const auto problem = problem_of([&] {
          const Extents one = band_extents(stream.components, stream.waves);
          bands = bands_of(waves, "waves", one.size());
          in = span_of<const Complex>(waves, "waves", joined(bands.axis, one));
        });
        const nb::gil_scoped_release released;
        agree_on_bands(stream.held.comm(), bands.number, problem);  // which add() does not
        flowing.add(in, bands.number);
      },
      stream.held.peek());
}

void finish(SphereStream& stream) {
  if (stream.held.closed()) return;
  std::optional<Error> fault;
  collective(
      stream.held, [] {},
      [&](auto& flowing) { fault = fault_of([&] { std::visit([](auto& one) { one.finish(); }, flowing); }); });
  stream.held.close();
  const GridFunction function = *std::exchange(stream.function, std::nullopt);
  if (fault) function.raise(*fault);
}

}  // namespace

nb::object make_stream(const SpherePlan& plan, nb::callable function) {
  GridFunction called(std::move(function));
  return with_call(plan, [&](auto call) {
    using Value = typename ValueOf<std::remove_cvref_t<decltype(call.fft)>>::type;
    const Held<OfAnyKind<SphereFft>>::Busy busy(plan.held);
    auto held = held_of<SphereStream::Flow>(
        "stream", plan.held.comm(), [&] { plan.held.peek(); },
        [&](auto& made) { made.emplace(call.fft.stream_spinors(for_components<Value>(called))); });
    return nb::cast(SphereStream{plan.waves, plan.components, plan.kind, called, std::move(held)});
  });
}

void bind_sphere_stream(nb::module_& module) {
  nb::class_<SphereStream>(module, "SphereStream",
                           R"(The way to the grid for bands that come by and by; made by SphereFft.stream().

A context manager, at whose end all that was added has arrived. One thread at a time may use it and its communicator.)")
      .def("add", &add, "waves"_a.none(),
           R"(Brings more bands, an array (bands, n); it has been read when this returns. Collective.)")
      .def("finish", &finish, R"(Waits for all that is on its way. Collective. Raises what went wrong on any rank.)")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> typing.Self"))
      .def("__exit__",
           [](SphereStream& stream, const nb::args& exception) {
             if (exception.size() > 0 && !exception[0].is_none()) return stream.held.leave(exception);
             finish(stream);
           })
      .def("__repr__", [](const SphereStream& stream) {
        return std::string(stream.held.closed() ? "<seiche.SphereStream, finished>" : "<seiche.SphereStream>");
      });
}

}  // namespace seiche::python
