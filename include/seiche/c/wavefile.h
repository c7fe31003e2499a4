/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Files of wavefunctions, and what is known of them besides coefficients. Hartree and bohr; k-points and
 * translations in units of the lattice. docs/wavefile.md */
#ifndef SEICHE_C_WAVEFILE_H
#define SEICHE_C_WAVEFILE_H

#include "seiche/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A wavefunction file or directory, opened by all ranks of a communicator together. */
typedef struct seiche_wavefile seiche_wavefile;
/** What is known of a set of orbitals besides their coefficients. */
typedef struct seiche_header seiche_header;

/** How coefficients travel between ranks, and between ranks and files. Alike on all ranks but for `memory`. */
typedef struct seiche_move_options {
  size_t size; /**< set by seiche_move_options_init() */
  seiche_algorithm algorithm;
  seiche_progress progress;
  int window;     /**< rounds of bands in flight; 0: by rule */
  int density;    /**< of seiche_wavefile_convert() alone: 1: the density beside the waves goes along; 0 */
  int64_t memory; /**< bytes that this rank may take for it; 0: about 64 MB */
  void (*on_progress)(double done, void* user); /**< called with the fraction done, 0 to 1; NULL */
  void* user;                                   /**< for on_progress */
} seiche_move_options;

SEICHE_API seiche_status seiche_move_options_fill(seiche_move_options* options, size_t size);
static inline seiche_status seiche_move_options_init(seiche_move_options* options) {
  return seiche_move_options_fill(options, sizeof *options);
}

/** Collective. The format is found from content. Error on every rank alike when the file is missing, damaged or of no
 * known format. */
SEICHE_API seiche_status seiche_wavefile_create(seiche_wavefile** file, MPI_Comm comm, const char* path);
/** Collective. */
SEICHE_API seiche_status seiche_wavefile_destroy(seiche_wavefile** file);
/** Collective. What a WAVECAR leaves out, from the files beside it: atoms from a POSCAR or CONTCAR, weights of k-points
 * from an IBZKPT, KPOINTS or vasprun.xml; NULL: nothing. */
SEICHE_API seiche_status seiche_wavefile_complete(seiche_wavefile* file, const char* atoms, const char* kpoints);
/** Collective. The waves of k-point k at the file positions low <= i < high, which may differ from rank to rank. */
SEICHE_API seiche_status seiche_wavefile_waves(const seiche_wavefile* file, int spin, int k, int64_t low, int64_t high,
                                               seiche_miller* waves, int64_t wave_count);
/** Collective. Coefficients [band][component][wave], complex doubles, of bands first <= b < last at these positions. */
SEICHE_API seiche_status seiche_wavefile_coefficients(const seiche_wavefile* file, int spin, int k,
                                                      const int64_t bands[2], const int64_t positions[2],
                                                      void* coefficients, int64_t coefficient_count);

/** Collective. Writes the file again in another format ("qe", "wfn", ...; NULL: by the name). It appears under its name
 * when it is complete. `options` NULL: as initialised. */
SEICHE_API seiche_status seiche_wavefile_convert(const seiche_wavefile* file, const char* path, const char* format,
                                                 const seiche_move_options* options);
/** Collective. Writes the full Brillouin zone that the crystal's operations make of the file. */
SEICHE_API seiche_status seiche_wavefile_expand(const seiche_wavefile* file, const char* path, const char* format,
                                                const seiche_move_options* options);

/** What of two files is compared. */
typedef struct seiche_compare_options {
  size_t size;                  /**< set by seiche_compare_options_init() */
  int bands;                    /**< the first so many of each file; 0: all */
  int occupied;                 /**< 1: of each k-point only those that hold electrons; 0 */
  double overlap, norm, energy; /**< what differs by no more is the same: 1e-9, 1e-6 (relative), 1e-6 (hartree) */
} seiche_compare_options;

SEICHE_API seiche_status seiche_compare_options_fill(seiche_compare_options* options, size_t size);
static inline seiche_status seiche_compare_options_init(seiche_compare_options* options) {
  return seiche_compare_options_fill(options, sizeof *options);
}

/** How alike two sets of wavefunctions are, whatever mixes degenerate bands. Set `size` to its sizeof. */
typedef struct seiche_comparison {
  size_t size;
  int equal;               /**< 1: all within the tolerance */
  int worst_spin, worst_k; /**< of the worst group of bands, and its bands low .. high - 1 */
  int worst_low, worst_high;
  int reserved;
  double overlap;                  /**< of the worst group: smallest singular value of the overlap, 0 to 1 */
  double norm, energy, occupation; /**< largest differences */
  char difference[256];            /**< what keeps them from being compared at all; "": nothing */
} seiche_comparison;

