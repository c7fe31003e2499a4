// SPDX-License-Identifier: BSD-3-Clause
/// \file  PETSc's MATFFTW by PETSc's own interface: plane waves to their spectrum, which is known, and back. PETSc has
/// to be built for complex numbers. usage: check_petsc N0 N1 N2
#include <petscmat.h>
#include <stdlib.h>

enum { dimensions = 3, plane_waves = 4 };

/// Wave w: three frequencies and an amplitude.
static PetscInt frequency(int w, int axis, PetscInt n) { return (3 * w + 2 * axis + w * axis) % n; }
static PetscScalar amplitude(int w) { return 1.0 + w + 0.25 * w * PETSC_i; }

static PetscScalar on_grid(const PetscInt n[], PetscInt point) {
  const PetscInt at[dimensions] = {point / (n[1] * n[2]), point / n[2] % n[1], point % n[2]};
  PetscScalar sum = 0;
  for (int w = 0; w < plane_waves; ++w) {
    PetscReal turns = 0;
    for (int axis = 0; axis < dimensions; ++axis) {
      turns += (PetscReal)(frequency(w, axis, n[axis]) * at[axis] % n[axis]) / (PetscReal)n[axis];
    }
    sum += amplitude(w) * PetscExpScalar(2 * PETSC_PI * turns * PETSC_i);
  }
  return sum;
}
static PetscScalar in_spectrum(const PetscInt n[], PetscInt point) {
  PetscScalar sum = 0;
  for (int w = 0; w < plane_waves; ++w) {
    PetscInt place = 0;
    for (int axis = 0; axis < dimensions; ++axis) place = place * n[axis] + frequency(w, axis, n[axis]);
    if (place == point) sum += amplitude(w) * (PetscReal)(n[0] * n[1] * n[2]);
  }
  return sum;
}

/// The largest difference of a vector in PETSc's order from what is known, on all ranks.
static PetscErrorCode difference(Vec values, const PetscInt n[], PetscScalar (*known)(const PetscInt[], PetscInt),
                                 PetscReal factor, PetscReal* largest) {
  PetscInt low, high;
  const PetscScalar* local;
  PetscReal mine = 0;
  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(values, &low, &high));
  PetscCall(VecGetArrayRead(values, &local));
  for (PetscInt i = low; i < high; ++i) {
    mine = PetscMax(mine, PetscAbsScalar(local[i - low] - factor * known(n, i)));
  }
  PetscCall(VecRestoreArrayRead(values, &local));
  PetscCallMPI(MPI_Allreduce(&mine, largest, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  PetscInt n[dimensions], low, high;
  PetscReal off, off_again;
  Mat fft;
  Vec values, grid, spectrum, again;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc == 1 + dimensions, PETSC_COMM_WORLD, PETSC_ERR_USER, "usage: check_petsc N0 N1 N2");
  for (int axis = 0; axis < dimensions; ++axis) n[axis] = atoi(argv[1 + axis]);
  const PetscReal points = (PetscReal)(n[0] * n[1] * n[2]);

  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, dimensions, n, MATFFTW, &fft));
  PetscCall(MatCreateVecsFFTW(fft, &grid, &spectrum, &again));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, n[0] * n[1] * n[2], &values));
  PetscCall(VecGetOwnershipRange(values, &low, &high));
  for (PetscInt i = low; i < high; ++i) PetscCall(VecSetValue(values, i, on_grid(n, i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(values));
  PetscCall(VecAssemblyEnd(values));

  PetscCall(VecScatterPetscToFFTW(fft, values, grid));
  for (int round = 0; round < 3; ++round) {
    PetscCall(MatMult(fft, grid, spectrum));
    PetscCall(MatMultTranspose(fft, spectrum, again));
  }
  PetscCall(difference(spectrum, n, in_spectrum, 1, &off));
  PetscCall(VecScatterFFTWToPetsc(fft, again, values));
  PetscCall(difference(values, n, on_grid, points, &off_again));
  const PetscBool right = off < 1e-12 * points && off_again < 1e-12 * points;
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD, "MATFFTW %d x %d x %d: %s, off by %.1e and, there and back, %.1e of the largest\n", (int)n[0],
      (int)n[1], (int)n[2], right ? "right" : "WRONG", (double)(off / points), (double)(off_again / points)));
  PetscCall(VecDestroy(&values));
  PetscCall(VecDestroy(&grid));
  PetscCall(VecDestroy(&spectrum));
  PetscCall(VecDestroy(&again));
  PetscCall(MatDestroy(&fft));
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
