// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities of wavefunction files as sums over states. Every value is summed in the order spin, k-point, band,
/// whoever holds it.
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "density/symmetrize.hpp"
#include "seiche/communicator.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr int bands_at_once = 8;  // enough to fill the messages of an exchange, little memory

/// Adds the seconds of its life to a stage.
class Stage {
 public:
  Stage(std::map<std::string, double>* seconds, const char* name) : seconds_(seconds), name_(name) {}
  ~Stage() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    if (seconds_) (*seconds_)[name_] += passed.count();
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  std::map<std::string, double>* seconds_;
  const char* name_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Bands up to the last that is not empty.
int occupied_bands(const OrbitalHeader& header, int spin, int k) {
  int bands = header.bands;
  while (bands > 0 && header.occupations[header.state(spin, k, bands - 1)] == 0) --bands;
  return bands;
}

double squared(double value) { return value * value; }
double squared(const Complex& value) { return std::norm(value); }

/// Sums states of one kind of value: real functions for half spheres, else complex ones.
template <class Value>
class StateSum {
 public:
  StateSum(const Communicator& comm, const WaveFile& file, const DensityOptions& options)
      : comm_(comm), file_(file), header_(file.header()), options_(options) {
    density_.crystal = header_.crystal;
    density_.grid = header_.grid;
  }

  Density operator()() {
    const int kpoints = static_cast<int>(header_.kpoints.size());
    for (int spin = 0; spin < header_.spins; ++spin) {
      for (int k = 0; k < kpoints; ++k) {
        if (occupied_bands(header_, spin, k) > 0) add_kpoint(spin, k);
      }
    }
    require(!density_.components.empty(), Fault::bad_file, "{}: all bands are empty; rerun the code with occupations",
            header_.path);
    return std::move(density_);
  }

 private:
  void add_kpoint(int spin, int k) {
    const std::int64_t waves = header_.kpoints[static_cast<std::size_t>(k)].plane_waves;
    const Range mine = block(waves, comm_.size(), comm_.rank());
    const auto millers = read([&] { return file_.waves(spin, k, mine); });
    SphereFft<Value> fft =
        transform([&] { return SphereFft<Value>(comm_.get(), header_.grid, millers, options_.fft); });
    prepare(fft.grid_box());
    const int bands = occupied_bands(header_, spin, k);
    for (int low = 0; low < bands; low += bands_at_once) {
      const Range part{low, std::min(low + bands_at_once, bands)};
      const auto coefficients = read([&] { return file_.coefficients(spin, k, part, mine); });
      transform([&] {
        grid_.resize(static_cast<std::size_t>(part.size() * header_.spinor * density_.box.volume()));
        fft.backward(coefficients, grid_, part.size() * header_.spinor);
        for (std::int64_t b = part.low; b < part.high; ++b) add_band(spin, k, static_cast<int>(b), b - part.low);
      });
      const double share = static_cast<double>(part.high) / bands;
      report((spin * static_cast<double>(header_.kpoints.size()) + k + share));
    }
  }

  void prepare(const Box& box) {
    if (density_.components.empty()) {
      density_.box = box;
      density_.components.assign(static_cast<std::size_t>(components_of(header_.magnetism)),
                                 std::vector<double>(static_cast<std::size_t>(box.volume())));
    }
    require(density_.box == box, Fault::internal, "two plans over one grid share it differently");
  }

  /// Adds a band, which is the `place`-th of those in grid_.
  void add_band(int spin, int k, int band, std::int64_t place) {
    const double weight = header_.degeneracy() * header_.kpoints[static_cast<std::size_t>(k)].weight *
                          header_.occupations[header_.state(spin, k, band)] / header_.crystal.volume();
    const std::int64_t points = density_.box.volume();
    const Value* first = grid_.data() + place * header_.spinor * points;
    if (header_.spinor == 2) {
      add_spinor(weight, first, first + points);
    } else {
      add_scalar(weight, spin == 0 ? weight : -weight, first);
    }
  }

