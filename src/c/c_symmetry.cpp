// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: images of plane waves.
#include "c/c_symmetry.hpp"

namespace seiche::c {

void also_default(seiche_image_request& options) {
  for (std::size_t i = 0; i < 9; i += 4) options.rotation[i] = 1;
}

void also_read(const seiche_image_request& asked, ImageRequest& request, const char*) {
  require(asked.spinor == 1 || asked.spinor == 2, Fault::bad_argument,
          "image_request: the number of spinor components must be 1 or 2 (got {})", asked.spinor);
  request.operation = operation_of(asked.rotation, asked.translation, asked.time_reversal);
  std::copy_n(asked.from, 3, request.from.begin());
  std::copy_n(asked.to, 3, request.to.begin());
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_image_apply(const seiche_image* image, std::int64_t bands, const void* from, void* to,
                                 std::int64_t coefficient_count) {
  return call([&] {
    const auto& known = behind(image).image;
    require_array(from, coefficient_count, "image", "coefficients");
    require_array(to, coefficient_count, "image", "coefficients");
    seiche::apply(known, bands, values_at<std::complex<double>>(from, coefficient_count),
                  values_at<std::complex<double>>(to, coefficient_count));
  });
}
