/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Seiche for programs in C: files of wavefunctions and densities, orbitals in memory, symmetry, changes of
 * basis. These functions are in the library seiche_files. */
#ifndef SEICHE_FILES_H
#define SEICHE_FILES_H

#include "seiche.h"
#include "seiche/c/density.h"
#include "seiche/c/orbitals.h"
#include "seiche/c/symmetry.h"
#include "seiche/c/wavefile.h"

#endif
