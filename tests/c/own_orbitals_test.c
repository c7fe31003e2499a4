/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Wavefunctions of a code's own, from its memory to a file; images of them under symmetry; tuned moves. */
#include <math.h>
#include <seiche_files.h>
#include <unistd.h>

#include "expect.h"
#include "scratch.h"
#include "values.h"

static const char* silicon = "data/si_small/si_small.save";
static int rank, ranks;

/* All that a file says, said again by a program. */
static seiche_header* said_again(const seiche_header* of) {
  seiche_header_info info = {.size = sizeof info};
  seiche_header* header = NULL;
  EXPECT_OK(seiche_header_get_info(of, &info));
  EXPECT_OK(seiche_header_create(&header, &info));
  const int64_t states = info.spins * info.kpoint_count * info.bands;
  double *k = new_values(3 * info.kpoint_count), *weights = new_values(info.kpoint_count);
  double *energies = new_values(states), *occupations = new_values(states);
  int64_t* waves = new_values(info.kpoint_count);
  EXPECT_OK(seiche_header_get_kpoints(of, k, weights, waves, info.kpoint_count));
  EXPECT_OK(seiche_header_set_kpoints(header, k, weights, waves, info.kpoint_count));
  EXPECT_OK(seiche_header_get_states(of, energies, occupations, states));
  EXPECT_OK(seiche_header_set_states(header, energies, occupations, states));
  for (int64_t i = 0; i < info.atom_count; ++i) {
    double position[3], same[3];
    const char *symbol, *same_symbol;
    EXPECT_OK(seiche_header_get_atom(of, i, position, &symbol));
    position[1] += 1;
    EXPECT_OK(seiche_header_set_atom(header, i, position, symbol));
    EXPECT_OK(seiche_header_get_atom(header, i, same, &same_symbol));
    EXPECT(memcmp(position, same, sizeof same) == 0 && strcmp(symbol, same_symbol) == 0);
    position[1] -= 1;
    EXPECT_OK(seiche_header_set_atom(header, i, position, symbol));
  }
  for (int64_t i = 0; i < info.operation_count; ++i) {
    int rotation[9], reversal, same[9], again;
    double translation[3], same_translation[3];
    EXPECT_OK(seiche_header_get_operation(of, i, rotation, translation, &reversal));
    EXPECT_OK(seiche_header_set_operation(header, i, rotation, translation, reversal));
    EXPECT_OK(seiche_header_get_operation(header, i, same, same_translation, &again));
    EXPECT(memcmp(rotation, same, sizeof same) == 0 && reversal == again);
    EXPECT(memcmp(translation, same_translation, sizeof translation) == 0);
  }
  free(waves);
  free(occupations);
  free(energies);
  free(weights);
  free(k);
  return header;
}

/* The waves of all k-points, one after another. */
static seiche_miller* all_waves(const seiche_wavefile* file, const seiche_header* header, int64_t* count) {
  seiche_header_info info = {.size = sizeof info};
  int64_t sizes[64];
  *count = 0;
  EXPECT_OK(seiche_header_get_info(header, &info));
  EXPECT_OK(seiche_header_get_kpoints(header, NULL, NULL, sizes, info.kpoint_count));
  for (int64_t i = 0; i < info.kpoint_count; ++i) *count += sizes[i];
  seiche_miller *waves = new_values(*count), *next = waves;
  for (int k = 0; k < info.kpoint_count; ++k) {
    EXPECT_OK(seiche_wavefile_waves(file, 0, k, 0, sizes[k], next, sizes[k]));
    next += sizes[k];
  }
  return waves;
}

