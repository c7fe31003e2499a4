/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Dense transforms from C against a plane wave in closed form, for every kind of value, in callers' own arrays
 * and in fields. */
#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
static const seiche_miller wave = {1, 2, 3};

/* The spectrum of the wave: 1 at it, and for real kinds at its opposite, where that is stored. */
static double expected(seiche_value value, int64_t x, int64_t y, int64_t z) {
  (void)value; /* of the opposite, x = 7 is not among the nx/2+1 that are stored */
  return x == wave.x && y == wave.y && z == wave.z ? 1 : 0;
}

static void check_spectrum(seiche_value value, seiche_box box, const void* values) {
  double error = 0;
  int64_t i = 0;
  FOR_BOX(box) error = fmax(error, cabs(get(values, complex_of(value), i++) - expected(value, x, y, z)));
  EXPECT(error < rounding(value));
}

static void own_arrays(seiche_value value) {
  seiche_dense_fft* fft = NULL;
  seiche_box box, waves;
  seiche_value told;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, value, shape, NULL));
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_dense_fft_spectrum_box(fft, &waves));
  EXPECT_OK(seiche_dense_fft_value(fft, &told));
  EXPECT(told == value);
  const int64_t points = seiche_box_volume(&box), coefficients = seiche_box_volume(&waves);
  void *grid = new_values(points), *spectrum = new_values(coefficients);
  int64_t i = 0;
  FOR_BOX(box) set(grid, value, i++, wave_at(value, wave, shape, x, y, z));
  EXPECT_OK(seiche_dense_fft_forward(fft, grid, points, spectrum, coefficients));
  check_spectrum(value, waves, spectrum);

  for (i = 0; i < points; ++i) set(grid, value, i, 0);
  EXPECT_OK(seiche_dense_fft_backward(fft, spectrum, coefficients, grid, points));
  double error = 0;
  i = 0;
  FOR_BOX(box) error = fmax(error, cabs(get(grid, value, i++) - wave_at(value, wave, shape, x, y, z)));
  EXPECT(error < rounding(value));
  free(spectrum);
  free(grid);
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  EXPECT(fft == NULL);
}

static int64_t at(const seiche_view* view, const seiche_box* box, int64_t x, int64_t y, int64_t z) {
  return (x - box->low[0]) * view->stride[0] + (y - box->low[1]) * view->stride[1] +
         (z - box->low[2]) * view->stride[2];
}

static void fields(seiche_value value) {
  seiche_dense_fft* fft = NULL;
  seiche_field* field = NULL;
  seiche_box box, waves;
  seiche_view view;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, value, shape, NULL));
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_dense_fft_spectrum_box(fft, &waves));
  EXPECT_OK(seiche_field_create(&field, fft));
  EXPECT_OK(seiche_field_become_spectrum(field));
  EXPECT_OK(seiche_field_become_grid(field));
  EXPECT_OK(seiche_field_grid(field, &view));
  EXPECT(view.shape[0] == box.high[0] - box.low[0] && view.shape[2] == box.high[2] - box.low[2]);
  FOR_BOX(box) set(view.data, value, at(&view, &box, x, y, z), wave_at(value, wave, shape, x, y, z));
  EXPECT_OK(seiche_dense_fft_forward_field(fft, field));
  EXPECT_FAULT(seiche_field_grid(field, &view), SEICHE_BAD_ARGUMENT, "the field holds a spectrum");
  EXPECT_FAULT(seiche_dense_fft_forward_field(fft, field), SEICHE_BAD_ARGUMENT, "the field holds a spectrum");

  double error = 0;
  EXPECT_OK(seiche_field_spectrum(field, &view));
  FOR_BOX(waves) {
    error = fmax(error, cabs(get(view.data, complex_of(value), at(&view, &waves, x, y, z)) - expected(value, x, y, z)));
  }
  EXPECT(error < rounding(value));
  EXPECT_OK(seiche_dense_fft_backward_field(fft, field));
  EXPECT_FAULT(seiche_field_spectrum(field, &view), SEICHE_BAD_ARGUMENT, "the field holds grid values");
  EXPECT_OK(seiche_field_grid(field, &view));
  FOR_BOX(box) {
    error = fmax(error, cabs(get(view.data, value, at(&view, &box, x, y, z)) - wave_at(value, wave, shape, x, y, z)));
  }
  EXPECT(error < rounding(value));
  EXPECT_OK(seiche_field_destroy(&field));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

