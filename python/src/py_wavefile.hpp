// SPDX-License-Identifier: BSD-3-Clause
/// \file  Python objects of wavefunction files, and collective calls on files and orbitals.
#pragma once

#include <seiche/basis.hpp>
#include <seiche/wavefile.hpp>

#include <optional>
#include <string>
#include <tuple>

#include "py_bind.hpp"

namespace seiche::python {

struct OpenFile {
  Communicator comm;
  std::optional<WaveFile> file;
  OrbitalHeader header;  ///< a copy that outlives the file

  /// \throws Error after close()
  WaveFile& get() {
    if (!file) throw BadArgument("this WaveFile is closed: open it again");
    return *file;
  }
  const WaveFile& get() const { return const_cast<OpenFile*>(this)->get(); }
  /// Closes the file. \throws Error on this rank only, if another thread is in a call on the communicator
  void close() {
    require_free(comm);
    file.reset();
  }
};

/// Collective. Calls work(file).
template <class Work>
auto collective(const OpenFile& file, const Work& work) {
  return collective(
      file.comm, [&]() -> const WaveFile& { return file.get(); }, work);
}

/// Collective. Calls work(file, options of `keywords`).
template <class Work>
auto moving(const OpenFile& file, const nb::kwargs& keywords, const Work& work) {
  const auto checks = [&] { return file.get(), options_of<MoveOptions>(keywords); };
  return collective(file.comm, checks, [&](const MoveOptions& how) { return work(file.get(), how); });
}

/// Python type of an argument of the library's functions, and its conversion.
template <class T>
struct Given {
  using Python = T;
  using Read = T;
  static Read read(Python given) { return given; }
};
template <>
struct Given<const WaveFile&> {
  using Python = const OpenFile&;
  using Read = const WaveFile&;
  static Read read(Python file) { return file.get(); }
};
template <>
struct Given<const std::string&> {
  using Python = const Path&;
  using Read = std::string;
  static Read read(Python path) { return path; }
};
template <>
struct Given<Orthonormal> {
  using Python = const std::string&;
  using Read = Orthonormal;
  static Read read(Python word) { return named<Orthonormal>("orthonormal", word); }
};
template <class Options>
struct GivenAsKeywords {
  using Python = const nb::kwargs&;
  using Read = Options;
  static Read read(Python given) { return options_of<Options>(given); }
};
template <>
struct Given<const MoveOptions&> : GivenAsKeywords<MoveOptions> {};
template <>
struct Given<const DensityOptions&> : GivenAsKeywords<DensityOptions> {};
template <>
struct Given<const TuneRequest&> : GivenAsKeywords<TuneRequest> {};

/// Converts a function that is collective over the ranks of its first argument to a Python function.
template <class Made, class... Arguments>
auto together(Made (*function)(Arguments...)) {
  return [function](typename Given<Arguments>::Python... given) {
    const auto read = [&] { return std::tuple<typename Given<Arguments>::Read...>(Given<Arguments>::read(given)...); };
    return collective(std::get<0>(std::tie(given...)).comm, read,
                      [&](auto& all) -> Made { return std::apply(function, all); });
  };
}

}  // namespace seiche::python
