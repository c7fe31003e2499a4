// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/file_order.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "support/require.hpp"

namespace seiche {

namespace {

struct Hash {
  std::size_t operator()(const Miller& g) const noexcept {
    const auto part = [](std::int32_t x) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)); };
    std::uint64_t h = part(g.x) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 29) ^ part(g.y)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 29) ^ part(g.z)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 32);
  }
};

}  // namespace

FileOrder::FileOrder(std::span<const Miller> given, std::span<const Miller> in_file, bool half) {
  if (std::equal(given.begin(), given.end(), in_file.begin(), in_file.end())) return;
  std::unordered_map<Miller, std::int32_t, Hash> place;
  place.reserve(given.size());
  for (const Miller& g : given) {
    const bool added = place.emplace(g, static_cast<std::int32_t>(place.size())).second;
    require(added, Fault::bad_argument,
            "the file or the orbitals list wave ({}, {}, {}) twice: rerun the code that created them", g.x, g.y, g.z);
  }
  for (const Miller& g : in_file) {
    const auto found = place.find(g), opposite = half ? place.find({-g.x, -g.y, -g.z}) : place.end();
    source_.push_back(found != place.end() ? found->second : opposite != place.end() ? -1 - opposite->second : none);
  }
}

void FileOrder::require_complete(std::span<const Miller> given) const {
  if (same()) return;
  std::vector<bool> kept(given.size());
  for (const std::int32_t s : source_) {
    if (s != none) kept[static_cast<std::size_t>(s >= 0 ? s : -1 - s)] = true;
  }
  const auto lost = std::find(kept.begin(), kept.end(), false);
  if (lost == kept.end()) return;
  const Miller& g = given[static_cast<std::size_t>(lost - kept.begin())];
  fail(Fault::bad_argument,
       "files of this format cannot hold the wave ({}, {}, {}): reassign the wavefunctions to another cutoff", g.x, g.y,
       g.z);
}

void FileOrder::reorder(std::span<const std::complex<double>> given, std::span<std::complex<double>> in_file) const {
  for (std::size_t i = 0; i < source_.size(); ++i) {
    const std::int32_t s = source_[i];
    in_file[i] = s == none ? 0.0
                 : s >= 0  ? given[static_cast<std::size_t>(s)]
                           : std::conj(given[static_cast<std::size_t>(-1 - s)]);
  }
}

std::vector<Miller> whole_sphere(std::span<const Miller> half) {
  std::vector<Miller> whole(half.begin(), half.end());
  for (const Miller& g : half) {
    if (g != Miller{}) whole.push_back({-g.x, -g.y, -g.z});
  }
  return whole;
}

OrbitalHeader header_in_file(const WaveWriting& writing, OrbitalHeader header) {
  header.half_sphere = header.half_sphere && writing.half_spheres;
  return header;
}

std::vector<Miller> waves_in_file(const WaveWriting& writing, const OrbitalHeader& header, int k,
                                  std::vector<Miller> given, bool given_half) {
  if (given_half && !header.half_sphere) given = whole_sphere(given);
  return writing.waves ? writing.waves(header, k, given) : given;
}

}  // namespace seiche
