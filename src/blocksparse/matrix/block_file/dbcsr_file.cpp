// SPDX-License-Identifier: BSD-3-Clause
/// \file  Binary files of DBCSR (dbcsr_binary_write): magic, name, type, sizes, then index and values of each rank that
/// wrote the file. Native byte order, 32-bit counts, no alignment. Blocks are column-major; a negative position marks a
/// transposed block.
#include <cstring>
#include <fstream>
#include <limits>

#include "blocksparse/matrix/block_file/element_file.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int64_t magic_bytes = 10, name_bytes = 80;

/// Reads consecutive 32-bit integers.
class IndexRecord {
 public:
  IndexRecord(const ElementFile& file, std::int64_t at) : file_(file), at_(at), in_(file.path, std::ios::binary) {
    in_.seekg(at);
  }
  /// Allocates memory only if the file is long enough.
  std::vector<std::int32_t> operator()(std::int64_t n) {
    const bool there = n <= (file_.size - at_) / 4;
    std::vector<std::int32_t> numbers(there ? static_cast<std::size_t>(n) : 0);
    at_ += 4 * n;
    require(there && in_.read(reinterpret_cast<char*>(numbers.data()), 4 * n).gcount() == 4 * n, Fault::bad_file,
            "{} is truncated in its index: copy it again", file_.path);
    return numbers;
  }
  std::int64_t at() const { return at_; }

 private:
  const ElementFile& file_;
  std::int64_t at_;
  std::ifstream in_;
};

struct Header {
  std::int32_t ranks = 0, type = 0;
  BlockSizes row_sizes, column_sizes;
  std::vector<std::int32_t> counts;  // of each rank: blocks, values
  std::int64_t index_at = 0;
};

Header header_of(const ElementFile& file) {
  IndexRecord numbers(file, magic_bytes + name_bytes + 1);
  const auto head = numbers(4);
  const auto require_possible = [&](bool possible) {
    require(possible, Fault::bad_file,
            "{} has an invalid header (damaged, or another byte order): rerun the code that wrote the file", file.path);
  };
  require_possible(head[0] > 0 && head[2] >= 0 && head[3] >= 0);
  Header header{head[0], head[1], numbers(head[2]), numbers(head[3]), numbers(2LL * head[0]), 0};
  header.index_at = numbers.at();
  for (const BlockSizes& sizes : {header.row_sizes, header.column_sizes}) {
    std::int64_t sum = 0;
    for (const std::int32_t size : sizes) {
      require_possible(size >= 0);
      sum += size;
    }
    require_possible(sum <= std::numeric_limits<std::int32_t>::max());
  }
  for (const std::int32_t count : header.counts) require_possible(count >= 0);
  return header;
}

constexpr std::array<std::int64_t, 8> bytes_of_type{0, 4, 0, 8, 0, 8, 0, 16};

double value_at(const char* p, std::int32_t type) {
  if (type == 3 || type == 7) {
    double v = 0;
    std::memcpy(&v, p, 8);
    return v;
  }
  float v = 0;
  std::memcpy(&v, p, 4);
  return static_cast<double>(v);
}

Symmetry symmetry_of(const ElementFile& file) {
  std::ifstream in(file.path, std::ios::binary);
  in.seekg(magic_bytes + name_bytes);
  const int kind = in.get();
  switch (kind) {
    case 'N':
      return Symmetry::none;
    case 'S':
      return Symmetry::symmetric;
    case 'H':
      return Symmetry::hermitian;
    case 'A':
      return Symmetry::antisymmetric;
    default:
      fail(Fault::bad_file, "{} has an unknown matrix type ('{}'): write it as N, S, H or A", file.path,
           static_cast<char>(kind));
  }
}

/// The part of one of the ranks that wrote the file: rows of blocks, and positions of their values.
struct FilePiece {
  std::vector<std::int32_t> row_start, column, place;  // counted from 0, from 1, from 1
  std::string data;
};

std::string values_at(const ElementFile& file, std::int64_t at, std::int64_t bytes) {
  std::ifstream in(file.path, std::ios::binary);
  const bool there = bytes <= file.size - at;
  std::string data(there ? static_cast<std::size_t>(bytes) : 0, '\0');
  in.seekg(at);
  require(there && in.read(data.data(), bytes).gcount() == bytes, Fault::bad_file,
          "{} is truncated in its values: copy it again", file.path);
  return data;
}

