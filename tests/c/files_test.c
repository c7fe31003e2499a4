/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Wavefunction files, orbitals and densities from C: silicon's, whose numbers Quantum ESPRESSO printed, and
 * whose density it wrote. */
#include <seiche_files.h>

#include "expect.h"
#include "scratch.h"
#include "values.h"

static const char* silicon = "data/si_small/si_small.save";
static int rank, ranks;

static seiche_wavefile* open_file(const char* path) {
  seiche_wavefile* file = NULL;
  EXPECT_OK(seiche_wavefile_create(&file, MPI_COMM_WORLD, path));
  return file;
}

static seiche_header_info info_of(const seiche_header* header) {
  seiche_header_info info = {.size = sizeof info};
  EXPECT_OK(seiche_header_get_info(header, &info));
  return info;
}

/* Those of data-file-schema.xml. */
static void headers(void) {
  seiche_wavefile* file = open_file(silicon);
  seiche_header* header = NULL;
  double k[3 * 64], weights[64], position[3], translation[3];
  double *energies, *occupations;
  int64_t waves[64];
  int rotation[9], reversal = -1;
  const char* symbol = NULL;
  EXPECT_OK(seiche_header_create_of_file(&header, file));
  const seiche_header_info info = info_of(header);
  EXPECT(info.spins == 1 && info.spinor == 1 && info.electrons == 8 && info.atom_count == 2);
  EXPECT(strstr(info.format, "Quantum ESPRESSO") != NULL && info.density_components == 1);
  const int64_t states = info.spins * info.kpoint_count * info.bands;
  energies = new_values(states);
  occupations = new_values(states);
  EXPECT_OK(seiche_header_get_kpoints(header, k, weights, waves, info.kpoint_count));
  EXPECT_OK(seiche_header_get_states(header, energies, occupations, states));
  EXPECT_OK(seiche_header_get_atom(header, 1, position, &symbol));
  EXPECT(strcmp(symbol, "Si") == 0 && position[0] != 0);
  EXPECT_OK(seiche_header_get_operation(header, 0, rotation, translation, &reversal));
  EXPECT(rotation[0] == 1 && rotation[4] == 1 && rotation[1] == 0 && translation[0] == 0 && reversal == 0);
  seiche_band_edges edges = {.size = sizeof edges};
  EXPECT_OK(seiche_header_band_edges(header, -1, &edges));
  EXPECT(edges.metallic == 0 && edges.highest_occupied[2] == 3 && edges.lowest_empty[2] == 4 &&
         edges.direct_empty[2] == 4);
  EXPECT(edges.gap > 0 && edges.gap == edges.empty_energy - edges.occupied_energy && edges.direct_gap >= edges.gap);
  EXPECT(edges.zero == edges.occupied_energy && strcmp(edges.zero_name, "the highest occupied state") == 0);
  for (int64_t i = 0; i < states; ++i) occupations[i] = 0;
  EXPECT_OK(seiche_header_set_states(header, energies, occupations, states));
  EXPECT_OK(seiche_header_band_edges(header, 0, &edges));
  EXPECT(edges.highest_occupied[2] == -1 && isnan(edges.gap) && isnan(edges.zero) && edges.zero_name[0] == 0);
  free(occupations);
  free(energies);
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

static double last_done = 0;
static void note(double done, void* user) {
  last_done = done;
  ++*(int*)user;
}

/* Deals the waves in turn. */
static int in_turn(int k, const seiche_miller* waves, int64_t count, int* owners, void* user) {
  const int groups = *(const int*)user;
  (void)waves;
  if (groups < 0) return 5;
  for (int64_t i = 0; i < count; ++i) owners[i] = (int)((i + k) % groups);
  return 0;
}

/* Makes progress in a started call and completes it. */
static void finish(seiche_status started, seiche_pending** call) {
  int done = -1;
  EXPECT_OK(started);
  EXPECT_OK(seiche_pending_progress(*call, &done));
  EXPECT(done == 0 || done == 1);
  EXPECT_OK(seiche_pending_finish(*call));
  EXPECT_OK(seiche_pending_destroy(call));
}

static void move(seiche_orbitals* orbitals, const seiche_orbital_layout* layout) {
  seiche_pending* pending;
  finish(seiche_orbitals_start_redistribute(&pending, orbitals, layout, NULL), &pending);
}

static void orbitals(void) {
  seiche_wavefile *file = open_file(silicon), *again = NULL;
  seiche_orbitals *read = NULL, *moved = NULL, *full = NULL, *smaller = NULL;
  seiche_header* header = NULL;
  seiche_pending* call = NULL;
  seiche_orbital_layout layout;
  seiche_move_options options;
  seiche_orbital_part part;
  seiche_basis_request request;
  seiche_comparison comparison = {.size = sizeof comparison};
  int calls = 0, groups = ranks, none = -1;
  EXPECT_OK(seiche_orbital_layout_init(&layout));
  EXPECT_OK(seiche_move_options_init(&options));
  options.on_progress = note;
  options.user = &calls;
  layout.bands = ranks;
  EXPECT_OK(seiche_orbitals_create_read(&read, file, &layout, &options));
  EXPECT(calls > 0 && last_done == 1);
  layout.bands = 1;
  layout.waves = ranks;
  layout.owners = in_turn;
  layout.user = &groups;
  EXPECT_OK(seiche_orbitals_create_redistributed(&moved, read, &layout, NULL));
  seiche_orbital_layout by_bands;
  EXPECT_OK(seiche_orbital_layout_init(&by_bands));
  by_bands.bands = ranks;
  move(moved, &by_bands);
  move(moved, &layout);
  layout.user = &none;
  EXPECT_FAULT(seiche_orbitals_create_redistributed(&full, read, &layout, NULL), SEICHE_BAD_ARGUMENT,
               "the callback for owners returned 5");

  EXPECT_OK(seiche_header_create_of_orbitals(&header, moved));
  const seiche_header_info info = info_of(header);
  int64_t parts = 0;
  double norms = 0, all = 0;
  EXPECT_OK(seiche_orbitals_part_count(moved, &parts));
  for (int64_t i = 0; i < parts; ++i) {
    EXPECT_OK(seiche_orbitals_part(moved, i, &part));
    EXPECT(part.coefficient_count == part.wave_count * (part.band_high - part.band_low) * info.spinor);
    const double complex* c = part.coefficients;
    for (int64_t j = 0; j < part.coefficient_count; ++j) norms += creal(c[j] * conj(c[j]));
    memset(part.coefficients, 0, sizeof *c * (size_t)part.coefficient_count);
  }
  MPI_Allreduce(&norms, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(fabs(all - (double)(info.kpoint_count * info.bands)) < 1e-6);
  EXPECT_FAULT(seiche_orbitals_part(moved, parts, &part), SEICHE_BAD_ARGUMENT, "no part ");

  /* what was wiped out comes back, and a file of it is the first again */
  finish(seiche_orbitals_start_read_into(&call, moved, file, &options), &call);
  EXPECT_OK(seiche_orbitals_read_into(moved, file, NULL));
  finish(seiche_orbitals_start_write(&call, moved, place("again.h5"), "wfn", &options), &call);
  EXPECT_OK(seiche_orbitals_start_write(&call, moved, place("again.h5"), "no-format", NULL));
  EXPECT_FAULT(seiche_pending_finish(call), SEICHE_BAD_ARGUMENT, "no-format");
  EXPECT_OK(seiche_pending_destroy(&call));
  EXPECT_OK(seiche_orbitals_start_write(&call, moved, place("again.h5"), NULL, NULL));
  EXPECT_OK(seiche_pending_destroy(&call)); /* without finish: the file stays as it is */
  again = open_file(place("again.h5"));
  EXPECT_OK(seiche_wavefile_compare(file, again, NULL, &comparison));
  EXPECT(comparison.equal == 1 && comparison.difference[0] == 0 && comparison.overlap > 1 - 1e-9);
  EXPECT_OK(seiche_wavefile_destroy(&again));

  const int64_t pairs = info.kpoint_count * info.bands * info.bands;
  double complex* overlaps = new_values(pairs);
  EXPECT_OK(seiche_orbitals_overlaps(read, moved, NULL, overlaps, pairs));
  EXPECT_FAULT(seiche_orbitals_overlaps(read, moved, NULL, overlaps, 1), SEICHE_BAD_ARGUMENT, "the array holds 1");
  free(overlaps);

  EXPECT_OK(seiche_basis_request_init(&request));
  request.bands = 2;
  request.cutoff = 0.8 * info.cutoff;
  double* lost = new_values(2 * info.kpoint_count);
  EXPECT_OK(seiche_orbitals_create_reassigned(&smaller, read, &request, NULL, lost, 2 * info.kpoint_count));
  EXPECT(lost[0] > 0 && lost[0] < 0.1);
  free(lost);
  EXPECT_OK(seiche_orbitals_destroy(&smaller));
  request.cutoff = -1;
  EXPECT_FAULT(seiche_orbitals_create_reassigned(&smaller, read, &request, NULL, NULL, 0), SEICHE_BAD_ARGUMENT,
               "the cutoff must be positive (got -1 hartree)");
  EXPECT_OK(seiche_orbitals_destroy(&moved));
  EXPECT_OK(seiche_orbitals_destroy(&read));
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

static void conversion(void) {
  seiche_wavefile *file = open_file(silicon), *again = NULL;
  seiche_comparison comparison = {.size = sizeof comparison};
  seiche_compare_options options;
  seiche_header* header = NULL;
  EXPECT_OK(seiche_compare_options_init(&options));
  EXPECT(options.overlap == 1e-9);
  options.occupied = 1;
  options.any_zero = 1;
  EXPECT_OK(seiche_wavefile_convert(file, place("si.h5"), "wfn", NULL));
  again = open_file(place("si.h5"));
  EXPECT_OK(seiche_wavefile_compare(file, again, &options, &comparison));
  EXPECT(comparison.equal == 1 && comparison.energy < 1e-9);
  EXPECT(fabs(comparison.constant) <= comparison.energy && comparison.beyond_constant <= comparison.energy);
  EXPECT_FAULT(seiche_wavefile_complete(again, "no-such-POSCAR", NULL), SEICHE_BAD_ARGUMENT, "contains the atoms");
  EXPECT_OK(seiche_wavefile_complete(again, NULL, NULL));
  EXPECT_OK(seiche_wavefile_destroy(&again));
  EXPECT_OK(seiche_wavefile_expand(file, place("full.h5"), "wfn", NULL));
  again = open_file(place("full.h5"));
  EXPECT_OK(seiche_header_create_of_file(&header, again));
  EXPECT(info_of(header).kpoint_count > 10);
  comparison.size = 0;
  EXPECT_FAULT(seiche_wavefile_compare(file, again, &options, &comparison), SEICHE_MISUSE,
               "the size of the struct is not set");
  EXPECT_OK(seiche_header_destroy(&header));
  EXPECT_OK(seiche_wavefile_destroy(&again));
  EXPECT_FAULT(seiche_wavefile_create(&again, MPI_COMM_WORLD, "nowhere.save"), SEICHE_BAD_FILE, "nowhere.save");
  EXPECT_FAULT(seiche_wavefile_convert(file, NULL, NULL, NULL), SEICHE_MISUSE, "path must not be NULL");
  EXPECT_FAULT(seiche_wavefile_convert(file, place("x.h5"), "no-format", NULL), SEICHE_BAD_ARGUMENT, "no-format");
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

static void densities(void) {
  seiche_wavefile* file = open_file(silicon);
  seiche_density *of_file = NULL, *read = NULL, *like = NULL;
  seiche_density_options options;
  seiche_fft_options fft;
  seiche_box box;
  int64_t shape[3], count = 0;
  int components = 0, calls = 0;
  double total = -1, magnetisation = 0, averages[60] = {0}, *values = NULL;
  EXPECT_OK(seiche_density_options_init(&options));
  EXPECT_OK(seiche_fft_options_init(&fft));
  fft.reproducible = 1;
  options.fft = &fft;
  options.on_progress = note;
  options.user = &calls;
  EXPECT_OK(seiche_density_create_of_file(&of_file, file, &options));
  EXPECT(calls > 0 && last_done == 1);
  EXPECT_OK(seiche_density_grid(of_file, shape, &box, &components));
  EXPECT_OK(seiche_density_values(of_file, 0, &values, &count));
  EXPECT(components == 1 && count == seiche_box_volume(&box) && box.high[0] == shape[0]);

  EXPECT_OK(seiche_density_write(of_file, place("si.h5")));
  EXPECT_OK(seiche_density_draw(of_file, place("si.png")));
  EXPECT_OK(seiche_density_create_read(&read, MPI_COMM_WORLD, place("si.h5")));
  EXPECT_OK(seiche_density_create_read_like(&like, place("si.h5"), of_file));
  EXPECT_OK(seiche_density_compare(of_file, like, &total, &magnetisation));
  EXPECT(total < 1e-12);
  EXPECT_FAULT(seiche_density_macroscopic_average(read, 2, -1, averages, 60), SEICHE_BAD_ARGUMENT, "must be positive");
  EXPECT_FAULT(seiche_density_line_cut(read, averages, averages, 12, averages, 60), SEICHE_BAD_ARGUMENT, "coincide");
  EXPECT_FAULT(seiche_density_write(read, NULL), SEICHE_MISUSE, "path must not be NULL");
  EXPECT_FAULT(seiche_density_set_unit(read, "rydberg"), SEICHE_BAD_ARGUMENT, "unit");
  EXPECT_FAULT(seiche_density_write(read, place("si.unknown")), SEICHE_BAD_ARGUMENT, "si.unknown");
  fft.window = -1;
  seiche_density* none = NULL;
  EXPECT_FAULT(seiche_density_create_of_file(&none, file, &options), SEICHE_BAD_ARGUMENT, "window");
  EXPECT_OK(seiche_density_destroy(&like));
  EXPECT_OK(seiche_density_destroy(&read));
  EXPECT_OK(seiche_density_destroy(&of_file));
  EXPECT_OK(seiche_wavefile_destroy(&file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  make_folder(rank);
  headers();
  orbitals();
  conversion();
  densities();
  EXPECT(seiche_open_handles() == 0);
  const char* names[] = {"again.h5", "si.h5", "full.h5", "si.png"};
  remove_folder(rank, names, 4);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
