// SPDX-License-Identifier: BSD-3-Clause
#include "containers/extents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

constexpr std::int64_t largest_transfer = std::int64_t{1} << 29;  // some systems fail above 2 GiB per call

void reverse_each(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
  }
}

std::int64_t the_subrecord_limit = 0x7fffffff - 8;

/// A contiguous part of an extent in the file: all of it, or the part between two record markers.
struct Piece {
  std::int64_t low = 0, high = 0;  // among the extent's bytes
  std::int64_t offset = 0;         // in the file
  bool first = true, last = true;  // of the record
};

/// Returns the pieces with bytes of [low, high).
std::vector<Piece> pieces_of(const Extent& extent, std::int64_t low, std::int64_t high) {
  const std::int64_t limit = extent.record ? the_subrecord_limit : std::max<std::int64_t>(1, extent.bytes());
  std::vector<Piece> pieces;
  for (std::int64_t i = low / limit; i * limit < high; ++i) {
    const std::int64_t begin = i * limit, end = std::min(begin + limit, extent.bytes());
    pieces.push_back({begin, end, extent.offset + begin + 8 * i, i == 0, end == extent.bytes()});
  }
  return pieces;
}

/// The values of the markers of a piece: negative before it if another follows, negative after it if another precedes.
std::int32_t marker_before(const Piece& piece) {
  const auto length = static_cast<std::int32_t>(piece.high - piece.low);
  return piece.last ? length : -length;
}
std::int32_t marker_behind(const Piece& piece) {
  const auto length = static_cast<std::int32_t>(piece.high - piece.low);
  return piece.first ? length : -length;
}

void check_marker(const File& file, const Extent& extent, std::int64_t offset, std::int32_t expected) {
  std::int32_t found = 0;
  const auto bytes = std::as_writable_bytes(std::span(&found, 1));
  file.read(offset, bytes);
  if (extent.big_endian != machine_is_big_endian) reverse_each(bytes, sizeof found);
  require(found == expected, Fault::bad_file,
          "{}: wrong marker at byte {} ({} instead of the record length {}): rerun the code that wrote the file",
          file.path(), offset, found, std::abs(expected));
}

void write_marker(const File& file, const Extent& extent, std::int64_t offset, std::int32_t marker) {
  const auto bytes = std::as_writable_bytes(std::span(&marker, 1));
  if (extent.big_endian != machine_is_big_endian) reverse_each(bytes, sizeof marker);
  file.write(offset, bytes);
}

/// Calls `move(offset in the file, first byte, bytes)` for each stretch of `part`, and `mark` for each adjacent marker.
template <class Move, class Mark>
void for_each_stretch(const Extent& extent, Range part, const Move& move, const Mark& mark) {
  const std::int64_t width = bytes_of(extent.element), low = part.low * width, high = part.high * width;
  for (const Piece& piece : pieces_of(extent, low, high)) {
    const std::int64_t begin = std::max(low, piece.low), end = std::min(high, piece.high);
    if (extent.record && begin == piece.low) mark(piece.offset - 4, marker_before(piece));
    move(piece.offset + begin - piece.low, begin - low, end - begin);
    if (extent.record && end == piece.high) mark(piece.offset + piece.high - piece.low, marker_behind(piece));
  }
}

void read_raw(const File& file, const Extent& extent, Range part, std::span<std::byte> bytes) {
  require(part.low >= 0 && part.high <= extent.count, Fault::internal, "{}: values {} to {} of {} requested",
          extent.path, part.low, part.high, extent.count);
  require_complete(file, extent);
  if (part.empty()) return;
  for_each_stretch(
      extent, part,
      [&](std::int64_t offset, std::int64_t first, std::int64_t count) {
        file.read(offset, bytes.subspan(size_of(first), size_of(count)));
      },
      [&](std::int64_t offset, std::int32_t marker) { check_marker(file, extent, offset, marker); });
  if (extent.big_endian != machine_is_big_endian) reverse_each(bytes, size_of(bytes_of(extent.element)));
}

