// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench operator`: the potential of a density, compared with a transform, a loop over the spectrum and
/// a transform back; and four fields from one spectrum, compared with four operators. The density is one wave, so that
/// all results are known.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "contest.hpp"
#include "known_wave.hpp"
#include "seiche/grid_operator.hpp"
#include "threads_option.hpp"

namespace seiche::command {

namespace {

constexpr double pi = std::numbers::pi;

using Operator = GridOperator<double>;
using Reals = std::vector<double>;

/// Calls visit(G) for the waves of a box.
template <class Visit>
void each_wave(const Box& box, const GridShape& shape, const Visit& visit) {
  const auto folded = [](std::int64_t i, std::int64_t n) { return static_cast<double>(2 * i < n ? i : i - n); };
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        visit(std::array{folded(x, shape.nx), folded(y, shape.ny), folded(z, shape.nz)});
      }
    }
  }
}
double square_of(const std::array<double, 3>& g) { return g[0] * g[0] + g[1] * g[1] + g[2] * g[2]; }

/// A transform, a loop over the spectrum, and a transform back.
class Loop {
 public:
  Loop(DenseFft<double>& fft, const GridShape& shape)
      : fft_(fft), spectrum_(static_cast<std::size_t>(fft.spectrum_box().volume())) {
    each_wave(fft.spectrum_box(), shape, [this](const auto& g) {
      const double square = square_of(g);
      kernel_.push_back(square > 0 ? 4 * pi / square : 0);
    });
  }
  void run(const Reals& density, Reals& potential) {
    fft_.forward(density, spectrum_);
    for (std::size_t g = 0; g < spectrum_.size(); ++g) spectrum_[g] *= kernel_[g];
    fft_.backward(spectrum_, potential);
  }

 private:
  DenseFft<double>& fft_;
  std::vector<std::complex<double>> spectrum_;
  Reals kernel_;
};

/// Returns the factors of the gradient and of the Laplacian, in this order.
std::vector<std::complex<double>> factors_of_four(const Box& box, const GridShape& shape) {
  std::vector<std::complex<double>> factors;
  for (std::size_t field = 0; field < 4; ++field) {
    each_wave(box, shape, [&](const auto& g) {
      factors.push_back(field < 3 ? std::complex<double>(0, g[field]) : std::complex<double>(-square_of(g)));
    });
  }
  return factors;
}

}  // namespace

void bench_operator(const Session& session, const BenchRequest& request) {
  const GridShape shape = request.shape();
  warn_of_threads(session, request.threads);
  DenseFft<double> fft(session.comm, shape, request.fft_options());
  const auto points = static_cast<std::size_t>(fft.grid_box().volume());
  const Reals density = cosine(fft.grid_box(), shape, 0), derivative = cosine(fft.grid_box(), shape, pi / 2);
  Reals looped(points), potential(points), four(4 * points), one_by_one(4 * points);
  const Operator::Lattice cube{{{2 * pi, 0, 0}, {0, 2 * pi, 0}, {0, 0, 2 * pi}}};
  Loop loop(fft, shape);
  Operator poisson(fft, cube, OperatorKernel::coulomb);
  const auto factors = factors_of_four(fft.spectrum_box(), shape);
  Operator together(fft, 1, 4, factors);
  std::vector<Operator> alone;
  for (std::size_t field = 0; field < 4; ++field) {
    alone.emplace_back(fft, 1, 1, std::span(factors).subspan(field * factors.size() / 4, factors.size() / 4));
  }

  Contest contest(session);
  contest.add(
      "loop", [] {}, [&] { loop.run(density, looped); });
  contest.add(
      "operator", [] {}, [&] { poisson.apply(density, potential); });
  contest.add(
      "four operators", [] {},
      [&] {
        for (std::size_t field = 0; field < 4; ++field) {
          alone[field].apply(density, std::span(one_by_one).subspan(field * points, points));
        }
      });
  contest.add(
      "four fields", [] {}, [&] { together.apply(density, four); });
  contest.run(request.repeats);

  double error = std::max(largest_error(looped, density, 4 * pi / square_of_wave),
                          largest_error(potential, density, 4 * pi / square_of_wave));
  for (const Reals* fields : {&four, &one_by_one}) {
    for (std::size_t field = 0; field < 4; ++field) {
      const auto found = std::span(*fields).subspan(field * points, points);
      error = std::max(error, field < 3 ? largest_error(found, derivative, static_cast<double>(wave[field]))
                                        : largest_error(found, density, -square_of_wave));
    }
  }
  BenchResult result;
  result.name = fmt::format("operator {}x{}x{}", shape.nx, shape.ny, shape.nz);
  result.threads = request.threads;
  result.timing.seconds = contest.seconds(1);
  const auto volume = static_cast<double>(shape.volume());
  result.operations = 5 * volume * std::log2(volume);
  result.plan = fft.report();
  result.max_error = error / square_of_wave;
  result.more = {{"methods", contest.json()}, {"ratios", contest.ratios()}};
  print(session, result);
}

}  // namespace seiche::command
