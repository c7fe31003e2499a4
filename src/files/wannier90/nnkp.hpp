// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads .nnkp files of wannier90 on one process.
#pragma once

#include <string>

#include "seiche/wannier_file.hpp"

namespace seiche {

/// \throws Error(bad_file)
WannierRequest read_nnkp(const std::string& path);

}  // namespace seiche
