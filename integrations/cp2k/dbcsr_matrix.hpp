// SPDX-License-Identifier: BSD-3-Clause
/// \file  Converts matrices between DBCSR and Seiche.
///
/// DBCSR stores the blocks (i, j) with i <= j of a symmetric matrix. The owner of block (i, j) stores it if i + j is
/// even. Otherwise the owner of block (j, i) stores it. The functions below place each stored block where its owner
/// owns a block: as (i, j), or transposed as (j, i).
#pragma once

#include <vector>

#include "local_blocks.hpp"
#include "seiche/blocksparse.hpp"

/// A rectangle of elements.
struct Window {
  Limits rows, columns;
};

/// Collective for the first matrix on a communicator. Returns the layout of a DBCSR matrix.
seiche::SharedLayout layout_of(const LocalBlocks& x);

/// Returns the blocks that this rank stores, at the places that it owns, multiplied by `factor`.
seiche::BlockMatrix<double> half_of(const LocalBlocks& x, double factor);

/// Returns a matrix without symmetry, multiplied by `factor`. Elements outside the window are zero. The matrix may
/// refer to the memory of DBCSR.
seiche::BlockMatrix<double> blocks_inside(const LocalBlocks& x, const Window& window, double factor);

/// Collective. Returns a symmetric or antisymmetric matrix with all its blocks, multiplied by `factor`. Elements
/// outside the window are zero.
seiche::BlockMatrix<double> completed(const LocalBlocks& x, const Window& window, double factor);

/// Multiplies the elements inside the window by `factor`.
void scale_inside(seiche::BlockMatrix<double>& matrix, const Window& window, double factor);

/// Tells whether the owner of a block stores it, or its transposed block, if the matrix is symmetric.
bool in_stored_half(const seiche::BlockPlace& at);

/// Returns the places at which DBCSR stores blocks of a Seiche matrix on this rank, in ascending order.
std::vector<seiche::BlockPlace> stored_places(const seiche::BlockMatrix<double>& matrix, int symmetry);

/// Copies the blocks that DBCSR has from a Seiche matrix.
void write_blocks(const seiche::BlockMatrix<double>& matrix, const LocalBlocks& x);
