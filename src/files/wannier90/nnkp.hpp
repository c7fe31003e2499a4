// SPDX-License-Identifier: BSD-3-Clause
/// \file  wannier90's .nnkp, as one process reads it.
#pragma once

#include <string>

#include "seiche/wannier_file.hpp"

namespace seiche {

/// \throws Error(bad_file)
WannierRequest read_nnkp(const std::string& path);

}  // namespace seiche
