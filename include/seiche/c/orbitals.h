/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Wavefunctions in memory, spread over k-points x bands x plane waves; other bases, the full zone.
 * docs/orbitals.md */
#ifndef SEICHE_C_ORBITALS_H
#define SEICHE_C_ORBITALS_H

#include "seiche/c/tuning.h"
#include "seiche/c/wavefile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct seiche_orbitals seiche_orbitals;

/** For all waves of k-point k, in its order: which wave group, from 0, holds each, into owners[count]; the same on
 * every rank. Returns 0, or another number that ends the call with an error. */
typedef int (*seiche_wave_owners)(int k, const seiche_miller* waves, int64_t count, int* owners, void* user);

/** Ranks arranged as kpoints x bands x waves groups: rank = (k group x bands + band group) x waves + wave group. */
typedef struct seiche_orbital_layout {
  size_t size;               /**< set by seiche_orbital_layout_init() */
  int kpoints, bands, waves; /**< 1, 1, 1; their product is the number of ranks */
  seiche_wave_owners owners; /**< NULL: nearly equal parts in a row */
  void* user;                /**< for owners */
} seiche_orbital_layout;

SEICHE_API seiche_status seiche_orbital_layout_fill(seiche_orbital_layout* layout, size_t size);
static inline seiche_status seiche_orbital_layout_init(seiche_orbital_layout* layout) {
  return seiche_orbital_layout_fill(layout, sizeof *layout);
}

/** Collective. Orbitals of zeros, for codes that begin with their own: seiche_orbitals_part() says where each rank's
 * coefficients go. `waves`: those of all k-points of the header, one k-point after another. Error when the header has
 * other numbers of plane waves. */
SEICHE_API seiche_status seiche_orbitals_create(seiche_orbitals** orbitals, MPI_Comm comm, const seiche_header* header,
                                                const seiche_miller* waves, int64_t wave_count,
                                                const seiche_orbital_layout* layout);
/** Collective. A whole file, spread out. */
SEICHE_API seiche_status seiche_orbitals_create_read(seiche_orbitals** orbitals, const seiche_wavefile* file,
                                                     const seiche_orbital_layout* layout,
                                                     const seiche_move_options* options);
/** Collective. The same wavefunctions in another layout. */
SEICHE_API seiche_status seiche_orbitals_create_redistributed(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                              const seiche_orbital_layout* layout,
                                                              const seiche_move_options* options);
/** Collective. Redistributes the orbitals again and again in all ways that these ranks can use, and writes what won to
 * the tuning file, from which later moves of orbitals of such a size take it. `request` NULL: as initialised. */
SEICHE_API seiche_status seiche_tune_move(const seiche_orbitals* orbitals, const seiche_orbital_layout* layout,
                                          const seiche_tune_request* request, seiche_tune_report* report);
/** Collective. The full zone that the crystal's operations make of them; nothing is sent. */
SEICHE_API seiche_status seiche_orbitals_create_full_zone(seiche_orbitals** orbitals, const seiche_orbitals* of);
/** Collective. Bands made symmetric under the crystal's operations that keep their k-point. */
SEICHE_API seiche_status seiche_orbitals_create_symmetric(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                          const seiche_move_options* options);

/** How bands are made orthonormal. */
typedef enum seiche_orthonormal SEICHE_INT {
  SEICHE_AS_THEY_ARE = 0,
  SEICHE_LOEWDIN = 1, /**< changes all of them as little as possible */
  SEICHE_CHOLESKY = 2 /**< each band by those before it only */
} seiche_orthonormal;

/** What should change; what is left as initialised stays. */
typedef struct seiche_basis_request {
  size_t size;           /**< set by seiche_basis_request_init() */
  double cutoff;         /**< of the wavefunctions, hartree; 0 */
  double density_cutoff; /**< of the density, hartree; 0: changes as `cutoff` does */
  const double* lattice; /**< a1, a2, a3 in a row, bohr; NULL */
  const int64_t* grid;   /**< the density's FFT grid; NULL: the smallest that holds its sphere */
  int bands;             /**< the first so many; 0 */
  seiche_orthonormal orthonormal;
} seiche_basis_request;

SEICHE_API seiche_status seiche_basis_request_fill(seiche_basis_request* request, size_t size);
static inline seiche_status seiche_basis_request_init(seiche_basis_request* request) {
  return seiche_basis_request_fill(request, sizeof *request);
}

/** Collective. Wavefunctions in another basis. `norm_lost`: [spin][k][band] of the result, the part of each band's norm
 * on waves that were left out; NULL: not wanted. */
SEICHE_API seiche_status seiche_orbitals_create_reassigned(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                           const seiche_basis_request* request,
                                                           const seiche_move_options* options, double* norm_lost,
                                                           int64_t norm_count);
/** Collective. The bands of each spin and k-point made orthonormal. */
SEICHE_API seiche_status seiche_orbitals_create_orthonormal(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                            seiche_orthonormal how, const seiche_move_options* options);
/** Collective. */
SEICHE_API seiche_status seiche_orbitals_destroy(seiche_orbitals** orbitals);

SEICHE_API seiche_status seiche_header_create_of_orbitals(seiche_header** header, const seiche_orbitals* orbitals);

/** What this rank holds of one spin and k-point. Coefficients may be changed. */
typedef struct seiche_orbital_part {
  int spin, k;
  int64_t band_low, band_high; /**< bands low .. high - 1 */
  const seiche_miller* waves;
  int64_t wave_count;
  void* coefficients; /**< complex doubles, [band][component][wave] */
  int64_t coefficient_count;
} seiche_orbital_part;

SEICHE_API seiche_status seiche_orbitals_part_count(const seiche_orbitals* orbitals, int64_t* count);
SEICHE_API seiche_status seiche_orbitals_part(seiche_orbitals* orbitals, int64_t number, seiche_orbital_part* part);

/** Collective. A restart: the file's coefficients into memory that is there, spread out as it is. */
SEICHE_API seiche_status seiche_orbitals_read_into(seiche_orbitals* orbitals, const seiche_wavefile* file,
                                                   const seiche_move_options* options);
/** Collective. A file that appears under its name when it is complete; its bytes do not depend on the layout. */
SEICHE_API seiche_status seiche_orbitals_write(const seiche_orbitals* orbitals, const char* path, const char* format,
                                               const seiche_move_options* options);
/** Collective. <a_i|b_j> of all bands of two sets with the same k-points and waves: [spin][k][i][j], complex doubles,
 * on every rank. */
SEICHE_API seiche_status seiche_orbitals_overlaps(const seiche_orbitals* a, const seiche_orbitals* b,
                                                  const seiche_move_options* options, void* overlaps, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
