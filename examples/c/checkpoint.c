/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Writes wavefunctions to a file while it computes:  checkpoint FILE OUTPUT */
#include <complex.h>
#include <math.h>
#include <seiche_files.h>

#include "answer.h"

/* Returns the largest difference of the coefficients on this rank. */
static double difference(seiche_orbitals* a, seiche_orbitals* b) {
  int64_t count;
  double largest = 0;
  check(seiche_orbitals_part_count(a, &count));
  for (int64_t i = 0; i < count; ++i) {
    seiche_orbital_part first, second;
    check(seiche_orbitals_part(a, i, &first));
    check(seiche_orbitals_part(b, i, &second));
    const double complex *x = first.coefficients, *y = second.coefficients;
    for (int64_t j = 0; j < first.coefficient_count; ++j) largest = fmax(largest, cabs(x[j] - y[j]));
  }
  return largest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* path = argc > 1 ? argv[1] : "data/si_small/si_small.save";
  const char* output = argc > 2 ? argv[2] : "checkpoint.save";
  seiche_wavefile* file;
  seiche_orbital_layout layout;
  seiche_orbitals *orbitals, *again;
  check(seiche_wavefile_create(&file, MPI_COMM_WORLD, path));
  check(seiche_orbital_layout_init(&layout));
  layout.waves = ranks;
  check(seiche_orbitals_create_read(&orbitals, file, &layout, NULL));
  check(seiche_orbitals_create_redistributed(&again, orbitals, &layout, NULL));
  check(seiche_wavefile_destroy(&file));

  /* [checkpoint] */
  seiche_pending* call;
  seiche_density* density;
  int done;
  check(seiche_orbitals_start_write(&call, orbitals, output, NULL, NULL));
  check(seiche_density_create_of_orbitals(&density, orbitals, NULL)); /* work that does not change the orbitals */
  check(seiche_pending_progress(call, &done)); /* between steps of the work: sends further bands */
  check(seiche_pending_finish(call));          /* gives the file its name, or fails on all ranks */
  check(seiche_pending_destroy(&call));
  /* [/checkpoint] */

  check(seiche_wavefile_create(&file, MPI_COMM_WORLD, output));
  check(seiche_orbitals_start_read_into(&call, again, file, NULL));
  check(seiche_pending_finish(call));
  check(seiche_pending_destroy(&call));
  double* values;
  int64_t count;
  check(seiche_density_values(density, 0, &values, &count));
  const int code = answer("checkpoint", difference(orbitals, again), 0, values, count);
  check(seiche_density_destroy(&density));
  check(seiche_orbitals_destroy(&again));
  check(seiche_orbitals_destroy(&orbitals));
  check(seiche_wavefile_destroy(&file));
  MPI_Finalize();
  return code;
}
