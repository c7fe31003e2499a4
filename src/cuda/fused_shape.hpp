// SPDX-License-Identifier: BSD-3-Clause
/// \file  How many warps and blocks share a plane that is transformed in shared memory.
#pragma once

#include <cstddef>
#include <initializer_list>

namespace seiche::cuda {

constexpr int rounds(int lines, int at_once) { return (lines + at_once - 1) / at_once; }

struct FusedShape {
  int warps = 0;    ///< of a block; 0: the plane does not fit
  int cluster = 1;  ///< blocks that share a plane
};

/// Returns the fastest shape that bench/cuda/sphere_bench.cu found on an H100 for planes of n x n points of full
/// spheres in double precision. `warps` is 0 for sizes that were not measured.
constexpr FusedShape measured_shape(int n) {
  switch (n) {
    case 64:
      return {9, 1};
    case 96:
    case 128:
      return {12, 1};
    case 100:
      return {8, 1};
    case 256:
      return {8, 4};
    default:
      return {};
  }
}

/// What the plane of a size needs.
struct FusedNeeds {
  /// Bytes of a multiprocessor, including `reserved` of each block. Emulated multiprocessors have little memory, so
  /// that small planes need clusters.
#ifdef SEICHE_CUDA_EMULATED
  static constexpr std::size_t shared_limit = 20 * 1024;
#else
  static constexpr std::size_t shared_limit = 227 * 1024;
#endif
  static constexpr std::size_t reserved = 1024;
  static constexpr int parts = 4,
                       registers_of_part = 512;  ///< of a multiprocessor; registers for each thread of a warp

  int n = 0, columns = 0;
  bool half = false;                          ///< rows are transformed in pairs
  int lines_of_warp = 1, registers = 0;       ///< registers of a thread
  std::size_t row_bytes = 0, warp_bytes = 0;  ///< of a compact row; of a warp

  constexpr int rows_of_block(int cluster) const {
    const int rows = rounds(n, cluster);
    return half ? rounds(rows, 2) * 2 : rows;
  }
  constexpr std::size_t shared(FusedShape s) const {
    return row_bytes * rows_of_block(s.cluster) + warp_bytes * s.warps;
  }
  /// Returns the blocks that a multiprocessor runs at once.
  constexpr int blocks(FusedShape s) const {
    const int by_memory = int(shared_limit / (shared(s) + reserved)),
              by_registers = parts * (registers_of_part / registers) / s.warps;
    return by_memory < by_registers ? by_memory : by_registers;
  }
  /// Returns the time of a plane, in arbitrary units. A round of a warp costs a latency, and throughput that all
  /// warps of the multiprocessor share. Blocks of a cluster access their memory with a longer latency.
  constexpr double cost(FusedShape s) const {
    const double latency = s.cluster == 1 ? 16 : s.cluster == 2 ? 20 : 24;
    const int lines_x = rows_of_block(s.cluster) / (half ? 2 : 1);
    const int all = rounds(columns, lines_of_warp * s.warps * s.cluster) + rounds(lines_x, lines_of_warp * s.warps);
    return all * (latency + blocks(s) * s.warps) / blocks(s) * s.cluster;
  }
  constexpr FusedShape best() const {
    FusedShape least;
    for (int cluster : {1, 2, 4}) {
      for (int warps = 4; warps <= 20; warps++) {
        const FusedShape shape{warps, cluster};
        if (blocks(shape) > 0 && (least.warps == 0 || cost(shape) < cost(least))) least = shape;
      }
    }
    return least;
  }
};

}  // namespace seiche::cuda