void write_raw(const File& file, const Extent& extent, Range part, std::span<const std::byte> bytes) {
  require(part.low >= 0 && part.high <= extent.count, Fault::internal, "{}: values {} to {} of {} to be written",
          extent.path, part.low, part.high, extent.count);
  if (part.empty()) return;
  std::vector<std::byte> turned;
  if (extent.big_endian != machine_is_big_endian) {
    turned.assign(bytes.begin(), bytes.end());
    reverse_each(turned, size_of(bytes_of(extent.element)));
    bytes = turned;
  }
  for_each_stretch(
      extent, part,
      [&](std::int64_t offset, std::int64_t first, std::int64_t count) {
        file.write(offset, bytes.subspan(size_of(first), size_of(count)));
      },
      [&](std::int64_t offset, std::int32_t marker) { write_marker(file, extent, offset, marker); });
}

/// Removes the bytes transferred by a call from the front of the list.
template <class Bytes>
void advance(std::vector<std::span<Bytes>>& pieces, std::size_t& first, std::size_t moved) {
  while (first < pieces.size() && moved >= pieces[first].size()) moved -= pieces[first++].size();
  if (moved > 0) pieces[first] = pieces[first].subspan(moved);
}

template <class Bytes>
std::vector<iovec> list_of(const std::vector<std::span<Bytes>>& pieces, std::size_t first) {
  constexpr std::size_t most = 1024;  // limit of systems per call
  std::vector<iovec> list;
  for (std::size_t i = first; i < pieces.size() && list.size() < most; ++i) {
    list.push_back({const_cast<std::byte*>(pieces[i].data()), pieces[i].size()});
  }
  return list;
}

}  // namespace

std::int64_t subrecord_limit() noexcept { return the_subrecord_limit; }
void set_subrecord_limit(std::int64_t bytes) noexcept { the_subrecord_limit = bytes; }

std::int64_t Extent::end() const {
  if (!record) return offset + bytes();
  const std::int64_t pieces = std::max<std::int64_t>(1, (bytes() + the_subrecord_limit - 1) / the_subrecord_limit);
  return offset + bytes() + 8 * (pieces - 1) + 4;
}

bool Extent::plain() const {
  const bool whole = !record || bytes() <= the_subrecord_limit;
  return whole && element == Element::float64 && big_endian == machine_is_big_endian;
}

std::int64_t bytes_of(Element element) { return element == Element::float64 ? 8 : 4; }

