// SPDX-License-Identifier: BSD-3-Clause
/// \file  The little that is needed of HDF5, by one process: small attributes, and where a dataset's bytes lie.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/containers/extents.hpp"

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

/// An HDF5 file. Every error names the file and the object in it.
class Hdf5File {
 public:
  static bool recognises(const std::string& path);
  static Hdf5File open(const std::string& path);
  static Hdf5File create(const std::string& path);  ///< replaces the content of an existing file

  bool has_attribute(const std::string& name) const;  ///< of the file itself
  bool has(const std::string& dataset) const;
  std::vector<std::string> names() const;  ///< of groups and datasets at the top
  std::int64_t integer(const std::string& attribute) const;
  double real(const std::string& attribute) const;
  std::string text(const std::string& attribute) const;
  /// An attribute of `object`: a dataset, or "." for the file itself.
  std::vector<double> reals(const std::string& object, const std::string& attribute) const;

  std::vector<std::int64_t> shape(const std::string& dataset) const;  ///< C order; empty for a single number
  /// All numbers of a small dataset, however they are stored. \throws Error when it has not `count` of them
  std::vector<double> read(const std::string& dataset, std::int64_t count) const;
  std::vector<std::int32_t> read_integers(const std::string& dataset, std::int64_t count) const;

  /// Where the numbers of a dataset lie. \throws Error when they are not in one piece, with the remedy
  Extent extent(const std::string& dataset) const;

  using Shape = std::vector<hsize_t>;  ///< C order; empty for a single number

  void write_text(const std::string& attribute, const std::string& text) const;
  /// Attributes of `object`: a dataset, or "." for the file itself.
  void write_attribute(const std::string& object, const std::string& attribute, std::span<const double> values) const;
  void write_attribute(const std::string& attribute, std::int32_t value) const;
  void write_attribute(const std::string& attribute, double value) const;
  /// Makes a dataset, and the groups that its name ("a/b/c") says it is in.
  void write(const std::string& dataset, const Shape& shape, std::span<const double> values) const;
  void write(const std::string& dataset, const Shape& shape, std::span<const std::int32_t> values) const;
  /// Makes a dataset in one piece with all its room, and leaves its values to be written through the extent, once the
  /// file is closed.
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
