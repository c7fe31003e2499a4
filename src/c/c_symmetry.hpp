// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of an image of plane waves.
#pragma once

#include "c/c_wavefile.hpp"
#include "seiche/c/symmetry.h"
#include "seiche/symmetry.hpp"

namespace seiche::c {

struct ImageObject : Object {
  explicit ImageObject(PlaneWaveImage of) : image(std::move(of)) {}
  PlaneWaveImage image;
};

void also_default(seiche_image_request& options);
void also_read(const seiche_image_request& asked, ImageRequest& request, const char* where);

}  // namespace seiche::c
