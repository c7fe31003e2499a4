/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Distributed three-dimensional Fourier transforms: f(r) = sum_G c(G) exp(+i G.r). Forward transforms carry the
 * 1/(nx ny nz). Grids are indexed (x, y, z) with x fastest in memory: in C [z][y][x]. docs/fft.md */
#ifndef SEICHE_C_FFT_H
#define SEICHE_C_FFT_H

#include "seiche/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which library transforms the lines. */
typedef enum seiche_line_library SEICHE_INT {
  SEICHE_LINES_AUTOMATIC = 0,
  SEICHE_LINES_FFTW = 1,
  SEICHE_LINES_MKL = 2,
  SEICHE_LINES_DUCC = 3,
  SEICHE_LINES_FASTEST = 4 /**< the faster of MKL on Intel's processors, else FFTW, and DUCC, for each kind of lines */
} seiche_line_library;

/** How ranks share the grid. */
typedef enum seiche_decomposition SEICHE_INT {
  SEICHE_DECOMPOSITION_AUTOMATIC = 0, /**< slab while every rank can have a plane, pencil beyond */
  SEICHE_DECOMPOSITION_SLAB = 1,
  SEICHE_DECOMPOSITION_PENCIL = 2,
  SEICHE_DECOMPOSITION_PENCIL_YZ = 3
} seiche_decomposition;

/** What a plan can be asked for; seiche_fft_options_init() fills in what suits nearly all. Alike on all ranks but for
 * `memory`. */
typedef struct seiche_fft_options {
  size_t size; /**< set by seiche_fft_options_init() */
  seiche_algorithm algorithm;
  seiche_progress progress;
  seiche_line_library library;
  seiche_decomposition decomposition;
  int window;           /**< bands in flight at once; 0: 3 where exchanges go on meanwhile, else 1 */
  int threads;          /**< OpenMP threads of this rank; 1 */
  int64_t memory;       /**< bytes that this rank may take for it; what cannot fit is refused; 0: no limit */
  int reproducible;     /**< 1: results independent of the number of ranks to the last bit; 0 */
  int band_groups;      /**< groups of ranks that share out the bands of a call (spheres); 0: as tuned, else by nodes */
  int rounded_exchange; /**< 1: doubles travel between ranks as floats; 0 */
  int components;       /**< of a band: 2 for spinors (spheres); 1 */
  const int* chunks;    /**< relative sizes of the parts in which a dense transform is exchanged; NULL */
  int64_t chunk_count;  /**< 0: by the size of messages */
} seiche_fft_options;

/** Fills in the defaults of the first `size` bytes. */
SEICHE_API seiche_status seiche_fft_options_fill(seiche_fft_options* options, size_t size);
static inline seiche_status seiche_fft_options_init(seiche_fft_options* options) {
  return seiche_fft_options_fill(options, sizeof *options);
}

/** What a plan does and costs. Set `size` to sizeof(seiche_fft_report) before it is filled in. */
typedef struct seiche_fft_report {
  size_t size;
  int64_t bytes_sent;        /**< by this rank to others, for one transform */
  int64_t bytes_lower_bound; /**< of values that this rank must give away in any case */
  int64_t memory;            /**< bytes of this rank that transforms need */
  int window, band_groups;
  char library[16], algorithm[16], decomposition[16];
} seiche_fft_report;

/** What became of a rank's time in all calls of a plan, seconds. Set `size` to sizeof(seiche_progress_report). */
typedef struct seiche_progress_report {
  size_t size;
  double worked, waited; /**< computing; with nothing left to do but to wait */
  double skew;           /**< by which ranks came apart to the last calls */
  int64_t polls, moves;  /**< while computing; those that moved something */
} seiche_progress_report;

/** A window on grid values in memory: element (x, y, z) is data[x * stride[0] + y * stride[1] + z * stride[2]]. */
typedef struct seiche_view {
  void* data;
  int64_t shape[3], stride[3]; /**< elements; stride[0] is 1 */
} seiche_view;

