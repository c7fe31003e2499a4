// SPDX-License-Identifier: BSD-3-Clause
/// \file  Converts work and rates of a machine to seconds. Pure functions without MPI.
///
/// A node has c cores and r ranks. The computation of its ranks, w each, takes max(max w, sum w / c), written |w| here.
///
/// lines      operations / rate, for rows and columns in cache and from memory separately
/// memory     bytes copied / copy, or cached_copy
/// cpu        messages * message + bytes * cpu, of the links within the node and between nodes
/// network    max(bytes that leave the node / bandwidth between, most bytes of a rank inside / bandwidth inside)
/// latency    (exchanges + agreements * rounds) * latency, where a reduction over P ranks takes log2 P rounds;
///            if ranks outnumber cores, each of them also wakes r / c - 1 others
/// blocking   |lines + memory| + max(network of the last ranks, |cpu|) + latency
/// overlapped bands: max(|lines + memory + cpu|, network) + unhidden time of the first and the last band
///            pairs: |first chunk's x, y lines, last one's z lines| + max(|the rest|, network) + latency
/// disk       max(bytes / rate, network, |cpu|)
#pragma once

#include <string>
#include <vector>

#include "predict/machine.hpp"
#include "predict/work.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche::predict {

/// Seconds of each part alone.
struct Parts {
  double lines = 0;    ///< 1D FFTs, or products of blocks
  double memory = 0;   ///< copies
  double cpu = 0;      ///< CPU time of exchanges
  double network = 0;  ///< transfers of exchanges
  double latency = 0;  ///< latency of exchanges and agreements
  double disk = 0;
};

struct Prediction {
  double seconds = 0;
  Parts parts;
  std::string limited_by;       ///< the longest part: "lines", "memory", "cpu", "network", "latency" or "disk"
  std::int64_t memory = 0;      ///< bytes of the rank with the most memory
  std::int64_t bytes_sent = 0;  ///< of the rank that sends most, as reported by the library
  Settings settings;            ///< settings of this prediction
};

/// Returns the time of work on shared cores: the largest of one rank, or the total divided by the cores.
double on_cores(const std::vector<double>& seconds, double cores);

/// Predicts a pair of transforms, or the round trip of one band with `items` consecutive bundles. `overlapped`:
/// exchanges overlap with computation.
Prediction predicted(const Machine& machine, const Where& where, const NodeWork& work, bool overlapped,
                     double items = 1);

/// A wavefunction file, sent from all ranks to one writer per node, or from two readers per node to all ranks.
struct FileCase {
  int kpoints = 5, bands = 288;
  std::int64_t waves = 40000;
  bool reading = false;
  /// Returns the bytes of coefficients and the list of waves, without the metadata of HDF5.
  double bytes() const { return (16.0 * bands + 12.0) * static_cast<double>(waves) * kpoints; }
};
Prediction predicted(const Machine& machine, const Where& where, const FileCase& file);

/// A product of two square matrices with random blocks, all of which are needed; overlapped like bands unless `window`
/// is 1.
struct ProductCase {
  std::int64_t blocks = 200;   ///< rows and columns of blocks
  std::vector<int> sizes{23};  ///< block sizes, repeated in order
  double fill = 0.1;           ///< fraction of nonzero blocks
  int layers = 0;              ///< number of layers of the inner index; 0: automatic
  int window = 0;              ///< number of panels in memory; 1: exchange and computation alternate
  double multiplied = 1;       ///< fraction of the products of nonzero blocks that the filter does not skip
};
Prediction predicted(const Machine& machine, const Where& where, const ProductCase& product);

}  // namespace seiche::predict
