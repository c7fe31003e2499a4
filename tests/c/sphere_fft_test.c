/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Transforms of spheres from C against plane waves in closed form, for every kind of value, and every verb. */
#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
enum { bands = 3, most = 4 };
/* Of all ranks; the last rank holds none when there are several. Real kinds take them for halves of pairs. */
static const seiche_miller all_waves[most] = {{1, 0, 2}, {0, 1, -1}, {2, -1, 1}, {1, 1, 0}};

struct sphere {
  seiche_value value;
  seiche_sphere_fft* fft;
  seiche_box box;
  seiche_miller waves[most];
  int64_t count, points;
};

static double coefficient(int64_t band, int64_t wave) { return 1.0 + (double)band - 0.25 * (double)wave; }

static struct sphere make_on(seiche_space space, seiche_value value) {
  struct sphere s = {value, NULL, {{0}, {0}}, {{0, 0, 0}}, 0, 0};
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < most; ++i) {
    if (i % (ranks > 1 ? ranks - 1 : 1) == rank) s.waves[s.count++] = all_waves[i];
  }
  seiche_fft_options options;
  EXPECT_OK(seiche_fft_options_init(&options));
  options.space = space;
  EXPECT_OK(seiche_sphere_fft_create(&s.fft, MPI_COMM_WORLD, value, shape, s.waves, s.count, &options));
  EXPECT_OK(seiche_sphere_fft_grid_box(s.fft, &s.box));
  s.points = seiche_box_volume(&s.box);
  return s;
}
static struct sphere make(seiche_value value) { return make_on(SEICHE_SPACE_HOST, value); }

static int64_t number_of(seiche_miller g) {
  for (int64_t i = 0; i < most; ++i) {
    if (memcmp(&g, &all_waves[i], sizeof g) == 0) return i;
  }
  return -1;
}

static void* coefficients_of(const struct sphere* s) {
  void* all = new_values(bands * s->count);
  for (int64_t b = 0; b < bands; ++b) {
    for (int64_t i = 0; i < s->count; ++i) {
      set(all, complex_of(s->value), b * s->count + i, coefficient(b, number_of(s->waves[i])));
    }
  }
  return all;
}

static double complex band_at(seiche_value value, int64_t band, int64_t x, int64_t y, int64_t z) {
  double complex sum = 0;
  for (int64_t i = 0; i < most; ++i) sum += coefficient(band, i) * wave_at(value, all_waves[i], shape, x, y, z);
  return sum;
}

static void arrays(seiche_value value) {
  struct sphere s = make(value);
  seiche_value told;
  EXPECT_OK(seiche_sphere_fft_value(s.fft, &told));
  EXPECT(told == value);
  void *in = coefficients_of(&s), *grid = new_values(bands * s.points), *out = new_values(bands * s.count);
  EXPECT_OK(seiche_sphere_fft_backward(s.fft, in, bands * s.count, 0, grid, bands * s.points, bands));
  double error = 0;
  for (int64_t b = 0; b < bands; ++b) {
    int64_t i = b * s.points;
    FOR_BOX(s.box) error = fmax(error, cabs(get(grid, value, i++) - band_at(value, b, x, y, z)));
  }
  EXPECT(error < 30 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_forward(s.fft, grid, bands * s.points, out, bands * s.count, 0, bands));
  for (int64_t i = 0; i < bands * s.count; ++i) {
    error = fmax(error, cabs(get(out, complex_of(value), i) - get(in, complex_of(value), i)));
  }
  EXPECT(error < 30 * rounding(value));
  free(out);
  free(grid);
  free(in);
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
}

/* What a function on the grid is given. */
struct seen {
  seiche_value value;
  double factor, error;
  int64_t points;
  int refuse;
};

