// SPDX-License-Identifier: BSD-3-Clause
/// \file  What fft_tools.f90 passes to ray_transform.cpp. The type is equal to that in fft_tools.f90.
#pragma once

extern "C" {

/// A transform between a grid in boxes and lines along x in reciprocal space. Lists contain the entries of all ranks,
/// and are equal on all ranks.
struct RayTransform {
  int comm;          ///< Fortran handle of the communicator
  int ranks;         ///< its size
  int forward;       ///< 1: from the grid to the lines, divided by the number of points; 0: from the lines to the grid
  int shape[3];      ///< points of the grid
  int most;          ///< length of the list of lines of each rank in `lines`
  const int* count;  ///< number of lines of each rank
  const int* lines;  ///< y and z of each line, from 1: [rank][line][2]
  const int* boxes;  ///< first and last point of each rank along each axis, from 1: [rank][axis][2]
};
}
