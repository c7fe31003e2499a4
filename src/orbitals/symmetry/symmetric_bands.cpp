// SPDX-License-Identifier: BSD-3-Clause
/// \file  Symmetrizes bands under the group of their k-point.
///
/// Let P be the projector on a group of degenerate bands, with a small error e, and O the operations of the group. The
/// mean of O P O^-1 is symmetric, and it is a projector up to e^2. One step psi_i -> mean of O P O^-1 psi_i = sum_O
/// sum_j (O psi_j) <O psi_j|psi_i> is followed by orthonormalization. It yields bands of the symmetric space up to e^2.
#include <algorithm>

#include "comm/equal_arguments.hpp"
#include "orbitals/degenerate.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/subspace.hpp"
#include "seiche/basis.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

constexpr double complete = 0.99;  // smaller singular values: some band of the group is missing

/// Returns the block of a matrix for one group.
Matrix within(const Matrix& m, std::int64_t n, const Range& group) {
  Matrix part;
  for (std::int64_t i = group.low; i < group.high; ++i) {
    for (std::int64_t j = group.low; j < group.high; ++j) part.push_back(m[static_cast<std::size_t>(i * n + j)]);
  }
  return part;
}

void put(const Matrix& part, std::int64_t n, const Range& group, Matrix& m) {
  auto next = part.begin();
  for (std::int64_t i = group.low; i < group.high; ++i) {
    for (std::int64_t j = group.low; j < group.high; ++j) m[static_cast<std::size_t>(i * n + j)] = *next++;
  }
}

/// Returns the states of some k-points.
Orbitals only(const Orbitals& orbitals, const std::vector<std::size_t>& kpoints) {
  const OrbitalHeader& h = orbitals.header;
  Orbitals some{orbitals.comm, h, {}};
  some.header.kpoints.clear();
  some.header.energies.clear();
  some.header.occupations.clear();
  for (const std::size_t k : kpoints) some.header.kpoints.push_back(h.kpoints[k]);
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t place = 0; place < kpoints.size(); ++place) {
      const auto k = static_cast<int>(kpoints[place]);
      for (int band = 0; band < h.bands; ++band) {
        some.header.energies.push_back(h.energies[h.state(spin, k, band)]);
        some.header.occupations.push_back(h.occupations[h.state(spin, k, band)]);
      }
      const OrbitalPart* part = part_of(orbitals, spin, k);
      if (!part) continue;
      some.parts.push_back(*part);
      some.parts.back().k = static_cast<int>(place);
    }
  }
  return some;
}

/// Averages the bands of one set, which is distributed in blocks.
class Average {
 public:
  Average(const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations, const MoveOptions& options)
      : waves_(orbitals), sum_{orbitals.comm, {}, {}}, options_(options), h_(orbitals.header) {
    together(orbitals.comm, [&] {
      sum_ = orbitals;
      whole_.assign(h_.energies.size(), true);
      for (const KPoint& point : h_.kpoints) {
        const auto count = std::count_if(operations.begin(), operations.end(),
                                         [&](const SymmetryOperation& s) { return keeps(s, point.k); });
        share_.push_back(count > 0 ? 1 / static_cast<double>(count) : 0);
      }
      for (OrbitalPart& part : sum_.parts) std::fill(part.coefficients.begin(), part.coefficients.end(), 0);
    });
    const auto tasks = tasks_of(orbitals);
    for (std::size_t k = 0; k < h_.kpoints.size(); ++k) {
      lists_.push_back(all_waves(orbitals, static_cast<int>(k), tasks[k].from));
    }
  }

  /// Collective. Adds the images of the k-points that the operation keeps.
  void add(const SymmetryOperation& operation) {
    std::vector<std::size_t> kept;
    BasisRequest lists;  // original waves of each k-point: images are reordered to them
    Orbitals some{waves_.comm, {}, {}};
    KStarMap map;
    together(waves_.comm, [&] {
      for (std::size_t k = 0; k < h_.kpoints.size(); ++k) {
        if (!keeps(operation, h_.kpoints[k].k)) continue;
        kept.push_back(k);
        lists.waves.push_back(lists_[k]);
      }
      some = only(waves_, kept);
      if (!kept.empty()) map = moved(some.header, operation);
    });
    if (kept.empty()) return;
    const Orbitals images =
        redistribute(reassign(mapped(some, map), lists, options_).orbitals, by_blocks(waves_.comm.size()), options_);
    for (int spin = 0; spin < h_.spins; ++spin) {
      for (std::size_t k = 0; k < kept.size(); ++k) {
        add_images(images, some, {spin, static_cast<int>(k), static_cast<int>(kept[k])});
      }
    }
  }