static int multiply(const seiche_grid_part* part, void* user) {
  struct seen* seen = user;
  const seiche_view* view = &part->component[0];
  if (seen->refuse && part->band == 1) return 7;
  for (int64_t z = 0; z < view->shape[2]; ++z) {
    for (int64_t y = 0; y < view->shape[1]; ++y) {
      for (int64_t x = 0; x < view->shape[0]; ++x) {
        const int64_t i = x * view->stride[0] + y * view->stride[1] + z * view->stride[2];
        const double complex here = get(view->data, seen->value, i);
        const double complex there =
            band_at(seen->value, part->band, part->box.low[0] + x, part->box.low[1] + y, part->box.low[2] + z);
        seen->error = fmax(seen->error, cabs(here - there));
        set(view->data, seen->value, i, seen->factor * here);
        ++seen->points;
      }
    }
  }
  return part->components == 1 ? 0 : 1;
}

static int with_sentence(const seiche_grid_part* part, void* user) {
  (void)user;
  return part->band == 2 ? seiche_refuse(SEICHE_UNSUPPORTED, "the third band is too much") : SEICHE_OK;
}

static void functions(seiche_value value) {
  struct sphere s = make(value);
  const int64_t count = bands * s.count;
  void *in = coefficients_of(&s), *out = new_values(count);
  struct seen seen = {value, 3, 0, 0, 0};
  EXPECT_OK(seiche_sphere_fft_round_trip(s.fft, in, count, 0, out, count, 0, bands, multiply, &seen));
  EXPECT(seen.points == bands * s.points && seen.error < 30 * rounding(value));
  double error = 0;
  for (int64_t i = 0; i < count; ++i) {
    error = fmax(error, cabs(get(out, complex_of(value), i) - 3 * get(in, complex_of(value), i)));
  }
  EXPECT(error < 100 * rounding(value));

  struct seen once_more = {value, 2, 0, 0, 0};
  EXPECT_OK(seiche_sphere_fft_add_round_trip(s.fft, in, count, 0, out, count, 0, bands, multiply, &once_more));
  for (int64_t i = 0; i < count; ++i) {
    error = fmax(error, cabs(get(out, complex_of(value), i) - 5 * get(in, complex_of(value), i)));
  }
  EXPECT(error < 200 * rounding(value));

  struct seen again = {value, 1, 0, 0, 0};
  EXPECT_OK(seiche_sphere_fft_to_grid(s.fft, in, count, 0, bands, multiply, &again));
  EXPECT(again.points == bands * s.points && again.error < 30 * rounding(value));
  struct seen refuses = {value, 1, 0, 0, 1};
  EXPECT_FAULT(seiche_sphere_fft_round_trip(s.fft, in, count, 0, out, count, 0, bands, multiply, &refuses),
               SEICHE_BAD_ARGUMENT, "the callback returned 7 for band 1 (counted from 0)");
  EXPECT_FAULT(seiche_sphere_fft_to_grid(s.fft, in, count, 0, bands, with_sentence, NULL), SEICHE_UNSUPPORTED,
               "the third band is too much");
  EXPECT_FAULT(seiche_sphere_fft_to_grid(s.fft, in, count, 0, bands, multiply, &refuses), SEICHE_BAD_ARGUMENT,
               "the callback returned 7 for band 1"); /* not the message before */
  EXPECT_FAULT(seiche_sphere_fft_to_grid(s.fft, in, count, 0, bands, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "the callback must not be NULL");
  free(out);
  free(in);
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
}

/* Copies values between host and device memory, in the stream of the callback. */
static void copy_values(const seiche_device_bands* on, seiche_value value, const void* from, void* into) {
  seiche_box local = {{0, 0, 0}, {0, 0, 0}};
  for (int a = 0; a < 3; ++a) local.high[a] = on->box.high[a] - on->box.low[a];
  const seiche_box_array array = seiche_contiguous_box(&local, 0);
  const int64_t count = on->count * seiche_box_volume(&local);
  seiche_box_options options;
  seiche_box_exchange* exchange;
  EXPECT_OK(seiche_box_options_init(&options));
  options.space = SEICHE_SPACE_CUDA;
  options.stream = on->stream;
  EXPECT_OK(seiche_box_exchange_create(&exchange, MPI_COMM_SELF, local.high, &array, 1, &array, 1, &options));
  EXPECT_OK(seiche_box_exchange_copy(exchange, value, from, count, into, count, on->count));
  EXPECT_OK(seiche_box_exchange_destroy(&exchange));
}

static int multiply_on_device(const seiche_device_bands* on, void* user) {
  struct seen* seen = user;
  if (seen->refuse && on->first == 0) return 7;
  void* here = new_values(on->count * seiche_box_volume(&on->box));
  copy_values(on, seen->value, on->values, here);
  int64_t i = 0;
  for (int64_t b = on->first; b < on->first + on->count * on->step; b += on->step) {
    FOR_BOX(on->box) {
      const double complex value = get(here, seen->value, i);
      seen->error = fmax(seen->error, cabs(value - band_at(seen->value, b, x, y, z)));
      set(here, seen->value, i++, seen->factor * value);
    }
  }
  copy_values(on, seen->value, here, on->values);
  free(here);
  seen->points += i;
  return on->components == 1 && on->stream != 0 ? 0 : 1;
}

static void functions_on_device(seiche_value value) {
  struct sphere s = make_on(SEICHE_SPACE_CUDA, value);
  const int64_t count = bands * s.count;
  int64_t here = 0, first = 0;
  EXPECT_OK(seiche_sphere_fft_bands_here(s.fft, bands, &here, &first));
  void *in = coefficients_of(&s), *out = new_values(count);
  struct seen seen = {value, 3, 0, 0, 0}, once_more = {value, 2, 0, 0, 0}, again = {value, 1, 0, 0, 0};
  EXPECT_OK(
      seiche_sphere_fft_round_trip_on_device(s.fft, in, count, 0, out, count, 0, bands, multiply_on_device, &seen));
  EXPECT(seen.points == here * s.points && seen.error < 30 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_add_round_trip_on_device(s.fft, in, count, 0, out, count, 0, bands, multiply_on_device,
                                                       &once_more));
  double error = 0;
  for (int64_t i = 0; i < count; ++i) {
    error = fmax(error, cabs(get(out, complex_of(value), i) - 5 * get(in, complex_of(value), i)));
  }
  EXPECT(error < 200 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_to_grid_on_device(s.fft, in, count, 0, bands, multiply_on_device, &again));
  EXPECT(again.points == here * s.points && again.error < 30 * rounding(value));
  struct seen refuses = {value, 1, 0, 0, 1};
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(s.fft, in, count, 0, bands, multiply_on_device, &refuses),
               SEICHE_BAD_ARGUMENT, "the callback returned 7 for bands from 0");
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(s.fft, in, count, 0, bands, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "the callback must not be NULL");
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
  s = make(value);
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(s.fft, in, count, 0, bands, multiply_on_device, &refuses),
               SEICHE_UNSUPPORTED, "fft: to_grid with a callback on a device needs a plan on a device");
  free(out);
  free(in);
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
}

