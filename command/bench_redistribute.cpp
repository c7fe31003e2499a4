// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench redistribute`: wavefunctions in memory from a distribution over waves to one over bands, and
/// to a larger basis; compared with codes that gather and scatter band after band.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "contest.hpp"
#include "made_orbitals.hpp"
#include "seiche/basis.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

/// Gathers the waves of one band after another.
class BandByBand {
 public:
  BandByBand(const Session& session, const OrbitalCase& request)
      : session_(session), waves_(request.waves), parts_(session, waves_) {
    band_.resize(size_of(waves_));
  }
  /// Collective. Copies each band to its rank. `owned` receives the bands of this rank.
  void to_bands(const Orbitals& all, int bands, std::vector<Complex>& owned) {
    Complex* next = owned.data();
    for (const OrbitalPart& part : all.parts) {
      for (int rank = 0; rank < session_.size; ++rank) {
        const Range theirs = block(bands, session_.size, rank);
        for (std::int64_t band = theirs.low; band < theirs.high; ++band) {
          gather(row(part, band), rank, next);
          if (rank == session_.rank) next += waves_;
        }
      }
    }
  }
  /// Collective. Maps each band on rank 0, and distributes the waves of the new basis in equal parts. `place`: position
  /// of each wave in the new basis. `owned` receives this rank's waves.
  void to_basis(const Orbitals& all, const std::vector<std::int64_t>& place, std::int64_t new_waves,
                std::vector<Complex>& owned) {
    const WaveParts parts(session_, new_waves);
    const int mine = parts.counts[size_of(session_.rank)];
    std::vector<Complex> mapped(size_of(new_waves));
    Complex* next = owned.data();
    for (const OrbitalPart& part : all.parts) {
      for (std::int64_t band = part.bands.low; band < part.bands.high; ++band, next += mine) {
        gather(row(part, band), 0, band_.data());
        for (std::size_t i = 0; session_.rank == 0 && i < place.size(); ++i) mapped[size_of(place[i])] = band_[i];
        MPI_Scatterv(mapped.data(), parts.counts.data(), parts.starts.data(), MPI_C_DOUBLE_COMPLEX, next, mine,
                     MPI_C_DOUBLE_COMPLEX, 0, session_.comm);
      }
    }
  }

 private:
  static const Complex* row(const OrbitalPart& part, std::int64_t band) {
    return part.coefficients.data() + (band - part.bands.low) * std::ssize(part.waves);
  }
  void gather(const Complex* mine, int root, Complex* band) const {
    MPI_Gatherv(mine, parts_.counts[size_of(session_.rank)], MPI_C_DOUBLE_COMPLEX, band, parts_.counts.data(),
                parts_.starts.data(), MPI_C_DOUBLE_COMPLEX, root, session_.comm);
  }

  const Session& session_;
  std::int64_t waves_;
  WaveParts parts_;
  std::vector<Complex> band_;
};

using Key = std::array<std::int32_t, 3>;
Key key_of(const Miller& g) { return {g.x, g.y, g.z}; }

/// Returns the position of each wave of a basis.
std::map<Key, std::int64_t> positions_of(const std::vector<Miller>& waves) {
  std::map<Key, std::int64_t> positions;
  for (const Miller& g : waves) positions.emplace(key_of(g), std::ssize(positions));
  return positions;
}

/// Returns the known coefficient of a wave. `before`: positions of waves in the basis of the known coefficients. Other
/// waves are zero.
Complex wanted(const std::map<Key, std::int64_t>& before, int k, std::int64_t band, const Miller& g) {
  const auto found = before.find(key_of(g));
  return found == before.end() ? Complex() : made_coefficient(k, band, found->second);
}

/// Returns the largest error of rows of bands of all k-points: [k][band][wave].
double error_of_rows(const std::vector<Complex>& rows, int kpoints, const Range& bands, std::span<const Miller> waves,
                     const std::map<Key, std::int64_t>& before) {
  double worst = 0;
  const Complex* value = rows.data();
  for (int k = 0; k < kpoints; ++k) {
    for (std::int64_t band = bands.low; band < bands.high; ++band) {
      for (const Miller& g : waves) {
        worst = std::max(worst, std::abs(*value++ - wanted(before, k, band, g)));
      }
    }
  }
  return worst;
}

/// Same for orbitals.
double error_in_basis(const Orbitals& orbitals, const std::map<Key, std::int64_t>& before) {
  double worst = 0;
  for (const OrbitalPart& part : orbitals.parts) {
    const Complex* value = part.coefficients.data();
    for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
      for (const Miller& g : part.waves) {
        worst = std::max(worst, std::abs(*value++ - wanted(before, part.k, band, g)));
      }
    }
  }
  return worst;
}

}  // namespace

void bench_redistribute(const Session& session, const OrbitalCase& request) {
  constexpr double larger = 1.1;  // cutoff of the new basis
  const Orbitals orbitals = made_orbitals(session, request);
  const auto reciprocal = orbitals.header.crystal.reciprocal();
  std::vector<Miller> waves = sphere_of_waves(reciprocal, {}, larger * orbitals.header.cutoff);
  const std::vector<Miller> old_waves(waves.begin(), waves.begin() + request.waves);
  BasisRequest basis;
  std::reverse(waves.begin(), waves.end());
  basis.waves.assign(size_of(request.kpoints), waves);
  const auto before = positions_of(old_waves), after = positions_of(waves);
  std::vector<std::int64_t> place;
  for (const Miller& g : old_waves) place.push_back(after.at(key_of(g)));

  const OrbitalLayout bands{{1, session.size, 1}};
  BandByBand one_by_one(session, request);
  const std::int64_t my_bands = request.kpoints * block(request.bands, session.size, session.rank).size(),
                     my_waves = block(std::ssize(waves), session.size, session.rank).size();
  const std::int64_t all_bands = std::int64_t{request.kpoints} * request.bands;
  std::vector<Complex> gathered, mapped;  // all methods allocate their results
  std::optional<Orbitals> by_bands;
  std::optional<Reassigned> reassigned;
  Contest contest(session);
  contest.add(
      "bands one by one", [&] { gathered = {}; },
      [&] {
        gathered.resize(size_of(my_bands * request.waves));
        one_by_one.to_bands(orbitals, request.bands, gathered);
      });
  contest.add(
      "redistribute", [&] { by_bands.reset(); }, [&] { by_bands = redistribute(orbitals, bands); });
  contest.add(
      "mapped one by one", [&] { mapped = {}; },
      [&] {
        mapped.resize(size_of(all_bands * my_waves));
        one_by_one.to_basis(orbitals, place, std::ssize(waves), mapped);
      });
  contest.add(
      "reassign", [&] { reassigned.reset(); }, [&] { reassigned = reassign(orbitals, basis); });
  contest.run(request.repeats);

  BenchResult result;
  result.name =
      fmt::format("redistribute {} k-points x {} bands x {} waves", request.kpoints, request.bands, request.waves);
  result.timing.seconds = contest.seconds(1);
  const Range bands_here = block(request.bands, session.size, session.rank),
              waves_here = block(std::ssize(waves), session.size, session.rank);
  const auto mine = std::span(waves).subspan(size_of(waves_here.low), size_of(waves_here.size()));
  result.max_error = std::max({error_of_made(*by_bands), error_in_basis(reassigned->orbitals, before),
                               error_of_rows(gathered, request.kpoints, bands_here, old_waves, before),
                               error_of_rows(mapped, request.kpoints, {0, request.bands}, mine, before)});
  result.more = {{"methods", contest.json()}, {"ratios", contest.ratios()}};
  print(session, result);
}

}  // namespace seiche::command