  void add_scalar(double weight, double moment, const Value* psi) {
    double* rho = density_.components[0].data();
    double* mz = density_.components.size() > 1 ? density_.components[1].data() : nullptr;
    const std::int64_t points = density_.box.volume();
#pragma omp parallel for num_threads(options_.fft.threads) schedule(static)
    for (std::int64_t i = 0; i < points; ++i) {
      const double square = squared(psi[i]);
      rho[i] += weight * square;
      if (mz) mz[i] += moment * square;
    }
  }

  void add_spinor(double weight, const Value* up, const Value* down) {
    auto& c = density_.components;
    const bool moments = c.size() == 4;
    const std::int64_t points = density_.box.volume();
#pragma omp parallel for num_threads(options_.fft.threads) schedule(static)
    for (std::int64_t n = 0; n < points; ++n) {
      const auto i = static_cast<std::size_t>(n);
      const double uu = squared(up[i]), dd = squared(down[i]);
      c[0][i] += weight * (uu + dd);
      if (!moments) continue;
      const Complex ud = std::conj(Complex(up[i])) * Complex(down[i]);
      c[1][i] += weight * 2 * ud.real();
      c[2][i] += weight * 2 * ud.imag();
      c[3][i] += weight * (uu - dd);
    }
  }

  void report(double kpoints_done) const {
    const double all = static_cast<double>(header_.spins) * static_cast<double>(header_.kpoints.size());
    if (options_.progress) options_.progress(kpoints_done / all);
  }
  template <class Work>
  auto read(Work work) const {
    const Stage stage(options_.seconds, "read");
    return work();
  }
  template <class Work>
  auto transform(Work work) const {
    const Stage stage(options_.seconds, "transform");
    return work();
  }

  const Communicator& comm_;
  const WaveFile& file_;
  const OrbitalHeader& header_;
  const DensityOptions& options_;
  Density density_;
  std::vector<Value> grid_;  // [band][component][point]
};

/// Codes find occupations and norms to 1e-9 or better, single precision leaves 1e-7 of a norm; what is missing where a
/// band or its augmentation is, is more than 1e-4.
void expect_electrons(const OrbitalHeader& header, double found) {
  constexpr double tolerance = 1e-6;  // relative
  require(std::abs(found - header.electrons) <= tolerance * std::abs(header.electrons), Fault::bad_file,
          "{}: its bands make a density of {:.6f} electrons, not of {:.6f}: occupied bands are missing, or parts of "
          "them, or augmentation charges (ultrasoft, PAW); take the file of the whole calculation, or the bands' own "
          "sum (--as-they-are)",
          header.path, found, header.electrons);
}

}  // namespace

Density density_of(MPI_Comm theirs, const WaveFile& file, const DensityOptions& options) {
  const Communicator comm = Communicator::duplicate(theirs);
  const OrbitalHeader& header = file.header();
  require(options.as_they_are || header.norm_conserving != NormConserving::no, Fault::unsupported,
          "{}: made with ultrasoft pseudopotentials or PAW, whose densities have more than the bands tell; take the "
          "density that the code wrote itself (VASP: CHGCAR), or the bands' own sum (--as-they-are)",
          header.path);
  require(header.weighted, Fault::unsupported,
          "{}: the file has {} k-points but not their weights, without which bands make no density; give the IBZKPT or "
          "vasprun.xml of the same run (--kpoints)",
          header.path, header.kpoints.size());
  Density density =
      header.half_sphere ? StateSum<double>(comm, file, options)() : StateSum<Complex>(comm, file, options)();
  const Stage stage(options.seconds, "symmetrise");
  cut_and_symmetrize(comm, header, density, options.fft);
  if (!options.as_they_are) expect_electrons(header, integrals(comm.get(), density)[0]);
  return density;
}

}  // namespace seiche
