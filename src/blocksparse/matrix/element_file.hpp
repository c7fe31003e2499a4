// SPDX-License-Identifier: BSD-3-Clause
/// \file  Single elements of matrices, as files hold them, on their way to and from blocks.
#pragma once

#include <string>

#include "seiche/block_file.hpp"

namespace seiche {

/// A rank's part of the elements of a file; 0-based.
struct Element {
  std::int32_t row, column;
  double real, imaginary;
};

struct ElementFile {
  std::string path;
  MatrixFormat format = MatrixFormat::csr_text;
  bool complex = false;
  std::int64_t rows = 0, columns = 0;  ///< 0: not said
  Symmetry symmetry = Symmetry::none;  ///< as the file says
  BlockSizes row_sizes, column_sizes;  ///< empty: not said
  std::int64_t body = 0;               ///< first byte behind the header
  std::int64_t size = 0;
  std::int64_t announced = -1;  ///< elements, where the file says
};

/// Local. What the file is. \throws Error
ElementFile open_elements(const std::string& path);

/// Local. The part-th of `parts` parts of the elements.
std::vector<Element> read_elements(const ElementFile& file, int part, int parts);
/// DBCSR's dump, in blocks: those of every parts-th rank of the file.
std::vector<Element> read_dbcsr(const ElementFile& file, int part, int parts);
void open_dbcsr(ElementFile& file);

}  // namespace seiche