/* What a plan reports is of this call, and its boxes are those that are known without it. */
/* Three fields one after another, the wave times 1, 2 and 3, on planes that one rank has alone. */
static void many_fields(seiche_value value) {
  enum { count = 3 };
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int real = complex_of(value) != value;
  const int64_t nx = real ? shape[0] / 2 + 1 : shape[0];
  seiche_box planes = {{0, 0, 0}, {shape[0], shape[1], shape[2]}}, columns = {{0, 0, 0}, {nx, shape[1], shape[2]}};
  if (rank > 0) planes.high[2] = 0;
  if (rank < ranks - 1) columns.high[1] = 0;
  seiche_dense_arrays arrays = {
      sizeof arrays, count, seiche_consecutive(&planes), seiche_consecutive(&columns), 0, 0, 0};
  seiche_dense_fft* fft = NULL;
  EXPECT_OK(seiche_dense_fft_create_for(&fft, MPI_COMM_WORLD, value, shape, &arrays, NULL));
  const int64_t points = seiche_box_volume(&planes), coefficients = seiche_box_volume(&columns);
  void *grid = new_values(count * points), *spectrum = new_values(count * coefficients);
  int64_t i = 0;
  for (int f = 1; f <= count; ++f) {
    FOR_BOX(planes) set(grid, value, i++, f * wave_at(value, wave, shape, x, y, z));
  }
  EXPECT_OK(seiche_dense_fft_forward(fft, grid, count * points, spectrum, count * coefficients));
  double error = 0;
  i = 0;
  for (int f = 1; f <= count; ++f) {
    FOR_BOX(columns) {
      error = fmax(error, cabs(get(spectrum, complex_of(value), i++) - f * expected(value, x, y, z)));
    }
  }
  EXPECT(error < 4 * rounding(value));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  free(spectrum);
  free(grid);
}

static void wrong_arrays(void) {
  seiche_dense_fft* fft = NULL;
  seiche_dense_arrays arrays;
  memset(&arrays, 0, sizeof arrays);
  EXPECT_FAULT(seiche_dense_fft_create_for(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL, NULL), SEICHE_MISUSE,
               "the description of the arrays");
  arrays.size = sizeof arrays;
  EXPECT_FAULT(seiche_dense_fft_create_for(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &arrays, NULL),
               SEICHE_BAD_ARGUMENT, "the number of fields must be positive (got 0)");
}

static void reports(void) {
  seiche_dense_fft* fft = NULL;
  seiche_fft_options options;
  seiche_fft_report report = {sizeof report, -1, -1, -1, -1, -1, "", "", "", "", "", -1};
  seiche_progress_report progress = {sizeof progress, -1, -1, -1, -1, -1};
  seiche_box box, boxes[64];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int chunks[2] = {3, 1};
  EXPECT_OK(seiche_fft_options_init(&options));
  options.decomposition = SEICHE_DECOMPOSITION_PENCIL;
  options.algorithm = SEICHE_ALGORITHM_PAIRWISE;
  options.chunks = chunks;
  options.chunk_count = 2;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options));
  EXPECT_OK(seiche_dense_fft_report(fft, &report));
  EXPECT(ranks == 1 || strcmp(report.decomposition, "pencil") == 0);
  EXPECT(ranks == 1 || strcmp(report.algorithm, "pairwise") == 0);
  EXPECT(strcmp(report.messages, ranks == 1 ? "none" : "host") == 0);
  EXPECT(report.memory > 0 && report.bytes_sent >= 0 && report.band_groups == 1);
  EXPECT_OK(seiche_dense_fft_progress(fft, &progress));
  EXPECT(progress.worked == 0 && progress.polls == 0);
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_dense_grid_boxes(ranks, shape, &options, boxes, ranks));
  EXPECT(memcmp(&box, &boxes[rank], sizeof box) == 0);
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 4; ++i) {
    own_arrays(all_values[i]);
    fields(all_values[i]);
    many_fields(all_values[i]);
  }
  wrong_arrays();
  reports();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
