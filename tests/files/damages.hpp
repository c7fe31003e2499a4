// SPDX-License-Identifier: BSD-3-Clause
/// \file  Damages the bytes of a sound file, and checks that readers refuse the result or return the sound values.
#pragma once

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

#include "seiche/block_file.hpp"
#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche::testing {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Communicator world() { return Communicator(MPI_COMM_WORLD); }

template <class Value>
void append(std::string& bytes, const std::vector<Value>& values) {
  if (!values.empty()) bytes.append(reinterpret_cast<const char*>(values.data()), sizeof(Value) * values.size());
}

/// Returns all values of a header.
inline std::string values_of(const OrbitalHeader& h) {
  std::string bytes =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", h.format, h.grid.nx, h.grid.ny, h.grid.nz, h.cutoff,
                  h.density_cutoff, h.density_waves, h.spins, h.spinor, h.half_sphere, h.averaged, h.bands, h.electrons,
                  h.total_energy.value_or(0), h.fermi_energy.value_or(0));
  append(bytes, std::vector(h.crystal.lattice.begin(), h.crystal.lattice.end()));
  for (const Atom& atom : h.crystal.atoms) bytes += fmt::format("{} {}", atom.symbol, fmt::join(atom.position, " "));
  for (const SymmetryOperation& s : h.crystal.operations) {
    for (const auto& row : s.rotation) bytes += fmt::format("{} ", fmt::join(row, " "));
    bytes += fmt::format("{} {}", fmt::join(s.translation, " "), s.time_reversal);
  }
  append(bytes, h.kpoints);
  append(bytes, h.energies);
  append(bytes, h.occupations);
  return bytes;
}

/// Returns the header of a file, and this rank's part of all waves and coefficients.
inline std::string values_of(const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  std::string bytes = values_of(h);
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const Range mine = block(h.kpoints[static_cast<std::size_t>(k)].plane_waves, ranks(), rank());
      append(bytes, file.waves(spin, k, mine));
      append(bytes, file.coefficients(spin, k, {0, h.bands}, mine));
    }
  }
  return bytes;
}

inline std::string values_of(const Density& density) {
  std::string bytes =
      fmt::format("{} {} {} {} {}", density.grid.nx, density.grid.ny, density.grid.nz, density.cutoff, density.units);
  append(bytes, std::vector(density.crystal.lattice.begin(), density.crystal.lattice.end()));
  for (const auto& component : density.components) append(bytes, component);
  return bytes;
}

/// Reads a file. \return the values on this rank
using Read = std::function<std::string()>;

inline Read waves_in(const std::string& path) {
  return [path] { return values_of(WaveFile(world(), path)); };
}
inline Read density_in(const std::string& path) {
  return [path] { return values_of(read_density(world(), path)); };
}
inline Read matrix_in(const std::string& path) {
  return [path] {
    std::string bytes;
    append(bytes, to_dense(read_blocks<double>(world(), path)));
    return bytes;
  };
}

/// A sound file and its values. Each damage lasts for one reading.
class Damages {
 public:
  /// Collective. `part` is the file that is damaged.
  Damages(std::string part, Read read) : part_(std::move(part)), read_(std::move(read)), good_(contents(part_)) {
    expected_ = read_();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Damages(const Damages&) = delete;
  Damages& operator=(const Damages&) = delete;

  const std::string& good() const { return good_; }

  /// Collective. Returns whether all ranks refuse these bytes. Otherwise the values must be those of the sound file.
  bool refused(const std::string& bytes, const std::string& what) {
    MPI_Barrier(MPI_COMM_WORLD);
    write(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    std::optional<std::string> found;
    std::string said;
    try {
      found = read_();
    } catch (const Error& error) {
      said = error.what();
      EXPECT_NE(error.fault(), Fault::internal) << part_ << ", " << what << ": " << said;
    }
    int failed = found ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_TRUE(failed == 0 || failed == ranks())
        << part_ << ", " << what << ": " << failed << " ranks failed: " << said;
    EXPECT_TRUE(!found || *found == expected_) << part_ << ", " << what << ": other values were read";
    compared();
    write(good_);
    MPI_Barrier(MPI_COMM_WORLD);
    return failed == ranks();
  }

 private:
  void write(const std::string& bytes) const {
    if (rank() == 0) std::ofstream(part_, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string part_;
  Read read_;
  std::string good_, expected_;
};

/// A file without its last `lost` bytes, which hold values, is refused.
inline void truncate(Damages& file, std::size_t lost) {
  const std::string& good = file.good();
  const std::size_t size = good.size();
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{3}, size / 9, size / 3, size / 2, size * 4 / 5, size - lost}) {
    const std::string what = "truncated to " + std::to_string(kept) + " of " + std::to_string(size) + " bytes";
    EXPECT_TRUE(file.refused(good.substr(0, kept), what)) << what;
  }
}

/// The offset of a number, and whether it has the other byte order.
using Places = std::vector<std::pair<std::size_t, bool>>;

/// Returns the places of a number in binary data, as `Stored` in either byte order.
template <class Stored>
Places places_of(const std::string& bytes, Stored value, double tolerance) {
  Places places;
  for (std::size_t at = 0; at + sizeof(Stored) <= bytes.size(); ++at) {
    for (const bool swapped : {false, true}) {
      std::array<char, sizeof(Stored)> raw;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), raw.size(), raw.begin());
      if (swapped) std::reverse(raw.begin(), raw.end());
      const auto found = std::bit_cast<Stored>(raw);
      const auto apart = static_cast<double>(found) - static_cast<double>(value);
      if (std::abs(apart) <= tolerance * std::abs(static_cast<double>(value))) places.emplace_back(at, swapped);
    }
  }
  return places;
}

