// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads elements from CSR files of CP2K and from MatrixMarket files. CP2K writes no header: `write_csr` writes
/// row, column and value (1-based) of each element; in binary files each is one Fortran record.
#include "blocksparse/matrix/element_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "seiche/layout.hpp"
#include "support/packed.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"

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
            "{} has a wrong record marker at byte {} (damaged): copy it again", file.path, (part.low + n) * record);
    --e.row;
    --e.column;
    elements.push_back(e);
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
  explicit LineReader(const std::string& line) : at_(line.c_str()) {}
  std::int64_t integer() { return next(std::strtol(at_, &end_, 10)); }
  double real() { return next(std::strtod(at_, &end_)); }
  /// Returns whether all numbers were present, and nothing else.
  bool complete() const { return sound_ && at_[std::strspn(at_, " \t\r")] == '\0'; }

 private:
  template <class Number>
  Number next(Number found) {
    sound_ = sound_ && end_ != at_;
    at_ = end_;
    return found;
  }
  const char* at_;
  char* end_ = nullptr;
  bool sound_ = true;
};

Element element_in(const ElementFile& file, const std::string& line) {
  LineReader numbers(line);
  const std::int64_t row = numbers.integer(), column = numbers.integer();
  const double real = numbers.real(), imaginary = file.complex ? numbers.real() : 0;
  require(numbers.complete(), Fault::bad_file,
          "{} has an invalid line '{}' (expected row, column and value): check that the file is a complete matrix",
          file.path, line.substr(0, 60));
  return {static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), real, imaginary};
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
  std::istringstream sizes(line);
  sizes >> file.rows >> file.columns >> file.announced;
  require(!sizes.fail(), Fault::bad_file, "{} has no line of sizes (damaged): copy it again", file.path);
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
  const auto number = [&](const std::string& digits) {
    const bool sound =
        !digits.empty() && digits.size() < 8 && digits.find_first_not_of("0123456789") == std::string::npos;
    require(sound && std::stoi(digits) > 0, Fault::bad_argument, "'{}' is not a list of block sizes: {}", text,
            example);
    return std::stoi(digits);
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
