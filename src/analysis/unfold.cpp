// SPDX-License-Identifier: BSD-3-Clause
/// \file  Each rank sums |c|^2 over its waves, separately for each primitive k-point. The k-point of a wave K + G of
/// the supercell is M^-1 (K + G); two waves belong to the same k-point if M^-1 maps their difference to integers. The
/// sums use integers, so that they are bitwise independent of the distribution of waves.
#include "seiche/unfold.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "comm/check.hpp"
#include "comm/equal_arguments.hpp"
#include "files/bands/file_bands.hpp"
#include "interface/wavefile_members.hpp"
#include "seiche/band_edges.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Place = std::array<std::int64_t, 3>;

constexpr double whole_share = 1152921504606846976.0;  // 2^60

/// M^-1 in integers: its adjugate, and the determinant.
class Inverse {
 public:
  explicit Inverse(const CellMultiples& m) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
        adjugate_[i][j] = std::int64_t{m[a][c]} * m[b][d] - std::int64_t{m[a][d]} * m[b][c];
      }
    }
    for (std::size_t j = 0; j < 3; ++j) determinant_ += m[0][j] * adjugate_[j][0];
  }
  std::int64_t cells() const { return std::abs(determinant_); }
  /// Returns M^-1 G modulo integers, times the number of cells: each component is 0 to cells() - 1.
  Place place_of(const Miller& g) const {
    Place place{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t sum = adjugate_[i][0] * g.x + adjugate_[i][1] * g.y + adjugate_[i][2] * g.z;
      place[i] = ((determinant_ < 0 ? -sum : sum) % cells() + cells()) % cells();
    }
    return place;
  }
  Vector3 times(const Vector3& k) const {
    Vector3 product{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) product[i] += static_cast<double>(adjugate_[i][j]) * k[j];
      product[i] /= static_cast<double>(determinant_);
    }
    return product;
  }

 private:
  std::array<std::array<std::int64_t, 3>, 3> adjugate_{};
  std::int64_t determinant_ = 0;
};

void require_sound(const CellMultiples& multiples) {
  constexpr int most_times = 1000;
  for (const auto& row : multiples) {
    for (const int times : row) {
      require(std::abs(times) <= most_times, Fault::bad_argument,
              "multiples of a primitive cell must be between -1000 and 1000 (got {})", times);
    }
  }
  constexpr std::int64_t most = 10000;
  const std::int64_t cells = Inverse(multiples).cells();
  require(cells > 0 && cells <= most, Fault::bad_argument,
          "invalid multiples of a primitive cell (a supercell of {} cells): give for example 2,2,1 or nine numbers",
          cells);
}

class Unfolding {
 public:
  Unfolding(const WaveFile& file, const BandSource& source, const CellMultiples& multiples)
      : comm_(file.communicator()), h_(file.header()), source_(source), inverse_(multiples) {
    table_.columns = {"spin", "kpoint",         "k1",        "k2",         "k3",
                      "band", "energy_hartree", "energy_eV", "occupation", "weight"};
    if (h_.spinor == 2) table_.columns.insert(table_.columns.end(), {"spin_x", "spin_y", "spin_z"});
    // All classes: sums of the classes of the three unit waves.
    std::vector<Place> found{Place{}};
    number_of_.emplace(found[0], 0);
    for (std::size_t n = 0; n < found.size(); ++n) {
      for (const Miller& g : {Miller{1, 0, 0}, Miller{0, 1, 0}, Miller{0, 0, 1}}) {
        Place next = inverse_.place_of(g);
        for (std::size_t i = 0; i < 3; ++i) next[i] = (next[i] + found[n][i]) % inverse_.cells();
        if (number_of_.emplace(next, 0).second) found.push_back(next);
      }
    }
    std::size_t number = 0;
    for (auto& [place, its] : number_of_) its = number++;
  }

  void add(const BandRange& some, std::span<const Complex> coefficients) {
    if (some.k != k_ || some.spin != spin_) find_places(some);
    std::vector<std::int64_t> sums;
    together(comm_, [&] {
      sums.resize(size_of(some.bands.size()) * numbers_of_band());
      sums_.reserve(sums_.size() + sums.size());
      const std::size_t of_band = places_.size() * size_of(h_.spinor);
      for (std::size_t band = 0; band < size_of(some.bands.size()); ++band) {
        add_band(coefficients.subspan(band * of_band, of_band),
                 std::span(sums).subspan(band * numbers_of_band(), numbers_of_band()));
      }
    });
    reduce_each(comm_, sums, MPI_SUM);
    sums_.insert(sums_.end(), sums.begin(), sums.end());
    if (some.bands.high == h_.bands) together(comm_, [&] { add_rows(some); });
  }
  Table take() { return std::move(table_); }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  /// Sums per band: the norm on the waves of each primitive k-point, and for spinors <sigma_x>, <sigma_y> and
  /// <sigma_z>.
  std::size_t quantities() const { return h_.spinor == 2 ? 4 : 1; }
  std::size_t numbers_of_band() const { return quantities() * number_of_.size(); }
  static std::int64_t whole(double value) { return std::llround(std::clamp(value, -4.0, 4.0) * whole_share / 4); }

