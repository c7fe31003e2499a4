// SPDX-License-Identifier: BSD-3-Clause
/// \file  Maps bands from one plane-wave basis to another. Maps are created once per k-point and used for all bands.
#include "seiche/basis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "comm/equal_arguments.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/fft_grid.hpp"
#include "crystal/lattice.hpp"
#include "interface/orbitals_members.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

bool before(const Miller& a, const Miller& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

/// Checks that the new cell keeps the symmetry operations and has a small strain. Operations are integer matrices,
/// which a strain does not change. They remain symmetries only if the strain keeps the lattice type.
void expect_related(const OrbitalHeader& header, const Crystal& strained) {
  for (std::size_t s = 0; s < header.crystal.operations.size(); ++s) {
    require(keeps_lattice(strained, header.crystal.operations[s]), Fault::bad_argument,
            "{}: the new cell has another lattice type (operation {} of the crystal is not a symmetry of it): choose a "
            "cell with the same symmetry, or expand the k-points to the full zone first",
            header.path, s + 1);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Vector3 moved = strained.lattice[i];
    for (std::size_t x = 0; x < 3; ++x) moved[x] -= header.crystal.lattice[i][x];
    const double change = std::sqrt(dot(moved, moved) / dot(header.crystal.lattice[i], header.crystal.lattice[i]));
    require(change < 0.3, Fault::bad_argument,
            "{}: vector {} of the new cell differs by {:.0f} % from the vector of the wavefunctions: choose a cell "
            "with a smaller strain",
            header.path, i + 1, 100 * change);
  }
}

void strain(Crystal& crystal, const std::array<Vector3, 3>& lattice) {
  std::vector<Vector3> places;
  for (const Atom& atom : crystal.atoms) places.push_back(fractional(crystal, atom.position));
  crystal.lattice = lattice;
  for (std::size_t a = 0; a < places.size(); ++a) crystal.atoms[a].position = cartesian(crystal, places[a]);
}

/// Sets the number of bands. New bands get the energy of the last band and occupation 0.
void take_bands(OrbitalHeader& header, int bands) {
  std::vector<double> energies, occupations;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(header.kpoints.size()); ++k) {
      for (int band = 0; band < bands; ++band) {
        const std::size_t state = header.state(spin, k, std::min(band, header.bands - 1));
        energies.push_back(header.energies[state]);
        occupations.push_back(band < header.bands ? header.occupations[state] : 0);
      }
    }
  }
  header.energies = std::move(energies);
  header.occupations = std::move(occupations);
  header.bands = bands;
}

/// Returns the header of the new basis, without the plane waves of the k-points.
OrbitalHeader new_header(const OrbitalHeader& header, const BasisRequest& request) {
  require_sound(header);
  OrbitalHeader made = header;
  if (request.cutoff) {
    require(std::isfinite(*request.cutoff) && *request.cutoff > 0, Fault::bad_argument,
            "the cutoff must be positive (got {} hartree)", *request.cutoff);
    made.density_cutoff = request.density_cutoff.value_or(header.density_cutoff * *request.cutoff / header.cutoff);
    made.cutoff = *request.cutoff;
  }
  if (request.lattice) {
    Crystal strained = header.crystal;
    strain(strained, *request.lattice);
    require(strained.volume() > 1e-6 * header.crystal.volume(), Fault::bad_argument,
            "the new cell has no volume: give three linearly independent vectors");
    expect_related(header, strained);
    made.crystal = std::move(strained);
  }
  if (request.bands) {
    require(*request.bands > 0, Fault::bad_argument, "the number of bands must be positive (got {})", *request.bands);
    require(*request.bands <= header.bands || request.orthonormal == Orthonormal::cholesky, Fault::bad_argument,
            "{}: has {} bands, but {} are requested: add bands with Cholesky orthonormalization", header.path,
            header.bands, *request.bands);
    take_bands(made, *request.bands);
  }
  if (request.cutoff || request.lattice) {
    made.grid = request.grid ? *request.grid : fft_grid(made.crystal, made.density_cutoff);
    const auto half = static_cast<std::int64_t>(
        sphere_of_waves(made.crystal.reciprocal(), {0, 0, 0}, made.density_cutoff, true).size());
    made.density_waves = made.half_sphere ? half : 2 * half - 1;
    made.total_energy.reset();
  } else if (request.grid) {
    made.grid = *request.grid;
  }
  made.density_components = 0;  // a density stored with the waves belongs to the old basis
  if (request.grid) expect_room_for_density(made);
  return made;
}

