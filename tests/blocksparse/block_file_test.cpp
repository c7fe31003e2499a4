// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of matrices: as other programs write them, there and back, and damaged.
#include <cstring>
#include <fstream>

#include "blocksparse/matrix/scalar.hpp"
#include "seiche/block_file.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_equal;
using testing::expect_error;
using testing::ScratchDirectory;

const BlockSizes sizes{3, 1, 4, 2};  // ten rows

template <class Value>
Value element(std::int64_t row, std::int64_t column) {
  const double x =
      std::sin(1.0 + static_cast<double>(row * 10 + column)) * std::exp(static_cast<double>(row - 2 * column));
  if constexpr (is_complex<Value>)
    return Value(static_cast<Real<Value>>(x), static_cast<Real<Value>>(1 / (2 + x)));
  else
    return static_cast<Value>(x);
}

template <class Value>
BlockMatrix<Value> sample(const BlockSizes& rows, const BlockSizes& columns) {
  return from_function<Value>(
      make_layout(MPI_COMM_WORLD, rows, columns), [](std::int32_t i, std::int32_t j) { return (i + 2 * j) % 3 != 1; },
      element<Value>);
}

/// Writes text or bytes on rank 0. Collective.
std::string file_of(const ScratchDirectory& scratch, const std::string& name, const std::string& bytes) {
  if (testing::rank() == 0) std::ofstream(scratch.file(name), std::ios::binary) << bytes;
  MPI_Barrier(MPI_COMM_WORLD);
  return scratch.file(name);
}

template <class Thing>
void put(std::string& out, Thing thing) {
  out.append(reinterpret_cast<const char*>(&thing), sizeof thing);
}

std::string record(std::int32_t row, std::int32_t column, double value) {
  std::string out;
  put(out, std::int32_t{16});
  put(out, row);
  put(out, column);
  put(out, value);
  put(out, std::int32_t{16});
  return out;
}

template <class Value>
class EachValue : public ::testing::Test {};
using Values = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(EachValue, Values);

TYPED_TEST(EachValue, GoesThereAndBack) {
  const ScratchDirectory scratch;
  const auto matrix = sample<TypeParam>(sizes, sizes);
  for (const MatrixFormat format :
       {MatrixFormat::csr_binary, MatrixFormat::matrix_market, MatrixFormat::dbcsr, MatrixFormat::csr_text}) {
    const std::string path = scratch.file(name_of(format));
    write_blocks(matrix, path, format);
    EXPECT_EQ(holds_complex(MPI_COMM_WORLD, path), is_complex<TypeParam>) << name_of(format);
    MatrixFileOptions options;
    if (format != MatrixFormat::dbcsr) options.blocks = sizes;
    const auto back = read_blocks<TypeParam>(MPI_COMM_WORLD, path, options);
    EXPECT_EQ(back.layout().row_sizes, sizes) << name_of(format);
    if (format == MatrixFormat::csr_text) {  // 14 digits
      const auto found = to_dense(back), expected = to_dense(matrix);
      double largest = 0;
      for (const auto& v : expected) largest = std::max(largest, static_cast<double>(std::abs(v)));
      testing::expect_close<TypeParam>(found, expected, 1e-6 * largest);
    } else {
      expect_equal(to_dense(back), to_dense(matrix));
    }
  }
}

TEST(BlockFile, RectanglesKeepTheirShape) {
  const ScratchDirectory scratch;
  const auto matrix = sample<double>(sizes, {5, 5, 5});
  write_blocks(matrix, scratch.file("r"), MatrixFormat::dbcsr);
  const auto back = read_blocks<double>(MPI_COMM_WORLD, scratch.file("r"));
  expect_equal(to_dense(back), to_dense(matrix));
  EXPECT_EQ(back.local_blocks() > 0 || testing::ranks() > 1, true);
}

