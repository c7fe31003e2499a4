// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of matrices: elements to blocks, and blocks to files.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>

#include "blocksparse/elements.hpp"
#include "blocksparse/parts.hpp"
#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "seiche/layout.hpp"
#include "support/require.hpp"
#include "support/unfinished.hpp"

namespace seiche {

namespace {

constexpr std::int32_t default_block = 16;

BlockSizes uniform_blocks(std::int64_t n) {
  BlockSizes sizes;
  for (; n > 0; n -= default_block)
    sizes.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(n, default_block)));
  return sizes;
}

/// Which block an index falls into, and where in it.
class Finder {
 public:
  explicit Finder(const BlockSizes& sizes)
      : starts_(starts_of(sizes)), block_(static_cast<std::size_t>(starts_.back())) {
    for (std::size_t b = 0; b < sizes.size(); ++b)
      std::fill(block_.begin() + starts_[b], block_.begin() + starts_[b + 1], static_cast<std::int32_t>(b));
  }
  std::int32_t block(std::int32_t i) const { return block_[static_cast<std::size_t>(i)]; }
  std::int64_t within(std::int32_t i) const { return i - starts_[static_cast<std::size_t>(block(i))]; }
  std::int64_t size() const { return starts_.back(); }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> block_;
};

/// Adds the other triangle, where the file holds one only. Collective.
void complete(const Communicator& comm, const ElementFile& file, bool guess, std::vector<Element>& elements) {
  Symmetry symmetry = file.symmetry;
  if (symmetry == Symmetry::none && guess && file.format != MatrixFormat::matrix_market) {
    std::int64_t above = 0, below = 0;
    for (const Element& e : elements) (e.row < e.column ? above : below) += e.row == e.column ? 0 : 1;
    above = sum(comm, above);
    below = sum(comm, below);
    if ((above == 0) != (below == 0)) symmetry = file.complex ? Symmetry::hermitian : Symmetry::symmetric;
  }
  if (symmetry == Symmetry::none) return;
  const bool dbcsr = file.format == MatrixFormat::dbcsr;  // whose blocks on the diagonal are whole
  std::vector<std::int32_t> block(static_cast<std::size_t>(dbcsr ? file.rows : 0));
  const auto starts = starts_of(file.row_sizes);
  for (std::size_t b = 0; b + 1 < starts.size() && dbcsr; ++b)
    std::fill(block.begin() + starts[b], block.begin() + starts[b + 1], static_cast<std::int32_t>(b));
  const std::size_t n = elements.size();
  for (std::size_t k = 0; k < n; ++k) {
    Element e = elements[k];
    if (dbcsr ? block[static_cast<std::size_t>(e.row)] == block[static_cast<std::size_t>(e.column)] : e.row == e.column)
      continue;
    std::swap(e.row, e.column);
    if (symmetry == Symmetry::hermitian) e.imaginary = -e.imaginary;
    if (symmetry == Symmetry::antisymmetric) e.real = -e.real, e.imaginary = -e.imaginary;
    elements.push_back(e);
  }
}

SharedLayout layout_for(MPI_Comm comm, const ElementFile& file, const MatrixFileOptions& options, std::int64_t rows,
                        std::int64_t columns) {
  if (options.layout) return options.layout;
  BlockSizes row_sizes = file.row_sizes, column_sizes = file.column_sizes;
  if (row_sizes.empty()) row_sizes = options.blocks.empty() ? uniform_blocks(rows) : options.blocks;
  if (column_sizes.empty()) column_sizes = options.blocks.empty() ? uniform_blocks(columns) : options.blocks;
  return make_layout(comm, std::move(row_sizes), std::move(column_sizes));
}

template <class Value>
Value value_of(const Element& e) {
  if constexpr (is_complex<Value>)
    return Value(static_cast<Real<Value>>(e.real), static_cast<Real<Value>>(e.imaginary));
  else
    return static_cast<Value>(e.real);
}

/// The elements that this rank owns become blocks.
template <class Value>
BlockMatrix<Value> blocks_of(const std::string& path, SharedLayout layout,
                             const std::vector<std::vector<Element>>& arrived) {
  const Finder row_of(layout->row_sizes), column_of(layout->column_sizes);
  BlockMatrix<Value> matrix(std::move(layout));
  std::vector<typename BlockMatrix<Value>::Entry> entries;
  for (const auto& list : arrived) {
    for (const Element& e : list) {
      const std::int32_t i = row_of.block(e.row), j = column_of.block(e.column);
      if (entries.empty() || entries.back().row != i || entries.back().column != j) entries.push_back({i, j});
    }
  }
  matrix.reserve(std::move(entries));
  auto values = matrix.change_values();
  std::vector<char> set(values.size(), 0);
  std::vector<std::size_t> local(matrix.layout().row_sizes.size(), 0);
  for (std::size_t r = 0; r < matrix.rows().size(); ++r) local[static_cast<std::size_t>(matrix.rows()[r])] = r;
  for (const auto& list : arrived) {
    for (const Element& e : list) {
      const std::int32_t i = row_of.block(e.row);
      const std::size_t r = local[static_cast<std::size_t>(i)];
      const auto first = matrix.columns().begin() + matrix.row_start()[r],
                 last = matrix.columns().begin() + matrix.row_start()[r + 1];
      const auto b =
          static_cast<std::size_t>(std::lower_bound(first, last, column_of.block(e.column)) - matrix.columns().begin());
      const auto at = static_cast<std::size_t>(
          matrix.offset()[b] + column_of.within(e.column) * matrix.layout().row_sizes[static_cast<std::size_t>(i)] +
          row_of.within(e.row));
      require(!set[at], Fault::bad_file, "{} has the element ({}, {}) twice; it is damaged", path, e.row + 1,
              e.column + 1);
      set[at] = 1;
      values[at] = value_of<Value>(e);
    }
  }
  return matrix;
}

}  // namespace

