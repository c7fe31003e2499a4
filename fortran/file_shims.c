/* SPDX-License-Identifier: BSD-3-Clause */
#include <seiche_files.h>

#include "shims.h"

int seiche_fortran_wavefile_create(seiche_wavefile** file, MPI_Fint comm, const char* path) {
  return seiche_wavefile_create(file, seiche_comm_of(comm), path);
}

int seiche_fortran_density_create_read(seiche_density** density, MPI_Fint comm, const char* path) {
  return seiche_density_create_read(density, seiche_comm_of(comm), path);
}

/* reals: lattice (9), cutoff, density_cutoff, electrons, total_energy, fermi_energy; counts: grid (3), spins, spinor,
 * half_sphere, bands, density_components, magnetism, norm_conserving, weighted, k-points, atoms, operations. */
int seiche_fortran_header_info(const seiche_header* header, double* reals, int64_t* counts, char* format) {
  seiche_header_info info = {.size = sizeof info};
  const seiche_status status = seiche_header_get_info(header, &info);
  if (status != SEICHE_OK) return status;
  const double scalars[5] = {info.cutoff, info.density_cutoff, info.electrons, info.total_energy, info.fermi_energy};
  const int64_t numbers[14] = {info.grid[0],    info.grid[1],         info.grid[2],  info.spins,
                               info.spinor,     info.half_sphere,     info.bands,    info.density_components,
                               info.magnetism,  info.norm_conserving, info.weighted, info.kpoint_count,
                               info.atom_count, info.operation_count};
  for (int i = 0; i < 9; ++i) reals[i] = info.lattice[i];
  for (int i = 0; i < 5; ++i) reals[9 + i] = scalars[i];
  for (int i = 0; i < 14; ++i) counts[i] = numbers[i];
  for (int i = 0; i < 64; ++i) format[i] = info.format[i];
  return SEICHE_OK;
}

/* Options as Fortran's numbers have them: algorithm, progress, window, density. */
static seiche_move_options options_of(const int* numbers, int64_t memory) {
  seiche_move_options options;
  seiche_move_options_init(&options);
  options.algorithm = (seiche_algorithm)numbers[0];
  options.progress = (seiche_progress)numbers[1];
  options.window = numbers[2];
  options.density = numbers[3];
  options.memory = memory;
  return options;
}

int seiche_fortran_wavefile_write(const seiche_wavefile* file, const char* path, const char* format, int full_zone,
                                  const int* numbers, int64_t memory) {
  const seiche_move_options options = options_of(numbers, memory);
  return full_zone ? seiche_wavefile_expand(file, path, format, &options)
                   : seiche_wavefile_convert(file, path, format, &options);
}

/* worst: overlap, norm, energy, occupation. */
int seiche_fortran_wavefile_compare(const seiche_wavefile* a, const seiche_wavefile* b, int bands, int occupied,
                                    int* equal, double* worst, char* difference) {
  seiche_compare_options options;
  seiche_comparison found = {.size = sizeof found};
  seiche_compare_options_init(&options);
  options.bands = bands;
  options.occupied = occupied;
  const seiche_status status = seiche_wavefile_compare(a, b, &options, &found);
  if (status != SEICHE_OK) return status;
  *equal = found.equal;
  worst[0] = found.overlap;
  worst[1] = found.norm;
  worst[2] = found.energy;
  worst[3] = found.occupation;
  for (int i = 0; i < 256; ++i) difference[i] = found.difference[i];
  return SEICHE_OK;
}

static seiche_orbital_layout layout_of(const int* groups) {
  seiche_orbital_layout layout;
  seiche_orbital_layout_init(&layout);
  layout.kpoints = groups[0];
  layout.bands = groups[1];
  layout.waves = groups[2];
  return layout;
}

int seiche_fortran_orbitals_read(seiche_orbitals** orbitals, const seiche_wavefile* file, const int* groups,
                                 const int* numbers, int64_t memory) {
  const seiche_orbital_layout layout = layout_of(groups);
  const seiche_move_options options = options_of(numbers, memory);
  return seiche_orbitals_create_read(orbitals, file, &layout, &options);
}

int seiche_fortran_orbitals_redistribute(seiche_orbitals** orbitals, const seiche_orbitals* of, const int* groups,
                                         const int* numbers, int64_t memory) {
  const seiche_orbital_layout layout = layout_of(groups);
  const seiche_move_options options = options_of(numbers, memory);
  return seiche_orbitals_create_redistributed(orbitals, of, &layout, &options);
}

int seiche_fortran_orbitals_read_into(seiche_orbitals* orbitals, const seiche_wavefile* file, const int* numbers,
                                      int64_t memory) {
  const seiche_move_options options = options_of(numbers, memory);
  return seiche_orbitals_read_into(orbitals, file, &options);
}

int seiche_fortran_orbitals_write(const seiche_orbitals* orbitals, const char* path, const char* format,
                                  const int* numbers, int64_t memory) {
  const seiche_move_options options = options_of(numbers, memory);
  return seiche_orbitals_write(orbitals, path, format, &options);
}

/* counts: spin, k, first band, past the last band, waves, coefficients; all from 0. */
int seiche_fortran_orbitals_part(seiche_orbitals* orbitals, int64_t number, int64_t* counts, const void** waves,
                                 void** coefficients) {
  seiche_orbital_part part;
  const seiche_status status = seiche_orbitals_part(orbitals, number, &part);
  if (status != SEICHE_OK) return status;
  const int64_t all[6] = {part.spin, part.k, part.band_low, part.band_high, part.wave_count, part.coefficient_count};
  for (int i = 0; i < 6; ++i) counts[i] = all[i];
  *waves = part.waves;
  *coefficients = part.coefficients;
  return SEICHE_OK;
}
