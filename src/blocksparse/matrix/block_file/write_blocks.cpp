// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes matrices to files.
#include <fstream>
#include <memory>
#include <numeric>

#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "comm/equal_arguments.hpp"
#include "seiche/block_file.hpp"
#include "support/require.hpp"
#include "support/unfinished_output.hpp"

namespace seiche {

namespace {

/// Returns a layout in which each rank has consecutive, complete rows.
SharedLayout strips(const BlockLayout& of) {
  auto layout = std::make_shared<BlockLayout>(of);
  const int ranks = of.comm.size();
  layout->grid_rows = ranks;
  layout->grid_columns = 1;
  const std::int64_t rows = std::ssize(of.row_sizes);
  for (std::int64_t i = 0; i < rows; ++i) layout->row_owner[i] = block_owner(rows, ranks, i);
  std::fill(layout->column_owner.begin(), layout->column_owner.end(), 0);
  return layout;
}

template <class Thing>
void put(std::string& out, const Thing& thing) {
  out.append(reinterpret_cast<const char*>(&thing), sizeof thing);
}

/// Calls work(row, column, value) for the elements of this rank's strip, ordered by row, then column.
template <class Value, class Work>
void each_element(const BlockMatrix<Value>& m, const Work& work) {
  const auto row_at = starts_of(m.layout().row_sizes), column_at = starts_of(m.layout().column_sizes);
  const CompressedRows& blocks = inside(m).blocks;
  for (std::int64_t r = 0; r < blocks.rows(); ++r) {
    const std::int32_t i = m.rows()[r];
    for (std::int64_t row = 0; row < m.layout().row_sizes[i]; ++row) {
      for (std::int64_t n = blocks.start[r]; n < blocks.start[r + 1]; ++n) {
        const StoredBlock b = stored_block(m, r, n);
        for (std::int64_t column = 0; column < b.columns; ++column)
          work(row_at[i] + row, column_at[b.at.column] + column, m.values()[b.offset + column * b.rows + row]);
      }
    }
  }
}

/// Writes one element in the format of the file, with rows and columns counted from 1.
template <class Value>
void put_element(std::string& out, MatrixFormat format, std::int64_t row, std::int64_t column, Value v) {
  const double real = real_part(v), imaginary = imaginary_part(v);
  if (format == MatrixFormat::csr_binary) {
    const std::int32_t length = is_complex<Value> ? 24 : 16;
    put(out, length);
    put(out, static_cast<std::int32_t>(row));
    put(out, static_cast<std::int32_t>(column));
    put(out, real);
    if (is_complex<Value>) put(out, imaginary);
    put(out, length);
  } else if (format == MatrixFormat::csr_text) {
    out += formatted("{:8d}{:8d} {:22.13E}", row, column, real);
    out += is_complex<Value> ? formatted(" {:22.13E}\n", imaginary) : "\n";
  } else {
    out += formatted("{} {} {:.17g}", row, column, real);
    out += is_complex<Value> ? formatted(" {:.17g}\n", imaginary) : "\n";
  }
}

template <class Value>
std::string body_of(const BlockMatrix<Value>& strip, MatrixFormat format) {
  std::string out;
  each_element(
      strip, [&](std::int64_t row, std::int64_t column, Value v) { put_element(out, format, row + 1, column + 1, v); });
  return out;
}

template <class Value>
std::string dbcsr_index(const BlockMatrix<Value>& strip) {
  std::string out;
  put(out, std::int32_t{0});
  std::int64_t r = 0;
  for (std::int32_t i = 0; i < std::ssize(strip.layout().row_sizes); ++i) {
    if (r < std::ssize(strip.rows()) && strip.rows()[r] == i) ++r;
    put(out, static_cast<std::int32_t>(strip.row_start()[r]));
  }
  for (const std::int32_t j : strip.columns()) put(out, j + 1);
  for (const std::int64_t at : strip.offset()) put(out, static_cast<std::int32_t>(at + 1));
  return out;
}

template <class Value>
std::string dbcsr_header(const BlockMatrix<Value>& strip, const std::vector<std::int64_t>& blocks,
                         const std::vector<std::int64_t>& values) {
  std::string out = "DBCSRv_1.0";
  std::string name = "seiche";
  name.resize(80, ' ');
  out += name + "N";
  const std::int32_t type = (is_complex<Value> ? 5 : 1) + (std::is_same_v<Real<Value>, double> ? 2 : 0);
  const BlockLayout& of = strip.layout();
  for (const std::int64_t n :
       {std::int64_t{of.comm.size()}, std::int64_t{type}, std::ssize(of.row_sizes), std::ssize(of.column_sizes)})
    put(out, static_cast<std::int32_t>(n));
  for (const auto* sizes : {&of.row_sizes, &of.column_sizes}) {
    for (const std::int32_t size : *sizes) put(out, size);
  }
  for (std::size_t q = 0; q < blocks.size(); ++q) {
    put(out, static_cast<std::int32_t>(blocks[q]));
    put(out, static_cast<std::int32_t>(values[q]));
  }
  return out;
}

/// Collective. Every rank writes its pieces: each of them in the order of ranks.
void write_pieces(const Communicator& comm, const std::string& path, const std::vector<std::string>& pieces) {
  std::unique_ptr<Unfinished> unfinished;  // on rank 0
  std::string temporary;
  on_root(comm, [&] {
    unfinished = std::make_unique<Unfinished>(path, OutputKind::file);
    temporary = unfinished->temporary();
  });
  broadcast(comm, temporary);
  std::int64_t end = 0;
  std::vector<std::int64_t> offsets;
  for (const std::string& piece : pieces) {
    const auto sizes = gather_all(comm, std::ssize(piece));
    offsets.push_back(std::accumulate(sizes.begin(), sizes.begin() + comm.rank(), end));
    end = std::accumulate(sizes.begin(), sizes.end(), end);
  }
  together(comm, [&] {
    std::fstream out(temporary, std::ios::binary | std::ios::in | std::ios::out);
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      out.seekp(offsets[n]);
      out.write(pieces[n].data(), std::ssize(pieces[n]));
    }
    out.close();
    require(out.good(), Fault::unwritable, "cannot write all of {}: free some space or choose another path", path);
  });
  on_root(comm, [&] { unfinished->finish(); });
}

/// Collective.
template <class Value>
void write_dbcsr(const BlockMatrix<Value>& strip, const std::string& path) {
  const Communicator& comm = strip.layout().comm;
  const auto blocks = gather_all(comm, strip.local_blocks()), values = gather_all(comm, std::ssize(strip.values()));
  for (const std::int64_t n : values)
    require(n < std::int64_t{1} << 31, Fault::unsupported,
            "DBCSR files hold fewer than 2^31 values per rank: use more processes");
  const char* bytes = reinterpret_cast<const char*>(strip.values().data());
  const auto pieces = made_together(comm, [&] {
    return std::vector<std::string>{comm.rank() == 0 ? dbcsr_header(strip, blocks, values) : "", dbcsr_index(strip),
                                    std::string(bytes, strip.values().size_bytes())};
  });
  write_pieces(comm, path, pieces);
}

}  // namespace