/* Orbitals of a header that was said again are zero, and have the parts of a file's. */
static void from_memory(void) {
  seiche_wavefile *file = NULL, *again = NULL;
  seiche_header *of_file = NULL, *header;
  seiche_orbitals *own = NULL, *none = NULL;
  seiche_orbital_layout layout;
  seiche_comparison comparison = {.size = sizeof comparison};
  int64_t count = 0, parts = 0;
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, silicon));
  EXPECT_OK(seiche_header_create_of_file(&of_file, file));
  header = said_again(of_file);
  seiche_miller* waves = all_waves(file, header, &count);
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  layout.waves = ranks;
  EXPECT_OK(seiche_orbitals_create(&own, MPI_COMM_WORLD, header, waves, count, &layout));
  EXPECT_OK(seiche_orbitals_part_count(own, &parts));
  EXPECT(parts > 0);
  for (int64_t i = 0; i < parts; ++i) {
    seiche_orbital_part part;
    EXPECT_OK(seiche_orbitals_part(own, i, &part));
    const double complex* c = part.coefficients;
    for (int64_t j = 0; j < part.coefficient_count; ++j) EXPECT(c[j] == 0);
  }
  EXPECT_OK(seiche_orbitals_read_into(own, file, NULL));
  EXPECT_OK(seiche_orbitals_write(own, place("own.h5"), "wfn", NULL));
  EXPECT_OK(seiche_wavefile_create(&again, MPI_COMM_WORLD, place("own.h5")));
  EXPECT_OK(seiche_wavefile_compare(file, again, NULL, &comparison));
  EXPECT(comparison.equal == 1 && comparison.difference[0] == 0);
  EXPECT_FAULT(seiche_orbitals_create(&none, MPI_COMM_WORLD, header, waves, count - (rank == 0), &layout),
               SEICHE_BAD_ARGUMENT, "plane waves in total");
  EXPECT_FAULT(seiche_orbitals_create(&none, MPI_COMM_NULL, header, waves, count, &layout), SEICHE_MISUSE,
               "the communicator is MPI_COMM_NULL");
  layout.bands = 7;
  EXPECT_FAULT(seiche_orbitals_create(&none, MPI_COMM_WORLD, header, waves, count, &layout), SEICHE_BAD_ARGUMENT, "7");
  EXPECT(none == NULL);
  EXPECT_OK(seiche_wavefile_destroy(&again));
  EXPECT_OK(seiche_orbitals_destroy(&own));
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_header_destroy(&of_file));
  EXPECT_OK(seiche_wavefile_destroy(&file));
  free(waves);
}

/* The coefficient of a band and a wave of the file of one k-point. */
static double value_of(int64_t band, const seiche_miller* wave) { return 100 * (double)band + 10 * wave->y + wave->z; }

static void fill(seiche_orbitals* own) {
  int64_t parts = 0;
  seiche_orbital_part part;
  EXPECT_OK(seiche_orbitals_part_count(own, &parts));
  if (parts == 0) return;
  EXPECT_OK(seiche_orbitals_part(own, 0, &part));
  for (int64_t i = 0; i < part.coefficient_count; ++i) {
    ((double*)part.coefficients)[2 * i] = value_of(i / part.wave_count, &part.waves[i % part.wave_count]);
  }
}

/* All waves on the first rank, in another order than in the file, with padding. */
static void read_to_the_first_rank(const seiche_header* header, const seiche_miller* waves) {
  enum { bands = 2, count = 3, row = 4 };
  const int positions[count] = {2, 0, 1};
  const seiche_miller mine[count] = {waves[2], waves[0], waves[1]};
  double found[2 * bands * row];
  const int here = rank == 0 ? count : 0;
  const int64_t room = rank == 0 ? bands * row : 0, length = rank == 0 ? row : 0;
  for (int i = 0; i < 2 * bands * row; ++i) found[i] = -7;
  EXPECT_OK(seiche_read_wfc(MPI_COMM_WORLD, place("wfc7.dat"), header, positions, here, mine, here, found, room, length,
                            NULL));
  for (int i = 0; i < bands * row; ++i) {
    const int wave = i % row, padding = wave == count || rank != 0;
    EXPECT(found[2 * i] == (padding ? -7 : value_of(i / row, &mine[wave])) && found[2 * i + 1] == (padding ? -7 : 0));
  }
  EXPECT_FAULT(seiche_read_wfc(MPI_COMM_WORLD, place("wfc8.dat"), header, positions, here, mine, here, found, room,
                               length, NULL),
               SEICHE_BAD_FILE, "wfc8.dat");
  EXPECT_FAULT(
      seiche_read_wfc(MPI_COMM_WORLD, place("wfc7.dat"), header, NULL, here, mine, here, found, room, length, NULL),
      SEICHE_MISUSE, "positions");
}

