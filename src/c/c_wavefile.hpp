// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of wavefunction files and headers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "c/c_fft.hpp"
#include "seiche/band_edges.hpp"
#include "seiche/c/wavefile.h"
#include "seiche/symmetry.hpp"
#include "seiche/table.hpp"
#include "seiche/unfold.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::c {

struct FileObject : Object {
  FileObject(const Communicator& of, const std::string& path) : comm(of), file(of, path) {}
  Communicator comm;
  WaveFile file;
};

struct HeaderObject : Object {
  explicit HeaderObject(OrbitalHeader of) : header(std::move(of)) {}
  OrbitalHeader header;
  std::string losses;  // result of the last request
};

MoveOptions move_options_of(const seiche_move_options* given, const char* where);
void also_read(const seiche_move_options& asked, MoveOptions& options, const char* where);
seiche_comparison comparison_for_c(const Comparison& found);
seiche_header_info info_of(const OrbitalHeader& header);
seiche_band_edges edges_of(const OrbitalHeader& header, std::optional<int> spin);

/// Returns {R|t} with R stored by rows.
inline SymmetryOperation operation_of(const int* rotation, const double* translation, int time_reversal) {
  SymmetryOperation operation{{}, {translation[0], translation[1], translation[2]}, time_reversal != 0};
  for (std::size_t i = 0; i < 9; ++i) operation.rotation[i / 3][i % 3] = rotation[i];
  return operation;
}

inline CellMultiples multiples_of(const int* rows) {
  return {{{rows[0], rows[1], rows[2]}, {rows[3], rows[4], rows[5]}, {rows[6], rows[7], rows[8]}}};
}

/// Converts a C callback that receives the completed fraction; returns an empty function for NULL.
std::function<void(double)> on_progress(seiche_progress_function function, void* user);

}  // namespace seiche::c
