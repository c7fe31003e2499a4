// SPDX-License-Identifier: BSD-3-Clause
/// \file  Move-only owners of MPI handles, which may outlive MPI_Finalize.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>

#include "seiche/presence.hpp"

namespace seiche {

/// `Kind` has the `type` of a handle, its `null()` (not a constant in every MPI) and `release(type*)`.
template <class Kind>
class Handle {
 public:
  using type = typename Kind::type;
  Handle() noexcept : raw_(Kind::null()) {}
  explicit Handle(type raw) noexcept : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, Kind::null())) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != Kind::null() && mpi_state() == MpiState::running) Kind::release(&raw_);
  }
  type get() const noexcept { return raw_; }

 private:
  type raw_;
};

struct CommunicatorKind {
  using type = MPI_Comm;
  static type null() { return MPI_COMM_NULL; }
  static void release(type* raw) { MPI_Comm_free(raw); }
};
struct WindowKind {
  using type = MPI_Win;
  static type null() { return MPI_WIN_NULL; }
  static void release(type* raw) { MPI_Win_free(raw); }
};
struct DatatypeKind {
  using type = MPI_Datatype;
  static type null() { return MPI_DATATYPE_NULL; }
  static void release(type* raw) { MPI_Type_free(raw); }
};
using CommunicatorHandle = Handle<CommunicatorKind>;
using WindowHandle = Handle<WindowKind>;
using DatatypeHandle = Handle<DatatypeKind>;

/// Creates a committed type of `bytes` bytes, so that counts are numbers of elements.
DatatypeHandle element_type(std::size_t bytes);

}  // namespace seiche
