/* SPDX-License-Identifier: BSD-3-Clause */
#include <seiche_files.h>

#include "shims.h"

int seiche_fortran_wavefile_create(seiche_wavefile** file, MPI_Fint comm, const char* path) {
  return seiche_wavefile_create(file, seiche_comm_of(comm), path);
}

int seiche_fortran_density_create_read(seiche_density** density, MPI_Fint comm, const char* path) {
  return seiche_density_create_read(density, seiche_comm_of(comm), path);
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

int seiche_fortran_orbitals_create(seiche_orbitals** orbitals, MPI_Fint comm, const seiche_header* header,
                                   const void* waves, int64_t wave_count, const seiche_orbital_layout* layout) {
  return seiche_orbitals_create(orbitals, seiche_comm_of(comm), header, waves, wave_count, layout);
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
