// SPDX-License-Identifier: BSD-3-Clause
/// \file  Whether all processes of the program have the recorder. Only then may recorders call collective functions.
#pragma once

namespace seiche::profile {

enum class Company {
  one_machine,  ///< all processes share a machine and its clock
  all,          ///< all processes have the recorder
  some          ///< some have none, or it is not known
};

/// Returns the same for all recorders of the program. Processes without the recorder need not take part. The first
/// call may wait for other processes. \pre the record of this process exists
Company company(int rank, int size);

}  // namespace seiche::profile
