// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads and writes single elements of matrices in files.
#pragma once

#include <string>

#include "seiche/block_file.hpp"

namespace seiche {

/// One element of a file; 0-based.
struct Element {
  std::int32_t row, column;
  double real, imaginary;
};

struct ElementFile {
  std::string path;
  MatrixFormat format = MatrixFormat::csr_text;
  bool complex = false;
  std::int64_t rows = 0, columns = 0;  ///< 0: not in the file
  Symmetry symmetry = Symmetry::none;  ///< declared in the file
  BlockSizes row_sizes, column_sizes;  ///< empty: not in the file
  std::int64_t body = 0;               ///< first byte after the header
  std::int64_t size = 0;
  std::int64_t announced = -1;  ///< number of elements, if declared in the file
};

/// Local. Detects the format and reads the header. \throws Error
ElementFile open_elements(const std::string& path);

/// Local. Reads part `part` of `parts` of the elements.
std::vector<Element> read_elements(const ElementFile& file, int part, int parts);
/// Reads the blocks of every parts-th rank of a DBCSR file.
std::vector<Element> read_dbcsr(const ElementFile& file, int part, int parts);
void open_dbcsr(ElementFile& file);

}  // namespace seiche