/// Converts the blocks of parts to elements.
class PieceReader {
 public:
  PieceReader(const ElementFile& file, const Header& header, std::vector<Element>& elements)
      : file_(file),
        type_(header.type),
        bytes_(bytes_of_type[header.type]),
        row_at_(starts_of(file.row_sizes)),
        column_at_(starts_of(file.column_sizes)),
        elements_(elements) {}

  void operator()(const FilePiece& piece) const {
    for (std::size_t i = 0; i < file_.row_sizes.size(); ++i) {
      require(piece.row_start[i] >= 0 && piece.row_start[i] <= piece.row_start[i + 1] &&
                  piece.row_start[i + 1] <= std::ssize(piece.column),
              Fault::bad_file, "{} has rows that are not in order: rerun the code that wrote the file", file_.path);
      for (std::int64_t b = piece.row_start[i]; b < piece.row_start[i + 1]; ++b) {
        require(piece.column[b] >= 1 && piece.column[b] < std::ssize(column_at_), Fault::bad_file,
                "{} has a block outside the matrix: rerun the code that wrote the file", file_.path);
        if (piece.place[b] != 0) read_block(piece, i, piece.column[b] - 1, piece.place[b]);  // 0: the block was deleted
      }
    }
  }

 private:
  /// \param place counted from 1; negative for a transposed block
  void read_block(const FilePiece& piece, std::size_t i, std::size_t j, std::int64_t place) const {
    const std::int64_t m = file_.row_sizes[i], n = file_.column_sizes[j], first = std::abs(place) - 1;
    require(first + m * n <= std::ssize(piece.data) / bytes_, Fault::bad_file,
            "{} has a block without values: rerun the code that wrote the file", file_.path);
    const char* v = piece.data.data() + first * bytes_;
    for (std::int64_t k = 0; k < m * n; ++k, v += bytes_) {
      const std::int64_t row = place > 0 ? k % m : k / n, column = place > 0 ? k / m : k % n;
      elements_.push_back({static_cast<std::int32_t>(row_at_[i] + row),
                           static_cast<std::int32_t>(column_at_[j] + column), value_at(v, type_),
                           file_.complex ? value_at(v + bytes_ / 2, type_) : 0});
    }
  }

  const ElementFile& file_;
  std::int32_t type_;
  std::int64_t bytes_;  // per value
  std::vector<std::int64_t> row_at_, column_at_;
  std::vector<Element>& elements_;
};

}  // namespace

void open_dbcsr(ElementFile& file) {
  file.symmetry = symmetry_of(file);
  const Header header = header_of(file);
  const bool known = header.type == 1 || header.type == 3 || header.type == 5 || header.type == 7;
  require(known, Fault::bad_file,
          "{} has an unknown data type ({}; known: 1, 3, 5, 7): rerun the code that wrote the file", file.path,
          header.type);
  file.complex = header.type == 5 || header.type == 7;
  file.row_sizes = header.row_sizes;
  file.column_sizes = header.column_sizes;
  file.rows = starts_of(file.row_sizes).back();
  file.columns = starts_of(file.column_sizes).back();
}

std::vector<Element> read_dbcsr(const ElementFile& file, int part, int parts) {
  const Header header = header_of(file);
  const std::int64_t rows = std::ssize(file.row_sizes), bytes = bytes_of_type[header.type];
  std::int64_t data_at = header.index_at;
  for (std::int64_t r = 0; r < header.ranks; ++r) data_at += 4 * (rows + 1 + 2LL * header.counts[2 * r]);
  IndexRecord numbers(file, header.index_at);
  std::vector<Element> elements;
  const PieceReader read(file, header, elements);
  for (std::int64_t r = 0; r < header.ranks; ++r) {
    const std::int64_t blocks = header.counts[2 * r], data = header.counts[2 * r + 1] * bytes;
    FilePiece piece{numbers(rows + 1), numbers(blocks), numbers(blocks), {}};
    if (r % parts == part) {
      piece.data = values_at(file, data_at, data);
      read(piece);
    }
    data_at += data;
  }
  return elements;
}

}  // namespace seiche
