// SPDX-License-Identifier: BSD-3-Clause
/// \file  What symmetry does to plane waves, for C.
#include "seiche/symmetry.hpp"

#include <algorithm>

#include "c/fft_options.hpp"
#include "c/orbitals.hpp"
#include "seiche/c/symmetry.h"
#include "support/require.hpp"

namespace seiche::c {

struct ImageObject : Object {
  static constexpr const char* name = "image";
  const char* noun() const override { return name; }
  explicit ImageObject(PlaneWaveImage of) : image(std::move(of)) {}
  void close() {}
  PlaneWaveImage image;
};

template <>
struct BehindHandle<seiche_image> {
  using type = ImageObject;
};

namespace {

seiche_image_request image_defaults() {
  seiche_image_request request{};
  for (std::size_t i = 0; i < 9; i += 4) request.rotation[i] = 1;
  request.spinor = 1;
  return request;
}

ImageRequest image_request(const seiche_image_request* given) {
  const seiche_image_request asked = read_options(given, image_defaults(), "image_request");
  require(asked.spinor == 1 || asked.spinor == 2, Fault::bad_argument,
          "image_request: wavefunctions of {} components cannot be; they have 1 or 2", asked.spinor);
  return {operation_of(asked.rotation, asked.translation, asked.time_reversal),
          {asked.from[0], asked.from[1], asked.from[2]},
          {asked.to[0], asked.to[1], asked.to[2]},
          asked.spinor,
          asked.half_sphere != 0};
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_image_request_fill(seiche_image_request* request, std::size_t size) {
  return fill_options(request, size, image_defaults(), "image_request");
}

seiche_status seiche_image_create(seiche_image** image, const seiche_header* header,
                                  const seiche_image_request* request, const seiche_miller* waves,
                                  std::int64_t wave_count) {
  return create(image, [&] {
    const seiche::Crystal& crystal = behind(header).header.crystal;
    require_array(waves, wave_count, "image", "waves");
    return std::make_shared<ImageObject>(seiche::image_of(crystal, image_request(request), millers(waves, wave_count)));
  });
}

seiche_status seiche_image_destroy(seiche_image** image) { return destroy(image); }

seiche_status seiche_image_get_waves(const seiche_image* image, seiche_miller* waves, std::int64_t wave_count) {
  return call([&] {
    const auto& found = behind(image).image.waves;
    require_array(waves, wave_count, "image", "waves");
    seiche::require(wave_count == static_cast<std::int64_t>(found.size()), seiche::Fault::bad_argument,
                    "image: there are {} waves, and room for {}", found.size(), wave_count);
    std::copy(found.begin(), found.end(), reinterpret_cast<seiche::Miller*>(waves));
  });
}

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
