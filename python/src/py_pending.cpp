// SPDX-License-Identifier: BSD-3-Clause
#include "py_pending.hpp"

namespace seiche::python {

namespace {

bool progress(const PendingCall& call) {
  Started& started = call.held.get();
  const Held<Started>::Busy busy(call.held);
  const Reserved reserved(call.held.comm());
  const nb::gil_scoped_release released;
  return started.pending.progress();
}

nb::object finish(PendingCall& call) {
  const auto fault =
      collective(call.held, [](Started& started) { return fault_of([&] { started.pending.finish(); }); });
  call.held.close();
  nb::object result = std::exchange(call.result, nullptr)();
  if (!fault) return result;
  if (call.raise_for_user) call.raise_for_user(*fault);
  throw Error(*fault);
}

}  // namespace

void bind_pending(nb::module_& module) {
  nb::class_<PendingCall> pending(
      module, "Pending",
      R"(A started call. Functions start_...() start the call of the same name without start_.

From the start to finish(), do not change the arrays of the call, and do not read its results. Several started calls may
exist. All ranks start and finish them in the same order. It is a context manager; leaving it calls finish(). Errors of
the call are raised by finish(), on all ranks. One thread at a time may use it and its communicator.)");
  pending
      .def("progress", &progress,
           R"(Makes progress: polls messages, and computes items whose messages have arrived. Local.

Never waits for other ranks. Callbacks may be called. Returns True if finish() would not wait for messages.)")
      .def("finish", &finish, "Completes the call and returns its result. Collective.")
      .def("__repr__", [](const PendingCall& self) {
        return self.held.closed() ? "<seiche.Pending, finished>" : "<seiche.Pending>";
      });
  bind_with(pending, [](PendingCall& self, const nb::args& exception) {
    if (is_raised(exception)) return self.held.leave(exception);
    if (!self.held.closed()) finish(self);
  });
}

}  // namespace seiche::python
