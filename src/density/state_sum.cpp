// SPDX-License-Identifier: BSD-3-Clause
/// \file  Each value is summed in the order of spin, k-point and band on any distribution. So results are bitwise
/// identical on any number of ranks.
#include "density/state_sum.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "comm/equal_arguments.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/spin_symmetry.hpp"
#include "crystal/unweighted.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/square_rows.hpp"
#include "interface/density_members.hpp"
#include "interface/fft_members.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Adds the seconds of its lifetime to a stage.
class Timed {
 public:
  Timed(std::map<std::string, double>* seconds, const char* name) : seconds_(seconds), name_(name) {}
  ~Timed() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    if (seconds_) (*seconds_)[name_] += passed.count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  std::map<std::string, double>* seconds_;
  const char* name_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Returns the runs of bands with non-zero occupation. Returns none if the weight of the k-point is 0.
std::vector<Range> occupied_bands(const OrbitalHeader& header, int spin, int k) {
  std::vector<Range> runs;
  if (header.kpoints[static_cast<std::size_t>(k)].weight == 0) return runs;
  for (int band = 0; band < header.bands; ++band) {
    if (header.occupations[header.state(spin, k, band)] == 0) continue;
    if (runs.empty() || runs.back().high != band) runs.push_back({band, band});
    ++runs.back().high;
  }
  return runs;
}

/// Tells whether exactly one of two spins has electrons.
bool is_of_one_spin(const OrbitalHeader& header) {
  if (header.spins != 2) return false;
  const auto first = header.occupations.begin(), middle = first + std::ssize(header.occupations) / 2;
  const auto is_zero = [](double occupation) { return occupation == 0; };
  return std::all_of(first, middle, is_zero) != std::all_of(middle, header.occupations.end(), is_zero);
}

/// Adds states to a density. Grid values are real for half spheres, else complex.
template <class Value>
class StateSum {
 public:
  StateSum(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
           const DensityOptions& options)
      : comm_(comm),
        header_(header),
        source_(source),
        options_(options),
        density_{.comm = comm, .crystal = header.crystal, .grid = header.grid} {
    options_.fft = in_one_group(options.fft);
    options_.fft.components = header.spinor;
  }

  Density operator()() {
    const double start = seconds_of("transform");
    {
      const Timed timed(options_.seconds, "read");
      stream_bands(
          comm_, header_, source_, [this](int spin, int k) { return occupied_bands(header_, spin, k); },
          [this](const auto& some, const auto& coefficients) { use(some, coefficients); },
          {.policy = options_.policy, .on_progress = options_.on_progress});
    }
    if (options_.seconds) (*options_.seconds)["read"] -= seconds_of("transform") - start;
    {
      const Timed timed(options_.seconds, "transform");
      finish();
    }
    require(!density_.components.empty(), Fault::bad_file, "{}: all bands are empty: rerun the code with occupations",
            header_.path);
    return std::move(density_);
  }

 private:
  double seconds_of(const char* stage) const { return options_.seconds ? (*options_.seconds)[stage] : 0; }

  /// Passes bands to the transforms.
  void use(const BandRange& some, std::span<const Complex> coefficients) {
    const Timed timed(options_.seconds, "transform");
    if (!stream_ || some.spin != now_.spin || some.k != now_.k) begin(some);
    stream_->add(coefficients, some.bands.size());
  }

  /// Finishes the current stream and opens one for the next spin and k-point.
  void begin(const BandRange& next) {
    finish();
    now_ = next;
    const auto waves = source_.waves(next.spin, next.k, streamed_waves(header_, next.k, comm_));
    fft_.emplace(comm_, header_.grid, waves, options_.fft);
    together(comm_, [&] {
      weights_.clear();
      for (const Range& run : occupied_bands(header_, next.spin, next.k)) {
        for (std::int64_t band = run.low; band < run.high; ++band) weights_.push_back(weight_of(next, band));
      }
      prepare(fft_->grid_box());
    });
    stream_.emplace(fft_->open_stream([this](std::int64_t band, const Box& box,
                                             std::span<const View<Value>> components) { add(band, box, components); }));
  }
  void finish() {
    if (!stream_) return;
    stream_->finish();
    stream_.reset();
  }

  double weight_of(const BandRange& at, std::int64_t band) const {
    return header_.degeneracy() * header_.kpoints[static_cast<std::size_t>(at.k)].weight *
           header_.occupations[header_.state(at.spin, at.k, static_cast<int>(band))] / header_.crystal.volume();
  }

  void prepare(const Box& box) {
    if (density_.components.empty()) {
      density_.box = box;
      density_.components.assign(static_cast<std::size_t>(components_of(header_.magnetism)),
                                 std::vector<double>(static_cast<std::size_t>(box.volume())));
    }
    require(density_.box == box, Fault::internal, "two plans of the same grid distribute it differently");
  }

