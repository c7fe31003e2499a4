// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>

namespace seiche::fftw_mpi {

namespace {

/// This rank's part of [0, n); a block of 0 stands for ceil(n / ranks).
Range part_of(std::int64_t n, std::int64_t block, MPI_Comm comm) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (block <= 0) block = (n + ranks - 1) / ranks;
  const std::int64_t low = std::min(n, rank * block);
  return {low, std::min(n, low + block)};
}

bool on_all_ranks(bool mine, MPI_Comm comm) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

bool ours(const Problem& p) {
  const bool both_turned = (p.flags & transposed_in) != 0 && (p.flags & transposed_out) != 0;  // FFTW has hardly a plan
  if (p.rank != 3 || p.fields < 1 || both_turned || (p.flags & (scrambled_in | scrambled_out)) != 0) return false;
  int between_groups = 0;
  MPI_Comm_test_inter(p.comm, &between_groups);
  return between_groups == 0 && std::all_of(p.n, p.n + 3, [](std::ptrdiff_t n) { return n > 0; });
}

}  // namespace

std::optional<Served> served(const Problem& p) {
  if (!ours(p)) return std::nullopt;
  // the grid is the input of c2c and r2c, and the output of c2r; what it is split along is our z
  const bool to_real = p.kind == Kind::c2r;
  const bool turned_in = (p.flags & transposed_in) != 0, turned_out = (p.flags & transposed_out) != 0;
  const bool turned = to_real ? turned_out : turned_in, returns = !turned_in && !turned_out;
  const GridShape shape{p.n[2], p.n[turned ? 0 : 1], p.n[turned ? 1 : 0]};
  const std::int64_t nx = p.kind == Kind::c2c ? shape.nx : shape.nx / 2 + 1;
  const std::int64_t row = p.kind == Kind::c2c ? nx : 2 * nx;  // of the grid; real ones are padded

  Served how{shape, {.fields = p.fields, .plus = p.kind == Kind::c2c && p.sign > 0, .unscaled = true}, !to_real};
  const Range z = part_of(shape.nz, to_real ? p.out_block : p.in_block, p.comm);
  const Range other = part_of(returns ? shape.nz : shape.ny, to_real ? p.in_block : p.out_block, p.comm);
  if (!on_all_ranks(!returns || z == other, p.comm)) return std::nullopt;
  how.arrays.grid = {
      {{Range{0, shape.nx}, Range{0, shape.ny}, z}}, {p.fields, p.fields * row, p.fields * row * shape.ny}, 1};
  how.arrays.spectrum = {{{Range{0, nx}, returns ? Range{0, shape.ny} : other, returns ? z : Range{0, shape.nz}}},
                         {p.fields, p.fields * nx, p.fields * nx},
                         1};
  how.arrays.spectrum.stride[returns ? 2 : 1] *= returns ? shape.ny : shape.nz;
  const bool holds = !z.empty() || !other.empty();
  how.arrays.in_place = !on_all_ranks(!holds || p.in != p.out, p.comm);
  return how;
}

}  // namespace seiche::fftw_mpi
