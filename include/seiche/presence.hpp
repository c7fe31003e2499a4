// SPDX-License-Identifier: BSD-3-Clause
/// \file  Whether those that a collective call needs are there: MPI, and all ranks, with arguments that are right on
/// each. The library asks itself; this is for faces in other languages, which do collective things of their own.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>

#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// Where a program stands with MPI.
enum class MpiState { not_started, running, ended };
/// Local. Says so at any time, also before MPI_Init.
MpiState mpi_state() noexcept;
/// Local. \throws Error(fault) while MPI is not running
void require_mpi(Fault fault = Fault::bad_argument);

/// Local. Returns what `work` throws, of any type, as an Error.
template <class Work>
std::optional<Error> fault_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Fault::bad_argument, "not enough memory; use more processes or a smaller case");
  } catch (const std::filesystem::filesystem_error& error) {
    return Error(Fault::bad_file, error.path1().string() + ": " + error.code().message() +
                                      "; check its name, its permissions and the space on the disk");
  } catch (const std::exception& error) {
    return Error(Fault::internal, error.what());
  }
}

/// Collective. If any rank brings an Error, all ranks throw the one of the lowest such rank.
void agree(const Communicator& comm, const std::optional<Error>& mine);
/// Collective. The same of calls on bands, which have to be as many on all ranks. SphereFft's calls begin with it, but
/// for those of streams: a rank that cannot make such a call says why by this one in its place.
void agree_on_bands(const Communicator& comm, std::int64_t bands, const std::optional<Error>& mine);

/// Collective. A number for what is made on `comm` now: the same on all ranks, and no other thing's there.
std::int64_t fresh_number(const Communicator& comm);
/// Collective. Call it before you close object `number`. In a library built with SEICHE_CHECKS it waits at most
/// SEICHE_CLOSE_LIMIT seconds for the other ranks. Without that variable, and in other builds, it returns at once.
/// \throws Error that names the ranks that did not come, or that close another object; `number` stays open then
void require_all_close(const Communicator& comm, std::int64_t number);

}  // namespace seiche
