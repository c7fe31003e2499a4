// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where exceptions become statuses of the C face, and what its functions check before they call C++.
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

/// What C++ makes impossible: NULL, a handle that is none, MPI that is not running.
inline constexpr auto misuse = static_cast<Fault>(SEICHE_MISUSE);

/// Of the exception that is being handled: its status, its sentence kept for seiche_last_error().
seiche_status remember() noexcept;

/// For functions that need no MPI.
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

/// \throws Error(misuse) for NULL where a result should go, or a struct is read; `what`: "the place for the box"
void require_place(const void* place, const char* where, const char* what);

/// Collective. The library's communicator for the caller's. \throws Error(misuse) for MPI_COMM_NULL and an
/// intercommunicator
Communicator communicator(MPI_Comm theirs, const char* where);

/// \throws Error with a caller's status and sentence
[[noreturn]] void refuse(seiche_status status, const char* sentence);

/// The `count` values at `data`; none where it is NULL.
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
/// The same where the number of values is not known from elsewhere. \throws Error(misuse) for NULL with values, or a
/// negative count
void require_array(const void* data, std::int64_t count, const char* where, const char* what);

/// \throws Error unless there is room for as many values as there are
void require_room(std::size_t there_are, std::size_t room, const char* where, const char* what);

/// \throws Error(misuse) unless `size`, which the caller's struct begins with, is one that this library can read
void require_size(std::size_t size, std::size_t ours, const char* name);

/// What the caller's options say, the defaults where an older struct ends; all defaults for NULL.
template <class Options>
Options read_options(const Options* given, const Options& defaults, const char* name) {
  Options options = defaults;
  if (given == nullptr) return options;
  require_size(given->size, sizeof(Options), name);
  std::memcpy(&options, given, given->size);
  return options;
}

/// A caller's structure, of which as much is filled in as it has room for.
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

/// Fills in the defaults of the first `size` bytes of the caller's options.
template <class Options>
seiche_status fill_options(Options* into, std::size_t size, Options defaults, const char* name) {
  return call_without_mpi([&] {
    require_place(into, name, "the output argument for the options");
    require_size(size, sizeof(Options), name);
    defaults.size = size;
    std::memcpy(static_cast<void*>(into), &defaults, size);
  });
}

/// \throws Error for a number beyond `last`
void require_enumerator(int given, int last, const char* what);
/// A C enumerator as the C++ one of the same number. \throws Error for one beyond `last`
template <class Enum>
Enum enumerator(int given, int last, const char* what) {
  require_enumerator(given, last, what);
  return static_cast<Enum>(given);
}

/// Of an algorithm that earlier versions had, the one that is used instead.
template <>
Algorithm enumerator<Algorithm>(int given, int last, const char* what);

/// Copies what C++ gave to where the caller wants it; there has to be room for all, exactly.
template <class Into, class From>
void put_all(std::span<Into> into, const From& from, const char* where, const char* what) {
  require_room(from.size(), into.size(), where, what);
  std::copy(from.begin(), from.end(), into.begin());
}
/// Collective. The same, where ranks may have different numbers.
template <class Into, class From>
void put_all(const Communicator& comm, std::span<Into> into, const From& from, const char* where, const char* what) {
  together(comm, [&] { require_room(from.size(), into.size(), where, what); });
  std::copy(from.begin(), from.end(), into.begin());
}

/// The text, "" for NULL.
inline std::string text_or_none(const char* text) { return text == nullptr ? "" : text; }

/// Puts `text` into a caller's array of characters, cut where it does not fit, always ended by 0.
template <std::size_t size>
void put_text(const std::string& text, char (&into)[size]) {
  std::memset(into, 0, size);
  std::memcpy(into, text.data(), text.size() < size ? text.size() : size - 1);
}

}  // namespace seiche::c
