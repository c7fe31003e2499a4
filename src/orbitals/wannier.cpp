// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes u_k+b from the bands of a listed k-point, with the map that symmetry uses. The map relabels the
/// waves on the ranks that hold them. Waves that k also has are then redistributed to the ranks of k, one neighbour
/// after another.
#include "orbitals/wannier_bands.hpp"

#include <algorithm>
#include <cmath>

#include "comm/agree.hpp"
#include "crystal/lattice.hpp"
#include "orbitals/holdings.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

bool same_place(const Vector3& a, const Vector3& b) { return apart_in_lattice(a, b) < 1e-5; }

/// Returns the map of each k-point to itself.
KStarMap as_listed(const OrbitalHeader& header) {
  KStarMap map{header, {}};
  for (int spin = 0; spin < header.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(header.kpoints.size()); ++k) {
      map.parent_states.push_back({spin, k, identity_operation()});
    }
  }
  return map;
}

int place_in(const OrbitalHeader& header, const Vector3& k) {
  const auto found = std::find_if(header.kpoints.begin(), header.kpoints.end(),
                                  [&](const KPoint& listed) { return same_place(listed.k, k); });
  return found == header.kpoints.end() ? -1 : static_cast<int>(found - header.kpoints.begin());
}

/// Returns the parent states of the request's k-points. Uses symmetry only if some of them are not listed.
std::vector<ParentState> parents_of(const OrbitalHeader& header, const WannierRequest& request) {
  const auto missing = [&](const OrbitalHeader& h) {
    return std::find_if(request.kpoints.begin(), request.kpoints.end(),
                        [&](const Vector3& k) { return place_in(h, k) < 0; });
  };
  KStarMap zone = as_listed(header);
  if (missing(header) != request.kpoints.end()) zone = full_zone(header, operations_or_identity(header.crystal));
  const auto none = missing(zone.header);
  require(none == request.kpoints.end(), Fault::bad_argument,
          "{} requests k-point ({:.6f}, {:.6f}, {:.6f}), which is not in {} nor an image under its symmetry: use the "
          "wavefunctions of that mesh",
          request.path, (*none)[0], (*none)[1], (*none)[2], header.path);
  std::vector<ParentState> parents;
  for (const Vector3& k : request.kpoints) parents.push_back(zone.parent_states[size_of(place_in(zone.header, k))]);
  return parents;
}

const KNeighbour& neighbour_of(const WannierRequest& request, const NeighbourStep& step) {
  return request.neighbours[size_of(step.k)][size_of(step.neighbour)];
}

/// Returns the reverse step, if the request contains it.
std::optional<NeighbourStep> way_back(const WannierRequest& request, const NeighbourStep& step) {
  const auto& [there, shift] = neighbour_of(request, step);
  const auto& steps = request.neighbours[size_of(there)];
  const auto back = std::find_if(steps.begin(), steps.end(), [&](const KNeighbour& next) {
    return next.k == step.k && next.shift == Miller{-shift.x, -shift.y, -shift.z};
  });
  if (back == steps.end()) return std::nullopt;
  return NeighbourStep{there, static_cast<int>(back - steps.begin())};
}

Matrix adjoint(const Matrix& matrix, int n) {
  Matrix result(matrix.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) result[size_of(j * n + i)] = std::conj(matrix[size_of(i * n + j)]);
  }
  return result;
}

/// Collective. Returns the position of G = 0 in the order of the k-point, on every rank; -1 if it is missing.
std::int64_t place_of_zero(const Orbitals& half) {
  std::int64_t place = -1;
  for (const OrbitalPart& part : half.parts) {
    auto wave = part.waves.begin();
    for (const Range& run : part.positions) {
      for (std::int64_t p = run.low; p < run.high; ++p, ++wave) {
        if (*wave == Miller{}) place = p;
      }
    }
  }
  return maximum(half.comm, place);
}

/// Returns the part with -G of each wave appended, except for G = 0, which is at position `zero` of `count`.
OrbitalPart widened(const OrbitalPart& part, std::int64_t zero, std::int64_t count) {
  OrbitalPart whole = part;
  whole.coefficients.clear();
  std::vector<std::int64_t> positions;
  std::vector<std::size_t> sources;
  std::size_t i = 0;
  for (const Range& run : part.positions) {
    for (std::int64_t p = run.low; p < run.high; ++p, ++i) {
      if (p == zero) continue;
      positions.push_back(count + p - (zero >= 0 && p > zero ? 1 : 0));
      const Miller& g = part.waves[i];
      whole.waves.push_back({-g.x, -g.y, -g.z});
      sources.push_back(i);
    }
  }
  for (const Range& run : runs_of(positions)) whole.positions.push_back(run);
  const std::size_t waves = part.waves.size();
  for (auto row = part.coefficients.begin(); row != part.coefficients.end();
       row += static_cast<std::ptrdiff_t>(waves)) {
    whole.coefficients.insert(whole.coefficients.end(), row, row + static_cast<std::ptrdiff_t>(waves));
    for (const std::size_t source : sources)
      whole.coefficients.push_back(std::conj(row[static_cast<std::ptrdiff_t>(source)]));
  }
  return whole;
}

