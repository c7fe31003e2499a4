// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where the variables of a NetCDF file lie: classic ones (NetCDF-3) by their header, NetCDF-4 through HDF5.
/// The NetCDF library hands out values, not places, so the header of classic files is read here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files/containers/extents.hpp"
#include "files/containers/hdf5.hpp"

namespace seiche {

class NetCdfFile {
 public:
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) naming the file and what is wrong with its header
  explicit NetCdfFile(const std::string& path);

  bool has(const std::string& variable) const;
  std::int64_t dimension(const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& variable) const;  ///< C order; empty for a single number
  Extent extent(const std::string& variable) const;
  /// \throws Error(bad_file) when the variable has not `count` numbers
  std::vector<double> reals(const std::string& variable, std::int64_t count) const;
  std::vector<std::int32_t> integers(const std::string& variable, std::int64_t count) const;
  double real(const std::string& variable) const { return reals(variable, 1)[0]; }
  std::int32_t integer(const std::string& variable) const { return integers(variable, 1)[0]; }

 private:
  struct Variable {
    std::vector<std::int64_t> shape;
    std::int32_t type = 0;
    Extent extent;
  };
  const Variable& find(const std::string& name) const;
  Extent extent_of(const std::string& name, std::int64_t count) const;

  std::string path_;
  std::optional<Hdf5File> hdf5_;                    // of NetCDF-4
  std::map<std::string, std::int64_t> dimensions_;  // of classic files
  std::map<std::string, Variable> variables_;
};

}  // namespace seiche