template <class Value>
void write_blocks(const BlockMatrix<Value>& matrix, const std::string& path, MatrixFormat format) {
  SharedLayout rows;
  together(matrix.layout().comm, "write_blocks", [&](EqualArguments& same) {
    same.add("path", path).add("format", format).add("bytes of a value", sizeof(Value));
    rows = strips(matrix.layout());
  });
  const BlockMatrix<Value> strip = redistribute(matrix, rows);
  if (format == MatrixFormat::dbcsr) return write_dbcsr(strip, path);
  const BlockLayout& layout = strip.layout();
  const std::int64_t all = sum(layout.comm, std::ssize(strip.values()));
  const auto pieces = made_together(layout.comm, [&] {
    std::string head;
    if (layout.comm.rank() == 0 && format == MatrixFormat::matrix_market) {
      head =
          formatted("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n", is_complex<Value> ? "complex" : "real",
                    starts_of(layout.row_sizes).back(), starts_of(layout.column_sizes).back(), all);
    }
    return std::vector<std::string>{head, body_of(strip, format)};
  });
  write_pieces(layout.comm, path, pieces);
}

void expect_block_file(const Communicator& comm, const std::string& path) {
  together(comm, "expect_block_file", [&](EqualArguments& same) { same.add("path", path); });
  on_root(comm, [&] { Unfinished(path, OutputKind::file); });
}

#define SEICHE_WRITE_BLOCKS(Value) \
  template void write_blocks(const BlockMatrix<Value>&, const std::string&, MatrixFormat)
SEICHE_WRITE_BLOCKS(float);
SEICHE_WRITE_BLOCKS(double);
SEICHE_WRITE_BLOCKS(std::complex<float>);
SEICHE_WRITE_BLOCKS(std::complex<double>);

}  // namespace seiche