/// Collective. Converts half spheres, which exist only at k = 0, to whole spheres. Both are distributed in blocks.
Orbitals on_whole_spheres(Orbitals orbitals, const MoveOptions& options) {
  if (!orbitals.header.half_sphere) return orbitals;
  const Communicator comm = orbitals.comm;
  const std::int64_t zero = place_of_zero(orbitals), count = orbitals.header.kpoints[0].plane_waves;
  for (OrbitalPart& part : orbitals.parts) part = widened(part, zero, count);
  orbitals.header.half_sphere = false;
  for (KPoint& point : orbitals.header.kpoints) point.plane_waves = 2 * count - (zero >= 0 ? 1 : 0);
  return redistribute(std::move(orbitals), by_blocks(comm.size()), options);
}

}  // namespace

void require_answerable(const OrbitalHeader& header, const WannierRequest& request) {
  require(header.norm_conserving == NormConserving::yes, Fault::unsupported,
          "{}: its pseudopotentials are ultrasoft, PAW or unknown, so that overlaps of its bands need augmentation "
          "terms: use the wannier90 interface of the code",
          header.path);
  require(header.spins == 1, Fault::bad_argument, "{} has two spins: choose one for wannier90", header.path);
  require(nearly_same(request.lattice, header.crystal.lattice, 1e-5), Fault::bad_argument,
          "{} and {} have different cells: create the first again for the cell of the second", request.path,
          header.path);
  for (const TrialOrbital& trial : request.trial_orbitals) {
    require((trial.spin == 0) == (header.spinor == 1), Fault::bad_argument,
            "{} has projections that are {}spinors, but the bands of {} are {}: set spinors in the .win accordingly",
            request.path, trial.spin == 0 ? "not " : "", header.path, header.spinor == 1 ? "none" : "spinors");
  }
  parents_of(header, request);
}

WannierBands::WannierBands(Orbitals orbitals, const WannierRequest& request, MoveOptions options)
    : listed_(std::move(orbitals)), request_(request), options_(std::move(options)) {
  options_.on_progress = nullptr;
  const Communicator comm = listed_.comm;
  together(comm, [&] {
    require_answerable(listed_.header, request);
    parents_ = parents_of(listed_.header, request);
  });
  listed_ = on_whole_spheres(std::move(listed_), options_);
}

double WannierBands::energy(int k, int band) const {
  return listed_.header.energies[listed_.header.state(0, parents_[size_of(k)].k, band)];
}

Orbitals WannierBands::image(int k, const Vector3& place) const {
  const ParentState& parent = parents_[size_of(k)];
  KStarMap map{listed_.header, {parent}};
  map.header.kpoints = {{place, 0, listed_.header.kpoints[size_of(parent.k)].plane_waves}};
  map.header.energies.assign(size_of(map.header.bands), 0);
  map.header.occupations = map.header.energies;
  return mapped(listed_, map);
}

std::vector<NeighbourOverlap> WannierBands::overlaps(int k, const Orbitals& left) const {
  const OrbitalPart* const mine = part_of(left, 0, 0);
  BasisRequest basis;
  basis.waves = {all_waves(left, 0, tasks_of(left)[0].from)};
  std::vector<NeighbourOverlap> found;
  for (int b = 0; b < static_cast<int>(request_.neighbours[size_of(k)].size()); ++b) {
    const NeighbourStep step{k, b};
    const auto back = way_back(request_, step);
    const bool gives_back = back && way_back(request_, *back) == step;  // false if a neighbour is listed twice
    if (gives_back && *back < step) continue;                           // computed with the reverse step
    const KNeighbour& neighbour = neighbour_of(request_, step);
    Vector3 place = kpoint(neighbour.k);
    place[0] += neighbour.shift.x, place[1] += neighbour.shift.y, place[2] += neighbour.shift.z;
    const Orbitals right = redistribute(reassign(image(neighbour.k, place), basis, options_).orbitals,
                                        by_blocks(listed_.comm.size()), options_);
    found.push_back({step, overlap(left.comm, left.header, {mine, part_of(right, 0, 0), bands(), bands()})});
    if (gives_back) found.push_back({*back, adjoint(found.back().matrix, bands())});
  }
  return found;
}

WannierMatrices wannier_matrices(const Orbitals& orbitals, const WannierRequest& request,
                                 const std::optional<SelectedColumns>& columns, const MoveOptions& options) {
  const WannierBands bands(redistribute(orbitals, by_blocks(orbitals.comm.size()), options), request, options);
  const Projections projections(bands, request, columns);
  WannierMatrices made;
  made.bands = bands.bands();
  made.functions = projections.functions();
  for (const auto& neighbours : request.neighbours) made.overlaps.emplace_back(neighbours.size());
  for (int k = 0; k < bands.kpoints(); ++k) {
    const Orbitals left = bands.at(k);
    for (NeighbourOverlap& found : bands.overlaps(k, left)) {
      made.overlaps[size_of(found.step.k)][size_of(found.step.neighbour)] = std::move(found.matrix);
    }
    if (made.functions > 0) made.projections.push_back(projections.at(k, left));
    for (int band = 0; band < made.bands; ++band) made.energies.push_back(bands.energy(k, band));
    if (options.on_progress) options.on_progress((k + 1.0) / bands.kpoints());
  }
  return made;
}

}  // namespace seiche
