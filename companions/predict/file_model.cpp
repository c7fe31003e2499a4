// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writing and reading of wavefunction files.
#include <algorithm>

#include "predict/links.hpp"
#include "support/require.hpp"

namespace seiche::predict {

Prediction predicted(const Machine& machine, const Where& where, const FileCase& file) {
  require_sound(where);
  require(machine.disk.has_value(), Fault::bad_argument,
          "the machine file has no rates of a disk: measure the machine again with seiche tune --machine");
  const Links links = links_of(machine, where);
  const double bytes = file.bytes(), ranks = where.ranks, nodes = where.nodes;
  // one rank of each node writes, or two read; the others exchange with them
  const double at_files = std::min<double>(where.ranks_of_node(), file.reading ? 2 : 1);
  const double of_node = bytes / nodes, between = of_node * (1 - 1 / nodes);
  const double inside = of_node / nodes * (1 - at_files * nodes / ranks);
  Prediction result;
  Parts& parts = result.parts;
  parts.disk = bytes / (file.reading ? machine.disk->read : machine.disk->write);
  parts.network = std::max(nodes > 1 ? between / links.between.bandwidth : 0,
                           inside > 0 ? inside / at_files / links.inside.bandwidth : 0);
  parts.cpu = (between * links.between.cpu + inside * links.inside.cpu) / std::min<double>(at_files, machine.cores);
  const double agreements = 4.0 * file.kpoints + 4;
  parts.latency = where.ranks > 1 ? agreements * rounds_of(where.ranks) * links.farthest(where).latency : 0;
  result.seconds = std::max({parts.disk, parts.network, parts.cpu}) + parts.latency;
  result.limited_by = longest_of(parts, false);
  result.bytes_sent = static_cast<std::int64_t>(bytes / ranks * (1 - at_files / ranks));
  result.memory = static_cast<std::int64_t>(bytes / ranks);
  return result;
}

}  // namespace seiche::predict
