// SPDX-License-Identifier: BSD-3-Clause
/// \file  Statuses and messages of the C interface.
#include <filesystem>
#include <new>

#include "c/c_call.hpp"
#include "c/c_handles.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche::c {

namespace {

thread_local std::string last_error;
thread_local seiche_status refused = SEICHE_OK;  // by seiche_refuse() since the last callback began

seiche_status keep_sentence(seiche_status status, const char* sentence) noexcept {
  try {
    last_error = sentence;
  } catch (...) {
    last_error.clear();  // no memory for a message: only the status is returned
  }
  return status;
}

template <class... Values>
void require_use(bool holds, FormatFor<Values...> sentence, const Values&... values) {
  if (!holds) throw Error(misuse, formatted(sentence, values...));
}

}  // namespace

seiche_status remember() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep_sentence(static_cast<seiche_status>(error.fault()), error.what());
  } catch (const std::bad_alloc&) {
    return keep_sentence(SEICHE_BAD_ARGUMENT, "not enough memory: use more processes or a smaller case");
  } catch (const std::filesystem::filesystem_error& error) {
    return keep_sentence(SEICHE_BAD_FILE, error.what());
  } catch (const std::exception& error) {
    return keep_sentence(SEICHE_INTERNAL, error.what());
  } catch (...) {
    return keep_sentence(SEICHE_INTERNAL, "an unknown exception reached the C interface");
  }
}

void require_place(const void* place, const char* where, const char* what) {
  require_use(place != nullptr, "{}: {} must not be NULL", where, what);
}

void require_array(const void* data, std::int64_t count, const char* where, const char* what) {
  require_use(count >= 0, "{}: the number of {} must not be negative (got {})", where, what, count);
  require_use(data != nullptr || count == 0, "{}: the array of {} {} must not be NULL", where, count, what);
}

void require_room(std::size_t there_are, std::size_t room, const char* where, const char* what) {
  require(room == there_are, Fault::bad_argument, "{}: there are {} {}, but the array holds {}", where, there_are, what,
          room);
}

void require_size(std::size_t size, std::size_t ours, const char* name) {
  require_use(size <= ours,
              "{}: the size of the struct ({} bytes) exceeds the size in this library (version {}, {} bytes): compile "
              "and run with the same version, or initialize the struct",
              name, size, seiche_version(), ours);
  require_use(size > sizeof(std::size_t), "{}: the size of the struct is not set: initialize the struct first", name);
}

void require_enumerator(int given, int last, const char* what) {
  require(given >= 0 && given <= last, Fault::bad_argument,
          "{} is {}, but must be 0 to {}: use the enumerators of seiche.h", what, given, last);
}

template <>
Algorithm enumerator<Algorithm>(int given, int last, const char* what) {
  require_enumerator(given, last, what);
  if (given == SEICHE_ALGORITHM_IALLTOALL || given == SEICHE_ALGORITHM_PERSISTENT) return Algorithm::ialltoallv;
  return given == SEICHE_ALGORITHM_PUT ? Algorithm::pairwise : static_cast<Algorithm>(given);
}

void refuse(seiche_status status, const char* sentence) {
  require_place(sentence, "refuse", "the message");
  require(status >= SEICHE_BAD_ARGUMENT && status <= SEICHE_MISUSE, Fault::bad_argument,
          "refuse: status must be 1 to 7 (got {}): use the statuses of seiche.h", static_cast<int>(status));
  throw Error(static_cast<Fault>(status), sentence);
}

void begin_callback() noexcept { refused = SEICHE_OK; }

void end_callback(int code, const std::string& called_for) {
  if (refused != SEICHE_OK) refuse(refused, std::string(last_error).c_str());
  throw Error(Fault::bad_argument,
              formatted("fft: the callback returned {} for {}: return 0 on success", code, called_for));
}

Communicator communicator(MPI_Comm theirs, const char* where) {
  require_use(theirs != MPI_COMM_NULL,
              "{}: the communicator is MPI_COMM_NULL: call this function only on members of the communicator", where);
  int two_sided = 0;
  MPI_Comm_test_inter(theirs, &two_sided);
  require_use(two_sided == 0, "{}: intercommunicators are not supported: merge it with MPI_Intercomm_merge", where);
  return Communicator(theirs);
}

}  // namespace seiche::c

const char* seiche_last_error(void) { return seiche::c::last_error.c_str(); }
seiche_status seiche_refuse(seiche_status status, const char* sentence) {
  using namespace seiche::c;
  return refused = call_without_mpi([&] { refuse(status, sentence); });
}
seiche_status seiche_refuse_create(MPI_Comm comm, seiche_status status, const char* sentence) {
  using namespace seiche::c;
  return call([&] { seiche::together(communicator(comm, "refuse"), [&] { refuse(status, sentence); }); });
}
const char* seiche_version(void) { return SEICHE_VERSION; }
std::int64_t seiche_open_handles(void) { return seiche::c::kept_objects(); }
