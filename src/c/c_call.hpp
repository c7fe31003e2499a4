// SPDX-License-Identifier: BSD-3-Clause
/// \file  Converts exceptions to statuses of the C interface, and checks arguments before calls of C++.
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

/// The fault of errors that only a C caller can make: NULL, an invalid handle, MPI not initialized.
inline constexpr auto misuse = static_cast<Fault>(SEICHE_MISUSE);

/// Stores the message of the current exception for seiche_last_error() and returns its status.
seiche_status remember() noexcept;

/// Runs functions that do not need MPI.
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

/// \throws Error(misuse) if a required pointer is NULL; `what`: "the output argument for the box"
void require_place(const void* place, const char* where, const char* what);

/// Collective. Returns the library's communicator for the caller's. \throws Error(misuse) for MPI_COMM_NULL and
/// intercommunicators
Communicator communicator(MPI_Comm theirs, const char* where);

/// \throws Error with the status and the message of the caller
[[noreturn]] void refuse(seiche_status status, const char* sentence);

/// Precedes each call of a callback.
void begin_callback() noexcept;

/// Ends a callback that returned `code` instead of 0. \throws Error with the message of seiche_refuse(), if it was
/// called
[[noreturn]] void end_callback(int code, const std::string& called_for);

/// Returns the `count` values at `data`; empty if it is NULL.
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
/// Checks an array whose length is given by the caller only. \throws Error(misuse) for NULL with a nonzero count, and
/// for a negative count
void require_array(const void* data, std::int64_t count, const char* where, const char* what);

/// \throws Error unless the caller's array has exactly the required length
void require_room(std::size_t there_are, std::size_t room, const char* where, const char* what);

/// \throws Error(misuse) unless this library supports `size`, the first member of the caller's struct
void require_size(std::size_t size, std::size_t ours, const char* name);

/// Returns the caller's options, with defaults for members beyond the end of an older struct; all defaults for NULL.
template <class Options>
Options read_options(const Options* given, const Options& defaults, const char* name) {
  Options options = defaults;
  if (given == nullptr) return options;
  require_size(given->size, sizeof(Options), name);
  std::memcpy(&options, given, given->size);
  return options;
}

/// A caller's struct, which is filled up to its size.
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

/// Writes the defaults to the first `size` bytes of the caller's options.
template <class Options>
seiche_status fill_options(Options* into, std::size_t size, Options defaults, const char* name) {
  return call_without_mpi([&] {
    require_place(into, name, "the output argument for the options");
    require_size(size, sizeof(Options), name);
    defaults.size = size;
    std::memcpy(static_cast<void*>(into), &defaults, size);
  });
}

/// Checks an enumerator. \throws Error for a number beyond `last`
void require_enumerator(int given, int last, const char* what);
/// Converts a C enumerator to the C++ enumerator of the same number. \throws Error for a number beyond `last`
template <class Enum>
Enum enumerator(int given, int last, const char* what) {
  require_enumerator(given, last, what);
  return static_cast<Enum>(given);
}

/// Replaces algorithms of earlier versions by their successors.
template <>
Algorithm enumerator<Algorithm>(int given, int last, const char* what);

/// Copies C++ values to the caller's array, which must have exactly this length.
template <class Into, class From>
void put_all(std::span<Into> into, const From& from, const char* where, const char* what) {
  require_room(from.size(), into.size(), where, what);
  std::copy(from.begin(), from.end(), into.begin());
}
/// Collective. The same for lengths that differ between ranks.
template <class Into, class From>
void put_all(const Communicator& comm, std::span<Into> into, const From& from, const char* where, const char* what) {
  together(comm, [&] { require_room(from.size(), into.size(), where, what); });
  std::copy(from.begin(), from.end(), into.begin());
}

/// Returns the text, or "" for NULL.
inline std::string text_or_none(const char* text) { return text == nullptr ? "" : text; }

/// Copies `text` to a caller's array of characters, truncated if necessary and always terminated.
template <std::size_t size>
void put_text(const std::string& text, char (&into)[size]) {
  std::memset(into, 0, size);
  std::memcpy(into, text.data(), text.size() < size ? text.size() : size - 1);
}

}  // namespace seiche::c
