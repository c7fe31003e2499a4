// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a format of wavefunction files has to provide: a header, and where each band lies.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/containers/extents.hpp"
#include "seiche/layout.hpp"
#include "seiche/selection.hpp"

namespace seiche {

class Communicator;
struct Density;

/// Where the waves and coefficients of one spin and k-point lie, and how the numbers there are meant.
struct WaveBlock {
  std::vector<Extent> waves;          ///< int32 triples; or three extents for x, y and z; or none (Format::generate)
  Extent first_band;                  ///< [component][wave] of band 0, or its first component only
  std::int64_t band_stride = 0;       ///< bytes from one band to the next
  std::int64_t component_stride = 0;  ///< bytes from one component to the next; 0: they follow in the same extent
  std::int64_t mirrored = 0;          ///< the last so many waves are not in the file: they are those of -G - 2k, where
  Miller twice_k;                     ///< c(-G - 2k) = conj c(G), of the last so many that are in it
  bool real = false;                  ///< coefficients are real, one number each
  bool root_two = false;              ///< a half sphere whose coefficients carry a factor sqrt(2), but that of G = 0
  std::vector<int> bands;             ///< of a selection: the file's number of each band; none: they are all here

  std::int64_t numbers() const { return real ? 1 : 2; }  ///< of one coefficient
  /// Coefficients lie in the file as in memory.
  bool plain() const { return !real && !root_two && mirrored == 0 && first_band.plain(); }
  std::int64_t place_of(std::int64_t band) const {
    return bands.empty() ? band : bands[static_cast<std::size_t>(band)];
  }
  /// The extent that holds a component of a band.
  Extent run(std::int64_t band, std::int64_t component) const {
    Extent extent = first_band;
    extent.offset += place_of(band) * band_stride + component * component_stride;
    return extent;
  }
};

/// All that is needed to read a wavefunction file from any number of processes.
struct WaveTable {
  OrbitalHeader header;
  std::vector<WaveBlock> blocks;  ///< [spin][k]
  int format = 0;                 ///< its place in wave_formats()
  Extent checksums;  ///< XXH3 of each band's bytes, 8 little-endian bytes each, [spin][k][band]; no path: none
  std::vector<std::int64_t> checksum_of;  ///< of a selection: of each of its states the number of the checksum
  HalfAxis half = HalfAxis::x;            ///< of a half sphere whose waves Format::generate makes

  const WaveBlock& block(int spin, int k) const {
    return blocks[static_cast<std::size_t>(spin) * header.kpoints.size() + static_cast<std::size_t>(k)];
  }
};

/// Local. What is left when only a selection is taken. \throws Error(bad_argument) for what is not there
WaveTable selected(const WaveTable& table, const Selection& selection);

/// Losses that formats share, in the same words.
inline constexpr const char* unknown_weights =
    "the weights of the k-points: unknown, written as equal; the number of electrons follows from them";
inline constexpr const char* unknown_operations = "the symmetry: unknown, written as none";

inline constexpr const char* not_averaged =
    "the symmetry operations: the density of the source is not averaged over them, but this format implies the average";
/// The operations for a file whose code averages over all that it lists: those over which the source's does.
std::vector<SymmetryOperation> written_operations(const OrbitalHeader& header);

/// What a format needs to be written.
///
/// The engine asks in this order: `losses`; for each k-point `waves`, whose number it puts into the header; `create`.
/// Then all ranks fill the extents of the table: Miller indices, and bands in the order and with the conventions that
/// the blocks state (element, byte order, record markers, root_two, strides). `create` gives the files their full
/// length and writes everything else. What nobody writes stays zero.
struct WaveWriting {
  const char* word = nullptr;                        ///< after --to, e.g. "wfn"
  bool (*named)(const std::string& path) = nullptr;  ///< whether a file of this name is of this format
  bool directory = false;                            ///< the path is a directory, of several files
  bool half_spheres = true;                          ///< false: `waves` and `create` get whole spheres
  /// What the file cannot say of `header`, one sentence each. \throws Error(bad_argument) when it cannot hold these
  /// wavefunctions at all, with the remedy
  std::vector<std::string> (*losses)(const OrbitalHeader& header) = nullptr;
  /// The waves of k-point `k` in the file's order; null: those given, as they come. Waves that are not among the given
  /// ones get zeros; a given wave that is missing here is an error.
  std::vector<Miller> (*waves)(const OrbitalHeader& header, int k, std::span<const Miller> given) = nullptr;
  /// Writes all but waves and coefficients to `path` (an empty file, or an empty directory). The table's extents name
  /// the files there.
  WaveTable (*create)(const std::string& path, const OrbitalHeader& header) = nullptr;
  /// Collective, alone among these. Writes the density of header.density_components components into what `create` and
  /// the engine have made at `path`; null: there is no place for one.
  void (*add_density)(const std::string& path, const Density& density) = nullptr;
};

/// A format is a file of functions, which run on one process only and know nothing of the others: two that read, one
/// where the file does not say what its waves are, and, for formats that can be written, what writing needs.
struct Format {
  const char* name;
  bool (*recognises)(const std::string& path);  ///< by content; never throws for a file of another kind
  WaveTable (*read)(const std::string& path);   ///< \throws Error(bad_file) naming file, place and remedy
  std::vector<Miller> (*generate)(const WaveTable& table, int k) = nullptr;  ///< in the file's order
  std::vector<WaveWriting> writing = {};  ///< none where it cannot be written, several where it has variants
};

std::span<const Format> wave_formats();

/// The waves of a k-point at the positions `mine`.
std::vector<Miller> read_plane_waves(const WaveTable& table, int spin, int k, Range mine);

/// One component of one band, at positions `mine` of the `plane_waves` that the k-point has.
struct BandPart {
  std::int64_t band = 0, component = 0, plane_waves = 0;
  Range mine;
};

/// The coefficients of a part, as docs/conventions.md has them, whatever the file does. `file` is the block's.
void read_coefficients(const File& file, const WaveBlock& block, const BandPart& part,
                       std::span<std::complex<double>> values);

/// \throws Error(bad_file) when one of them is no number
void require_finite(const File& file, std::int64_t band, std::span<const std::complex<double>> values);

/// Writes them back: the whole of the component, in the file's order and with the conventions of the block.
void write_coefficients(const File& file, const WaveBlock& block, const BandPart& part,
                        std::span<const std::complex<double>> values);
/// Writes all waves of a block, in the file's order; nothing where the file holds none.
void write_plane_waves(const WaveBlock& block, std::span<const Miller> waves);

/// Whether the first bands in the file have norm 1, as those of norm-conserving pseudopotentials do.
bool norms_are_one(const WaveTable& table);

/// \throws Error(bad_file) when a file is too short for what the table says
void require_complete(const WaveTable& table);

}  // namespace seiche
