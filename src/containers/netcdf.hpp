// SPDX-License-Identifier: BSD-3-Clause
/// \file  Positions of variables in NetCDF files: from the header of classic files (NetCDF-3), and through HDF5 for
/// NetCDF-4. The NetCDF library returns values, not positions, so that the header is read here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "containers/extents.hpp"
#include "containers/hdf5.hpp"

namespace seiche {

class NetCdfFile {
 public:
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) with the file and the defect of its header
  explicit NetCdfFile(const std::string& path);

  bool has(const std::string& variable) const;
  std::int64_t dimension(const std::string& name) const;
  std::vector<std::int64_t> shape(const std::string& variable) const;  ///< C order; empty for a single number
  Extent extent(const std::string& variable) const;
  /// \throws Error(bad_file) unless the variable has `count` numbers
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
