// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/company.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "recorder/recorder.hpp"

namespace seiche::profile {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t patience = 5 * second;  // of rank 0; the others wait longer, for its answer

std::string directory() { return std::getenv("SEICHE_PROFILE_DIRECTORY"); }

/// Returns whether the launcher started all processes on this machine.
bool on_one_machine(int size) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* here = std::getenv(name)) return std::atoi(here) == size;
  }
  return size == 1;
}

/// Returns the number of records.
int records() {
  int found = 0;
  DIR* const folder = opendir(directory().c_str());
  if (folder == nullptr) return 0;
  while (const dirent* entry = readdir(folder)) found += std::strncmp(entry->d_name, "rank.", 5) == 0 ? 1 : 0;
  closedir(folder);
  return found;
}

/// Returns whether a file exists. Network file systems look again when the folder is opened.
bool exists(const std::string& file) {
  if (DIR* const folder = opendir(directory().c_str())) closedir(folder);
  return access(file.c_str(), F_OK) == 0;
}

/// Calls `ready` in growing intervals until it returns true, or until the time is over.
template <class Ready>
bool wait_until(std::int64_t time, const Ready& ready) {
  timespec pause{0, 1'000'000};
  const std::int64_t end = now() + time;
  while (!ready()) {
    if (now() > end) return false;
    nanosleep(&pause, nullptr);
    if (pause.tv_nsec < second / 4) pause.tv_nsec *= 2;
  }
  return true;
}

/// Rank 0 counts the records, and answers by a file.
Company roll_call(int rank, int size) {
  const std::string ending = std::to_string(size);
  const std::string all = directory() + "/all." + ending, some = directory() + "/some." + ending;
  if (rank == 0) {
    const bool complete = wait_until(patience, [&] { return records() >= size; });
    const int file = open((complete ? all : some).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
    return complete && file >= 0 ? Company::all : Company::some;
  }
  wait_until(4 * patience, [&] { return exists(all) || exists(some); });
  return exists(all) ? Company::all : Company::some;
}

}  // namespace

Company company(int rank, int size) {
  static const Company known = on_one_machine(size) ? Company::one_machine : roll_call(rank, size);
  return known;
}

}  // namespace seiche::profile