template <class Value>
BlockMatrix<Value> read_blocks(MPI_Comm theirs, const std::string& path, const MatrixFileOptions& options) {
  const Communicator comm = Communicator::duplicate(theirs);
  ElementFile file;
  std::vector<Element> elements;
  together(comm, [&] {
    file = open_elements(path);
    require(!file.complex || is_complex<Value>, Fault::bad_file, "{} holds complex numbers; real ones were asked for",
            path);
    elements = read_elements(file, comm.rank(), comm.size());
  });
  const std::int64_t found = sum(comm, static_cast<std::int64_t>(elements.size()));
  require(file.announced < 0 || found == file.announced, Fault::bad_file,
          "{} holds {} elements instead of {}; it is truncated, copy it again", path, found, file.announced);
  complete(comm, file, options.complete_triangle, elements);
  std::int64_t rows = file.rows, columns = file.columns;
  if (rows == 0) {
    for (const Element& e : elements) rows = std::max({rows, std::int64_t{e.row} + 1, std::int64_t{e.column} + 1});
    rows = columns = maximum(comm, rows);
  }
  const SharedLayout layout = layout_for(theirs, file, options, rows, columns);
  const std::int64_t there = starts_of(layout->row_sizes).back(), wide = starts_of(layout->column_sizes).back();
  require(rows == there && columns == wide, Fault::bad_argument,
          "the block sizes add up to {} x {}, but the matrix in {} is {} x {}; give sizes that add up to that", there,
          wide, path, rows, columns);
  std::vector<std::vector<Element>> to(static_cast<std::size_t>(comm.size()));
  together(comm, [&] {
    const Finder row_of(layout->row_sizes), column_of(layout->column_sizes);
    for (const Element& e : elements) {
      require(e.row >= 0 && e.column >= 0 && e.row < rows && e.column < columns, Fault::bad_file,
              "{} has an element ({}, {}), which a matrix of {} x {} does not have; it is damaged", path, e.row + 1,
              e.column + 1, rows, columns);
      require(std::isfinite(e.real) && std::isfinite(e.imaginary), Fault::bad_file,
              "element ({}, {}) of {} is not a number; rerun the code that wrote it", e.row + 1, e.column + 1, path);
      to[static_cast<std::size_t>(layout->owner(row_of.block(e.row), column_of.block(e.column)))].push_back(e);
    }
  });
  elements = {};
  const auto arrived = pass_things(comm, to);
  std::optional<BlockMatrix<Value>> matrix;
  together(comm, [&] { matrix.emplace(blocks_of<Value>(path, layout, arrived)); });
  return std::move(*matrix);
}

namespace {

/// A layout in which each rank has consecutive rows, whole.
SharedLayout strips(const BlockLayout& of) {
  auto layout = std::make_shared<BlockLayout>(of);
  const int ranks = of.comm.size();
  layout->grid_rows = ranks;
  layout->grid_columns = 1;
  for (std::size_t i = 0; i < of.row_sizes.size(); ++i)
    layout->row_owner[i] =
        block_owner(static_cast<std::int64_t>(of.row_sizes.size()), ranks, static_cast<std::int64_t>(i));
  std::fill(layout->column_owner.begin(), layout->column_owner.end(), 0);
  return layout;
}

template <class Thing>
void put(std::string& out, const Thing& thing) {
  out.append(reinterpret_cast<const char*>(&thing), sizeof thing);
}

/// Elements of this rank's strip in the order of rows, then columns.
template <class Value, class Work>
void each_element(const BlockMatrix<Value>& m, const Work& work) {
  const auto row_at = starts_of(m.layout().row_sizes), column_at = starts_of(m.layout().column_sizes);
  for (std::size_t r = 0; r < m.rows().size(); ++r) {
    const auto i = static_cast<std::size_t>(m.rows()[r]);
    const std::int64_t rows = m.layout().row_sizes[i];
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t b = m.row_start()[r]; b < m.row_start()[r + 1]; ++b) {
        const auto n = static_cast<std::size_t>(b);
        const auto j = static_cast<std::size_t>(m.columns()[n]);
        for (std::int64_t column = 0; column < m.layout().column_sizes[j]; ++column) {
          work(row_at[i] + row, column_at[j] + column,
               m.values()[static_cast<std::size_t>(m.offset()[n] + column * rows + row)]);
        }
      }
    }
  }
}