/// Returns the plane waves of k-point `k` in the new basis. Waves exactly on the cutoff are included.
std::vector<Miller> new_waves(const OrbitalHeader& made, const BasisRequest& request, std::size_t k) {
  std::vector<Miller> waves;
  if (request.waves.empty()) {
    const auto b = made.crystal.reciprocal();
    waves = sphere_of_waves(b, made.kpoints[k].k, made.cutoff * (1 + 1e-10), made.half_sphere);
  } else {
    require(request.waves.size() == made.kpoints.size(), Fault::bad_argument,
            "wrong number of lists of waves ({} lists, {} k-points): give one list per k-point", request.waves.size(),
            made.kpoints.size());
    waves = request.waves[k];
  }
  require(!waves.empty(), Fault::bad_argument, "no wave of k-point {} is within the cutoff: use a larger cutoff",
          k + 1);
  for (const Miller& g : waves) {
    require(fits(made.grid, g), Fault::bad_argument,
            "wave ({}, {}, {}) does not fit a grid of {} x {} x {} points: choose a larger grid or remove the wave",
            g.x, g.y, g.z, made.grid.nx, made.grid.ny, made.grid.nz);
  }
  return waves;
}

/// Finds positions in a list of waves.
class Finder {
 public:
  explicit Finder(const std::vector<Miller>& waves) : waves_(waves), order_(waves.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::int64_t i, std::int64_t j) { return before(at(i), at(j)); });
  }
  /// Returns the position, or -1 for a wave that is not in the list.
  std::int64_t operator()(const Miller& g) const {
    const auto found = std::lower_bound(order_.begin(), order_.end(), g,
                                        [&](std::int64_t i, const Miller& w) { return before(at(i), w); });
    return found != order_.end() && at(*found) == g ? *found : -1;
  }

 private:
  const Miller& at(std::int64_t i) const { return waves_[static_cast<std::size_t>(i)]; }
  const std::vector<Miller>& waves_;
  std::vector<std::int64_t> order_;
};

/// Returns a pseudorandom number from -0.5 to 0.5 that depends only on the arguments (the mixing function of
/// splitmix64).
double scatter(std::uint64_t seed, const Miller& g, int which) {
  for (const std::int32_t number : {g.x, g.y, g.z, which}) {
    seed += 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
    seed ^= seed >> 31;
  }
  return static_cast<double>(seed >> 11) / 9007199254740992.0 - 0.5;
}

/// Maps the parts of one k-point, of all spins, that this rank holds.
class Mapper {
 public:
  /// Collective.
  Mapper(const Orbitals& from, const OrbitalHeader& made, int k, std::vector<Miller> waves)
      : from_(from), made_(made), k_(k), waves_(std::move(waves)) {
    std::vector<std::int64_t> mine;
    together(from.comm, [&] {
      const Finder position(waves_);
      for (const OrbitalPart& part : from.parts) {
        if (part.k != k) continue;
        std::vector<std::int64_t>& positions = targets_.emplace_back();
        for (const Miller& g : part.waves) positions.push_back(position(g));
        if (part.spin != 0 || part.bands.low != 0) continue;  // already counted with spin 0 and band 0
        for (const std::int64_t p : positions) {
          if (p >= 0) mine.push_back(p);
        }
      }
    });
    const auto all = join_all(from.comm, mine);
    together(from.comm, [&] {
      std::vector<bool> there(waves_.size());
      for (const std::int64_t p : all) there[static_cast<std::size_t>(p)] = true;
      for (std::size_t p = 0; p < waves_.size(); ++p) {
        if (!there[p]) new_.push_back(static_cast<std::int64_t>(p));
      }
      normalise_new_bands();
    });
  }

  std::int64_t added() const { return static_cast<std::int64_t>(new_.size()); }
  std::int64_t kept() const { return static_cast<std::int64_t>(waves_.size() - new_.size()); }

  /// Returns `part` in the new basis. Adds the squared norm of each band to `norm`, and the part of it on removed waves
  /// to `lost`.
  OrbitalPart operator()(const OrbitalPart& part, std::size_t number, std::vector<double>& norm,
                         std::vector<double>& lost) {
    const auto places = places_of(part, targets_[number]);
    const bool extended = made_.bands > from_.header.bands && part.bands.high == from_.header.bands;
    OrbitalPart result{part.spin,
                       part.k,
                       {part.bands.low, extended ? made_.bands : std::min<std::int64_t>(part.bands.high, made_.bands)},
                       {},
                       {},
                       {}};
    result.bands.high = std::max(result.bands.low, result.bands.high);
    for (const Place& place : places) {
      auto& runs = result.positions;
      if (runs.empty() || runs.back().high != place.position) runs.push_back({place.position, place.position});
      ++runs.back().high;
      result.waves.push_back(waves_[static_cast<std::size_t>(place.position)]);
    }
    fill(part, places, result);
    measure(part, targets_[number], norm, lost);
    return result;
  }

