// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads elements from CSR files of CP2K and from MatrixMarket files. CP2K writes no header: `write_csr` writes
/// row, column and value (1-based) of each element; in binary files each is one Fortran record.
#include "blocksparse/matrix/block_file/element_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "seiche/layout.hpp"
#include "support/packed.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"
#include "support/text_number.hpp"

namespace seiche {

namespace {

constexpr std::int32_t real_record = 16, complex_record = 24;  // bytes between the markers

std::string bytes_at(const ElementFile& file, std::int64_t begin, std::int64_t end) {
  std::ifstream in(file.path, std::ios::binary);
  std::string bytes(std::max<std::int64_t>(0, end - begin), '\0');
  in.seekg(begin);
  in.read(bytes.data(), std::ssize(bytes));
  require(bytes.empty() || in.gcount() == std::ssize(bytes), Fault::bad_file,
          "{} ends early, at byte {}: copy it again", file.path, begin + in.gcount());
  return bytes;
}

/// Converts a row or column, counted from 1. \throws Error if no matrix has so many
std::int32_t index_in(const ElementFile& file, std::int64_t number) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  require(number > 0 && number <= most, Fault::bad_file,
          "{} has an element in row or column {} (must be 1 to {}): rerun the code that wrote the file", file.path,
          number, most);
  return static_cast<std::int32_t>(number - 1);
}

std::vector<Element> read_records(const ElementFile& file, Range part) {
  const std::int64_t record = 8 + (file.complex ? complex_record : real_record);
  const std::string bytes = bytes_at(file, part.low * record, part.high * record);
  std::vector<Element> elements;
  elements.reserve(part.size());
  for (std::int64_t n = 0; n < part.size(); ++n) {
    const char* at = bytes.data() + n * record;
    std::int32_t front = 0, back = 0;
    Element e{};
    std::memcpy(&front, at, 4);
    std::memcpy(&e.row, at + 4, 4);
    std::memcpy(&e.column, at + 8, 4);
    std::memcpy(&e.real, at + 12, 8);
    if (file.complex) std::memcpy(&e.imaginary, at + 20, 8);
    std::memcpy(&back, at + record - 4, 4);
    require(front == record - 8 && back == record - 8, Fault::bad_file,
            "{} has a wrong record marker at byte {}: rerun the code that wrote the file", file.path,
            (part.low + n) * record);
    elements.push_back({index_in(file, e.row), index_in(file, e.column), e.real, e.imaginary});
  }
  return elements;
}

/// Returns the lines that begin in part `part` of `parts` equal byte ranges.
std::string lines_of(const ElementFile& file, int part, int parts) {
  const Range stretch = block(file.size - file.body, parts, part);
  std::int64_t begin = file.body + stretch.low, end = file.body + stretch.high;
  // a line belongs to the range in which it begins: after a newline, or at the start
  const auto next_line = [&](std::int64_t from) {
    if (from <= file.body) return file.body;
    constexpr std::int64_t longest_line = 4096;
    const std::string tail = bytes_at(file, from - 1, std::min(file.size, from - 1 + longest_line));
    const auto newline = tail.find('\n');
    return newline == std::string::npos ? file.size : static_cast<std::int64_t>(from + newline);
  };
  begin = next_line(begin);
  end = part + 1 == parts ? file.size : next_line(end);
  return bytes_at(file, begin, std::max(begin, end));
}

/// Reads the numbers of a line until one is missing.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}
  std::int64_t integer() {
    skip_blanks();
    const std::string_view word = rest_.substr(0, std::min(rest_.find_first_of(blanks), rest_.size()));
    rest_.remove_prefix(word.size());
    return taken(integer_in(word));
  }
  double real() {
    skip_blanks();
    return taken(take_number(rest_));
  }
  /// Returns whether all numbers were present, and nothing else.
  bool complete() {
    skip_blanks();
    return sound_ && rest_.empty();
  }

 private:
  static constexpr const char* blanks = " \t\r";
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }
  template <class Number>
  Number taken(std::optional<Number> found) {
    sound_ = sound_ && found;
    return found.value_or(0);
  }
  std::string_view rest_;
  bool sound_ = true;
};

Element element_in(const ElementFile& file, const std::string& line) {
  LineReader numbers(line);
  const std::int64_t row = numbers.integer(), column = numbers.integer();
  const double real = numbers.real(), imaginary = file.complex ? numbers.real() : 0;
  require(numbers.complete(), Fault::bad_file,
          "{} has an invalid line '{}' (expected row, column and value): check that the file is a complete matrix",
          file.path, line.substr(0, 60));
  return {index_in(file, row), index_in(file, column), real, imaginary};
}

/// Reads the line of sizes: rows, columns and number of elements.
void read_sizes(ElementFile& file, const std::string& line) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  LineReader sizes(line);
  file.rows = sizes.integer();
  file.columns = sizes.integer();
  file.announced = sizes.integer();
  require(sizes.complete(), Fault::bad_file, "{} has no line of sizes (found '{}'): check that it is complete",
          file.path, line.substr(0, 60));
  const auto possible = [](std::int64_t n) { return n > 0 && n <= most; };
  require(possible(file.rows) && possible(file.columns) && file.announced >= 0, Fault::bad_file,
          "{} declares a matrix of {} x {} with {} elements: give a matrix with rows and columns", file.path, file.rows,
          file.columns, file.announced);
}