TEST(BlockFile, OneTriangleIsCompleted) {
  const ScratchDirectory scratch;
  std::string upper;
  std::vector<double> expected(16, 0.0);
  for (std::int32_t i = 1; i <= 4; ++i) {
    for (std::int32_t j = i; j <= 4; ++j) {
      upper += record(i, j, 10 * i + j);
      expected[static_cast<std::size_t>((j - 1) * 4 + i - 1)] =
          expected[static_cast<std::size_t>((i - 1) * 4 + j - 1)] = 10 * i + j;
    }
  }
  const std::string path = file_of(scratch, "upper.csr", upper);
  MatrixFileOptions blocks;
  blocks.blocks = {1, 3};
  expect_equal(to_dense(read_blocks<double>(MPI_COMM_WORLD, path, blocks)), expected);
  MatrixFileOptions as_it_is;
  as_it_is.complete_triangle = false;
  EXPECT_EQ(to_dense(read_blocks<double>(MPI_COMM_WORLD, path, as_it_is))[1], 0);
  const std::string market = file_of(
      scratch, "s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n2 2 2\n1 1 3.5\n2 1 -1e0\n");
  expect_equal(to_dense(read_blocks<double>(MPI_COMM_WORLD, market)), {3.5, -1, -1, 0});
  const std::string skew =
      file_of(scratch, "a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n");
  expect_equal(to_dense(read_blocks<double>(MPI_COMM_WORLD, skew)), {0, 7, -7, 0});
}

/// Lines as CP2K's format (2(I8),E23.14E3) prints them.
TEST(BlockFile, TextOfCp2kIsRead) {
  const ScratchDirectory scratch;
  const std::string path =
      file_of(scratch, "t.csr",
              "       1       1   0.10000000000000E+001\n       1       2  -0.25000000000000E-002\n       2       1  "
              "-0.25000000000000E-002\n       2       2   0.30000000000000E+003\n");
  expect_equal(to_dense(read_blocks<double>(MPI_COMM_WORLD, path)), {1, -0.0025, -0.0025, 300});
}

/// tests/data/dbcsr: written by DBCSR 2.5.0 itself (see its README), two processes, a symmetric and a general matrix.
TEST(BlockFile, DumpsOfDbcsrAreRead) {
  for (const bool symmetric : {false, true}) {
    const auto matrix =
        read_blocks<double>(MPI_COMM_WORLD, symmetric ? "data/dbcsr/symmetric.dbcsr" : "data/dbcsr/general.dbcsr");
    EXPECT_EQ(matrix.layout().row_sizes, (BlockSizes{2, 3, 1, 4}));
    const auto dense = to_dense(matrix);
    // element (row, column), 1-based, is 100 row + column in the blocks (i, j) with i + j even, in either triangle
    // alike
    const auto block_of = [](std::int64_t i) { return i < 2 ? 0 : i < 5 ? 1 : i < 6 ? 2 : 3; };
    for (std::int64_t column = 0; column < 10; ++column) {
      for (std::int64_t row = 0; row < 10; ++row) {
        const auto low = symmetric ? std::min(row, column) : row, high = symmetric ? std::max(row, column) : column;
        const double expected = (block_of(row) + block_of(column)) % 2 == 0
                                    ? 100 * static_cast<double>(low + 1) + static_cast<double>(high + 1)
                                    : 0;
        EXPECT_EQ(dense[static_cast<std::size_t>(column * 10 + row)], expected) << row << " " << column;
        compared();
      }
    }
  }
}