File::File(const std::string& path, Mode mode) : path_(path) {
  // without O_NONBLOCK, opening a pipe would block
  descriptor_ = ::open(path.c_str(), (mode == Mode::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
  const Fault fault = mode == Mode::read ? Fault::bad_file : Fault::unwritable;
  if (descriptor_ < 0) {
    fail(fault, "cannot open {} ({}): check its name and permissions", path, std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
  ::close(std::exchange(descriptor_, -1));
  fail(fault, "cannot open {} (a folder, a device or a pipe): give a file", path);
}

void File::make(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require(descriptor >= 0, Fault::unwritable, "cannot write {} ({}): choose another path", path, std::strerror(errno));
  ::close(descriptor);
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

std::int64_t File::size() const {
  struct stat status {};
  const bool done = ::fstat(descriptor_, &status) == 0;  // before the arguments below use errno
  require(done, Fault::bad_file, "cannot examine {} ({})", path_, std::strerror(errno));
  return status.st_size;
}

void File::check_read(std::int64_t got, std::int64_t offset) const {
  require(got >= 0, Fault::bad_file, "cannot read {} at byte {} ({}): check the disk, or copy the file again", path_,
          offset, std::strerror(errno));
  require(got > 0, Fault::bad_file,
          "{}: truncated record: the file ends at byte {}: copy it again or rerun the code that wrote it", path_,
          offset);
}

void File::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto piece = std::min(bytes.size(), static_cast<std::size_t>(largest_transfer));
    const ssize_t got = ::pread(descriptor_, bytes.data(), piece, offset);
    if (got < 0 && errno == EINTR) continue;
    check_read(got, offset);
    offset += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void File::write(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto piece = std::min(bytes.size(), static_cast<std::size_t>(largest_transfer));
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), piece, offset);
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, Fault::unwritable, "cannot write {} ({}): free some space or choose another path", path_,
            std::strerror(errno));
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::read(std::int64_t offset, std::vector<std::span<std::byte>> pieces) const {
  std::erase_if(pieces, [](const auto& piece) { return piece.empty(); });  // empty pieces
  for (std::size_t first = 0; first < pieces.size();) {
    const auto list = list_of(pieces, first);
    const ssize_t got = ::preadv(descriptor_, list.data(), static_cast<int>(list.size()), offset);
    if (got < 0 && errno == EINTR) continue;
    check_read(got, offset);
    offset += got;
    advance(pieces, first, size_of(got));
  }
}

void File::write(std::int64_t offset, std::vector<std::span<const std::byte>> pieces) const {
  std::erase_if(pieces, [](const auto& piece) { return piece.empty(); });
  for (std::size_t first = 0; first < pieces.size();) {
    const auto list = list_of(pieces, first);
    const ssize_t put = ::pwritev(descriptor_, list.data(), static_cast<int>(list.size()), offset);
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, Fault::unwritable, "cannot write {} ({}): free some space or choose another path", path_,
            std::strerror(errno));
    offset += put;
    advance(pieces, first, size_of(put));
  }
}

void File::begin_flush(std::int64_t offset, std::int64_t bytes) const {
#ifdef SYNC_FILE_RANGE_WRITE
  ::sync_file_range(descriptor_, offset, bytes, SYNC_FILE_RANGE_WRITE);  // only a hint
#else
  (void)offset, (void)bytes;
#endif
}

void File::resize(std::int64_t bytes) const {
  const bool done = ::ftruncate(descriptor_, bytes) == 0;  // before the arguments below use errno
  require(done, Fault::unwritable, "cannot write {} ({}): free some space or choose another path", path_,
          std::strerror(errno));
}

void File::reserve() const {
  const std::int64_t length = size();
  if (length == 0) return;
#ifdef __linux__
  require(::fallocate(descriptor_, 0, 0, length) == 0 || errno != ENOSPC, Fault::unwritable,
          "cannot write {} ({}): free some space or choose another path", path_, std::strerror(ENOSPC));
#endif
}

void File::flush() const {
  // Some files cannot be flushed (EINVAL: a pipe, /dev/null), which is no error.
  const bool done = ::fsync(descriptor_) == 0 || errno == EINVAL;
  require(done, Fault::unwritable, "cannot write {} ({}): free some space or choose another path", path_,
          std::strerror(errno));
}

void require_complete(const File& file, const Extent& extent) {
  const std::int64_t size = file.size();
  require(extent.end() <= size, Fault::bad_file,
          "{}: truncated record: {} bytes needed, the file has {}: copy it again or rerun the code that wrote it",
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

void write_extent(const File& file, const Extent& extent, Range part, std::span<const double> values) {
  require(extent.element != Element::int32, Fault::internal, "{}: floating-point numbers written as integers",
          extent.path);
  if (extent.element == Element::float64) return write_raw(file, extent, part, std::as_bytes(values));
  const std::vector<float> narrow(values.begin(), values.end());
  write_raw(file, extent, part, std::as_bytes(std::span(narrow)));
}

void write_extent(const File& file, const Extent& extent, Range part, std::span<const std::int32_t> values) {
  require(extent.element == Element::int32, Fault::internal, "{}: integers written as floating-point numbers",
          extent.path);
  write_raw(file, extent, part, std::as_bytes(values));
}

std::vector<Miller> read_plane_waves(const Extent& extent, Range part) {
  static_assert(sizeof(Miller) == 3 * sizeof(std::int32_t));
  std::vector<Miller> waves(static_cast<std::size_t>(std::max<std::int64_t>(0, part.size())));
  read_extent(File(extent.path), extent, {3 * part.low, 3 * part.high},
              std::span(reinterpret_cast<std::int32_t*>(waves.data()), 3 * waves.size()));
  return waves;
}

}  // namespace seiche