  /// Collective.
  Orbitals operator()() {
    Orbitals result = made_together(waves_.comm, [&] { return waves_; });
    for (int spin = 0; spin < h_.spins; ++spin) {
      for (int k = 0; k < static_cast<int>(h_.kpoints.size()); ++k) {
        const Matrix s = overlap(sum_, sum_, spin, k);
        together(waves_.comm, [&] { finish(s, spin, k, result); });
      }
    }
    return result;
  }

 private:
  static bool keeps(const SymmetryOperation& operation, const Vector3& k) {
    return apart_in_lattice(image_of(operation, k), k) < 1e-6;
  }

  struct State {
    int spin, in_some, k;  // k-point index among the mapped ones, and among all
  };

  void add_images(const Orbitals& images, const Orbitals& some, const State& state) {
    const int spin = state.spin, k = state.k;
    const Matrix s = overlap(images, some, spin, state.in_some);
    together(waves_.comm, [&] {
      Matrix x(s.size());
      for (const Range& group : degenerate_groups(h_, spin, k, h_.bands)) {
        Matrix part = within(s, h_.bands, group);
        const auto n = static_cast<int>(group.size());
        if (smallest_singular_value(part, n, n) > complete) {
          for (auto& c : part) c *= share_[static_cast<std::size_t>(k)];
          put(part, h_.bands, group, x);
          continue;
        }
        require(group.high == h_.bands, Fault::bad_argument,
                "{}: the operations of the crystal do not map bands {} to {} of k-point {} onto each other: check the "
                "operations of the file",
                h_.path, group.low + 1, group.high, k + 1);
        whole_[h_.state(spin, k, static_cast<int>(group.low))] = false;
      }
      OrbitalPart* part = part_of(sum_, spin, k);
      if (part) add_combined(*part_of(images, spin, state.in_some), x, h_.spinor, *part);
    });
  }

  /// Orthonormalizes each group. Groups with missing bands are not changed.
  void finish(const Matrix& s, int spin, int k, Orbitals& result) const {
    Matrix of_sum(s.size()), of_old(s.size());
    for (const Range& group : degenerate_groups(h_, spin, k, h_.bands)) {
      if (whole_[h_.state(spin, k, static_cast<int>(group.low))]) {
        put(loewdin(within(s, h_.bands, group), static_cast<int>(group.size())), h_.bands, group, of_sum);
      } else {
        for (std::int64_t i = group.low; i < group.high; ++i) of_old[static_cast<std::size_t>(i * h_.bands + i)] = 1;
      }
    }
    OrbitalPart* part = part_of(result, spin, k);
    if (!part) return;
    const OrbitalPart old = *part;
    std::fill(part->coefficients.begin(), part->coefficients.end(), 0);
    add_combined(old, of_old, h_.spinor, *part);
    add_combined(*part_of(sum_, spin, k), of_sum, h_.spinor, *part);
  }

  const Orbitals& waves_;
  Orbitals sum_;
  MoveOptions options_;
  const OrbitalHeader& h_;
  std::vector<std::vector<Miller>> lists_;  // the waves of each k-point, in order
  std::vector<double> share_;               // for each k-point: 1 / number of operations that keep it
  std::vector<bool> whole_;                 // at the first band of each group: whether the group is complete
};

}  // namespace

Orbitals symmetric_bands(const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations,
                         const MoveOptions& options) {
  together(orbitals.comm, "symmetric_bands", [&](EqualArguments& same) {
    require(orbitals.header.norm_conserving == NormConserving::yes, Fault::unsupported,
            "{}: its pseudopotentials are ultrasoft, PAW or unknown, so that its bands are orthonormal only with "
            "augmentation: keep the bands as they are",
            orbitals.header.path);
    same.add("operations", operations.size());
  });
  MoveOptions quiet = options;  // progress is reported per operation, not per redistribution
  quiet.on_progress = nullptr;
  const Orbitals spread = redistribute(orbitals, by_blocks(orbitals.comm.size()), quiet);
  std::vector<SymmetryOperation> on_bands;
  together(orbitals.comm, [&] {
    for (const SymmetryOperation& operation : operations) {
      // With two sets of bands, time reversal maps one set to the other.
      if (!operation.time_reversal || spread.header.spins == 1) on_bands.push_back(operation);
    }
  });
  Average average(spread, on_bands, quiet);
  for (std::size_t i = 0; i < on_bands.size(); ++i) {
    average.add(on_bands[i]);
    together(orbitals.comm, [&] {
      if (options.on_progress) options.on_progress(static_cast<double>(i + 1) / static_cast<double>(on_bands.size()));
    });
  }
  return average();
}

}  // namespace seiche
