// SPDX-License-Identifier: BSD-3-Clause
/// \file  RHO files of BerkeleyGW, as in pw2bgw: the records of a WFN without k-points, and the coefficients of the
/// density of each spin, of full spheres, times the volume of the cell.
#include <algorithm>
#include <filesystem>

#include "crystal/complete_header.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/berkeleygw/berkeleygw_crystal.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"

namespace seiche {

bool recognises_berkeleygw_density(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const File file(path);
  const FirstRecord first = first_record(file);
  return first.bytes == 96 && FortranRecords(file, first.big_endian).next().take_text(4) == "RHO-";
}

BerkeleyGwDensity read_berkeleygw_density(const std::string& path) {
  const File file(path);
  const bool big_endian = first_record(file).big_endian;
  FortranRecords records(file, big_endian);
  BerkeleyGwDensity made;
  made.table.real = records.next(96).take_text(8) == "RHO-Real";
  auto counts = records.next(28);
  const auto spins = counts.take<std::int32_t>(), waves = counts.take<std::int32_t>(),
             operations = counts.take<std::int32_t>();
  counts.skip(4);  // cubic or hexagonal
  const auto atoms = counts.take<std::int32_t>();
  made.cutoff = counts.take<double>() / 2;
  require(spins == 1 || spins == 2, Fault::unsupported, "{}: a RHO with {} spins is not supported: use 1 or 2 spins",
          path, spins);
  require(operations >= 1 && operations <= 48, Fault::bad_file,
          "{}: ntran must be 1 to 48 (got {}): rerun the code that wrote the file", path, operations);
  require_count(path, "atoms", atoms, file.size());
  require_count(path, "waves", waves, file.size());
  const auto points = records.next(12).take<std::array<std::int32_t, 3>>();
  made.grid = {points[0], points[1], points[2]};
  require(plausible(made.grid), Fault::bad_file,
          "{}: invalid grid ({} x {} x {} points): rerun the code that wrote the file", path, points[0], points[1],
          points[2]);
  made.crystal = read_crystal(records, operations, atoms);
  require_volume(path, made.crystal);
  made.table.reciprocal = made.crystal.reciprocal();
  made.table.count = waves;
  made.table.scale = 1 / made.crystal.volume();
  made.table.spins = spins == 2;
  made.table.waves = read_gvectors(records, path, waves);
  records.next(4);  // parts and waves again
  records.next(4);
  const std::int64_t numbers = (made.table.real ? 1 : 2) * std::int64_t{waves};
  Extent whole = records.skip(numbers * spins, Element::float64);
  require_complete(file, whole);
  records.seek(whole.offset - 4);
  records.next(8 * whole.count);
  whole.record = false;
  whole.count = numbers;
  for (std::int32_t spin = 0; spin < spins; ++spin) {
    made.table.components.push_back(whole);
    whole.offset += whole.bytes();
  }
  return made;
}

bool names_berkeleygw_density(const std::string& path) {
  const std::string name = in_small_letters(std::filesystem::path(path).filename().string());
  return name == "rho" || (name.size() > 4 && name.ends_with(".rho"));
}

void make_berkeleygw_density(const std::string& path, const Crystal& crystal, const GridShape& grid, double cutoff,
                             std::size_t components, ChargeDensityTable& table) {
  const auto number = [](auto n) { return static_cast<std::int32_t>(n); };
  const BerkeleyGwCrystal said = berkeleygw_crystal(crystal);
  FortranWriter file(path);
  file.write(file.record().add_text("RHO-Complex", 32).add_text("written by Seiche", 64));
  file.write(number(components), number(table.count), said.operations(), std::int32_t{said.hexagonal}, said.atoms(),
             2 * cutoff);
  file.write(number(grid.nx), number(grid.ny), number(grid.nz));
  write_crystal(file, said);
  write_pieces(file, table.count);
  table.waves = file.leave_room(3 * table.count, Element::int32);
  write_pieces(file, table.count);
  Extent component = file.leave_marked_room(2 * table.count * static_cast<std::int64_t>(components), Element::float64);
  component.count = 2 * table.count;
  for (std::size_t c = 0; c < components; ++c) {
    table.components.push_back(component);
    component.offset += component.bytes();
  }
  table.scale = 1 / said.volume;
  table.spins = components == 2;
  file.close();
}

}  // namespace seiche