/* The potential 2 is a factor; the density of a band is its square. */
static void potential_and_density(seiche_value value) {
  struct sphere s = make(value);
  const int64_t count = bands * s.count;
  void *in = coefficients_of(&s), *out = new_values(count);
  double *potential = new_values(s.points), *density = new_values(s.points);
  const double weights[bands] = {0.5, 1, 2};
  for (int64_t i = 0; i < s.points; ++i) potential[i] = 2, density[i] = 10;
  EXPECT_OK(seiche_sphere_fft_apply_potential(s.fft, in, count, 0, out, count, 0, bands, potential, s.points));
  EXPECT_OK(seiche_sphere_fft_add_potential(s.fft, in, count, 0, out, count, 0, bands, potential, s.points));
  double error = 0;
  for (int64_t i = 0; i < count; ++i) {
    error = fmax(error, cabs(get(out, complex_of(value), i) - 4 * get(in, complex_of(value), i)));
  }
  EXPECT(error < 200 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_add_density(s.fft, in, count, 0, bands, weights, bands, density, s.points));
  int64_t i = 0;
  error = 0;
  FOR_BOX(s.box) {
    double sum = 10;
    for (int64_t b = 0; b < bands; ++b) sum += weights[b] * pow(cabs(band_at(value, b, x, y, z)), 2);
    error = fmax(error, fabs(density[i++] - sum));
  }
  EXPECT(error < 3000 * rounding(value));
  free(density);
  free(potential);
  free(out);
  free(in);
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
}