 private:
  struct Place {
    std::int64_t position, source;  // position in the new basis; index among the part's waves, -1 for a new wave
  };

  /// Returns the kept waves of the part and its share of the new waves, in the new order. The share is proportional to
  /// the part's share of the old waves.
  std::vector<Place> places_of(const OrbitalPart& part, const std::vector<std::int64_t>& targets) const {
    std::vector<Place> places;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] >= 0) places.push_back({targets[i], static_cast<std::int64_t>(i)});
    }
    const std::int64_t old = from_.header.kpoints[static_cast<std::size_t>(k_)].plane_waves;
    const auto share = [&](std::int64_t position) {
      return static_cast<std::int64_t>(static_cast<__int128>(position) * added() / old);
    };
    for (const Range& run : part.positions) {
      for (std::int64_t i = share(run.low); i < share(run.high); ++i) {
        places.push_back({new_[static_cast<std::size_t>(i)], -1});
      }
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.position < b.position; });
    return places;
  }

  void fill(const OrbitalPart& part, const std::vector<Place>& places, OrbitalPart& result) const {
    const std::int64_t spinor = made_.spinor, waves = static_cast<std::int64_t>(part.waves.size());
    const std::size_t row = places.size();
    result.coefficients.reserve(row * static_cast<std::size_t>(result.bands.size() * spinor));
    for (std::int64_t band = result.bands.low; band < result.bands.high; ++band) {
      for (std::int64_t component = 0; component < spinor; ++component) {
        result.coefficients.resize(result.coefficients.size() + row);
        Complex* const to = result.coefficients.data() + result.coefficients.size() - row;
        if (band >= part.bands.high) {
          const auto added =
              static_cast<std::size_t>(part.spin * (made_.bands - from_.header.bands) + band - part.bands.high);
          for (std::size_t i = 0; i < row; ++i) {
            to[i] = scale_[added] *
                    new_value(part.spin, static_cast<int>(band), static_cast<int>(component), places[i].position);
          }
        } else {
          const Complex* const from = part.coefficients.data() + ((band - part.bands.low) * spinor + component) * waves;
          for (std::size_t i = 0; i < row; ++i) to[i] = places[i].source < 0 ? 0 : from[places[i].source];
        }
      }
    }
  }

  /// Computes the scale of the new bands. Every rank sums over all waves, so all ranks get the same number.
  void normalise_new_bands() {
    for (int spin = 0; spin < made_.spins; ++spin) {
      for (int band = from_.header.bands; band < made_.bands; ++band) {
        double norm = 0;
        for (int component = 0; component < made_.spinor; ++component) {
          for (std::size_t p = 0; p < waves_.size(); ++p) {
            const double twice = made_.half_sphere && !(waves_[p] == Miller{}) ? 2 : 1;
            norm += twice * std::norm(new_value(spin, band, component, static_cast<std::int64_t>(p)));
          }
        }
        scale_.push_back(1 / std::sqrt(norm));
      }
    }
  }

  /// Returns a pseudorandom coefficient. It decreases with |k + G|, as in low bands.
  Complex new_value(int spin, int band, int component, std::int64_t position) const {
    const Miller& g = waves_[static_cast<std::size_t>(position)];
    const auto b = made_.crystal.reciprocal();
    const Vector3& k = made_.kpoints[static_cast<std::size_t>(k_)].k;
    Vector3 q{};
    for (std::size_t x = 0; x < 3; ++x) q[x] = (k[0] + g.x) * b[0][x] + (k[1] + g.y) * b[1][x] + (k[2] + g.z) * b[2][x];
    const auto seed = static_cast<std::uint64_t>(((spin * 1000003LL + k_) * 1000003LL + band) * 2 + component);
    const double damping = 1 / (1 + 4 * dot(q, q));
    const bool real = made_.half_sphere && g == Miller{};
    return damping * Complex(scatter(seed, g, 0), real ? 0 : scatter(seed, g, 1));
  }

  void measure(const OrbitalPart& part, const std::vector<std::int64_t>& targets, std::vector<double>& norm,
               std::vector<double>& lost) const {
    const std::size_t waves = part.waves.size();
    std::vector<double> counted(waves);  // weight of each wave: 2 if it also represents -G
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < waves; ++i) {
      counted[i] = made_.half_sphere && !(part.waves[i] == Miller{}) ? 2 : 1;
      if (targets[i] < 0) left_out.push_back(i);
    }
    const Complex* row = part.coefficients.data();
    for (std::int64_t band = part.bands.low; band < std::min<std::int64_t>(part.bands.high, made_.bands); ++band) {
      double all = 0, gone = 0;
      for (int component = 0; component < made_.spinor; ++component, row += waves) {
        for (std::size_t i = 0; i < waves; ++i) all += counted[i] * std::norm(row[i]);
        for (const std::size_t i : left_out) gone += counted[i] * std::norm(row[i]);
      }
      const std::size_t state = made_.state(part.spin, k_, static_cast<int>(band));
      norm[state] += all;
      lost[state] += gone;
    }
  }

  const Orbitals& from_;
  const OrbitalHeader& made_;
  int k_;
  std::vector<Miller> waves_;
  std::vector<std::vector<std::int64_t>> targets_;  // for each part of this k-point: new position of each wave, or -1
  std::vector<std::int64_t> new_;                   // positions of waves that are not in the old basis
  std::vector<double> scale_;                       // [spin][new band]: factor for norm 1
};

}  // namespace

