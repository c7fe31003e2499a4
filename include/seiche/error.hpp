// SPDX-License-Identifier: BSD-3-Clause
/// \file  The one exception of the library: what kind of fault, and a sentence that names place and remedy.
#pragma once

#include <stdexcept>
#include <string>

namespace seiche {

/// What kind of thing went wrong.
enum class Fault {
  bad_argument = 1,  ///< the request cannot be met as it stands
  bad_file = 2,      ///< a file is missing, damaged, or not what it should be
  unwritable = 3,    ///< an output could not be written
  mpi = 4,           ///< an MPI call returned an error
  unsupported = 5,   ///< a sound request that this build or machine cannot serve
  internal = 6       ///< a defect of the library
};

/// Thrown by every part of the library. Collective calls throw on every rank or on none, with the same text.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& sentence) : std::runtime_error(sentence), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

}  // namespace seiche
