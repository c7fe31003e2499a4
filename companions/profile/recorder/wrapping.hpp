// SPDX-License-Identifier: BSD-3-Clause
/// \file  Helpers of the generated wrappers, the same for arguments of C and Fortran.
#pragma once

#include "recorder/call.hpp"

namespace seiche::profile {

/// A buffer of a Fortran caller: its address, or the array descriptor of MPICH, which begins with the address.
struct Buffer {
  const void* address;
  bool described;
};
inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }
inline bool in_place(Buffer buffer) {
  return is_in_place_of_fortran(buffer.described ? *static_cast<void* const*>(buffer.address) : buffer.address);
}

inline std::int64_t size(std::int64_t count, MPI_Datatype type) {
  int bytes = 0;
  if (count > 0 && type != no_type()) REAL(Type_size)(type, &bytes);
  return count * bytes;
}
inline std::int64_t size(std::int64_t count, Fortran<MPI_Datatype> type) {
  return size(count, type_from_fortran(*type.value));
}

inline Blocks blocks(Counts counts, MPI_Datatype type) { return {counts, nullptr, nullptr, type}; }
inline Blocks blocks(Counts counts, const MPI_Datatype* types) { return {counts, types, nullptr, {}}; }
/// One type for all ranks, or one per rank: a Fortran address does not distinguish them.
inline Blocks blocks(Counts counts, Fortran<MPI_Datatype> type) {
  return {counts, nullptr, nullptr, type_from_fortran(*type.value)};
}
inline Blocks blocks(Counts counts, Fortran<const MPI_Datatype> types) { return {counts, nullptr, types.value, {}}; }

template <class Types>
std::int64_t block(Counts counts, Types types, int rank) {
  return blocks(counts, types)[rank];
}
template <class Types>
std::int64_t sum(int ranks, Counts counts, Types types) {
  std::int64_t bytes = 0;
  for (int r = 0; r < ranks; ++r) bytes += block(counts, types, r);
  return bytes;
}

inline int source_of(const MPI_Status* status, int asked) {
  return status != nullptr && asked == MPI_ANY_SOURCE ? status->MPI_SOURCE : asked;
}
inline int tag_of(const MPI_Status* status, int asked) {
  return status != nullptr && asked == MPI_ANY_TAG ? status->MPI_TAG : asked;
}
inline const MPI_Status* fortran_status(const MPI_Fint* status) {
  return is_ignored_status_of_fortran(status) ? nullptr : reinterpret_cast<const MPI_Status*>(status);
}

/// A hash of arguments, to detect that the same object is created again.
class Hash {
 public:
  template <class Value>
  Hash& one(const Value& value) {
    std::uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    __builtin_memcpy(&bits, &value, sizeof value);
    value_ = mixed(value_, bits);
    return *this;
  }
  template <class Value>
  Hash& one(Fortran<Value> value) {
    return one(*value.value);
  }
  template <class Value>
  Hash& all(std::int64_t n, const Value* values) {
    for (std::int64_t i = 0; i < n; ++i) one(values[i]);
    return *this;
  }
  template <class Value>
  Hash& all(std::int64_t n, Fortran<Value> values) {
    return all(n, values.value);
  }
  operator std::uint64_t() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace seiche::profile
