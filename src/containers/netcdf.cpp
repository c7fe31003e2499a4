// SPDX-License-Identifier: BSD-3-Clause
/// \file  The header of classic NetCDF files, by Unidata's specification of the formats CDF-1, CDF-2 and CDF-5.
#include "containers/netcdf.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int32_t byte_type = 1, int_type = 4, float_type = 5, double_type = 6;
constexpr std::int32_t dimension_list = 10, variable_list = 11, attribute_list = 12;

/// Reads the bytes of the header in order. All integers in it are big-endian.
class Header {
 public:
  explicit Header(const File& file) : file_(file), size_(file.size()) {
    at_ = 3;
    version_ = take<std::uint8_t>();
    if (version_ != 1 && version_ != 2 && version_ != 5) bad("has an unknown version");
  }
  std::int64_t count() { return version_ == 5 ? checked(take<std::int64_t>()) : checked(take<std::int32_t>()); }
  std::int32_t tag() { return take<std::int32_t>(); }
  std::int64_t offset() { return version_ == 1 ? checked(take<std::int32_t>()) : checked(take<std::int64_t>()); }
  std::string name() {
    std::string text(static_cast<std::size_t>(count()), ' ');
    file_.read(at_, std::as_writable_bytes(std::span(text)));
    skip(static_cast<std::int64_t>(text.size()));
    return text;
  }
  void skip_number() { at_ += version_ == 5 ? 8 : 4; }
  /// Reads the length of a list, which has the tag `kind` or is empty.
  std::int64_t list(std::int32_t kind) {
    const std::int32_t found = tag();
    const std::int64_t n = count();
    if (found != kind && (found != 0 || n != 0)) bad("has a list of an unexpected type");
    return n;
  }
  void skip_attributes() {
    for (std::int64_t n = list(attribute_list); n > 0; --n) {
      name();
      const std::int64_t width = width_of(tag());
      skip(width * count());
    }
  }
  std::int64_t width_of(std::int32_t type) const {
    constexpr std::array<std::int64_t, 12> widths{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    if (type < byte_type || type > 11) bad("has an unknown data type");
    return widths[static_cast<std::size_t>(type)];
  }
  [[noreturn]] void bad(const char* what) const {
    fail(Fault::bad_file, "{}: the NetCDF header {} near byte {}: rerun the code that wrote the file", file_.path(),
         what, at_);
  }

 private:
  /// A number in a header cannot exceed the size of the file.
  std::int64_t checked(std::int64_t n) const {
    if (n < 0 || n > size_) bad("declares more values than the file holds");
    return n;
  }
  void skip(std::int64_t bytes) {
    at_ += (bytes + 3) / 4 * 4;  // padded to words
    if (at_ > size_) bad("is truncated");
  }
  template <class Value>
  Value take() {
    std::array<std::byte, sizeof(Value)> bytes{};
    file_.read(at_, bytes);
    at_ += static_cast<std::int64_t>(sizeof(Value));
    if constexpr (std::endian::native == std::endian::little) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Value>(bytes);
  }

  const File& file_;
  std::int64_t size_, at_ = 0;
  int version_ = 1;
};

}  // namespace

bool NetCdfFile::recognises(const std::string& path) {
  const File file(path);
  std::array<char, 3> magic{};
  if (file.size() < 4) return false;
  file.read(0, std::as_writable_bytes(std::span(magic)));
  return std::string(magic.begin(), magic.end()) == "CDF" || Hdf5File::recognises(path);
}

NetCdfFile::NetCdfFile(const std::string& path) : path_(path) {
  if (Hdf5File::recognises(path)) {
    hdf5_.emplace(Hdf5File::open(path));
    return;
  }
  const File file(path);
  Header header(file);
  header.skip_number();  // number of records, which no variable here uses
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = header.list(dimension_list); n > 0; --n) {
    const std::string name = header.name();
    lengths.push_back(header.count());
    dimensions_.emplace(name, lengths.back());
  }
  header.skip_attributes();
  for (std::int64_t n = header.list(variable_list); n > 0; --n) {
    const std::string name = header.name();
    Variable variable;
    std::int64_t numbers = 1;
    for (std::int64_t axes = header.count(); axes > 0; --axes) {
      const auto dimension = static_cast<std::size_t>(header.count());
      if (dimension >= lengths.size()) header.bad("refers to a dimension that does not exist");
      variable.shape.push_back(lengths[dimension]);
      if (numbers > 0 && lengths[dimension] > file.size() / numbers)
        header.bad("declares more values than the file holds");
      numbers *= lengths[dimension];
    }
    header.skip_attributes();
    variable.type = header.tag();
    header.width_of(variable.type);
    header.skip_number();  // size of the variable, redundant with its shape
    const Element element = variable.type == int_type     ? Element::int32
                            : variable.type == float_type ? Element::float32
                                                          : Element::float64;
    variable.extent = {path, header.offset(), numbers, element, true, false};
    variables_.emplace(name, std::move(variable));
  }
}

bool NetCdfFile::has(const std::string& variable) const {
  return hdf5_ ? hdf5_->has(variable) : variables_.count(variable) > 0;
}

std::int64_t NetCdfFile::dimension(const std::string& name) const {
  if (hdf5_) {  // a dimension is a dataset of that length
    const auto shape = hdf5_->shape(name);
    return shape.empty() ? 0 : shape[0];
  }
  const auto found = dimensions_.find(name);
  require(found != dimensions_.end(), Fault::bad_file,
          "{}: dimension {} is missing: check that the file has the right format", path_, name);
  return found->second;
}

const NetCdfFile::Variable& NetCdfFile::find(const std::string& name) const {
  const auto found = variables_.find(name);
  require(found != variables_.end(), Fault::bad_file,
          "{}: variable {} is missing: check that the file has the right format", path_, name);
  const std::int32_t type = found->second.type;
  require(type == int_type || type == float_type || type == double_type, Fault::unsupported,
          "{}: variable {} holds neither 32-bit integers nor floating-point numbers", path_, name);
  return found->second;
}

std::vector<std::int64_t> NetCdfFile::shape(const std::string& variable) const {
  return hdf5_ ? hdf5_->shape(variable) : find(variable).shape;
}

Extent NetCdfFile::extent(const std::string& variable) const {
  return hdf5_ ? hdf5_->extent(variable) : find(variable).extent;
}

Extent NetCdfFile::extent_of(const std::string& name, std::int64_t count) const {
  const Extent extent = find(name).extent;
  require(extent.count == count, Fault::bad_file,
          "{}: variable {} has {} values instead of {}: check that the file has the right format", path_, name,
          extent.count, count);
  require_complete(File(path_), extent);
  return extent;
}

std::vector<double> NetCdfFile::reals(const std::string& variable, std::int64_t count) const {
  if (hdf5_) return hdf5_->read(variable, count);
  const Extent extent = extent_of(variable, count);
  std::vector<double> values(static_cast<std::size_t>(count));
  read_extent(File(path_), extent, {0, count}, std::span(values));
  return values;
}

std::vector<std::int32_t> NetCdfFile::integers(const std::string& variable, std::int64_t count) const {
  if (hdf5_) return hdf5_->read_integers(variable, count);
  const Extent extent = extent_of(variable, count);
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  read_extent(File(path_), extent, {0, count}, std::span(values));
  return values;
}

}  // namespace seiche
