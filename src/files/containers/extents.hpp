// SPDX-License-Identifier: BSD-3-Clause
/// \file  Extents: where in a file a run of numbers lies. All formats are read and written through them.
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

/// A contiguous run of numbers in a file. A complex number counts as two.
struct Extent {
  std::string path;
  std::int64_t offset = 0;  ///< of the first number, in bytes
  std::int64_t count = 0;   ///< numbers
  Element element = Element::float64;
  bool big_endian = false;
  bool record = false;  ///< the run is one Fortran record, between two markers of 4 bytes that hold its length; longer
                        ///< ones than subrecord_limit() are split, as gfortran and ifort do

  std::int64_t bytes() const { return count * bytes_of(element); }
  std::int64_t end() const;  ///< first byte behind it, and behind its marker
  /// Bytes from it to the next, where records of this size follow each other.
  std::int64_t record_stride() const { return end() - offset + 4; }
  /// The numbers lie there as this machine has them, one after another.
  bool plain() const;
};

template <class Archive>
void describe(Archive& archive, Extent& e) {
  archive(e.path, e.offset, e.count, e.element, e.big_endian, e.record);
}

/// The most bytes between two markers, 2^31 - 9; tests lower it.
std::int64_t subrecord_limit() noexcept;
void set_subrecord_limit(std::int64_t bytes) noexcept;

/// An open file. Reads and writes at given places only, so that ranks and threads do not disturb each other.
class File {
 public:
  enum class Mode { read, write };
  /// \throws Error(bad_file or unwritable) naming the file and the system's reason
  explicit File(const std::string& path, Mode mode = Mode::read);
  static void make(const std::string& path);  ///< an empty file, in the place of any other
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::int64_t size() const;
  /// \throws Error(bad_file) when the file ends before
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// The same for bytes that follow each other in the file but not in memory.
  void read(std::int64_t offset, std::vector<std::span<std::byte>> pieces) const;
  void write(std::int64_t offset, std::vector<std::span<const std::byte>> pieces) const;
  /// Lets the system begin to bring a part to the disk, and does not wait.
  void begin_flush(std::int64_t offset, std::int64_t bytes) const;
  void resize(std::int64_t bytes) const;
  /// Takes room on the disk for the whole length now, where the system can, so that a full disk is known early.
  void reserve() const;
  void flush() const;  ///< Until the bytes are on the disk.

 private:
  void check_read(std::int64_t got, std::int64_t offset) const;  ///< of so many bytes, or an errno
  std::string path_;
  int descriptor_ = -1;
};

/// \throws Error(bad_file) unless `file` is long enough to hold `extent`
void require_complete(const File& file, const Extent& extent);

/// The numbers `part` of `extent` (indices within it), as this machine's. Whoever reads the first number of a record
/// checks the marker before it, whoever reads the last one the marker behind it.
void read_extent(const File& file, const Extent& extent, Range part, std::span<double> values);
void read_extent(const File& file, const Extent& extent, Range part, std::span<std::int32_t> values);

/// Writes them, with the markers of a record where its first or last number is among them.
void write_extent(const File& file, const Extent& extent, Range part, std::span<const double> values);
void write_extent(const File& file, const Extent& extent, Range part, std::span<const std::int32_t> values);

/// The waves `part` of an extent that holds Miller indices, three int32 for each.
std::vector<Miller> read_plane_waves(const Extent& extent, Range part);

}  // namespace seiche