/* ------------------------------------------------------------------------------------------------- dense grids */

/** Transforms a dense grid. Grid values are of the plan's kind of value; the spectrum's are always complex: nx/2+1
 * along x where grid values are real, else nx. */
typedef struct seiche_dense_fft seiche_dense_fft;
/** Values of one dense grid in a plan's own, padded memory; they are its grid or its spectrum. */
typedef struct seiche_field seiche_field;

/** Collective over `comm`. `shape`: nx, ny, nz. `options` NULL: as seiche_fft_options_init() has them. */
SEICHE_API seiche_status seiche_dense_fft_create(seiche_dense_fft** fft, MPI_Comm comm, seiche_value value,
                                                 const int64_t shape[3], const seiche_fft_options* options);
/** Where this rank holds its part of each of several fields, in an array of its own. Strides count values of the array:
 * reals, or complex numbers. */
typedef struct seiche_field_array {
  seiche_box box;       /**< its part of each field; may be empty */
  int64_t stride[3];    /**< from point to point along x, y and z */
  int64_t field_stride; /**< from field to field */
} seiche_field_array;
/** All fields of a point side by side, [z][y][x][field]; or one after another, [field][z][y][x]. */
static inline seiche_field_array seiche_interleaved(const seiche_box* box, int64_t fields) {
  const int64_t nx = box->high[0] - box->low[0], ny = box->high[1] - box->low[1];
  const seiche_field_array array = {*box, {fields, fields * nx, fields * nx * ny}, 1};
  return array;
}
static inline seiche_field_array seiche_consecutive(const seiche_box* box) {
  const int64_t nx = box->high[0] - box->low[0], ny = box->high[1] - box->low[1];
  const seiche_field_array array = {*box, {1, nx, nx * ny}, nx * ny * (box->high[2] - box->low[2])};
  return array;
}
/** Fields that are transformed together, in callers' own arrays. Set `size` to sizeof(seiche_dense_arrays). */
typedef struct seiche_dense_arrays {
  size_t size;
  int64_t fields;
  seiche_field_array grid;     /**< whole planes of constant z: any range of z on each rank, or none */
  seiche_field_array spectrum; /**< whole columns along z, any range of y; or, on all ranks, the planes of the grid */
  int in_place;                /**< 1: both lie in the same memory */
  int plus;                    /**< 1: forward has exp(+i G.r), and backward exp(-i G.r); only for complex fields */
  int unscaled;                /**< 1: forward does not carry the 1/(nx ny nz) */
} seiche_dense_arrays;
/** Collective over `comm`. For such arrays: forward() and backward() take all fields at once, from the first value on,
 * and lengths may be longer than what they reach over. It has no fields of its own. */
SEICHE_API seiche_status seiche_dense_fft_create_for(seiche_dense_fft** fft, MPI_Comm comm, seiche_value value,
                                                     const int64_t shape[3], const seiche_dense_arrays* arrays,
                                                     const seiche_fft_options* options);
/** Collective. NULL in *fft is fine. */
SEICHE_API seiche_status seiche_dense_fft_destroy(seiche_dense_fft** fft);

/** Collective. Dense arrays of this rank's boxes, [z][y][x] without padding. Error where a length is not its box's. */
SEICHE_API seiche_status seiche_dense_fft_forward(seiche_dense_fft* fft, const void* grid, int64_t grid_count,
                                                  void* spectrum, int64_t spectrum_count);
SEICHE_API seiche_status seiche_dense_fft_backward(seiche_dense_fft* fft, const void* spectrum, int64_t spectrum_count,
                                                   void* grid, int64_t grid_count);
/** Collective. Replaces a call of forward or backward that this rank cannot make: all ranks get SEICHE_MISUSE and
 * `sentence`. See seiche_refuse_create(). */
SEICHE_API seiche_status seiche_dense_fft_refuse(const seiche_dense_fft* fft, seiche_status status,
                                                 const char* sentence);