static void two_components(void) {
  seiche_sphere_fft* fft = NULL;
  seiche_fft_options options;
  seiche_box box;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int64_t count = rank == 0 ? 1 : 0;
  const double complex up_and_down[2] = {2, I};
  EXPECT_OK(seiche_fft_options_init(&options));
  EXPECT(options.band_groups == 0);
  options.components = 2;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, all_waves, count, &options));
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  const int64_t points = seiche_box_volume(&box);
  double* density = new_values(points);
  const double weight = 1;
  EXPECT_OK(seiche_sphere_fft_add_density(fft, up_and_down, 2 * count, 0, 1, &weight, 1, density, points));
  double error = 0;
  for (int64_t i = 0; i < points; ++i) error = fmax(error, fabs(density[i] - 5));
  EXPECT(error < 1e-13);
  /* v + b.sigma of v = 3, b = (1, 0, 2) on (2, i): (3 + 2) 2 + i, (3 - 2) i + 2 */
  double *potential = new_values(4 * points), *magnetism = new_values(4 * points);
  for (int64_t i = 0; i < points; ++i) potential[i] = 3, potential[points + i] = 1, potential[3 * points + i] = 2;
  double complex turned[2] = {0, 0};
  EXPECT_OK(seiche_sphere_fft_apply_potential(fft, up_and_down, 2 * count, 0, turned, 2 * count, 0, 1, potential,
                                              4 * points));
  EXPECT(count == 0 || (cabs(turned[0] - (10 + I)) < 1e-13 && cabs(turned[1] - (2 + I)) < 1e-13));
  /* of (2, i): n = 5, m = (0, 4, 3) */
  EXPECT_OK(seiche_sphere_fft_add_density(fft, up_and_down, 2 * count, 0, 1, &weight, 1, magnetism, 4 * points));
  const double known[4] = {5, 0, 4, 3};
  error = 0;
  for (int64_t i = 0; i < 4 * points; ++i) error = fmax(error, fabs(magnetism[i] - known[i / points]));
  EXPECT(error < 1e-13);
  free(magnetism);
  free(potential);
  struct seen seen = {SEICHE_COMPLEX_DOUBLE, 1, 0, 0, 0};
  EXPECT_FAULT(seiche_sphere_fft_to_grid(fft, up_and_down, 2 * count, 0, 1, multiply, &seen), SEICHE_BAD_ARGUMENT,
               "returned 1");
  free(density);
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
}

/* There and back: the values themselves, and their sum over band groups, of which there is one. */
static void two_complex_fields(seiche_sphere_fft* fft, const seiche_box* mine, int64_t all, int64_t points) {
  double complex *values = new_values(4 * all), *there = new_values(4 * points);
  for (int64_t i = 0; i < 2 * all; ++i) values[i] = (double)i + 2.0 * I;
  EXPECT_OK(seiche_sphere_fft_spread_complex(fft, mine, values, 2 * all, there, 2 * points));
  double error = 0;
  for (int64_t i = 0; i < 2 * points; ++i) error = fmax(error, fabs(cimag(there[i]) - 2));
  EXPECT_OK(seiche_sphere_fft_collect_complex(fft, there, 2 * points, mine, values, 2 * all));
  for (int64_t i = 0; i < 2 * all; ++i) error = fmax(error, cabs(values[i] - 2 * ((double)i + 2.0 * I)));
  EXPECT(error == 0);
  EXPECT_FAULT(seiche_sphere_fft_collect_complex(fft, there, points, mine, values, 2 * all), SEICHE_BAD_ARGUMENT,
               "pass one value per point and field");
  free(there);
  free(values);
}

