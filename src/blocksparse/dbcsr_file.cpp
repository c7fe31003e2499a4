// SPDX-License-Identifier: BSD-3-Clause
/// \file  DBCSR's binary dump (dbcsr_binary_write): magic, name, kind, sizes, an index and the values of each of the
/// ranks that wrote it. Native byte order, 32-bit counts, nothing aligned; blocks column-major, a negative place says
/// transposed.
#include <cstring>
#include <fstream>

#include "blocksparse/elements.hpp"
#include "blocksparse/parts.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int64_t magic_bytes = 10, name_bytes = 80;

/// Reads 32-bit numbers one after another.
class Numbers {
 public:
  Numbers(const ElementFile& file, std::int64_t at) : path_(file.path), in_(file.path, std::ios::binary) {
    in_.seekg(at);
  }
  std::vector<std::int32_t> operator()(std::int64_t n) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(n));
    in_.read(reinterpret_cast<char*>(numbers.data()), 4 * n);
    require(in_.gcount() == 4 * n, Fault::bad_file, "{} ends within its index; it is truncated, copy it again", path_);
    return numbers;
  }
  std::int64_t at() { return static_cast<std::int64_t>(in_.tellg()); }

 private:
  std::string path_;
  std::ifstream in_;
};

struct Header {
  std::int32_t ranks = 0, type = 0;
  std::vector<std::int32_t> counts;  // of each rank: blocks, values
  std::int64_t index_at = 0;
};

Header header_of(const ElementFile& file) {
  Numbers numbers(file, magic_bytes + name_bytes + 1);
  const auto head = numbers(4);
  const bool sound = head[0] > 0 && head[2] >= 0 && head[3] >= 0 && 4LL * (head[0] + head[2] + head[3]) < file.size;
  require(sound, Fault::bad_file, "{} has an impossible header; it is damaged or of another byte order", file.path);
  numbers(head[2] + head[3]);
  Header header{head[0], head[1], numbers(2LL * head[0]), 0};
  header.index_at = numbers.at();
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

}  // namespace

void open_dbcsr(ElementFile& file) {
  std::ifstream in(file.path, std::ios::binary);
  in.seekg(magic_bytes + name_bytes);
  const int kind = in.get();
  switch (kind) {
    case 'N':
      break;
    case 'S':
      file.symmetry = Symmetry::symmetric;
      break;
    case 'H':
      file.symmetry = Symmetry::hermitian;
      break;
    case 'A':
      file.symmetry = Symmetry::antisymmetric;
      break;
    default:
      fail(Fault::bad_file, "{} has a matrix of kind '{}', which is not N, S, H or A; write it in one of these",
           file.path, static_cast<char>(kind));
  }
  const Header header = header_of(file);
  const bool known = header.type == 1 || header.type == 3 || header.type == 5 || header.type == 7;
  require(known, Fault::bad_file, "{} has values of type {}, which is not 1, 3, 5 or 7; it is damaged", file.path,
          header.type);
  file.complex = header.type == 5 || header.type == 7;
  Numbers numbers(file, magic_bytes + name_bytes + 1);
  const auto head = numbers(4);
  file.row_sizes = numbers(head[2]);
  file.column_sizes = numbers(head[3]);
  file.rows = starts_of(file.row_sizes).back();
  file.columns = starts_of(file.column_sizes).back();
}

std::vector<Element> read_dbcsr(const ElementFile& file, int part, int parts) {
  const Header header = header_of(file);
  const auto rows = static_cast<std::int64_t>(file.row_sizes.size());
  const auto row_at = starts_of(file.row_sizes), column_at = starts_of(file.column_sizes);
  const std::int64_t bytes = bytes_of_type[static_cast<std::size_t>(header.type)];
  std::int64_t data_at = header.index_at;
  for (std::size_t r = 0; r < static_cast<std::size_t>(header.ranks); ++r)
    data_at += 4 * (rows + 1 + 2LL * header.counts[2 * r]);
  Numbers numbers(file, header.index_at);
  std::ifstream in(file.path, std::ios::binary);
  std::vector<Element> elements;
  for (std::size_t r = 0; r < static_cast<std::size_t>(header.ranks); ++r) {
    const std::int64_t blocks = header.counts[2 * r], values = header.counts[2 * r + 1];
    const auto row_p = numbers(rows + 1), column = numbers(blocks), place = numbers(blocks);
    const bool mine = static_cast<int>(r % static_cast<std::size_t>(parts)) == part;
    std::string data(static_cast<std::size_t>(mine ? values * bytes : 0), '\0');
    if (mine) {
      in.seekg(data_at);
      in.read(data.data(), static_cast<std::streamsize>(data.size()));
      require(in.gcount() == static_cast<std::streamsize>(data.size()), Fault::bad_file,
              "{} ends within its values; it is truncated, copy it again", file.path);
    }
    data_at += values * bytes;
    for (std::int64_t i = 0; i < rows && mine; ++i) {
      for (std::int64_t b = row_p[static_cast<std::size_t>(i)]; b < row_p[static_cast<std::size_t>(i) + 1]; ++b) {
        require(b >= 0 && b < blocks && column[static_cast<std::size_t>(b)] >= 1 &&
                    column[static_cast<std::size_t>(b)] < static_cast<std::int64_t>(column_at.size()),
                Fault::bad_file, "{} has a block beyond its sizes; it is damaged", file.path);
        const auto j = static_cast<std::size_t>(column[static_cast<std::size_t>(b)] - 1);
        const std::int32_t at = place[static_cast<std::size_t>(b)];
        const std::int64_t m = file.row_sizes[static_cast<std::size_t>(i)], n = file.column_sizes[j];
        if (at == 0) continue;  // a block that was deleted
        require(std::abs(at) - 1 + m * n <= values, Fault::bad_file, "{} has a block beyond its values; it is damaged",
                file.path);
        const char* v = data.data() + (std::abs(at) - 1) * bytes;
        for (std::int64_t k = 0; k < m * n; ++k, v += bytes) {
          const std::int64_t row = at > 0 ? k % m : k / n, col = at > 0 ? k / m : k % n;
          Element e{static_cast<std::int32_t>(row_at[static_cast<std::size_t>(i)] + row),
                    static_cast<std::int32_t>(column_at[j] + col), value_at(v, header.type), 0};
          if (file.complex) e.imaginary = value_at(v + bytes / 2, header.type);
          elements.push_back(e);
        }
      }
    }
  }
  return elements;
}

}  // namespace seiche
