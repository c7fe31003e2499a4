// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks before collective calls: whether MPI is running, and whether arguments are valid on all ranks.
///
/// The library makes these checks itself. This header is for interfaces to other languages, which have collective
/// functions of their own.
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

/// State of MPI in this process.
enum class MpiState { not_started, running, ended };
/// Local. Returns the state of MPI. May be called at any time, also before MPI_Init.
MpiState mpi_state() noexcept;
/// Local. Checks that MPI is running. \throws Error(fault) if it is not
void require_mpi(Fault fault = Fault::bad_argument);

/// Local. Calls `work` and returns its exception, of any type, as an Error. Returns nothing if there is none.
template <class Work>
std::optional<Error> fault_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Fault::bad_argument, "not enough memory: use more processes or a smaller case");
  } catch (const std::filesystem::filesystem_error& error) {
    return Error(Fault::bad_file, error.path1().string() + ": " + error.code().message() +
                                      ": check its name, its permissions and the space on the disk");
  } catch (const std::exception& error) {
    return Error(Fault::internal, error.what());
  } catch (...) {
    return Error(Fault::internal, "an exception that is not a std::exception: derive it from std::exception");
  }
}

/// Collective. If any rank passes an Error, all ranks throw it. If several ranks do, the lowest rank decides.
/// Collective calls of the library begin with such an agreement, except for streams. A rank that cannot make such a
/// call can call this function instead, with its error.
void agree(const Communicator& comm, const std::optional<Error>& mine);
/// Collective. Same as agree(), and checks that `bands` is equal on all ranks. For SphereFft::Stream::add(), which
/// makes no agreement itself.
void agree_on_bands(const Communicator& comm, std::int64_t bands, const std::optional<Error>& mine);

}  // namespace seiche