  /// Adds a part of a band on the grid.
  void add(std::int64_t band, const Box& box, std::span<const View<Value>> psi) {
    const double weight = weights_[static_cast<std::size_t>(band)];
    const auto points = static_cast<std::size_t>(box.size(0));
    each_row(density_.box, box, psi[0], [&](std::int64_t row, std::int64_t first) {
      const Value* down = psi.size() == 2 ? psi[1].data + row : nullptr;
      add_row(weight, static_cast<std::size_t>(first), {psi[0].data + row, points}, down);
    });
  }
  /// Adds a row of a band. `down`: row of the second component of spinors, else null.
  void add_row(double weight, std::size_t first, std::span<const Value> psi, const Value* down) {
    const auto sum = [&](std::size_t c) { return density_.components[c].data() + first; };
    const std::size_t components = density_.components.size();
    if (down && components == 4) {
      return add_magnetism<Value>(weight, psi, {down, psi.size()}, {sum(0), sum(1), sum(2), sum(3)});
    }
    if (down) return add_squares<Value>(weight, psi, {down, psi.size()}, sum(0));
    add_squares(weight, psi, sum(0));
    if (components > 1) add_squares(now_.spin == 0 ? weight : -weight, psi, sum(1));
  }

  const Communicator& comm_;
  const OrbitalHeader& header_;
  const BandSource& source_;
  DensityOptions options_;
  Density density_;
  BandRange now_;                // spin and k-point of the stream
  std::vector<double> weights_;  // weights of the stream's bands
  std::optional<SphereFft<Value>> fft_;
  std::optional<typename SphereFft<Value>::Stream> stream_;
};

/// Checks the number of electrons. Codes compute occupations and norms to 1e-9 or better; single precision limits norms
/// to 1e-7. A missing band or augmentation charge changes the number by more than 1e-4. \throws Error if it is wrong
void expect_electrons(const OrbitalHeader& header, double found) {
  constexpr double tolerance = 1e-6;  // relative
  require(std::abs(found - header.electrons) <= tolerance * std::abs(header.electrons), Fault::bad_file,
          "{}: the density of its bands has {:.6f} electrons instead of {:.6f}; occupied bands or augmentation charges "
          "(ultrasoft, PAW) are missing: use the file of the whole calculation, or allow the sum over the bands as "
          "they are",
          header.path, found, header.electrons);
}

}  // namespace

Density sum_of_states(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                      const DensityOptions& options) {
  const auto sum = [&]<class Value>(Value) {
    const auto made =
        made_together(comm, [&] { return std::make_unique<StateSum<Value>>(comm, header, source, options); });
    return (*made)();
  };
  return header.half_sphere ? sum(double{}) : sum(Complex{});
}

namespace {

/// Returns the header with the states of a sum. \throws Error if their density is not a sum over bands
OrbitalHeader header_of_sum(OrbitalHeader header, const DensityOptions& options) {
  require_sound(header);
  if (!options.occupations.empty()) {
    require(options.occupations.size() == header.occupations.size(), Fault::bad_argument,
            "{}: wrong number of occupations ({} for {} states)", header.path, options.occupations.size(),
            header.occupations.size());
    header.occupations = options.occupations;
    weigh_occupied_kpoints(header);
  }
  header.averaged = header.averaged && options.symmetric;
  if (header.averaged && is_of_one_spin(header)) leave_out_exchange_of_spins(header);
  require(options.as_they_are || header.norm_conserving != NormConserving::no, Fault::unsupported,
          "{}: the density of ultrasoft pseudopotentials or PAW is not the sum over its bands: use the density file of "
          "the code (VASP: CHGCAR), or allow the sum over the bands as they are",
          header.path);
  require(!header.on_path || options.as_they_are || !options.occupations.empty(), Fault::unsupported,
          "{}: its k-points are those of a band structure (calculation = 'bands'), whose sum is no density: give the "
          "file of a calculation on a mesh",
          header.path);
  require(header.weighted, Fault::unsupported,
          "{}: the file has {} k-points without weights: give the IBZKPT or vasprun.xml of the same run", header.path,
          header.kpoints.size());
  return header;
}

}  // namespace

Density density_of_states(const Communicator& comm, const OrbitalHeader& of_source, const BandSource& source,
                          const DensityOptions& options) {
  OrbitalHeader header;
  together(comm, "density_of", [&](EqualArguments& same) {
    same.add_options(options).add_options(options.fft).add("occupations", options.occupations);
    same.add("symmetric", options.symmetric);
    header = header_of_sum(of_source, options);
  });
  Density density = sum_of_states(comm, header, source, options);
  const Timed timed(options.seconds, "symmetrise");
  symmetrize(density, header, options.fft);
  if (!options.as_they_are && options.occupations.empty()) expect_electrons(header, integrals(density)[0]);
  return density;
}

}  // namespace seiche
