/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Electron densities: from wavefunctions, from files, compared, written. docs/density.md */
#ifndef SEICHE_C_DENSITY_H
#define SEICHE_C_DENSITY_H

#include "seiche/c/fft.h"
#include "seiche/c/orbitals.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A density on its grid, spread over ranks in boxes whose rows along x are whole: the total; then nothing, or m_z, or
 * m_x, m_y, m_z. */
typedef struct seiche_density seiche_density;

/** How a density is summed. */
typedef struct seiche_density_options {
  size_t size;                   /**< set by seiche_density_options_init() */
  const seiche_fft_options* fft; /**< of transforms; NULL: as initialised, reproducible */
  seiche_algorithm algorithm;    /**< of bands on their way to transforms, as the next three */
  seiche_progress progress;
  int window;
  int as_they_are; /**< 1: the bands' own sum, whether or not it holds the header's electrons; 0 */
  int64_t memory;
  void (*on_progress)(double done, void* user); /**< NULL */
  void* user;                                   /**< for on_progress */
} seiche_density_options;

SEICHE_API seiche_status seiche_density_options_fill(seiche_density_options* options, size_t size);
static inline seiche_status seiche_density_options_init(seiche_density_options* options) {
  return seiche_density_options_fill(options, sizeof *options);
}

/** Collective. The sum over spins, k-points and bands of weight x occupation x |psi(r)|^2, symmetrised. Error unless it
 * holds the header's electrons. */
SEICHE_API seiche_status seiche_density_create_of_file(seiche_density** density, const seiche_wavefile* file,
                                                       const seiche_density_options* options);
SEICHE_API seiche_status seiche_density_create_of_orbitals(seiche_density** density, const seiche_orbitals* orbitals,
                                                           const seiche_density_options* options);
/** Collective. The density that a code wrote beside its waves. */
SEICHE_API seiche_status seiche_density_create_beside(seiche_density** density, const seiche_wavefile* file);
/** Collective. A file of a density, or of another quantity on a grid. */
SEICHE_API seiche_status seiche_density_create_read(seiche_density** density, MPI_Comm comm, const char* path);
/** Collective. The same, laid out as `like`, on whose grid it must be. */
SEICHE_API seiche_status seiche_density_create_read_like(seiche_density** density, const char* path,
                                                         const seiche_density* like);
SEICHE_API seiche_status seiche_density_destroy(seiche_density** density);

SEICHE_API seiche_status seiche_density_grid(const seiche_density* density, int64_t shape[3], seiche_box* box,
                                             int* components);
/** The values of a component on this rank's box, [z][y][x], in electrons per bohr^3; they may be changed. */
SEICHE_API seiche_status seiche_density_values(seiche_density* density, int component, double** values, int64_t* count);
/** Collective. Electrons in the cell, and the integrals of the magnetisation's components. */
SEICHE_API seiche_status seiche_density_integrals(const seiche_density* density, double* integrals, int64_t count);
/** Collective. Largest |a - b| over the largest |b|: of the total, and of the magnetisation; NaN where there is none.
 */
SEICHE_API seiche_status seiche_density_compare(const seiche_density* a, const seiche_density* b, double* total,
                                                double* magnetisation);
/** Collective. .cube, .xsf, .h5, or charge-density.dat or .hdf5, by the name. */
SEICHE_API seiche_status seiche_density_write(const seiche_density* density, const char* path);
/** Collective. A PNG picture of the total on a plane through atoms. */
SEICHE_API seiche_status seiche_density_draw(const seiche_density* density, const char* path);

#ifdef __cplusplus
}
#endif

#endif
