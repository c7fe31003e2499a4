/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Files, headers, orbitals and densities that are created and destroyed again and again leave nothing. */
#include <seiche_files.h>
#include <stdlib.h>

#include "leaks.h"

static int ranks;
static seiche_wavefile* file = NULL;
static seiche_orbitals* orbitals = NULL;

static void files(int turn) {
  seiche_wavefile* again = NULL;
  seiche_header* header = NULL;
  EXPECT_OK(seiche_wavefile_create(&again, MPI_COMM_WORLD, "data/si_small/si_small.save"));
  if (turn % 2 == 0) EXPECT_OK(seiche_header_create_of_file(&header, again));
  EXPECT_OK(seiche_wavefile_destroy(&again));
  EXPECT_OK(seiche_header_destroy(&header));
}

static void no_files(int turn) {
  seiche_wavefile* none = NULL;
  EXPECT_FAULT(seiche_wavefile_create(&none, MPI_COMM_WORLD, turn % 2 == 0 ? "data/none.save" : "data"),
               SEICHE_BAD_FILE, "data");
}

static void copies(int turn) {
  seiche_orbital_layout layout;
  seiche_orbitals* again = NULL;
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  *(turn % 2 == 0 ? &layout.bands : &layout.waves) = ranks;
  EXPECT_OK(seiche_orbitals_create_redistributed(&again, orbitals, &layout, NULL));
  EXPECT_OK(seiche_orbitals_destroy(&again));
}

static void readings(int turn) {
  seiche_orbitals* again = NULL;
  seiche_orbital_layout layout;
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  *(turn % 2 == 0 ? &layout.bands : &layout.waves) = ranks;
  EXPECT_OK(seiche_orbitals_create_read(&again, file, &layout, NULL));
  EXPECT_OK(seiche_orbitals_destroy(&again));
}

static void densities(int turn) {
  seiche_density* density = NULL;
  (void)turn;
  EXPECT_OK(seiche_density_create_beside(&density, file));
  EXPECT_OK(seiche_density_destroy(&density));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int times = argc > 1 ? atoi(argv[1]) : ranks > 1 ? 200 : 10000;
  seiche_orbital_layout layout;
  EXPECT_NO_LEAK(files, times);
  EXPECT_NO_LEAK(no_files, times);
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, "data/si_small/si_small.save"));
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  layout.waves = ranks;
  EXPECT_OK(seiche_orbitals_create_read(&orbitals, file, &layout, NULL));
  EXPECT_NO_LEAK(copies, times);
  EXPECT_NO_LEAK(readings, times);
  EXPECT_NO_LEAK(densities, times);
  EXPECT_OK(seiche_orbitals_destroy(&orbitals));
  EXPECT_OK(seiche_wavefile_destroy(&file));
  const int code = verdict();
  MPI_Finalize();
  return code;
}
