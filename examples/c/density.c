/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Reads a wavefunction file into a process grid and computes its density:  density FILE [OUTPUT.cube] */
#include <math.h>
#include <seiche_files.h>
#include <stdlib.h>

#include "answer.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* path = argc > 1 ? argv[1] : "data/si_small/si_small.save";

  /* [density] */
  seiche_wavefile* file;
  seiche_header* header;
  seiche_header_info info = {.size = sizeof info};
  check(seiche_wavefile_create(&file, MPI_COMM_WORLD, path));
  check(seiche_header_create_of_file(&header, file));
  check(seiche_header_get_info(header, &info));

  seiche_orbital_layout
      layout; /* two groups of ranks share out the plane waves, where there are two; others the bands */
  check(seiche_orbital_layout_init(&layout));
  layout.waves = ranks % 2 == 0 ? 2 : 1;
  layout.bands = ranks / layout.waves;
  seiche_orbitals* orbitals;
  check(seiche_orbitals_create_read(&orbitals, file, &layout, NULL));

  seiche_density *density, *reference;
  double* integrals = malloc(4 * sizeof *integrals);
  int64_t shape[3];
  seiche_box box;
  int components;
  check(seiche_density_create_of_orbitals(&density, orbitals, NULL));
  check(seiche_density_grid(density, shape, &box, &components));
  check(seiche_density_integrals(density, integrals, components));
  if (argc > 2) check(seiche_density_write(density, argv[2]));
  /* [/density] */

  double error = fabs(integrals[0] - info.electrons), total, magnetisation;
  if (info.density_components > 0) { /* the file has a density, too */
    check(seiche_density_create_beside(&reference, file));
    check(seiche_density_compare(density, reference, &total, &magnetisation));
    error = fmax(error, total);
    check(seiche_density_destroy(&reference));
  }
  double* values;
  int64_t count;
  check(seiche_density_values(density, 0, &values, &count));
  const int code = answer("density", error, 1e-6, values, count);
  free(integrals);
  check(seiche_density_destroy(&density));
  check(seiche_orbitals_destroy(&orbitals));
  check(seiche_header_destroy(&header));
  check(seiche_wavefile_destroy(&file));
  MPI_Finalize();
  return code;
}