BasisRequest basis_like(const OrbitalHeader& header) {
  BasisRequest request;
  request.cutoff = header.cutoff;
  request.density_cutoff = header.density_cutoff;
  request.lattice = header.crystal.lattice;
  request.grid = header.grid;
  return request;
}

Reassigned reassign(const Orbitals& orbitals, const BasisRequest& request, const MoveOptions& options) {
  Reassigned result{{orbitals.comm, {}, {}}, {}, {}, {}};
  OrbitalHeader& made = result.orbitals.header;
  std::vector<double> norm, &lost = result.norm_lost;
  together(orbitals.comm, "reassign", [&](EqualArguments& same) {
    made = new_header(orbitals.header, request);
    same.add("cutoff", request.cutoff).add("lattice", request.lattice).add("density_cutoff", request.density_cutoff);
    same.add("grid", request.grid).add("bands", request.bands).add("orthonormal", request.orthonormal);
    for (const auto& of_kpoint : request.waves) same.add("waves", of_kpoint);
    norm.resize(made.energies.size());
    lost.resize(made.energies.size());
  });
  const double part_mapped = request.orthonormal == Orthonormal::as_they_are ? 1 : 0.5;
  for (std::size_t k = 0; k < made.kpoints.size(); ++k) {
    std::vector<Miller> list;
    together(orbitals.comm, [&] { list = new_waves(made, request, k); });
    Mapper map(orbitals, made, static_cast<int>(k), std::move(list));
    together(orbitals.comm, [&] {
      std::size_t number = 0;
      for (const OrbitalPart& part : orbitals.parts) {
        if (part.k != static_cast<int>(k)) continue;
        OrbitalPart mapped = map(part, number++, norm, lost);
        if (!mapped.bands.empty() && !mapped.waves.empty()) result.orbitals.parts.push_back(std::move(mapped));
      }
      const std::int64_t old = orbitals.header.kpoints[k].plane_waves;
      made.kpoints[k].plane_waves = map.kept() + map.added();
      result.added.push_back(map.added());
      result.left_out.push_back(old - map.kept());
      if (options.on_progress)
        options.on_progress(part_mapped * static_cast<double>(k + 1) / static_cast<double>(made.kpoints.size()));
    });
  }
  std::stable_sort(
      result.orbitals.parts.begin(), result.orbitals.parts.end(),
      [](const OrbitalPart& a, const OrbitalPart& b) { return std::tie(a.spin, a.k) < std::tie(b.spin, b.k); });
  reduce_each(orbitals.comm, norm, MPI_SUM);
  reduce_each(orbitals.comm, lost, MPI_SUM);
  for (std::size_t state = 0; state < norm.size(); ++state) {
    if (norm[state] > 0) lost[state] /= norm[state];
  }
  if (request.orthonormal != Orthonormal::as_they_are) {
    MoveOptions rest = options;
    if (options.on_progress) rest.on_progress = [&](double done) { options.on_progress((1 + done) / 2); };
    result.orbitals = orthonormalized(result.orbitals, request.orthonormal, rest);
  }
  return result;
}

}  // namespace seiche
