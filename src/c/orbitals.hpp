// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is behind the handles of wavefunction files, headers and orbitals.
#pragma once

#include <string>

#include "c/handles.hpp"
#include "seiche/c/orbitals.h"
#include "seiche/wavefile.hpp"

namespace seiche::c {

struct FileObject : Object {
  static constexpr const char* name = "wavefile";
  const char* noun() const override { return name; }
  FileObject(const Communicator& of, const std::string& path) : comm(of), file(of, path) {}
  void close() {}
  Communicator comm;
  WaveFile file;
};

struct HeaderObject : Object {
  static constexpr const char* name = "header";
  const char* noun() const override { return name; }
  explicit HeaderObject(OrbitalHeader of) : header(std::move(of)) {}
  void close() {}
  OrbitalHeader header;
  std::string losses;  // as they were asked for last
};

struct OrbitalsObject : Object {
  static constexpr const char* name = "orbitals";
  const char* noun() const override { return name; }
  explicit OrbitalsObject(Orbitals of) : orbitals(std::move(of)) {}
  void close() {}
  Orbitals orbitals;
};

template <>
struct BehindHandle<seiche_wavefile> {
  using type = FileObject;
};
template <>
struct BehindHandle<seiche_header> {
  using type = HeaderObject;
};
template <>
struct BehindHandle<seiche_orbitals> {
  using type = OrbitalsObject;
};

/// {R|t} with R in rows.
inline SymmetryOperation operation_of(const int* rotation, const double* translation, int time_reversal) {
  SymmetryOperation operation{{}, {translation[0], translation[1], translation[2]}, time_reversal != 0};
  for (std::size_t i = 0; i < 9; ++i) operation.rotation[i / 3][i % 3] = rotation[i];
  return operation;
}

MoveOptions move_options(const seiche_move_options* given);

/// A C function of the fraction done as C++'s; none for NULL.
std::function<void(double)> on_progress(void (*function)(double, void*), void* user);

/// The text, "" for NULL.
inline std::string text_or_none(const char* text) { return text == nullptr ? "" : text; }

}  // namespace seiche::c
