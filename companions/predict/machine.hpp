// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a prediction knows of a machine: rates that `seiche tune --machine` measured, or that somebody wrote
/// into a file (docs/predict.md says what each field means).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche::predict {

/// Operations per second of one core that transforms lines of `n` points, 5 n log2 n of them for a line.
struct LineRates {
  std::int64_t n = 0;
  double cached_rows = 0;     ///< points beside each other, in a core's own cache
  double cached_columns = 0;  ///< points a row apart, in a core's own cache
  double rows = 0;            ///< points beside each other, of a grid that comes from memory
  double columns = 0;         ///< points a plane apart, of a grid that comes from memory
};

/// How fast a core computes while so many cores of its node do.
struct Computing {
  double busy = 1;               ///< cores
  double cached_copy = 0;        ///< bytes per second that a core moves value by value, by a list, within its own cache
  double copy = 0;               ///< bytes per second that a core packs of what comes from memory
  std::vector<LineRates> lines;  ///< ascending by n
};

/// Messages between two places.
struct Link {
  double latency = 0;    ///< seconds until a small message has arrived
  double message = 0;    ///< CPU seconds of sender and receiver for each message
  double bandwidth = 0;  ///< bytes per second each way: of a rank inside a node, of a whole node between nodes
  double cpu = 0;        ///< CPU seconds of sender and receiver for each byte, the kernel's included
};

/// Bytes per second that all ranks together bring to a file, until they are on the disk, or read from it.
struct Disk {
  double write = 0, read = 0;
};

/// Operations per second of one core that multiplies blocks of size x size.
struct ProductRate {
  std::int64_t size = 0;
  double flops = 0;
};

struct Machine {
  std::string name;  ///< for people
  double cores = 1;  ///< of a node; below one where several hosts are made of fewer cores
  double cache = 0;  ///< bytes of a core's own cache
  double wake = 0;   ///< seconds until a rank that waits has the core from another one, where ranks outnumber cores
  std::vector<Computing> computing;     ///< ascending by busy
  std::optional<Link> inside, between;  ///< of a node; between nodes. None: not measured
  std::optional<Disk> disk;
  std::vector<ProductRate> products;  ///< ascending by size

  /// What a core computes while `busy` cores of its node do: between those that were measured, and the nearest of them
  /// outside.
  Computing with(double busy) const;
};

/// Between the sizes that were measured by the logarithm, the nearest outside.
LineRates rates_of(const Computing& computing, std::int64_t n);
/// The same for blocks. \throws Error where none were measured
double product_rate(const Machine& machine, double size);

/// As a file holds it.
std::string text_of(const Machine& machine);
/// \throws Error, with the field's name, for what is not there, not known, or no rate. `from` names the file
Machine machine_of(const std::string& text, const std::string& from);
/// Local. \throws Error where there is no such file
Machine read_machine(const std::string& path);
/// Collective; rank 0 writes what it has. The file appears under its name when it is complete. \throws
/// Error(unwritable)
void write_text(const Communicator& comm, const std::string& text, const std::string& path);

}  // namespace seiche::predict
