// SPDX-License-Identifier: BSD-3-Clause
/// \file  The interface of a format of wavefunction files: a header, and the positions of bands.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "containers/extents.hpp"
#include "seiche/layout.hpp"
#include "seiche/selection.hpp"

namespace seiche {

class Communicator;
struct Density;

/// The positions of the waves and coefficients of one spin and k-point, and the conventions of the numbers.
struct WaveBlock {
  std::vector<Extent> waves;          ///< int32 triples; or three extents for x, y and z; or none (Format::generate)
  Extent first_band;                  ///< [component][wave] of band 0, or its first component only
  std::int64_t band_stride = 0;       ///< bytes between bands
  std::int64_t component_stride = 0;  ///< bytes between components; 0: they follow in the same extent
  std::int64_t mirrored = 0;          ///< number of last waves that are not in the file: they are -G - 2k,
  Miller twice_k;                     ///< with c(-G - 2k) = conj c(G), of as many last waves in the file
  bool real = false;                  ///< coefficients are real, one number each
  bool root_two = false;              ///< a half sphere whose coefficients have a factor sqrt(2), except for G = 0
  std::vector<int> bands;             ///< of a selection: the number of each band in the file; empty: all bands

  std::int64_t numbers() const { return real ? 1 : 2; }  ///< per coefficient
  /// Whether coefficients have the same format in the file and in memory.
  bool plain() const { return !real && !root_two && mirrored == 0 && first_band.plain(); }
  std::int64_t place_of(std::int64_t band) const {
    return bands.empty() ? band : bands[static_cast<std::size_t>(band)];
  }
  /// Returns the extent of a component of a band.
  Extent run(std::int64_t band, std::int64_t component) const {
    Extent extent = first_band;
    extent.offset += place_of(band) * band_stride + component * component_stride;
    return extent;
  }
};

/// The data needed to read a wavefunction file with any number of processes.
struct WaveTable {
  OrbitalHeader header;
  std::vector<WaveBlock> blocks;  ///< [spin][k]
  int format = 0;                 ///< index in wave_formats()
  Extent checksums;  ///< XXH3 of each band's bytes, 8 little-endian bytes each, [spin][k][band]; no path: none
  std::vector<std::int64_t> checksum_of;  ///< of a selection: the index of the checksum of each state
  HalfAxis half = HalfAxis::x;            ///< of a half sphere whose waves Format::generate creates

  const WaveBlock& block(int spin, int k) const {
    return blocks[static_cast<std::size_t>(spin) * header.kpoints.size() + static_cast<std::size_t>(k)];
  }
};

/// Local. Returns the table of a selection. \throws Error(bad_argument) for states that do not exist
WaveTable selected(const WaveTable& table, const Selection& selection);

/// Losses that several formats share.
inline constexpr const char* unknown_weights =
    "the weights of the k-points: unknown, written as equal; the number of electrons follows from them";
inline constexpr const char* unknown_operations = "the symmetry: unknown, written as none";

inline constexpr const char* not_averaged =
    "the symmetry operations: the density of the source is not averaged over them, but this format implies the average";
/// Returns the operations for a file whose code averages over all listed ones: the operations over which the source
/// averages.
std::vector<SymmetryOperation> written_operations(const OrbitalHeader& header);

/// The functions and properties for writing a format.
///
/// The calls are made in this order: `losses`; for each k-point `waves`, whose number is stored in the header;
/// `create`. Then all ranks fill the extents of the table: Miller indices, and bands in the order and with the
/// conventions of the blocks (element, byte order, record markers, root_two, strides). `create` sets the full length of
/// the files and writes everything else. Unwritten parts stay zero.
struct WaveWriting {
  const char* word = nullptr;                        ///< of the caller, for example "wfn"
  bool (*named)(const std::string& path) = nullptr;  ///< whether a file of this name has this format
  bool directory = false;                            ///< the path is a folder with several files
  bool half_spheres = true;                          ///< false: `waves` and `create` receive full spheres
  /// Returns the data of `header` that the file cannot hold, one sentence each. \throws Error(bad_argument) with the
  /// remedy if it cannot hold these wavefunctions at all
  std::vector<std::string> (*losses)(const OrbitalHeader& header) = nullptr;
  /// Returns the waves of k-point `k` in the order of the file; null: the given ones. Waves that were not given get
  /// zeros; a missing given wave is an error.
  std::vector<Miller> (*waves)(const OrbitalHeader& header, int k, std::span<const Miller> given) = nullptr;
  /// Writes all but waves and coefficients to `path` (an empty file or folder). The extents of the table name the files
  /// there.
  std::function<WaveTable(const std::string& path, const OrbitalHeader& header)> create = nullptr;
  /// The only collective function. Writes the density of header.density_components components to the file of `create`
  /// at `path`; null: the format has no density.
  void (*add_density)(const std::string& path, const Density& density) = nullptr;
};

/// The functions of a format, which run on one process only and without MPI: two for reading, one for waves that are
/// not in the file, and the functions for writing, if supported.
struct Format {
  const char* name;
  bool (*recognises)(const std::string& path);  ///< by content; does not throw for other files
  WaveTable (*read)(const std::string& path);   ///< \throws Error(bad_file) with file, position and remedy
  std::vector<Miller> (*generate)(const WaveTable& table, int k) = nullptr;  ///< in the order of the file
  std::vector<WaveWriting> writing = {};  ///< empty if it cannot be written, several for variants
};

std::span<const Format> wave_formats();

/// Returns the waves of a k-point at the positions `mine`.
std::vector<Miller> read_plane_waves(const WaveTable& table, int spin, int k, Range mine);

/// One component of one band, at positions `mine` of the `plane_waves` of the k-point.
struct BandPart {
  std::int64_t band = 0, component = 0, plane_waves = 0;
  Range mine;
};

/// Reads the coefficients of a part in the conventions of docs/conventions.md. `file` belongs to the block.
void read_coefficients(const File& file, const WaveBlock& block, const BandPart& part,
                       std::span<std::complex<double>> values);

/// \throws Error(bad_file) if one of them is not finite
void require_finite(const File& file, std::int64_t band, std::span<const std::complex<double>> values);

/// Writes a whole component, in the order and with the conventions of the block.
void write_coefficients(const File& file, const WaveBlock& block, const BandPart& part,
                        std::span<const std::complex<double>> values);
/// Writes all waves of a block in the order of the file; nothing if the file holds none.
void write_plane_waves(const WaveBlock& block, std::span<const Miller> waves);

/// Whether the first bands in the file have norm 1, as for norm-conserving pseudopotentials.
bool norms_are_one(const WaveTable& table);

/// \throws Error(bad_file) if a file is too short for the table
void require_complete(const WaveTable& table);

}  // namespace seiche
