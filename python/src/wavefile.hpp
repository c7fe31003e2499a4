// SPDX-License-Identifier: BSD-3-Clause
/// \file  A wavefunction file as Python holds it, and collective calls on files and orbitals.
#pragma once

#include <seiche/wavefile.hpp>

#include <optional>
#include <string>

#include "bind.hpp"

namespace seiche::python {

struct OpenFile {
  Communicator comm;
  std::optional<WaveFile> file;
  OrbitalHeader header;  ///< a copy, which outlives the file

  /// \throws Error after close()
  WaveFile& get() {
    if (!file) throw BadArgument("this WaveFile was closed; open it again");
    return *file;
  }
  const WaveFile& get() const { return const_cast<OpenFile*>(this)->get(); }
  /// \throws Error on this rank alone while another thread is in a call on its communicator
  void close() {
    require_free(comm);
    file.reset();
  }
};

/// Collective. work(the open file)
template <class Work>
auto collective(const OpenFile& file, const Work& work) {
  return collective(
      file.comm, [&]() -> const WaveFile& { return file.get(); }, work);
}

/// Collective. work(options that `keywords` give)
template <class Work>
auto moving(const Communicator& comm, const nb::kwargs& keywords, const Work& work) {
  return collective(
      comm, [&] { return options_of<MoveOptions>(keywords); }, work);
}
/// Collective. work(the open file, options that `keywords` give)
template <class Work>
auto moving(const OpenFile& file, const nb::kwargs& keywords, const Work& work) {
  const auto checks = [&] { return file.get(), options_of<MoveOptions>(keywords); };
  return collective(file.comm, checks, [&](const MoveOptions& how) { return work(file.get(), how); });
}

}  // namespace seiche::python
