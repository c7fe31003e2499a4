// SPDX-License-Identifier: BSD-3-Clause
/// \file  The exception of the library. It has a category and a message that names the problem and the remedy.
#pragma once

#include <stdexcept>
#include <string>

#include "seiche/cxx20.hpp"

namespace seiche {

/// Category of an error.
enum class Fault {
  bad_argument = 1,  ///< invalid argument
  bad_file = 2,      ///< missing or damaged file, or unexpected content
  unwritable = 3,    ///< output that cannot be written
  mpi = 4,           ///< error of an MPI call
  unsupported = 5,   ///< valid request that this build or machine does not support
  internal = 6       ///< defect of the library
};

/// Exception of all functions of the library. Collective functions throw on all ranks or on none, with the same
/// message.
class Error : public std::runtime_error {
 public:
  /// Creates an error with a message (`sentence`).
  Error(Fault fault, const std::string& sentence) : std::runtime_error(sentence), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }  ///< Category of the error.

 private:
  Fault fault_;
};

}  // namespace seiche
