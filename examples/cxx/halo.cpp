// SPDX-License-Identifier: BSD-3-Clause
/// \file  A finite-difference Laplacian with planes of the neighbouring ranks. The planes travel while the inner planes
/// are computed.
#include <cmath>
#include <seiche/boxes.hpp>
#include <vector>

#include "answer.hpp"

constexpr seiche::GridShape shape{12, 10, 16};

/// Returns the value of a function with the period of the grid.
double value_at(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<double>((5 * (x % 12) + 7 * (y % 10) + 11 * (z % 16)) % 23);
}

int halo() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // [halo]
  seiche::Box mine = seiche::whole(shape);
  mine.axis[2] = {shape.nz * rank / ranks, shape.nz * (rank + 1) / ranks};  // planes of this rank
  seiche::Box wider = mine;
  wider.axis[2] = {mine.axis[2].low - 1, mine.axis[2].high + 1};  // with a plane of each neighbour
  const seiche::FieldArray source = seiche::consecutive(mine), target = seiche::consecutive(wider);
  seiche::BoxExchange exchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1});
  std::vector<double> values(mine.volume()), with_halo(wider.volume()), laplacian(mine.volume());
  // [/halo]

  const std::int64_t nx = shape.nx, ny = shape.ny, planes = mine.size(2), plane = nx * ny;
  for (std::int64_t i = 0; i < mine.volume(); ++i) {
    values[i] = value_at(i % nx, i / nx % ny, mine.axis[2].low + i / plane);
  }
  // `below` and `above`: the neighbouring planes of plane z
  const auto laplacian_of = [&](std::int64_t z, const double* below, const double* above) {
    const double* here = values.data() + z * plane;
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        const std::int64_t i = x + nx * y;
        laplacian[z * plane + i] = here[(x + 1) % nx + nx * y] + here[(x + nx - 1) % nx + nx * y] +
                                   here[x + nx * ((y + 1) % ny)] + here[x + nx * ((y + ny - 1) % ny)] + below[i] +
                                   above[i] - 6 * here[i];
      }
    }
  };
  // [overlap]
  seiche::Pending pending = exchange.start_copy<double>(values, with_halo);
  for (std::int64_t z = 1; z < planes - 1; ++z) {  // inner planes need no other rank
    laplacian_of(z, &values[(z - 1) * plane], &values[(z + 1) * plane]);
    pending.progress();
  }
  pending.finish();
  for (std::int64_t z = 0; z<planes; z += planes> 1 ? planes - 1 : 1) {  // first and last plane
    laplacian_of(z, &with_halo[z * plane], &with_halo[(z + 2) * plane]);
  }
  // [/overlap]

  double error = 0;
  for (std::int64_t i = 0; i < mine.volume(); ++i) {
    const std::int64_t x = i % nx, y = i / nx % ny, z = mine.axis[2].low + i / plane;
    const double expected = value_at(x + 1, y, z) + value_at(x + nx - 1, y, z) + value_at(x, y + 1, z) +
                            value_at(x, y + ny - 1, z) + value_at(x, y, z + 1) + value_at(x, y, z + 15) -
                            6 * value_at(x, y, z);
    error = std::fmax(error, std::abs(laplacian[i] - expected));
  }
  return answer("halo", error, 0, laplacian);
}

int main(int argc, char** argv) { return run(argc, argv, halo); }
