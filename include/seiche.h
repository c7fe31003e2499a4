/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Seiche for programs in C (C99) and other languages: FFTs of dense grids and of spheres of plane waves,
 * operators on grids, block-sparse products, autotuning. Functions for files are in seiche_files.h. Programs with
 * block-sparse matrices link to the library seiche_blocksparse. */
#ifndef SEICHE_H
#define SEICHE_H

#include "seiche/c/blocksparse.h"
#include "seiche/c/boxes.h"
#include "seiche/c/exact_exchange.h"
#include "seiche/c/fft.h"
#include "seiche/c/grid_operator.h"
#include "seiche/c/pair_densities.h"
#include "seiche/c/product.h"
#include "seiche/c/status.h"
#include "seiche/c/tuning.h"

#endif
