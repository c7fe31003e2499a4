// SPDX-License-Identifier: BSD-3-Clause
/// \file  The rates of a machine, measured by `seiche tune --machine` or edited in a file (fields: docs/predict.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche::predict {

/// Operations per second of one core in 1D FFTs of `n` points, with 5 n log2 n operations each.
struct LineRates {
  std::int64_t n = 0;
  double cached_rows = 0;     ///< consecutive points, in a core's own cache
  double cached_columns = 0;  ///< points at the distance of a row, in a core's own cache
  double rows = 0;            ///< consecutive points of a grid in memory
  double columns = 0;         ///< points at the distance of a plane, of a grid in memory
};

/// The rates of a core while `busy` cores of its node compute.
struct Computing {
  double busy = 1;               ///< cores
  double cached_copy = 0;        ///< bytes per second of indexed copies of single values within a core's own cache
  double copy = 0;               ///< bytes per second of packing from memory
  std::vector<LineRates> lines;  ///< ascending by n
};

/// The cost of messages of one kind of link.
struct Link {
  double latency = 0;    ///< seconds until a small message arrives
  double message = 0;    ///< CPU seconds of sender and receiver per message
  double bandwidth = 0;  ///< bytes per second in each direction: of a rank inside a node, of a whole node between nodes
  double cpu = 0;        ///< CPU seconds of sender and receiver per byte, kernel included
};

/// Bytes per second of all ranks together, written to disk or read from it.
struct Disk {
  double write = 0, read = 0;
};

/// Operations per second of one core in products of blocks of size x size.
struct ProductRate {
  std::int64_t size = 0;
  double flops = 0;
};

struct Machine {
  std::string name;  ///< a description
  double cores = 1;  ///< of a node; below one if several hosts share fewer cores
  double cache = 0;  ///< bytes of a core's own cache
  double wake = 0;   ///< seconds until a waiting rank gets the core of another rank, if ranks outnumber cores
  std::vector<Computing> computing;     ///< ascending by busy
  std::optional<Link> inside, between;  ///< within a node and between nodes; empty: not measured
  std::optional<Disk> disk;
  std::vector<ProductRate> products;  ///< ascending by size

  /// Returns the rates of a core while `busy` cores of its node compute: interpolated, and constant outside the
  /// measured range.
  Computing with(double busy) const;
};

/// Interpolates logarithmically between the measured sizes, constant outside of their range.
LineRates rates_of(const Computing& computing, std::int64_t n);
/// The same for blocks. \throws Error if none were measured
double product_rate(const Machine& machine, double size);

/// Returns the contents of a machine file.
std::string text_of(const Machine& machine);
/// \throws Error with the name of the field, if one is missing, unknown or invalid. `from`: the name of the file
Machine machine_of(const std::string& text, const std::string& from);
/// Local. \throws Error if the file does not exist
Machine read_machine(const std::string& path);
/// Collective; rank 0 writes its text. The file appears under its name when it is complete. \throws Error(unwritable)
void write_text(const Communicator& comm, const std::string& text, const std::string& path);

}  // namespace seiche::predict
