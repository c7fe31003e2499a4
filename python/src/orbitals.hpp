// SPDX-License-Identifier: BSD-3-Clause
/// \file  How orbitals move, in keywords.
#pragma once

#include <seiche/orbitals.hpp>

#include <optional>
#include <utility>

#include "options.hpp"

namespace seiche::python {

MoveOptions move_options(const nb::kwargs& given);
OrbitalLayout layout_of(nb::handle layout);

/// Options of moves in stubs.
#define SEICHE_MOVE_KEYWORDS                                                                                   \
  "algorithm: str = 'automatic', progress: str = 'automatic', window: int = 0, memory: int = 0, on_progress: " \
  "collections.abc.Callable[[float], None] | None = None"

/// Collective over the orbitals' ranks. work() of what `keywords` say, after local checks.
template <class Work, class Check>
auto moving(const Communicator& comm, const nb::kwargs& keywords, const Work& work, const Check& check) {
  MoveOptions options;
  std::optional<decltype(work(options))> made;
  collective(
      comm,
      [&] {
        check();
        options = move_options(keywords);
      },
      [&] { made.emplace(work(options)); });
  return std::move(*made);
}
template <class Work>
auto moving(const Communicator& comm, const nb::kwargs& keywords, const Work& work) {
  return moving(comm, keywords, work, [] {});
}

}  // namespace seiche::python