template <class Value>
std::string body_of(const BlockMatrix<Value>& strip, MatrixFormat format) {
  std::string out;
  each_element(strip, [&](std::int64_t row, std::int64_t column, Value v) {
    const double real = real_part(v), imaginary = static_cast<double>(std::imag(v));
    if (format == MatrixFormat::csr_binary) {
      const std::int32_t length = is_complex<Value> ? 24 : 16;
      put(out, length);
      put(out, static_cast<std::int32_t>(row + 1));
      put(out, static_cast<std::int32_t>(column + 1));
      put(out, real);
      if (is_complex<Value>) put(out, imaginary);
      put(out, length);
    } else if (format == MatrixFormat::csr_text) {
      out += fmt::format("{:8d}{:8d} {:22.13E}", row + 1, column + 1, real);
      out += is_complex<Value> ? fmt::format(" {:22.13E}\n", imaginary) : "\n";
    } else {
      out += fmt::format("{} {} {:.17g}", row + 1, column + 1, real);
      out += is_complex<Value> ? fmt::format(" {:.17g}\n", imaginary) : "\n";
    }
  });
  return out;
}

template <class Value>
std::string dbcsr_index(const BlockMatrix<Value>& strip) {
  std::string out;
  std::vector<std::int32_t> row_p{0};
  std::size_t r = 0;
  for (std::size_t i = 0; i < strip.layout().row_sizes.size(); ++i) {
    if (r < strip.rows().size() && strip.rows()[r] == static_cast<std::int32_t>(i)) ++r;
    row_p.push_back(static_cast<std::int32_t>(strip.row_start()[r]));
  }
  for (const std::int32_t n : row_p) put(out, n);
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
  for (const std::size_t n : {static_cast<std::size_t>(of.comm.size()), static_cast<std::size_t>(type),
                              of.row_sizes.size(), of.column_sizes.size()})
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
    const auto sizes = gather_all(comm, static_cast<std::int64_t>(piece.size()));
    offsets.push_back(std::accumulate(sizes.begin(), sizes.begin() + comm.rank(), end));
    end = std::accumulate(sizes.begin(), sizes.end(), end);
  }
  together(comm, [&] {
    std::fstream out(temporary, std::ios::binary | std::ios::in | std::ios::out);
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      out.seekp(offsets[n]);
      out.write(pieces[n].data(), static_cast<std::streamsize>(pieces[n].size()));
    }
    out.close();
    require(out.good(), Fault::unwritable, "cannot write all of {}; free some space or choose another place", path);
  });
  on_root(comm, [&] { unfinished->finish(); });
}

}  // namespace

template <class Value>
void write_blocks(const BlockMatrix<Value>& matrix, const std::string& path, MatrixFormat format) {
  const BlockMatrix<Value> strip = redistribute(matrix, strips(matrix.layout()));
  const Communicator& comm = strip.layout().comm;
  const bool root = comm.rank() == 0;
  const std::int64_t elements = static_cast<std::int64_t>(strip.values().size());
  if (format == MatrixFormat::dbcsr) {
    const auto blocks = gather_all(comm, strip.local_blocks()), values = gather_all(comm, elements);
    for (const std::int64_t n : values)
      require(n < std::int64_t{1} << 31, Fault::unsupported,
              "DBCSR's dump cannot hold more than 2^31 values of one process; use more processes");
    const char* bytes = reinterpret_cast<const char*>(strip.values().data());
    write_pieces(comm, path,
                 {root ? dbcsr_header(strip, blocks, values) : "", dbcsr_index(strip),
                  std::string(bytes, strip.values().size_bytes())});
    return;
  }
  std::string head;
  const std::int64_t all = sum(comm, elements);
  if (root && format == MatrixFormat::matrix_market) {
    head =
        fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n", is_complex<Value> ? "complex" : "real",
                    starts_of(strip.layout().row_sizes).back(), starts_of(strip.layout().column_sizes).back(), all);
  }
  write_pieces(comm, path, {head, body_of(strip, format)});
}

void expect_block_file(MPI_Comm comm, const std::string& path) {
  on_root(Communicator::duplicate(comm), [&] { Unfinished(path, OutputKind::file); });
}

#define SEICHE_MATRIX_FILE(Value)                                                                  \
  template BlockMatrix<Value> read_blocks(MPI_Comm, const std::string&, const MatrixFileOptions&); \
  template void write_blocks(const BlockMatrix<Value>&, const std::string&, MatrixFormat)
SEICHE_MATRIX_FILE(float);
SEICHE_MATRIX_FILE(double);
SEICHE_MATRIX_FILE(std::complex<float>);
SEICHE_MATRIX_FILE(std::complex<double>);

}  // namespace seiche
