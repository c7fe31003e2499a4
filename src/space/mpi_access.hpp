// SPDX-License-Identifier: BSD-3-Clause
/// \file  Access of MPI to memory of devices (GPU-aware MPI).
#pragma once

#include <string_view>

#include "seiche/communicator.hpp"
#include "seiche/space.hpp"

namespace seiche {

/// Collective. Tells whether MPI of all ranks sends from memory of a device and receives into it.
bool mpi_accesses(const Communicator& comm, Space space);

/// Returns the space of memory that kernels of a device and MPI access. \pre mpi_accesses()
Space message_space(Space space);

/// Tells whether a list of kinds of memory contains memory of CUDA devices. `kinds`: value of `mpi_memory_alloc_kinds`
/// (MPI 4.1), e.g. "mpi,system,cuda:host:device". A kind without restrictors such as `:host` contains all memory.
bool lists_cuda_memory(std::string_view kinds);

/// For tests. MPI of this rank then accesses messages of all devices, because they are in host memory. Kernels access
/// them there, too.
void emulate_mpi_access(bool emulated);

}  // namespace seiche