/* A file of one k-point. Its first record begins with the number of the k-point. */
static void one_kpoint(void) {
  const double lattice[9] = {8, 0, 0, 0, 8, 0, 0, 0, 8}, zeros[9] = {0}, weight = 1;
  const seiche_miller waves[3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  const int64_t count = 3;
  seiche_header_info info = {
      .size = sizeof info, .grid = {4, 4, 4}, .spins = 1, .spinor = 1, .bands = 2, .kpoint_count = 1};
  seiche_header* header = NULL;
  seiche_orbitals* own = NULL;
  seiche_orbital_layout layout;
  seiche_pending* call = NULL;
  int record[2] = {0, 0};
  memcpy(info.lattice, lattice, sizeof lattice);
  EXPECT_OK(seiche_header_create(&header, &info));
  EXPECT_OK(seiche_header_set_kpoints(header, zeros, &weight, &count, 1));
  EXPECT_OK(seiche_header_set_states(header, zeros, zeros, 2));
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  layout.waves = ranks;
  EXPECT_OK(seiche_orbitals_create(&own, MPI_COMM_WORLD, header, waves, 3, &layout));
  fill(own);
  EXPECT_OK(seiche_orbitals_start_write_wfc(&call, own, place("wfc7.dat"), 7, 1, 3, zeros, lattice, NULL));
  EXPECT_OK(seiche_pending_finish(call));
  EXPECT_OK(seiche_pending_destroy(&call));
  read_to_the_first_rank(header, waves);
  FILE* file = fopen(place("wfc7.dat"), "rb");
  EXPECT(file != NULL && fread(record, sizeof record, 1, file) == 1 && record[0] == 44 && record[1] == 7);
  if (file != NULL) fclose(file);
  EXPECT_FAULT(seiche_orbitals_start_write_wfc(&call, own, place("wfc7.dat"), 7, 1, 3, NULL, lattice, NULL),
               SEICHE_MISUSE, "position");
  EXPECT_OK(seiche_orbitals_destroy(&own));
  EXPECT_OK(seiche_header_destroy(&header));
}

static void headers(void) {
  seiche_wavefile* file = NULL;
  seiche_header *header = NULL, *none = NULL;
  seiche_header_info info = {.size = sizeof info}, wrong;
  const char* losses = NULL;
  double numbers[9] = {0};
  int rotation[9] = {0};
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, silicon));
  EXPECT_OK(seiche_header_create_of_file(&header, file));
  EXPECT_OK(seiche_header_get_info(header, &info));
  EXPECT_OK(seiche_header_losses(header, "out.save", NULL, 1, &losses));
  EXPECT(losses != NULL && losses[0] == 0);
  EXPECT_OK(seiche_header_losses(header, "WAVECAR", NULL, 0, &losses));
  EXPECT(strstr(losses, "\n") != NULL && strstr(losses, "atoms") != NULL);
  EXPECT_FAULT(seiche_header_losses(header, NULL, NULL, 0, &losses), SEICHE_MISUSE, "the path must not be NULL");
  EXPECT_FAULT(seiche_header_losses(header, "x", "unheard-of", 0, &losses), SEICHE_BAD_ARGUMENT, "unheard-of");
  EXPECT_FAULT(seiche_header_losses(header, "x", "qe", 0, NULL), SEICHE_MISUSE,
               "the output argument for the sentences");

  wrong = info;
  wrong.size = 0;
  EXPECT_FAULT(seiche_header_create(&none, &wrong), SEICHE_MISUSE, "the size of the struct is not set");
  wrong = info;
  wrong.atom_count = -1;
  EXPECT_FAULT(seiche_header_create(&none, &wrong), SEICHE_BAD_ARGUMENT, "-1 and ");
  wrong = info;
  wrong.grid[1] = 0;
  EXPECT_FAULT(seiche_header_create(&none, &wrong), SEICHE_BAD_ARGUMENT,
               "grid dimensions must be positive (got 20 x 0 x 20)");
  wrong = info;
  memset(wrong.format, 'x', sizeof wrong.format);
  EXPECT_FAULT(seiche_header_create(&none, &wrong), SEICHE_BAD_ARGUMENT, "format is not terminated");
  EXPECT_FAULT(seiche_header_set_operation(header, -1, rotation, numbers, 0), SEICHE_BAD_ARGUMENT, "no operation -1");
  EXPECT_FAULT(seiche_header_set_operation(header, 0, NULL, numbers, 0), SEICHE_MISUSE,
               "the rotation must not be NULL");
  EXPECT_OK(seiche_header_destroy(&header));

  /* energies that nobody knows stay unknown */
  info.total_energy = NAN;
  info.fermi_energy = 0.25;
  info.fermi_energy_down = 0.125;
  EXPECT_OK(seiche_header_create(&header, &info));
  EXPECT_OK(seiche_header_get_info(header, &wrong));
  EXPECT(isnan(wrong.total_energy) && wrong.fermi_energy == 0.25 && wrong.fermi_energy_down == 0.125);
  EXPECT(wrong.lattice[1] == info.lattice[1]);
  EXPECT(wrong.cutoff == info.cutoff && wrong.weighted == info.weighted && wrong.atom_count == info.atom_count);
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

