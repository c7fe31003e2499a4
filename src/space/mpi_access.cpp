// SPDX-License-Identifier: BSD-3-Clause
#include "space/mpi_access.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/formatted.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

// A library is also used with other versions of the MPI that it was built with.
#if defined(MPIX_CUDA_AWARE_SUPPORT)
#pragma weak MPIX_Query_cuda_support
#endif
#if defined(MPIX_GPU_SUPPORT_CUDA)
#pragma weak MPIX_GPU_query_support
#endif

namespace seiche {

namespace {

std::atomic<bool> access_emulated{false};

bool info_lists_cuda_memory() {
#if MPI_VERSION >= 4
  std::array<char, 1024> kinds{};
  int size = static_cast<int>(kinds.size()), found = 0;
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Comm_get_info(MPI_COMM_WORLD, &info), "MPI_Comm_get_info");
  check(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &size, kinds.data(), &found), "MPI_Info_get_string");
  check(MPI_Info_free(&info), "MPI_Info_free");
  return found != 0 && lists_cuda_memory(kinds.data());
#else
  return false;
#endif
}

/// Asks MPI whether it accesses memory of CUDA devices.
bool mpi_reports_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1) return true;
#endif
#if defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  if (MPIX_GPU_query_support)
    check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported), "MPIX_GPU_query_support");
  if (supported != 0) return true;
#endif
  return info_lists_cuda_memory();
}

}  // namespace

bool lists_cuda_memory(std::string_view kinds) {
  for (std::size_t begin = 0; begin <= kinds.size();) {
    const std::size_t end = std::min(kinds.find(',', begin), kinds.size());
    const std::string kind = formatted("{}:", kinds.substr(begin, end - begin));
    if (kind == "cuda:" || (kind.starts_with("cuda:") && kind.find(":device:") != std::string::npos)) return true;
    begin = end + 1;
  }
  return false;
}

bool mpi_accesses(const Communicator& comm, Space space) {
  const bool mine = access_emulated || (space == Space::cuda && mpi_reports_cuda());
  return bounds(comm, std::int64_t{mine}).first == 1;
}

Space message_space(Space space) { return access_emulated ? Space::host : space; }

void emulate_mpi_access(bool emulated) { access_emulated = emulated; }

}  // namespace seiche