std::vector<Element> read_lines(const ElementFile& file, int part, int parts) {
  std::istringstream text(lines_of(file, part, parts));
  std::vector<Element> elements;
  for (std::string line; std::getline(text, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '%') continue;
    elements.push_back(element_in(file, line));
  }
  return elements;
}

void open_matrix_market(ElementFile& file) {
  std::ifstream in(file.path, std::ios::binary);
  std::string line, object, layout, field, symmetry;
  std::getline(in, line);
  std::istringstream head(in_small_letters(line));
  head >> object >> object >> layout >> field >> symmetry;
  require(object == "matrix" && layout == "coordinate" && (field == "real" || field == "integer" || field == "complex"),
          Fault::bad_file,
          "{} has an unsupported MatrixMarket type ('{}'): write it as coordinate real, integer or complex", file.path,
          line);
  const std::array<std::pair<const char*, Symmetry>, 4> known{{{"general", Symmetry::none},
                                                               {"symmetric", Symmetry::symmetric},
                                                               {"hermitian", Symmetry::hermitian},
                                                               {"skew-symmetric", Symmetry::antisymmetric}}};
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return symmetry == one.first; });
  require(found != known.end(), Fault::bad_file,
          "{} has an unknown symmetry ('{}'): write it as general, symmetric, skew-symmetric or hermitian", file.path,
          symmetry);
  file.symmetry = found->second;
  file.complex = field == "complex";
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) {
  }
  read_sizes(file, line);
  file.body = in.tellg() < 0 ? file.size : static_cast<std::int64_t>(in.tellg());
}

/// Opens a file with three numbers per line, or four for complex values.
void open_text(ElementFile& file, const std::string& head) {
  require(head.find_first_not_of(" \t\r\n+-.0123456789eEdD") == std::string::npos, Fault::bad_file,
          "{} is not a matrix file of a known format: give CP2K CSR output, MatrixMarket or DBCSR binary", file.path);
  std::istringstream first(head.substr(0, head.find('\n')));
  std::string word;
  int words = 0;
  while (first >> word) ++words;
  file.complex = words == 4;
}

}  // namespace

std::string name_of(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::csr_binary:
      return "CP2K CSR (binary)";
    case MatrixFormat::csr_text:
      return "CP2K CSR (text)";
    case MatrixFormat::matrix_market:
      return "MatrixMarket";
    case MatrixFormat::dbcsr:
      return "DBCSR binary";
  }
  return "unknown";
}

ElementFile open_elements(const std::string& path) {
  require(std::filesystem::is_regular_file(path), Fault::bad_file, "cannot find the file {}: check the name", path);
  require_unpacked(path);
  ElementFile file;
  file.path = path;
  file.size = std::filesystem::file_size(path);
  require(file.size > 0, Fault::bad_file, "{} is empty: copy it again", path);
  const std::string head = bytes_at(file, 0, std::min<std::int64_t>(file.size, 64));
  std::int32_t marker = 0;
  if (head.size() >= 4) std::memcpy(&marker, head.data(), 4);
  if (head.rfind("DBCSRv_1.0", 0) == 0) {
    file.format = MatrixFormat::dbcsr;
    open_dbcsr(file);
  } else if (in_small_letters(head).rfind("%%matrixmarket", 0) == 0) {
    file.format = MatrixFormat::matrix_market;
    open_matrix_market(file);
  } else if (marker == real_record || marker == complex_record) {
    file.format = MatrixFormat::csr_binary;
    file.complex = marker == complex_record;
    require(file.size % (marker + 8) == 0, Fault::bad_file,
            "{} is truncated ({} bytes are not a multiple of the record size {}): copy it again", path, file.size,
            marker + 8);
  } else {
    open_text(file, head);
  }
  return file;
}

std::vector<Element> read_elements(const ElementFile& file, int part, int parts) {
  if (file.format == MatrixFormat::dbcsr) return read_dbcsr(file, part, parts);
  if (file.format != MatrixFormat::csr_binary) return read_lines(file, part, parts);
  const std::int64_t record = 8 + (file.complex ? complex_record : real_record);
  return read_records(file, block(file.size / record, parts, part));
}

BlockSizes parse_block_sizes(const std::string& text) {
  constexpr const char* example = "give for example 13,13,5 or 64x13,128x5";
  const auto number = [&](std::string_view digits) {
    constexpr std::int64_t most = 9'999'999;
    const std::int64_t size = integer_in(digits).value_or(0);
    require(size > 0 && size <= most, Fault::bad_argument, "'{}' is not a list of block sizes: {}", text, example);
    return static_cast<std::int32_t>(size);
  };
  BlockSizes sizes;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto times = word.find('x');
    const int count = times == std::string::npos ? 1 : number(word.substr(0, times));
    sizes.insert(sizes.end(), count, number(times == std::string::npos ? word : word.substr(times + 1)));
  }
  require(!sizes.empty(), Fault::bad_argument, "the list of block sizes is empty: {}", example);
  return sizes;
}

}  // namespace seiche
