// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of exceptions to status codes, and checks of arguments for the C interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "comm/agree.hpp"
#include "seiche/c/status.h"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/exchange.hpp"
#include "seiche/presence.hpp"

namespace seiche::c {

/// Errors that are impossible in C++: NULL, an invalid handle, MPI that is not running.
inline constexpr auto misuse = static_cast<Fault>(SEICHE_MISUSE);

/// Returns the status of the current exception, and stores its message for seiche_last_error().
seiche_status remember() noexcept;

/// Calls `work` for functions that need no MPI.
template <class Work>
seiche_status call_without_mpi(const Work& work) noexcept {
  try {
    work();
    return SEICHE_OK;
  } catch (...) {
    return remember();
  }
}

template <class Work>
seiche_status call(const Work& work) noexcept {
  return call_without_mpi([&] {
    require_mpi(misuse);
    work();
  });
}

/// Checks a pointer to a result or a structure. `what`: e.g. "the place for the box". \throws Error(misuse) for NULL
void require_place(const void* place, const char* where, const char* what);

/// Collective. Returns the library's communicator. \throws Error(misuse) for MPI_COMM_NULL and for an intercommunicator
Communicator communicator(MPI_Comm theirs, const char* where);

/// Throws an Error with the status and the message of a caller.
[[noreturn]] void refuse(seiche_status status, const char* sentence);

/// Returns the `count` values at `data`; none for NULL.
template <class T>
std::span<const T> values_at(const void* data, std::int64_t count) {
  if (data == nullptr || count < 0) return {};
  return {static_cast<const T*>(data), static_cast<std::size_t>(count)};
}
template <class T>
std::span<T> values_at(void* data, std::int64_t count) {
  if (data == nullptr || count < 0) return {};
  return {static_cast<T*>(data), static_cast<std::size_t>(count)};
}
/// Checks an array whose length is an argument. \throws Error(misuse) for NULL with values, or a negative count
void require_array(const void* data, std::int64_t count, const char* where, const char* what);

/// Checks the length of an output array. \throws Error unless it equals the number of values
void require_room(std::size_t there_are, std::size_t room, const char* where, const char* what);

/// Checks the size at the beginning of a caller's structure. \throws Error(misuse) unless this library supports it
void require_size(std::size_t size, std::size_t ours, const char* name);

/// Returns the caller's options. Members beyond the end of an older structure, or all members for NULL, get their
/// defaults.
template <class Options>
Options read_options(const Options* given, const Options& defaults, const char* name) {
  Options options = defaults;
  if (given == nullptr) return options;
  require_size(given->size, sizeof(Options), name);
  std::memcpy(&options, given, given->size);
  return options;
}

/// A caller's structure, which is filled up to its size.
template <class Report>
class ReportPlace {
 public:
  explicit ReportPlace(Report* into) : into_(into) {}
  void operator=(Report ours) {
    ours.size = into_->size;
    std::memcpy(static_cast<void*>(into_), &ours, ours.size);
  }

 private:
  Report* into_;
};

/// Sets the first `size` bytes of the caller's options to the defaults.
template <class Options>
seiche_status fill_options(Options* into, std::size_t size, Options defaults, const char* name) {
  return call_without_mpi([&] {
    require_place(into, name, "the place for the options");
    require_size(size, sizeof(Options), name);
    defaults.size = size;
    std::memcpy(static_cast<void*>(into), &defaults, size);
  });
}

/// Checks an enumerator. \throws Error for a number beyond `last`
void require_enumerator(int given, int last, const char* what);
/// Converts a C enumerator to the C++ enumerator with the same number. \throws Error for a number beyond `last`
template <class Enum>
Enum enumerator(int given, int last, const char* what) {
  require_enumerator(given, last, what);
  return static_cast<Enum>(given);
}

/// Converts an algorithm. Former algorithms are replaced.
template <>
Algorithm enumerator<Algorithm>(int given, int last, const char* what);

/// Copies values to the caller's array, whose length must fit.
template <class Into, class From>
void put_all(std::span<Into> into, const From& from, const char* where, const char* what) {
  require_room(from.size(), into.size(), where, what);
  std::copy(from.begin(), from.end(), into.begin());
}
/// Collective. Same, for numbers of values that differ between ranks.
template <class Into, class From>
void put_all(const Communicator& comm, std::span<Into> into, const From& from, const char* where, const char* what) {
  together(comm, [&] { require_room(from.size(), into.size(), where, what); });
  std::copy(from.begin(), from.end(), into.begin());
}

/// Returns the text, or "" for NULL.
inline std::string text_or_none(const char* text) { return text == nullptr ? "" : text; }

/// Copies a text to a caller's array of characters. It is truncated if necessary, and always ends with 0.
template <std::size_t size>
void put_text(const std::string& text, char (&into)[size]) {
  std::memset(into, 0, size);
  std::memcpy(into, text.data(), text.size() < size ? text.size() : size - 1);
}

}  // namespace seiche::c
