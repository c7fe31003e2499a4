// SPDX-License-Identifier: BSD-3-Clause
/// \file  A wavefunction file as Python holds it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <seiche/wavefile.hpp>

#include <optional>
#include <string>

#include "reserved.hpp"

namespace seiche::python {

namespace nb = nanobind;

struct OpenFile {
  Communicator comm;
  std::optional<WaveFile> file;
  OrbitalHeader header;  ///< a copy, which outlives the file

  /// \throws Error after close()
  const WaveFile& get() const {
    if (!file) throw Error(Fault::bad_argument, "python: this WaveFile was closed; open it again");
    return *file;
  }
  /// \throws Error on this rank alone while another thread is in a call on its communicator
  void close() {
    require_free(comm);
    file.reset();
  }
};

/// "str or os.PathLike" as text.
std::string path_of(nb::handle given);

}  // namespace seiche::python
