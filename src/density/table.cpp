// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/table.hpp"

#include <cmath>

#include "comm/equal_arguments.hpp"
#include "containers/extents.hpp"
#include "containers/output_file.hpp"
#include "crystal/complete_header.hpp"
#include "seiche/band_edges.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

double length_between(const std::array<Vector3, 3>& b, const Vector3& from, const Vector3& to) {
  Vector3 way{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) way[j] += (to[i] - from[i]) * b[i][j];
  }
  return std::hypot(way[0], way[1], way[2]);
}

std::string text_of(const Table& table) {
  std::string text;
  for (const std::string& name : table.columns) text += (text.empty() ? "" : ",") + name;
  text += '\n';
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const bool last = (i + 1) % table.columns.size() == 0;
    text += formatted("{}{}", table.values[i], last ? '\n' : ',');
  }
  return text;
}

}  // namespace

Table table_of_bands(const OrbitalHeader& h) {
  require_sound(h);
  Table table{
      {"spin", "kpoint", "k1", "k2", "k3", "weight", "distance", "band", "energy_hartree", "energy_eV", "occupation"},
      {}};
  const auto b = h.crystal.reciprocal();
  for (int spin = 0; spin < h.spins; ++spin) {
    double distance = 0;
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const KPoint& point = h.kpoints[k];
      if (k > 0) distance += length_between(b, h.kpoints[k - 1].k, point.k);
      for (int band = 0; band < h.bands; ++band) {
        const std::size_t n = h.state(spin, static_cast<int>(k), band);
        const double energy = h.energies[n];
        table.values.insert(table.values.end(),
                            {spin + 1.0, static_cast<double>(k + 1), point.k[0], point.k[1], point.k[2], point.weight,
                             distance, band + 1.0, energy, energy * hartree_in_electronvolt, h.occupations[n]});
      }
    }
  }
  return table;
}

void write_table(const Communicator& comm, const Table& table, const std::string& path) {
  together(comm, "write_table", [&](EqualArguments& same) { same.add("path", path); });
  OutputFile output(comm, path);
  on_root(comm, [&] {
    require(!table.columns.empty() && table.values.size() % table.columns.size() == 0, Fault::bad_argument,
            "{} values do not fill rows of {} columns", table.values.size(), table.columns.size());
    const std::string text = text_of(table);
    const File file(output.temporary(), File::Mode::write);
    file.write(0, std::as_bytes(std::span(text)));
    file.flush();
  });
  output.commit();
}

}  // namespace seiche