/** Collective. In place. Error for a field of another plan, or one that does not hold grid values
 * (a spectrum). */
SEICHE_API seiche_status seiche_dense_fft_forward_field(seiche_dense_fft* fft, seiche_field* field);
SEICHE_API seiche_status seiche_dense_fft_backward_field(seiche_dense_fft* fft, seiche_field* field);
/** Collective. Moves what one forward and one backward would move, and computes nothing: what the exchanges cost alone.
 * `asleep`: 1: sleeps while it waits, so that its CPU time is theirs too. The field's values are lost. */
SEICHE_API seiche_status seiche_dense_fft_exchange_only(seiche_dense_fft* fft, seiche_field* field, int asleep);

/** The part of the grid (of the spectrum) that this rank holds. */
SEICHE_API seiche_status seiche_dense_fft_grid_box(const seiche_dense_fft* fft, seiche_box* box);
SEICHE_API seiche_status seiche_dense_fft_spectrum_box(const seiche_dense_fft* fft, seiche_box* box);
SEICHE_API seiche_status seiche_dense_fft_value(const seiche_dense_fft* fft, seiche_value* value);
SEICHE_API seiche_status seiche_dense_fft_report(const seiche_dense_fft* fft, seiche_fft_report* report);
SEICHE_API seiche_status seiche_dense_fft_progress(const seiche_dense_fft* fft, seiche_progress_report* report);

/** Collective. Memory for one grid, of a plan that it may outlive; destroyed collectively too. */
SEICHE_API seiche_status seiche_field_create(seiche_field** field, seiche_dense_fft* fft);
SEICHE_API seiche_status seiche_field_destroy(seiche_field** field);
/** Where the values lie: of the plan's kind, and complex. Error while the field holds the other. */
SEICHE_API seiche_status seiche_field_grid(const seiche_field* field, seiche_view* grid);
SEICHE_API seiche_status seiche_field_spectrum(const seiche_field* field, seiche_view* spectrum);
/** Collective. From here on the field holds grid values (a spectrum), to be filled in; what it held is lost. */
SEICHE_API seiche_status seiche_field_become_grid(seiche_field* field);
SEICHE_API seiche_status seiche_field_become_spectrum(seiche_field* field);

/* ------------------------------------------------------------------------------------------ spheres of plane waves */

/** Transforms coefficients of plane waves to a grid and back. Kind of value: complex for full spheres; real for half
 * spheres, where c(-G) = conj c(G) and one of G and -G is given. Coefficients are always complex,
 * [band][component][wave]; grid values are of the kind of value, [band][component][z][y][x]. Rows of coefficients may
 * be longer than there are waves (a leading dimension): their number says how long they are. */
typedef struct seiche_sphere_fft seiche_sphere_fft;

/** Part of a band on the grid. */
typedef struct seiche_grid_part {
  int64_t band;
  seiche_box box; /**< the points of the whole grid that these are; rows along x are whole */
  int components;
  const seiche_view* component; /**< each component's values, of the plan's kind */
} seiche_grid_part;

/** A function of real space; it may change the values. Called for every band and each part of it that is here, maybe
 * from several threads at once. It may not use the plan that calls it. Ranks call it at different times: a collective
 * call in it is safe on MPI_COMM_SELF only. With one of the options' threads it may call MPI; with more it needs
 * MPI_THREAD_MULTIPLE for that. Returns 0, or another number that ends the call with an error on all ranks. */
typedef int (*seiche_grid_function)(const seiche_grid_part* part, void* user);

/** Collective over `comm`. `waves`: those whose coefficients this rank holds, in its order;
 * their number may be 0. Error where a wave does not fit the grid or is given twice. */
SEICHE_API seiche_status seiche_sphere_fft_create(seiche_sphere_fft** fft, MPI_Comm comm, seiche_value value,
                                                  const int64_t shape[3], const seiche_miller* waves,
                                                  int64_t wave_count, const seiche_fft_options* options);