/** Collective. Two files on the same ranks. */
SEICHE_API seiche_status seiche_wavefile_compare(const seiche_wavefile* a, const seiche_wavefile* b,
                                                 const seiche_compare_options* options, seiche_comparison* comparison);

/* --------------------------------------------------------------------------------------------------------- headers */

SEICHE_API seiche_status seiche_header_create_of_file(seiche_header** header, const seiche_wavefile* file);
SEICHE_API seiche_status seiche_header_destroy(seiche_header** header);

/** The numbers of a header. Set `size` to sizeof(seiche_header_info). */
typedef struct seiche_header_info {
  size_t size;
  int64_t grid[3];                   /**< of the density's FFT */
  double lattice[9];                 /**< a1, a2, a3 in a row, bohr */
  double cutoff, density_cutoff;     /**< hartree */
  double electrons;                  /**< in the cell */
  double total_energy, fermi_energy; /**< hartree; NaN where the file does not say */
  int spins;                         /**< 1 or 2 sets of bands */
  int spinor;                        /**< components of one wavefunction */
  int half_sphere;                   /**< 1: of each pair G, -G one is kept */
  int bands;                         /**< of each spin */
  int density_components;            /**< of the density beside the waves; 0: there is none */
  int magnetism;                     /**< 0: none, 1: collinear, 2: vector */
  int norm_conserving;               /**< 0: no, 1: yes, 2: not known */
  int weighted;                      /**< 0: the file has no weights of k-points, and those here are equal */
  int64_t kpoint_count, atom_count, operation_count;
  char format[64]; /**< e.g. "Quantum ESPRESSO .save (dat)" */
} seiche_header_info;

/** A header of a code's own: of these numbers, with as many k-points, atoms, operations (the identity first) and states
 * as they say, all zero until they are set. */
SEICHE_API seiche_status seiche_header_create(seiche_header** header, const seiche_header_info* info);
/** As the functions that get them have them; `count`, as there: all. */
SEICHE_API seiche_status seiche_header_set_kpoints(seiche_header* header, const double* k, const double* weights,
                                                   const int64_t* plane_waves, int64_t count);
SEICHE_API seiche_status seiche_header_set_states(seiche_header* header, const double* energies,
                                                  const double* occupations, int64_t count);
SEICHE_API seiche_status seiche_header_set_atom(seiche_header* header, int64_t atom, const double position[3],
                                                const char* symbol);
SEICHE_API seiche_status seiche_header_set_operation(seiche_header* header, int64_t operation, const int rotation[9],
                                                     const double translation[3], int time_reversal);

/** What a file of format `format` (NULL: by the name `path`) cannot say of the header, in sentences, each ended by
 * "\n"; "": it can say all. Good until the header is asked again, or destroyed. `density`: 1: its density goes along.
 * Error when such a file cannot hold these wavefunctions at all, or not that density. */
SEICHE_API seiche_status seiche_header_losses(seiche_header* header, const char* path, const char* format, int density,
                                              const char** sentences);

SEICHE_API seiche_status seiche_header_get_info(const seiche_header* header, seiche_header_info* info);
/** k (3 for each k-point, in units of b1, b2, b3), weights, numbers of plane waves; NULL: not wanted. `count`: k-points
 * for which there is room. */
SEICHE_API seiche_status seiche_header_get_kpoints(const seiche_header* header, double* k, double* weights,
                                                   int64_t* plane_waves, int64_t count);
/** [spin][k][band], hartree; electrons of one spin state, 0 to 1. NULL: not wanted. */
SEICHE_API seiche_status seiche_header_get_states(const seiche_header* header, double* energies, double* occupations,
                                                  int64_t count);
/** Cartesian position, bohr, and element's symbol of an atom; the symbol is good until the header is destroyed. */
SEICHE_API seiche_status seiche_header_get_atom(const seiche_header* header, int64_t atom, double position[3],
                                                const char** symbol);
/** Operation {R|t} in units of the lattice: R in rows. */
SEICHE_API seiche_status seiche_header_get_operation(const seiche_header* header, int64_t operation, int rotation[9],
                                                     double translation[3], int* time_reversal);

#ifdef __cplusplus
}
#endif

#endif