/* A grid that rank 0 has alone, and rows of coefficients longer than there are waves. */
static void callers_layout(void) {
  struct sphere s = make(SEICHE_COMPLEX_DOUBLE);
  const seiche_box whole = {{0, 0, 0}, {shape[0], shape[1], shape[2]}};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int64_t all = rank == 0 ? seiche_box_volume(&whole) : 0;
  const seiche_box* mine = rank == 0 ? &whole : NULL;
  double *values = new_values(all), *here = new_values(s.points);
  for (int64_t i = 0; i < all; ++i) values[i] = (double)i;
  EXPECT_OK(seiche_sphere_fft_spread(s.fft, mine, values, all, here, s.points));
  double error = 0;
  int64_t i = 0;
  FOR_BOX(s.box) error = fmax(error, fabs(here[i++] - (double)(x + shape[0] * (y + shape[1] * z))));
  EXPECT(error == 0);
  EXPECT_OK(seiche_sphere_fft_collect(s.fft, here, s.points, mine, values, all));
  for (i = 0; i < all; ++i) error = fmax(error, fabs(values[i] - 2 * (double)i));
  EXPECT(error == 0);
  EXPECT_FAULT(seiche_sphere_fft_spread(s.fft, NULL, NULL, 0, here, s.points), SEICHE_BAD_ARGUMENT,
               "points of a target box");
  two_complex_fields(s.fft, mine, all, s.points);

  const int64_t row = s.count + 2;
  double complex *in = new_values(2 * bands * row), *out = new_values(2 * bands * row);
  for (i = 0; i < 2 * bands * row; ++i) in[i] = i % row < s.count ? 1.0 + (double)i : 1e9;
  for (i = 0; i < s.points; ++i) here[i] = 3;
  EXPECT_OK(seiche_sphere_fft_apply_potential(s.fft, in, 2 * bands * row, row, out, 2 * bands * row, row, bands, here,
                                              s.points));
  for (i = 0; i < 2 * bands * row; ++i)
    error = fmax(error, cabs(out[i] - (i % row < s.count && i < bands * row ? 3 * in[i] : 0)));
  EXPECT(error < 1e-11);
  free(out);
  free(in);
  free(here);
  free(values);
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));
}

static void reports_and_layout(void) {
  struct sphere s = make(SEICHE_COMPLEX_DOUBLE);
  seiche_fft_report report = {sizeof report, -1, -1, -1, -1, -1, "", "", "", "", "", -1};
  seiche_progress_report progress = {sizeof progress, -1, -1, -1, -1, -1};
  seiche_box boxes[64];
  int64_t here = -1, first = -1, found = -1;
  int rank, ranks, owners[most];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_OK(seiche_sphere_fft_report(s.fft, &report));
  EXPECT(report.memory > 0 && report.library[0] != 0);
  EXPECT_OK(seiche_sphere_fft_progress(s.fft, &progress));
  EXPECT(progress.waited == 0);
  EXPECT_OK(seiche_sphere_fft_bands_here(s.fft, 5, &here, &first));
  EXPECT(here == 5 && first == 0);
  EXPECT_OK(seiche_sphere_grid_boxes(ranks, shape, NULL, boxes, ranks));
  EXPECT(memcmp(&s.box, &boxes[rank], sizeof s.box) == 0);
  EXPECT_OK(seiche_balanced_owners(all_waves, most, 2, owners, most));
  EXPECT(owners[0] + owners[1] + owners[2] + owners[3] == 2); /* four sticks of one wave on two ranks */
  EXPECT_OK(seiche_sphere_fft_destroy(&s.fft));

  /* |G|^2 / 2 <= 0.5 in a cell of side 2 pi: the origin and six neighbours; of pairs, one of each */
  const double b[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, k[3] = {0, 0, 0};
  seiche_miller near[7];
  EXPECT_OK(seiche_sphere_of_waves(b, k, 0.5, 0, NULL, 0, &found));
  EXPECT(found == 7);
  EXPECT_OK(seiche_sphere_of_waves(b, k, 0.5, 0, near, 7, &found));
  EXPECT(near[0].x == -1 && near[3].x == 0 && near[6].x == 1 && near[2].z == -1);
  EXPECT_OK(seiche_sphere_of_waves(b, k, 0.5, 1, near, 7, &found));
  EXPECT(found == 4);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 4; ++i) {
    arrays(all_values[i]);
    functions(all_values[i]);
    functions_on_device(all_values[i]);
    potential_and_density(all_values[i]);
  }
  two_components();
  callers_layout();
  reports_and_layout();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