/** Collective. NULL in *fft is fine. */
SEICHE_API seiche_status seiche_sphere_fft_destroy(seiche_sphere_fft** fft);

/** Collective. `coefficients`: bands x components x waves; `grid`: bands_here x components x points of grid_box. */
SEICHE_API seiche_status seiche_sphere_fft_backward(seiche_sphere_fft* fft, const void* coefficients,
                                                    int64_t coefficient_count, void* grid, int64_t grid_count,
                                                    int64_t bands);
SEICHE_API seiche_status seiche_sphere_fft_forward(seiche_sphere_fft* fft, const void* grid, int64_t grid_count,
                                                   void* coefficients, int64_t coefficient_count, int64_t bands);
/** Collective. For each band: to the grid, `function`, and back; `in` and `out` may be the same. */
SEICHE_API seiche_status seiche_sphere_fft_round_trip(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                      void* out, int64_t out_count, int64_t bands,
                                                      seiche_grid_function function, void* user);
/** Collective. The same, and what comes back is added to `out`. */
SEICHE_API seiche_status seiche_sphere_fft_add_round_trip(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                          void* out, int64_t out_count, int64_t bands,
                                                          seiche_grid_function function, void* user);
/** Collective. For each band: to the grid and `function`; no grid is stored, and nothing comes back. */
SEICHE_API seiche_status seiche_sphere_fft_to_grid(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                   int64_t bands, seiche_grid_function function, void* user);
/** Collective. A round trip in which each band is multiplied by a real potential, one double for each point of
 * grid_box; of complex spinors also four for each, v, bx, by, bz one after another: v + b.sigma. */
SEICHE_API seiche_status seiche_sphere_fft_apply_potential(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                           void* out, int64_t out_count, int64_t bands,
                                                           const double* potential, int64_t points);
/** Collective. The same, added to `out`: h_psi += V psi. */
SEICHE_API seiche_status seiche_sphere_fft_add_potential(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                         void* out, int64_t out_count, int64_t bands,
                                                         const double* potential, int64_t points);
/** Collective. Adds sum_b weights[b] |psi_b(r)|^2 to `density`, one double for each point of grid_box: of the bands of
 * this rank's group. Of complex spinors also four for each: n, mx, my, mz. */
SEICHE_API seiche_status seiche_sphere_fft_add_density(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                       int64_t bands, const double* weights, int64_t weight_count,
                                                       double* density, int64_t points);

/** Collective. Replaces a call on bands (backward, ..., add_density) that this rank cannot make: all ranks get
 * `status` and `sentence`. See seiche_refuse_create(). */
SEICHE_API seiche_status seiche_sphere_fft_refuse(const seiche_sphere_fft* fft, seiche_status status,
                                                  const char* sentence);

/** Collective. Copies a potential from the caller's layout of the grid, `box` on this rank, to `here` on grid_box, in
 * every band group. The boxes of all ranks make up the grid, each point once; some may be empty (NULL). Arrays may hold
 * several fields, one after another, as many on all ranks. The plan keeps its exchange for later calls with the same
 * boxes. */
SEICHE_API seiche_status seiche_sphere_fft_spread(seiche_sphere_fft* fft, const seiche_box* box, const double* values,
                                                  int64_t value_count, double* here, int64_t points);
/** Collective. Adds to `values` the densities in `here`, summed over band groups. The way back of spread, by the same
 * rules. */
SEICHE_API seiche_status seiche_sphere_fft_collect(seiche_sphere_fft* fft, const double* here, int64_t points,
                                                   const seiche_box* box, double* values, int64_t value_count);
/** Collective. The same of complex values, each of two doubles; counts are of complex values. */
SEICHE_API seiche_status seiche_sphere_fft_spread_complex(seiche_sphere_fft* fft, const seiche_box* box,
                                                          const void* values, int64_t value_count, void* here,
                                                          int64_t points);