TEST(BlockFile, DamageIsNamed) {
  const ScratchDirectory scratch;
  const auto read = [](const std::string& path, const BlockSizes& blocks = {}) {
    MatrixFileOptions options;
    options.blocks = blocks;
    read_blocks<double>(MPI_COMM_WORLD, path, options);
  };
  const std::string good = record(1, 1, 1) + record(1, 2, 2) + record(2, 1, 2) + record(2, 2, 3);
  expect_error(Fault::bad_file, "cannot find", [&] { read(scratch.file("nowhere")); });
  expect_error(Fault::bad_file, "is empty", [&] { read(file_of(scratch, "0", "")); });
  expect_error(Fault::bad_file, "truncated", [&] { read(file_of(scratch, "1", good.substr(0, good.size() - 5))); });
  std::string marker = good;
  marker[24] = 17;
  expect_error(Fault::bad_file, "wrong record marker at byte 24", [&] { read(file_of(scratch, "2", marker)); });
  expect_error(Fault::bad_file, "not finite",
               [&] { read(file_of(scratch, "3", good.substr(0, 72) + record(2, 2, std::nan("")))); });
  expect_error(Fault::bad_file, "duplicate element (", [&] { read(file_of(scratch, "4", good + record(1, 2, 2))); });
  expect_error(Fault::bad_argument, "the block sizes sum to 5 x 5", [&] { read(file_of(scratch, "5", good), {2, 3}); });
  expect_error(Fault::bad_file, "an element in row or column 0",
               [&] { read(file_of(scratch, "6", record(0, 1, 1) + record(1, 1, 1))); });
  expect_error(Fault::bad_file, "known format", [&] { read(file_of(scratch, "7", "something else\n")); });
  expect_error(Fault::bad_file, "expected row, column and value",
               [&] { read(file_of(scratch, "8", "1 1 1.0\n1 2\n")); });
  const std::string head = "%%MatrixMarket matrix coordinate ";
  expect_error(Fault::bad_file, "2 elements instead of 3",
               [&] { read(file_of(scratch, "9", head + "real general\n2 2 3\n1 1 1\n2 2 2\n")); });
  expect_error(Fault::bad_file, "unsupported MatrixMarket type",
               [&] { read(file_of(scratch, "10", head + "pattern general\n2 2 0\n")); });
  expect_error(Fault::bad_file, "unknown symmetry", [&] { read(file_of(scratch, "11", head + "real odd\n2 2 0\n")); });
  expect_error(Fault::bad_file, "no line of sizes", [&] { read(file_of(scratch, "12", head + "real general\n")); });
  expect_error(Fault::bad_file, "holds complex numbers",
               [&] { read(file_of(scratch, "13", head + "complex general\n1 1 1\n1 1 1 1\n")); });
  const std::string path = scratch.file("14");
  write_blocks(sample<double>(sizes, sizes), path, MatrixFormat::dbcsr);
  std::string dump;
  if (testing::rank() == 0) {
    std::ifstream in(path, std::ios::binary);
    dump.assign(std::istreambuf_iterator<char>(in), {});
  }
  expect_error(Fault::bad_file, "truncated in its values",
               [&] { read(file_of(scratch, "15", dump.substr(0, dump.size() - (dump.empty() ? 0 : 8)))); });
  expect_error(Fault::bad_file, "truncated in its index",
               [&] { read(file_of(scratch, "16", dump.substr(0, dump.empty() ? 0 : 150))); });
  expect_error(Fault::unwritable, "choose another path",
               [&] { write_blocks(sample<double>(sizes, sizes), "/nowhere/at/all", MatrixFormat::dbcsr); });
}

