// SPDX-License-Identifier: BSD-3-Clause
/// \file  How orbitals move, in keywords.
#pragma once

#include <seiche/orbitals.hpp>

#include <optional>
#include <utility>

#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "options.hpp"

namespace seiche::python {

MoveOptions move_options(const nb::kwargs& given);
OrbitalLayout layout_of(nb::handle layout);

nb::sig move_signature(const std::string& before, const std::string& after);

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