  /// [quantity][primitive k-point]
  void add_band(std::span<const Complex> c, std::span<std::int64_t> sums) const {
    const std::size_t cells = number_of_.size(), waves = places_.size();
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t wave = i % waves;
      const std::int64_t square = whole(std::norm(c[i]));
      sums[places_[wave]] += square;
      if (opposite_[wave] != none) sums[opposite_[wave]] += square;
    }
    for (std::size_t wave = 0; wave < waves && h_.spinor == 2; ++wave) {
      const Complex up = c[wave], down = c[waves + wave], both = 2.0 * std::conj(up) * down;
      const std::size_t place = places_[wave];
      sums[cells + place] += whole(both.real());
      sums[2 * cells + place] += whole(both.imag());
      sums[3 * cells + place] += whole(std::norm(up) - std::norm(down));
    }
  }
  void find_places(const BandRange& some) {
    const auto waves = source_.waves(some.spin, some.k, streamed_waves(h_, some.k, comm_));
    places_.clear();
    opposite_.clear();
    together(comm_, [&] {
      for (const Miller& g : waves) {
        places_.push_back(number_of_.at(inverse_.place_of(g)));
        const bool twice = h_.half_sphere && !(g == Miller{});
        opposite_.push_back(twice ? number_of_.at(inverse_.place_of({-g.x, -g.y, -g.z})) : none);
      }
    });
    spin_ = some.spin;
    k_ = some.k;
    sums_.clear();
  }
  /// Adds the rows of all bands of a k-point, by primitive k-point.
  void add_rows(const BandRange& some) {
    const Vector3 at = inverse_.times(h_.kpoints[size_of(some.k)].k);
    const std::size_t cells = number_of_.size();
    for (const auto& [place, number] : number_of_) {
      Vector3 k{};
      for (std::size_t i = 0; i < 3; ++i) {
        k[i] = at[i] + static_cast<double>(place[i]) / static_cast<double>(cells);
        k[i] -= std::floor(k[i] + 1e-9);
        if (std::abs(k[i]) < 1e-9) k[i] = 0;
      }
      for (int band = 0; band < h_.bands; ++band) {
        const std::int64_t* first = &sums_[size_of(band) * numbers_of_band()];
        double norm = 0;
        for (std::size_t c = 0; c < cells; ++c) norm += static_cast<double>(first[c]);
        const std::size_t state = h_.state(some.spin, some.k, band);
        table_.values.insert(table_.values.end(),
                             {some.spin + 1.0, some.k + 1.0, k[0], k[1], k[2], band + 1.0, h_.energies[state],
                              h_.energies[state] * hartree_in_electronvolt, h_.occupations[state]});
        for (std::size_t q = 0; q < quantities(); ++q) {
          table_.values.push_back(norm > 0 ? static_cast<double>(first[q * cells + number]) / norm : 0);
        }
      }
    }
  }

  const Communicator& comm_;
  const OrbitalHeader& h_;
  const BandSource& source_;
  Inverse inverse_;
  std::map<Place, std::size_t> number_of_;  // of the primitive k-points
  int spin_ = -1, k_ = -1;
  std::vector<std::size_t> places_, opposite_;  // of this rank's waves of the k-point
  std::vector<std::int64_t> sums_;              // [band][quantity][primitive k-point]
  Table table_;
};

}  // namespace

Table unfold(const WaveFile& file, const CellMultiples& multiples, const MoveOptions& options) {
  together(file.communicator(), "unfold", [&](EqualArguments& same) {
    same.add("multiples", multiples).add_options(options);
    require_sound(multiples);
  });
  const BandSource source = bands_of(file);
  const auto unfolding =
      made_together(file.communicator(), [&] { return std::make_unique<Unfolding>(file, source, multiples); });
  each_band(
      file, source,
      [&](const BandRange& some, std::span<const Complex> coefficients) { unfolding->add(some, coefficients); },
      options);
  return unfolding->take();
}

}  // namespace seiche