SEICHE_API seiche_status seiche_sphere_fft_collect_complex(seiche_sphere_fft* fft, const void* here, int64_t points,
                                                           const seiche_box* box, void* values, int64_t value_count);

/** Collective. Moves what a round trip would move, and computes nothing. */
SEICHE_API seiche_status seiche_sphere_fft_exchange_only(seiche_sphere_fft* fft, int64_t bands, int asleep);

SEICHE_API seiche_status seiche_sphere_fft_grid_box(const seiche_sphere_fft* fft, seiche_box* box);
/** How many of `bands` bands this rank's group transforms: `first`, and every band_groups-th after it. */
SEICHE_API seiche_status seiche_sphere_fft_bands_here(const seiche_sphere_fft* fft, int64_t bands, int64_t* here,
                                                      int64_t* first);
SEICHE_API seiche_status seiche_sphere_fft_value(const seiche_sphere_fft* fft, seiche_value* value);
SEICHE_API seiche_status seiche_sphere_fft_report(const seiche_sphere_fft* fft, seiche_fft_report* report);
SEICHE_API seiche_status seiche_sphere_fft_progress(const seiche_sphere_fft* fft, seiche_progress_report* report);

/** The way to the grid for bands that come by and by, counted through all of them: what add() brings is on its way
 * while the caller gets more. */
typedef struct seiche_sphere_stream seiche_sphere_stream;
/** Collective. */
SEICHE_API seiche_status seiche_sphere_stream_create(seiche_sphere_stream** stream, seiche_sphere_fft* fft,
                                                     seiche_grid_function function, void* user);
/** Collective. `in` has been read when it returns; the function may be called later, until finish() has returned. */
SEICHE_API seiche_status seiche_sphere_stream_add(seiche_sphere_stream* stream, const void* in, int64_t in_count,
                                                  int64_t bands);
/** What went wrong on this rank, in a sentence, and finish() is to tell on all: this rank still has to add what the
 * others add, of any values, and to finish. */
SEICHE_API seiche_status seiche_sphere_stream_fail(seiche_sphere_stream* stream, const char* sentence);
/** Collective. Error for what went wrong on any rank since the beginning. */
SEICHE_API seiche_status seiche_sphere_stream_finish(seiche_sphere_stream* stream);
/** Collective. Without finish() before it, what is on its way comes to its end without a call of the function. */
SEICHE_API seiche_status seiche_sphere_stream_destroy(seiche_sphere_stream** stream);

/* ------------------------------------------------------------------------------------------ who holds what, planless
 */

/** Which box of the grid each of `ranks` ranks holds, into boxes[ranks]: the grid_box of a plan with these options. */
SEICHE_API seiche_status seiche_dense_grid_boxes(int ranks, const int64_t shape[3], const seiche_fft_options* options,
                                                 seiche_box* boxes, int64_t box_count);
SEICHE_API seiche_status seiche_sphere_grid_boxes(int ranks, const int64_t shape[3], const seiche_fft_options* options,
                                                  seiche_box* boxes, int64_t box_count);
/** The rank that should own each wave so that sticks stay whole and all get nearly as many; the same on every rank. */
SEICHE_API seiche_status seiche_balanced_owners(const seiche_miller* waves, int64_t wave_count, int ranks, int* owners,
                                                int64_t owner_count);
/** The waves G with |k + G|^2 / 2 <= cutoff (hartree) in x, y, z order, for reciprocal vectors b1, b2, b3 in a
 * row (bohr^-1) and k in units of them; `half`: one of each pair G, -G. Puts their number into `found` and, unless
 * `waves` is NULL, them into `waves`. Error when there are more than `capacity`. */
SEICHE_API seiche_status seiche_sphere_of_waves(const double b[9], const double k[3], double cutoff, int half,
                                                seiche_miller* waves, int64_t capacity, int64_t* found);

#ifdef __cplusplus
}
#endif

#endif
