// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sessions of MPI 4. Their calls are not recorded without MPI_Init; a file tells that the program uses them.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "record.hpp"
#include "recorder/symbols.hpp"

#if MPI_VERSION >= 4
extern "C" __attribute__((visibility("default"))) int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler,
                                                                       MPI_Session* session) {
  if (const char* directory = std::getenv("SEICHE_PROFILE_DIRECTORY")) {
    const std::string path = std::string(directory) + "/" + seiche::profile::sessions_file;
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
  }
  return REAL(Session_init)(info, errhandler, session);
}
#endif
