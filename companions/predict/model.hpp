// SPDX-License-Identifier: BSD-3-Clause
/// \file  From what has to be done and how fast a machine does it to seconds. Pure functions; knows no MPI.
///
/// A node has c cores and r ranks. What its ranks compute, w each, takes max(max w, sum w / c), written |w| here.
///   lines      operations / rate, for cached ones, rows and columns from memory apart
///   memory     bytes copied / copy, or cached_copy
///   cpu        messages * message + bytes * cpu, of the link inside the node and of the one between nodes
///   wire       max(bytes that leave the node / bandwidth between, most bytes of a rank inside / bandwidth inside)
///   latency    (exchanges + agreements * rounds) * latency, where a reduction over P ranks takes log2 P rounds; where
///              ranks outnumber cores each of them also wakes r / c - 1 others
///   blocking   |lines + memory| + max(wire of the ranks that come last, |cpu|) + latency
///   overlapped bands: max(|lines + memory + cpu|, wire) + what of the first and the last band nothing hides
///              pairs: |first chunk's x, y lines, last one's z lines| + max(|what else|, wire) + latency
///   disk       max(bytes / rate, wire, |cpu|)
#pragma once

#include <string>
#include <vector>

#include "predict/machine.hpp"
#include "predict/work.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche::predict {

/// Seconds, each as if it were alone.
struct Parts {
  double lines = 0;    ///< transforms, or products of blocks
  double memory = 0;   ///< copies
  double cpu = 0;      ///< of exchanges, on the cores
  double wire = 0;     ///< of exchanges, on the links
  double latency = 0;  ///< of exchanges and agreements
  double disk = 0;
};

struct Prediction {
  double seconds = 0;
  Parts parts;
  std::string limited_by;       ///< the part that is longest: "lines", "memory", "cpu", "wire", "latency", "disk"
  std::int64_t memory = 0;      ///< bytes of the rank that needs most
  std::int64_t bytes_sent = 0;  ///< of the rank that sends most, as the library reports them
  Settings settings;            ///< for which this is
};

/// Work that ranks of a node share cores for: as long as the one with most takes, or as the cores take for all.
double on_cores(const std::vector<double>& seconds, double cores);

/// A pair of transforms, or one band's round trip where `items` bundles follow each other; `overlapped`: exchanges go
/// on while others are worked on.
Prediction predicted(const Machine& machine, const Where& where, const NodeWork& work, bool overlapped,
                     double items = 1);

/// A wavefunction file of so many bytes that passes from all ranks to those that write, one of each node, or back from
/// two readers of each.
struct FileCase {
  int kpoints = 5, bands = 288;
  std::int64_t waves = 40000;
  bool reading = false;
  /// Coefficients and the list of waves; what HDF5 writes by itself is left out.
  double bytes() const { return (16.0 * bands + 12.0) * static_cast<double>(waves) * kpoints; }
};
Prediction predicted(const Machine& machine, const Where& where, const FileCase& file);

/// A product of two square matrices with blocks at random places, all of which are needed; overlapped as bands are.
struct ProductCase {
  std::int64_t blocks = 200;   ///< rows and columns of blocks
  std::vector<int> sizes{23};  ///< of blocks, in turn
  double fill = 0.1;           ///< share of the blocks that are there
  int layers = 0;              ///< of the inner index; 0: what costs least
};
Prediction predicted(const Machine& machine, const Where& where, const ProductCase& product);

}  // namespace seiche::predict
