// SPDX-License-Identifier: BSD-3-Clause
#include "wavefile/extents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int64_t largest_transfer = std::int64_t{1} << 29;  // some systems fail above 2 GiB per call

constexpr bool machine_is_big_endian = std::endian::native == std::endian::big;

void reverse_each(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
  }
}

/// A record's length as its marker shows it. Longer records are split in a way that differs from compiler to compiler.
std::int32_t marker_of(const Extent& extent) {
  require(extent.bytes() <= 0x7fffffff, Fault::unsupported,
          "{}: a Fortran record of {} bytes is longer than its 4-byte marker can say; write the file as HDF5 instead",
          extent.path, extent.bytes());
  return static_cast<std::int32_t>(extent.bytes());
}

void check_marker(const File& file, const Extent& extent, std::int64_t offset) {
  std::int32_t found = 0;
  const auto bytes = std::as_writable_bytes(std::span(&found, 1));
  file.read(offset, bytes);
  if (extent.big_endian != machine_is_big_endian) reverse_each(bytes, sizeof found);
  require(found == marker_of(extent), Fault::bad_file,
          "{}: wrong marker at byte {}: {} where a record of {} bytes should be; the file is damaged, copy it again or "
          "rerun the code that wrote it",
          file.path(), offset, found, extent.bytes());
}

void read_raw(const File& file, const Extent& extent, Range part, std::span<std::byte> bytes) {
  require(part.low >= 0 && part.high <= extent.count, Fault::internal, "{}: numbers {} to {} of {} asked for",
          extent.path, part.low, part.high, extent.count);
  require_complete(file, extent);
  if (part.empty()) return;
  const std::int64_t width = bytes_of(extent.element);
  if (extent.record && part.low == 0) check_marker(file, extent, extent.offset - 4);
  if (extent.record && part.high == extent.count) check_marker(file, extent, extent.offset + extent.bytes());
  file.read(extent.offset + part.low * width, bytes);
  if (extent.big_endian != machine_is_big_endian) reverse_each(bytes, static_cast<std::size_t>(width));
}

}  // namespace

std::int64_t bytes_of(Element element) { return element == Element::float64 ? 8 : 4; }

File::File(const std::string& path, Mode mode) : path_(path) {
  descriptor_ = ::open(path.c_str(), (mode == Mode::read ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  if (descriptor_ < 0) {
    fail(mode == Mode::read ? Fault::bad_file : Fault::unwritable, "cannot open {}: {}; check its name and permissions",
         path, std::strerror(errno));
  }
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

std::int64_t File::size() const {
  struct stat status {};
  require(::fstat(descriptor_, &status) == 0, Fault::bad_file, "cannot examine {}: {}", path_, std::strerror(errno));
  return status.st_size;
}

void File::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto piece = std::min(bytes.size(), static_cast<std::size_t>(largest_transfer));
    const ssize_t got = ::pread(descriptor_, bytes.data(), piece, offset);
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, Fault::bad_file, "cannot read {} at byte {}: {}", path_, offset, std::strerror(errno));
    require(got > 0, Fault::bad_file,
            "{}: truncated record: the file ends at byte {}; copy it again or rerun the code that wrote it", path_,
            offset);
    offset += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void File::write(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto piece = std::min(bytes.size(), static_cast<std::size_t>(largest_transfer));
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), piece, offset);
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, Fault::unwritable, "cannot write {}: {}; free some space or choose another place", path_,
            std::strerror(errno));
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::flush() const {
  // Some places cannot be flushed (EINVAL: a pipe, /dev/null); that is no loss.
  require(::fsync(descriptor_) == 0 || errno == EINVAL, Fault::unwritable,
          "cannot write {}: {}; free some space or choose another place", path_, std::strerror(errno));
}

void require_complete(const File& file, const Extent& extent) {
  const std::int64_t size = file.size();
  require(extent.end() <= size, Fault::bad_file,
          "{}: truncated record: {} bytes are needed, the file has {}; copy it again or rerun the code that wrote it",
          file.path(), extent.end(), size);
}

void read_extent(const File& file, const Extent& extent, Range part, std::span<double> values) {
  require(extent.element != Element::int32, Fault::internal, "{}: integers read as floating-point numbers",
          extent.path);
  if (extent.element == Element::float64) {
    read_raw(file, extent, part, std::as_writable_bytes(values));
    return;
  }
  std::vector<float> narrow(values.size());
  read_raw(file, extent, part, std::as_writable_bytes(std::span(narrow)));
  std::copy(narrow.begin(), narrow.end(), values.begin());
}

void read_extent(const File& file, const Extent& extent, Range part, std::span<std::int32_t> values) {
  require(extent.element == Element::int32, Fault::internal, "{}: floating-point numbers read as integers",
          extent.path);
  read_raw(file, extent, part, std::as_writable_bytes(values));
}

std::vector<Miller> read_waves(const Extent& extent, Range part) {
  static_assert(sizeof(Miller) == 3 * sizeof(std::int32_t));
  std::vector<Miller> waves(static_cast<std::size_t>(std::max<std::int64_t>(0, part.size())));
  read_extent(File(extent.path), extent, {3 * part.low, 3 * part.high},
              std::span(reinterpret_cast<std::int32_t*>(waves.data()), 3 * waves.size()));
  return waves;
}

void write_extent(const File& file, const Extent& extent, std::int64_t first, std::span<const double> values) {
  require(extent.element == Element::float64 && extent.big_endian == machine_is_big_endian, Fault::internal,
          "{}: only float64 in this machine's byte order can be written", extent.path);
  file.write(extent.offset + first * 8, std::as_bytes(values));
}

}  // namespace seiche
