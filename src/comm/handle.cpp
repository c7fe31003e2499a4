// SPDX-License-Identifier: BSD-3-Clause
#include "comm/handle.hpp"

#include "comm/check.hpp"

namespace seiche {

DatatypeHandle element_type(std::size_t bytes) {
  MPI_Datatype raw = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &raw), "MPI_Type_contiguous");
  check(MPI_Type_commit(&raw), "MPI_Type_commit");
  return DatatypeHandle(raw);
}

}  // namespace seiche
