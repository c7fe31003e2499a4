// SPDX-License-Identifier: BSD-3-Clause
/// \file  The required functions of HDF5, on one process: small attributes, and positions of datasets.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "containers/extents.hpp"

namespace seiche {

/// Owns one HDF5 identifier of any kind.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id(hid_t id, Close close) noexcept : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&&) = delete;
  ~Hdf5Id();
  hid_t get() const noexcept { return id_; }
  bool valid() const noexcept { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// An HDF5 file. Every error names the file and the object.
class Hdf5File {
 public:
  static bool recognises(const std::string& path);
  static Hdf5File open(const std::string& path);
  static Hdf5File create(const std::string& path);  ///< replaces an existing file

  bool has_attribute(const std::string& name) const;  ///< of the file itself
  bool has(const std::string& dataset) const;
  std::vector<std::string> names() const;  ///< of groups and datasets at the top level
  std::int64_t integer(const std::string& attribute) const;
  double real(const std::string& attribute) const;
  std::string text(const std::string& attribute) const;
  /// Returns an attribute of `object`: a dataset, or "." for the file itself.
  std::vector<double> reals(const std::string& object, const std::string& attribute) const;

  std::vector<std::int64_t> shape(const std::string& dataset) const;  ///< C order; empty for a single number
  /// Returns all numbers of a small dataset, in any storage layout. \throws Error unless it has `count` numbers
  std::vector<double> read(const std::string& dataset, std::int64_t count) const;
  std::vector<std::int32_t> read_integers(const std::string& dataset, std::int64_t count) const;

  /// Returns the extent of a dataset. \throws Error with the remedy if it is not contiguous
  Extent extent(const std::string& dataset) const;

  using Shape = std::vector<hsize_t>;  ///< C order; empty for a single number

  void write_text(const std::string& attribute, const std::string& text) const;
  /// Writes attributes of `object`: a dataset, or "." for the file itself.
  void write_attribute(const std::string& object, const std::string& attribute, std::span<const double> values) const;
  void write_attribute(const std::string& attribute, std::int32_t value) const;
  void write_attribute(const std::string& attribute, double value) const;
  /// Creates a dataset, and the groups in its name ("a/b/c").
  void write(const std::string& dataset, const Shape& shape, std::span<const double> values) const;
  void write(const std::string& dataset, const Shape& shape, std::span<const std::int32_t> values) const;
  /// Creates a contiguous dataset with allocated space; its values are written through the extent after the file is
  /// closed.
  Extent make_room(const std::string& dataset, const Shape& shape, Element element = Element::float64) const;

 private:
  Hdf5File(std::string path, Hdf5Id id) : path_(std::move(path)), id_(std::move(id)) {}
  Hdf5Id dataset(const std::string& name) const;
  Hdf5Id attribute(const std::string& name) const;
  template <class Value>
  std::vector<Value> read_all(const std::string& dataset, std::int64_t count, hid_t memory_type) const;
  Hdf5Id make_dataset(const std::string& name, const Shape& shape, hid_t type) const;

  std::string path_;
  Hdf5Id id_;
};

}  // namespace seiche