/// Numbers in a dump that DBCSR wrote: two ranks, kind, four rows and columns of blocks, their sizes, the ranks'
/// counts, and of each rank where rows begin, columns and places.
TEST(BlockFile, DamagedNumbersOfDumpsAreNamed) {
  const ScratchDirectory scratch;
  struct Damage {
    std::int64_t number;
    std::int32_t value;
    const char* said;
  };
  for (const Damage& d :
       {Damage{0, 0, "invalid header"}, Damage{2, -1, "invalid header"},
        Damage{2, 2000000000, "truncated in its index"}, Damage{1, 2, "unknown data type (2"},
        Damage{4, -2, "invalid header"}, Damage{7, 2147483647, "invalid header"}, Damage{12, -4, "invalid header"},
        Damage{12, 2147483647, "truncated in its index"}, Damage{13, 2147483647, "truncated in its values"},
        Damage{17, 5, "rows that are not in order"}, Damage{18, -1, "rows that are not in order"},
        Damage{21, 5, "block outside the matrix"}, Damage{21, 0, "block outside the matrix"},
        Damage{25, 2147483647, "block without values"}, Damage{25, -2147483647, "block without values"}}) {
    const std::string path = scratch.file("dump");
    if (testing::rank() == 0) {
      std::filesystem::copy_file("data/dbcsr/general.dbcsr", path, std::filesystem::copy_options::overwrite_existing);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    testing::damage(path, 91 + 4 * d.number, d.value);
    expect_error(Fault::bad_file, d.said, [&] { read_blocks<double>(MPI_COMM_WORLD, path); });
  }
}

/// Numbers as C and Fortran programs write them, and others that no number is.
TEST(BlockFile, SymmetricDumpWithMoreColumnsThanRowsIsRefused) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("wide.dbcsr");
  write_blocks(sample<double>({2, 1}, {2, 3, 4}), path, MatrixFormat::dbcsr);
  testing::damage(path, 90, 'S');
  expect_error(Fault::bad_file, "a symmetric matrix of 3 x 9", [&] { read_blocks<double>(MPI_COMM_WORLD, path); });
}

TEST(BlockFile, NumbersInTextAreReadByOneRule) {
  const ScratchDirectory scratch;
  const auto read = [&](const std::string& body, const std::string& declared = "2 2 2") {
    const std::string head = "%%MatrixMarket matrix coordinate real general\n";
    return to_dense(read_blocks<double>(MPI_COMM_WORLD, file_of(scratch, "m.mtx", head + declared + "\n" + body)));
  };
  expect_equal(read("1 1 1.75D+00\n2 2 -0.5d2\n"), {1.75, 0, 0, -50});
  expect_equal(read("+1 1 1.5\r\n 2\t2 3\n"), {1.5, 0, 0, 3});
  for (const char* line : {"0x1 1 1\n", "1 1 0x10\n", "1.5 1 1\n", "1 1 nan\n", "1 1 1e999\n", "1 1 1,5\n", "1 1\n"}) {
    expect_error(Fault::bad_file, "expected row, column and value", [&] { read(std::string(line) + "2 2 1\n"); });
  }
  for (const char* line : {"4294967298 2 7\n", "1 -4294967295 7\n", "0 1 7\n", "2147483648 1 7\n"}) {
    expect_error(Fault::bad_file, "an element in row or column", [&] { read(std::string(line) + "1 1 1\n"); });
  }
  for (const char* declared : {"-2 2 2", "0 2 2", "2 2 -1", "4294967298 2 2"}) {
    expect_error(Fault::bad_file, "declares a matrix of", [&] { read("1 1 1\n2 2 1\n", declared); });
  }
  for (const char* declared : {"2 2", "2 2 2 2", "2 2 x", "two 2 2", "1e1 2 2"}) {
    expect_error(Fault::bad_file, "no line of sizes", [&] { read("1 1 1\n2 2 1\n", declared); });
  }
  expect_error(Fault::bad_file, "a symmetric matrix of 2 x 3", [&] {
    read_blocks<double>(MPI_COMM_WORLD,
                        file_of(scratch, "s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 3 1\n"));
  });
}

TEST(BlockFile, SizesAreParsed) {
  expect_equal(parse_block_sizes("13,2x5,1"), {13, 5, 5, 1});
  for (const char* wrong : {"", "a", "3,,4", "0", "2x", "x3", "-1"}) {
    expect_error(Fault::bad_argument, "block sizes", [&] { parse_block_sizes(wrong); });
  }
}

}  // namespace
}  // namespace seiche