static void images(void) {
  seiche_wavefile* file = NULL;
  seiche_header* header = NULL;
  seiche_image *image = NULL, *none = NULL;
  seiche_image_request request;
  const seiche_miller waves[3] = {{0, 0, 0}, {1, -2, 3}, {0, 1, 1}};
  double complex c[6] = {1, 2 + I, -1, I, 0.5, 3};
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, silicon));
  EXPECT_OK(seiche_header_create_of_file(&header, file));
  EXPECT_OK(seiche_image_request_init(&request));
  EXPECT(request.rotation[0] == 1 && request.rotation[1] == 0 && request.rotation[8] == 1 && request.spinor == 1);
  EXPECT_OK(seiche_image_create(&image, header, &request, waves, 3));
  EXPECT_OK(seiche_image_apply(image, 2, c, c, 6)); /* in place */
  EXPECT(c[1] == 2 + I && c[5] == 3);
  request.to[2] = 0.1;
  EXPECT_FAULT(seiche_image_create(&none, header, &request, waves, 3), SEICHE_BAD_ARGUMENT, "");
  EXPECT_OK(seiche_image_destroy(&image));
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

static void tuned_moves(void) {
  seiche_wavefile* file = NULL;
  seiche_orbitals* orbitals = NULL;
  seiche_orbital_layout layout;
  seiche_tune_request request;
  seiche_tune_report report = {.size = sizeof report};
  static char tuning[128];
  strcpy(tuning, place("tuning.json"));
  setenv("SEICHE_TUNING", tuning, 1);
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, silicon));
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  layout.waves = ranks;
  EXPECT_OK(seiche_orbitals_create_read(&orbitals, file, &layout, NULL));
  layout.waves = 1;
  layout.bands = ranks;
  EXPECT_OK(seiche_tune_request_init(&request));
  request.budget = 0.05;
  EXPECT_OK(seiche_tune_move(orbitals, &layout, &request, &report));
  EXPECT(report.trials > 0 && report.seconds > 0 && report.panels == 0);
  EXPECT(rank != 0 || access(tuning, R_OK) == 0);
  EXPECT_FAULT(seiche_tune_move(orbitals, &layout, &request, NULL), SEICHE_MISUSE, "report must not be NULL");
  EXPECT_FAULT(seiche_tune_move(NULL, &layout, &request, &report), SEICHE_MISUSE, "orbitals: the handle is NULL");
  EXPECT_OK(seiche_orbitals_destroy(&orbitals));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  make_folder(rank);
  from_memory();
  one_kpoint();
  headers();
  images();
  tuned_moves();
  EXPECT(seiche_open_handles() == 0);
  const char* names[] = {"own.h5", "tuning.json", "wfc7.dat"};
  remove_folder(rank, names, 3);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
