// SPDX-License-Identifier: BSD-3-Clause
#include "density/each_orbital.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "comm/agree.hpp"
#include "density/orbital_values.hpp"
#include "fft/resolved_options.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Transforms bands to the grid. Values are real for half spheres, else complex.
template <class Value>
class Drawing {
 public:
  Drawing(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
          const OrbitalGridOptions& options, const UseOrbital& use)
      : comm_(comm), header_(header), source_(source), options_(options), use_(use) {
    options_.fft = in_one_group(options.fft);
    options_.fft.components = header.spinor;
  }

  void take(const BandRange& some, std::span<const Complex> coefficients) {
    if (!fft_ || some.spin != now_.spin || some.k != now_.k) {
      const auto waves = source_.waves(some.spin, some.k, streamed_waves(header_, some.k, comm_));
      fft_.emplace(comm_, header_.grid, waves, options_.fft);
      now_ = some;
    }
    const std::int64_t points = fft_->grid_box().volume() * header_.spinor;
    together(comm_, [&] {
      if (!made_ || !(made_->box == fft_->grid_box())) make_room();
      grids_.resize(size_of(points * some.bands.size()));
    });
    fft_->backward(coefficients, grids_, some.bands.size());
    for (std::int64_t n = 0; n < some.bands.size(); ++n) {
      const auto band = static_cast<int>(some.bands.low + n);
      const BandState state{some.spin, some.k, band, header_.energies[header_.state(some.spin, some.k, band)]};
      use_(state, density_of(std::span(grids_).subspan(size_of(n * points), size_of(points))));
    }
  }

 private:
  void make_room() {
    made_.emplace(Density{.comm = comm_, .crystal = header_.crystal, .grid = header_.grid, .box = fft_->grid_box()});
    made_->units = units();
    made_->components.emplace_back(size_of(made_->box.volume()));
  }
  const Density& density_of(std::span<const Value> grid) {
    std::vector<double>& result = made_->components[0];
    if (options_.quantity == OrbitalQuantity::density) {
      const double volume = header_.crystal.volume();
      std::fill(result.begin(), result.end(), 0.0);
      for (std::size_t component : wanted_components()) {
        for (std::size_t i = 0; i < result.size(); ++i)
          result[i] += std::norm(grid[component * result.size() + i]) / volume;
      }
      return *made_;
    }
    OrbitalValues psi(comm_, header_.grid, made_->box);
    together(comm_, [&] {
      psi.values.assign(grid.begin(), grid.end());
      if (!options_.periodic) psi.add_bloch_wave(header_.kpoints[size_of(now_.k)].k);
    });
    psi.fix_phase();
    const Complex* of_component = psi.values.data() + wanted_components().front() * result.size();
    const double scale = 1 / std::sqrt(header_.crystal.volume());
    std::transform(of_component, of_component + result.size(), result.begin(),
                   [&](const Complex& c) { return part_of(c, scale); });
    return *made_;
  }
  std::vector<std::size_t> wanted_components() const {
    if (options_.component > 0) return {static_cast<std::size_t>(options_.component - 1)};
    return header_.spinor == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, 1};
  }
  double part_of(const Complex& value, double scale) const {
    switch (options_.quantity) {
      case OrbitalQuantity::real:
        return value.real() * scale;
      case OrbitalQuantity::imaginary:
        return value.imag() * scale;
      case OrbitalQuantity::magnitude:
        return std::abs(value) * scale;
      default:
        return std::arg(value);
    }
  }
  std::string units() const {
    if (options_.quantity == OrbitalQuantity::density) return electrons_per_volume;
    return options_.quantity == OrbitalQuantity::phase ? "radians" : "bohr^-3/2";
  }

  const Communicator& comm_;
  const OrbitalHeader& header_;
  const BandSource& source_;
  OrbitalGridOptions options_;
  const UseOrbital& use_;
  BandRange now_;
  std::optional<SphereFft<Value>> fft_;
  std::optional<Density> made_;  // the orbital that use_ receives
  std::vector<Value> grids_;
};

void expect_component(const OrbitalHeader& h, const OrbitalGridOptions& options) {
  require(options.component >= 0 && options.component <= h.spinor && (h.spinor == 2 || options.component == 0),
          Fault::bad_argument, "{}: its orbitals have no component {}: only spinors have two components", h.path,
          options.component);
  require(h.spinor == 1 || options.component > 0 || options.quantity == OrbitalQuantity::density, Fault::bad_argument,
          "{}: its orbitals are spinors: choose the component, up or down", h.path);
}

}  // namespace

void each_orbital(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const OrbitalGridOptions& options, const UseOrbital& use) {
  together(comm, [&] { expect_component(header, options); });
  const auto run = [&]<class Value>(Value) {
    const auto drawing =
        made_together(comm, [&] { return std::make_unique<Drawing<Value>>(comm, header, source, options, use); });
    stream_bands(
        comm, header, source, wanted,
        [&](const BandRange& some, std::span<const Complex> coefficients) { drawing->take(some, coefficients); },
        {.policy = options.policy, .on_progress = options.on_progress});
  };
  if (header.half_sphere) {
    run(double{});
  } else {
    run(Complex{});
  }
}

}  // namespace seiche
