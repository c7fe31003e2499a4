// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench interpolation`: a density on a finer grid, compared with a transform of the coarse grid and a
/// transform of the fine grid, without the exchange of their waves. The density is one wave, so that the result is
/// known.
#include <fmt/core.h>

#include <cmath>

#include "contest.hpp"
#include "known_wave.hpp"
#include "seiche/grid_interpolation.hpp"
#include "threads_option.hpp"

namespace seiche::command {

void bench_interpolation(const Session& session, const BenchRequest& request) {
  const GridShape coarse = request.shape(), fine{2 * coarse.nx, 2 * coarse.ny, 2 * coarse.nz};
  warn_of_threads(session, request.threads);
  DenseFft<double> from(session.comm, coarse, request.fft_options()), to(session.comm, fine, request.fft_options());
  GridInterpolation<double> interpolation(from, to);
  const std::vector<double> density = cosine(from.grid_box(), coarse, 0), wanted = cosine(to.grid_box(), fine, 0);
  std::vector<double> interpolated(wanted.size()), result(wanted.size());
  std::vector<std::complex<double>> waves(static_cast<std::size_t>(from.spectrum_box().volume())),
      fine_waves(static_cast<std::size_t>(to.spectrum_box().volume()));

  Contest contest(session);
  contest.add(
      "transforms", [] {},
      [&] {
        from.forward(density, waves);
        to.backward(fine_waves, result);
      });
  contest.add(
      "interpolation", [] {}, [&] { interpolation.apply(density, interpolated); });
  contest.run(request.repeats);

  BenchResult all;
  all.name =
      fmt::format("interpolation {}x{}x{} to {}x{}x{}", coarse.nx, coarse.ny, coarse.nz, fine.nx, fine.ny, fine.nz);
  all.threads = request.threads;
  all.timing.seconds = contest.seconds(1);
  for (const GridShape& shape : {coarse, fine}) {
    all.operations += 2.5 * static_cast<double>(shape.volume()) * std::log2(static_cast<double>(shape.volume()));
  }
  all.plan = to.report();
  all.max_error = largest_error(interpolated, wanted, 1);
  all.more = {{"methods", contest.json()}, {"ratios", contest.ratios()}};
  print(session, all);
}

}  // namespace seiche::command
