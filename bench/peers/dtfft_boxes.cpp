// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times dtFFT: redistributions of a complex grid from bricks to pencils along x. The plan chooses the fastest
/// exchange backend except RMA. usage: peer_dtfft_boxes --grid NX,NY,NZ --bands FIELDS --repeat N
#include <dtfft.h>

#include <array>
#include <span>

#include "peer.hpp"

namespace {

using peer::Complex;

void check(dtfft_error_t error) {
  if (error != DTFFT_SUCCESS) throw std::runtime_error(dtfft_get_error_string(error));
}

/// Returns this rank's brick. The x axis is divided first. \pre the processes divide the grid equally
dtfft_pencil_t brick_of(const peer::Options& o) {
  int rank = 0, ranks = 1;
  std::array<int, 3> parts{0, 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, parts.data());
  const std::array place{rank % parts[0], rank / parts[0] % parts[1], rank / parts[0] / parts[1]};
  const std::array sizes{o.nx, o.ny, o.nz};
  dtfft_pencil_t brick{};
  brick.ndims = 3;
  for (std::size_t a = 0; a < 3; ++a) {
    if (sizes[a] % parts[a] != 0) throw std::invalid_argument("use a grid that the processes divide equally");
    brick.counts[a] = static_cast<std::int32_t>(sizes[a] / parts[a]);
    brick.starts[a] = place[a] * brick.counts[a];
  }
  return brick;
}

dtfft_plan_t plan_of(const dtfft_pencil_t& brick) {
  dtfft_config_t config;
  check(dtfft_create_config(&config));
  config.enable_mpi_backends = true;
  config.enable_rma_backends = false;  // Debian's Open MPI 4.1 does not support their windows
  config.enable_kernel_autotune = true;
  check(dtfft_set_config(&config));
  dtfft_plan_t plan = nullptr;
  check(dtfft_create_plan_c2c_pencil(&brick, MPI_COMM_WORLD, DTFFT_DOUBLE, DTFFT_PATIENT, DTFFT_EXECUTOR_NONE, &plan));
  return plan;
}

/// Calls visit(index in the array, value of the grid) for all fields of a box.
template <class Visit>
void each_value(const peer::Options& o, const dtfft_pencil_t& box, const Visit& visit) {
  std::size_t at = 0;
  for (std::ptrdiff_t f = 0; f < o.bands; ++f) {
    for (std::ptrdiff_t z = box.starts[2]; z < box.starts[2] + box.counts[2]; ++z) {
      for (std::ptrdiff_t y = box.starts[1]; y < box.starts[1] + box.counts[1]; ++y) {
        for (std::ptrdiff_t x = box.starts[0]; x < box.starts[0] + box.counts[0]; ++x) {
          visit(at++, Complex(peer::value_at(x + f, y, z), peer::value_at(x, y + f, z)));
        }
      }
    }
  }
}

void run(const peer::Options& o) {
  const dtfft_pencil_t brick = brick_of(o);
  dtfft_plan_t plan = plan_of(brick);
  dtfft_pencil_t pencil{};
  check(dtfft_get_pencil(plan, DTFFT_LAYOUT_X_PENCILS, &pencil));
  dtfft_backend_t backend{};
  check(dtfft_get_reshape_backend(plan, &backend));
  std::size_t field = 0, aux_bytes = 0;  // elements of a field that dtFFT may access
  check(dtfft_get_alloc_size(plan, &field));
  check(dtfft_get_aux_bytes_reshape(plan, &aux_bytes));
  if (field != brick.size && field != pencil.size) throw std::runtime_error("dtFFT needs more memory than the boxes");

  std::vector<Complex> source(field * static_cast<std::size_t>(o.bands)), target(source.size());
  std::vector<Complex> aux(aux_bytes / sizeof(Complex) + 1);
  const auto fill = [&] { each_value(o, brick, [&](std::size_t at, const Complex& value) { source[at] = value; }); };
  const auto times = peer::time_repeats(o.repeats, fill, [&] {
    for (std::size_t f = 0; f < static_cast<std::size_t>(o.bands); ++f) {
      check(dtfft_reshape(plan, source.data() + f * field, target.data() + f * field, DTFFT_RESHAPE_X_BRICKS_TO_PENCILS,
                          aux.data()));
    }
  });
  const auto& [nx, ny, nz] = pencil.counts;
  peer::Line line{"bricks to pencils", "dtFFT", dtfft_get_backend_string(backend), 1, 0, 0};
  line.chosen += ", " + std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz);
  each_value(o, pencil, [&](std::size_t at, const Complex& value) {
    line.max_error = std::max(line.max_error, std::abs(target[at] - value));
  });
  check(dtfft_destroy(&plan));
  peer::print(line, times);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
