// SPDX-License-Identifier: BSD-3-Clause
/// \file  The little that is needed of HDF5, by one process: small attributes, and where a dataset's bytes lie.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wavefile/extents.hpp"

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

  bool has(const std::string& dataset) const;
  std::int64_t integer(const std::string& attribute) const;
  double real(const std::string& attribute) const;
  std::string text(const std::string& attribute) const;
  /// An attribute of `object`: a dataset, or "." for the file itself.
  std::vector<double> reals(const std::string& object, const std::string& attribute) const;

  /// Where the numbers of a dataset lie. \throws Error when they are not in one piece, with the remedy
  Extent extent(const std::string& dataset) const;

  void write_text(const std::string& attribute, const std::string& text) const;
  void write(const std::string& dataset, const std::vector<hsize_t>& shape, std::span<const double> values) const;
  /// Makes a dataset in one piece with all its room, and leaves its values to be written through the extent.
  void make_room(const std::string& dataset, const std::vector<hsize_t>& shape) const;

 private:
  Hdf5File(std::string path, Hdf5Id id) : path_(std::move(path)), id_(std::move(id)) {}
  Hdf5Id dataset(const std::string& name) const;
  Hdf5Id attribute(const std::string& name) const;
  Hdf5Id make_dataset(const std::string& name, const std::vector<hsize_t>& shape) const;

  std::string path_;
  Hdf5Id id_;
};

}  // namespace seiche