template <class Stored>
std::string with(std::string bytes, std::size_t at, Stored value, bool swapped) {
  auto raw = std::bit_cast<std::array<char, sizeof(Stored)>>(value);
  if (swapped) std::reverse(raw.begin(), raw.end());
  return bytes.replace(at, raw.size(), raw.data(), raw.size());
}

/// Puts a NaN in place of each known value in a binary file. \return the number of values that were found
inline int spoil_values(Damages& file, const std::vector<double>& values) {
  constexpr double hartree = 2 * 13.605826, bohr = 0.529177249;  // of VASP
  int found = 0;
  for (const double value : values) {
    bool here = false;
    for (const double factor : {1.0, 2.0, hartree, bohr, std::sqrt(2.0)}) {
      for (const auto& [at, swapped] : places_of<double>(file.good(), value * factor, 4e-16)) {
        if (here) continue;
        here = true;
        EXPECT_TRUE(file.refused(with(file.good(), at, nan, swapped), "NaN at byte " + std::to_string(at))) << value;
      }
      for (const auto& [at, swapped] : places_of<float>(file.good(), static_cast<float>(value * factor), 0)) {
        if (here) continue;
        here = true;
        EXPECT_TRUE(file.refused(with(file.good(), at, static_cast<float>(nan), swapped),
                                 "NaN (single) at byte " + std::to_string(at)));
      }
    }
    found += here ? 1 : 0;
  }
  return found;
}

/// Writes wrong numbers to the places of a count. \return the number of changes that were refused
template <class Stored>
int spoil_count(Damages& file, const Places& places, const std::vector<Stored>& wrong) {
  constexpr std::size_t most = 6;
  int refused = 0;
  for (std::size_t n = 0; n < std::min(places.size(), most); ++n) {
    const auto& [at, swapped] = places[n];
    for (const Stored number : wrong) {
      const std::string what = fmt::format("count at byte {} is {}", at, number);
      refused += file.refused(with(file.good(), at, number, swapped), what) ? 1 : 0;
    }
  }
  return refused;
}

/// Changes a count of a binary file, which is `other` at the same places of the file `of_other`. \return the number of
/// changes that were refused
inline int spoil_count(Damages& file, int count, const std::string& of_other, int other) {
  const auto common = [](const Places& a, const Places& b) {
    Places both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
  };
  const double real = count;
  const int most = std::numeric_limits<std::int32_t>::max();
  return spoil_count<std::int32_t>(file, common(places_of(file.good(), count, 0), places_of(of_other, other, 0)),
                                   {count + 1, count - 1, 0, -1, most}) +
         spoil_count<double>(
             file, common(places_of(file.good(), real, 0), places_of(of_other, static_cast<double>(other), 0)),
             {real + 1, real - 1, 0, -1, 1e12, nan});
}

/// Returns the text with the number at or after `at` replaced.
inline std::string with_number(std::string text, std::size_t at, const std::string& word) {
  const auto begin = text.find_first_of("0123456789", text.find_first_of(" \n>", at));
  if (begin == std::string::npos) return text;
  const auto first = begin > 0 && text[begin - 1] == '-' ? begin - 1 : begin;
  const auto end = text.find_first_of(" \n<\"", first);
  return text.replace(first, std::min(end, text.size()) - first, word);
}

}  // namespace seiche::testing
