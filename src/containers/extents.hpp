// SPDX-License-Identifier: BSD-3-Clause
/// \file  Extents: positions of arrays of numbers in files. All formats are read and written through them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

inline constexpr bool machine_is_big_endian = std::endian::native == std::endian::big;

enum class Element : std::int8_t { int32, float32, float64 };
std::int64_t bytes_of(Element element);

/// A contiguous array of numbers in a file. A complex number counts as two.
struct Extent {
  std::string path;
  std::int64_t offset = 0;  ///< of the first number, in bytes
  std::int64_t count = 0;   ///< numbers
  Element element = Element::float64;
  bool big_endian = false;
  bool record = false;  ///< whether it is one Fortran record, between two markers of 4 bytes with its length; records
                        ///< longer than subrecord_limit() are split, as by gfortran and ifort

  std::int64_t bytes() const { return count * bytes_of(element); }
  std::int64_t end() const;  ///< first byte after it, and after its marker
  /// Returns the distance to the next one in a sequence of records of this size.
  std::int64_t record_stride() const { return end() - offset + 4; }
  /// Whether the numbers in the file have the format of this machine and are contiguous.
  bool plain() const;
};

template <class Archive>
void describe(Archive& archive, Extent& e) {
  archive(e.path, e.offset, e.count, e.element, e.big_endian, e.record);
}

/// Returns the largest number of bytes between two markers, 2^31 - 9; tests lower it.
std::int64_t subrecord_limit() noexcept;
void set_subrecord_limit(std::int64_t bytes) noexcept;

/// An open file. Reads and writes at explicit positions only, so that ranks and threads do not interfere.
class File {
 public:
  enum class Mode { read, write };
  /// \throws Error(bad_file or unwritable) with the file and the reason of the system
  explicit File(const std::string& path, Mode mode = Mode::read);
  static void make(const std::string& path);  ///< creates an empty file and replaces an existing one
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::int64_t size() const;
  /// \throws Error(bad_file) if the file ends before
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// The same for bytes that are contiguous in the file but not in memory.
  void read(std::int64_t offset, std::vector<std::span<std::byte>> pieces) const;
  void write(std::int64_t offset, std::vector<std::span<const std::byte>> pieces) const;
  /// Starts to write a part to disk, without waiting.
  void begin_flush(std::int64_t offset, std::int64_t bytes) const;
  void resize(std::int64_t bytes) const;
  /// Reserves disk space for the whole length if the system supports it, so that a full disk is detected early.
  void reserve() const;
  void flush() const;  ///< Waits until the bytes are on disk.

 private:
  void check_read(std::int64_t got, std::int64_t offset) const;  ///< `got`: number of bytes, or an errno
  std::string path_;
  int descriptor_ = -1;
};

/// \throws Error(bad_file) unless `file` is long enough for `extent`
void require_complete(const File& file, const Extent& extent);

/// Reads the numbers `part` of `extent` (indices within it) in the format of this machine. The reader of the first
/// number of a record checks the marker before it, the reader of the last number the marker after it.
void read_extent(const File& file, const Extent& extent, Range part, std::span<double> values);
void read_extent(const File& file, const Extent& extent, Range part, std::span<std::int32_t> values);

/// Writes them, with the markers of a record if its first or last number is included.
void write_extent(const File& file, const Extent& extent, Range part, std::span<const double> values);
void write_extent(const File& file, const Extent& extent, Range part, std::span<const std::int32_t> values);

/// Returns the waves `part` of an extent with Miller indices, three int32 each.
std::vector<Miller> read_plane_waves(const Extent& extent, Range part);

}  // namespace seiche
