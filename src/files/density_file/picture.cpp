// SPDX-License-Identifier: BSD-3-Clause
/// \file  A picture of a density: colours on a logarithmic scale, contour lines, atoms as rings. Quantities of both
/// signs use a linear scale. Labels, lengths and a colour bar are provided by matplotlib (python/seiche/plot.py).
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "comm/equal_arguments.hpp"
#include "containers/output_file.hpp"
#include "crystal/lattice.hpp"
#include "seiche/density_file.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr int samples = 180;          // along each side: a density is smooth over a few pixels
constexpr int pixels_per_sample = 5;  // odd, so that every sample is at the centre of a pixel
constexpr int pixels = samples * pixels_per_sample;
constexpr int contours = 12;

using Colour = std::array<double, 3>;

/// A sequential colour map with uniformly increasing lightness.
constexpr std::array<Colour, 9> sea{{{10, 12, 34},
                                     {20, 30, 78},
                                     {24, 59, 122},
                                     {22, 96, 148},
                                     {32, 134, 158},
                                     {74, 171, 158},
                                     {143, 203, 160},
                                     {212, 230, 180},
                                     {255, 251, 232}}};

/// A diverging colour map for negative, zero and positive values.
constexpr std::array<Colour, 5> signs{
    {{20, 60, 140}, {120, 170, 215}, {247, 246, 240}, {235, 150, 110}, {150, 30, 40}}};

Colour mix(const Colour& a, const Colour& b, double share) {
  return {a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])};
}

Colour colour_of(std::span<const Colour> scale, double level) {
  const double at = std::clamp(level, 0.0, 1.0) * static_cast<double>(scale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), scale.size() - 2);
  return mix(scale[below], scale[below + 1], at - static_cast<double>(below));
}

/// Values as levels from 0 to 1, and their colours.
struct Levels {
  std::vector<double> values;
  std::span<const Colour> scale;
};

/// Returns levels on a linear scale with zero in the middle.
Levels signed_levels(const std::vector<double>& values, double most) {
  Levels levels{{}, signs};
  for (const double value : values) levels.values.push_back(0.5 + value / (2 * std::max(most, 1e-300)));
  return levels;
}

/// Returns levels on a logarithmic scale between a low and a high quantile; on a linear scale for values of both
/// signs.
Levels levels_of(const PlaneValues& plane) {
  const std::vector<double>& values = plane.values;
  const auto [least, most] = plane.bounds();
  if (least < -0.01 * most) return signed_levels(values, std::max(-least, most));
  std::vector<double> ordered = values;
  const auto quantile = [&](double q) {
    const auto at = ordered.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(ordered.size() - 1));
    std::nth_element(ordered.begin(), at, ordered.end());
    return *at;
  };
  const double high = std::max(quantile(0.998), 1e-300), low = std::max(quantile(0.002), 3e-3 * high);
  Levels levels{{}, sea};
  for (const double value : values)
    levels.values.push_back(std::log(std::max(value, 1e-9 * high) / low) / std::log(high / low));
  return levels;
}

/// Returns each row of samples interpolated to pixels_per_sample values per sample, transposed. Cubic interpolation
/// between four samples: E. Catmull and R. Rom, Computer Aided Geometric Design (1974), 317.
std::vector<double> finer_rows_turned(const std::vector<double>& values, int rows) {
  const auto row_length = static_cast<int>(values.size()) / rows, finer = row_length * pixels_per_sample;
  std::vector<double> turned(values.size() * pixels_per_sample);
  for (int x = 0; x < finer; ++x) {
    const double at = (x + 0.5) / pixels_per_sample - 0.5, below = std::floor(at), t = at - below;
    const std::array<double, 4> weight{t * (t * (2 - t) - 1) / 2, (t * t * (3 * t - 5) + 2) / 2,
                                       t * (t * (4 - 3 * t) + 1) / 2, t * t * (t - 1) / 2};
    for (int y = 0; y < rows; ++y) {
      double& value = turned[static_cast<std::size_t>(x * rows + y)];
      for (int i = 0; i < 4; ++i) {
        const int sample = std::clamp(static_cast<int>(below) - 1 + i, 0, row_length - 1);
        value += weight[static_cast<std::size_t>(i)] * values[static_cast<std::size_t>(y * row_length + sample)];
      }
    }
  }
  return turned;
}

/// Returns the values at the centre of each pixel.
PlaneValues at_pixels(const PlaneValues& sampled) {
  return {pixels, finer_rows_turned(finer_rows_turned(sampled.values, samples), pixels), sampled.largest_anywhere};
}

class Canvas {
 public:
  explicit Canvas(const Levels& levels) : bytes_(3 * pixels * pixels) {
    for (int y = 0; y < pixels; ++y) {
      for (int x = 0; x < pixels; ++x) paint(x, y, 1, shade(levels, x, y));
    }
  }

  /// Draws a ring around the point x, y.
  void ring(double x, double y, double radius) {
    const int reach = static_cast<int>(radius) + 3;
    for (int j = static_cast<int>(y) - reach; j <= static_cast<int>(y) + reach; ++j) {
      for (int i = static_cast<int>(x) - reach; i <= static_cast<int>(x) + reach; ++i) {
        if (i < 0 || j < 0 || i >= pixels || j >= pixels) continue;
        const double from_line = std::abs(std::hypot(i + 0.5 - x, j + 0.5 - y) - radius);
        paint(i, j, 0.45 * std::clamp(3.0 - from_line, 0.0, 1.0), {8, 10, 28});
        paint(i, j, 0.95 * std::clamp(1.5 - from_line, 0.0, 1.0), {255, 255, 255});
      }
    }
  }

  void write(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = pixels;
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    std::vector<std::byte> encoded(PNG_IMAGE_PNG_SIZE_MAX(image));
    png_alloc_size_t size = encoded.size();
    require(png_image_write_to_memory(&image, encoded.data(), &size, 0, bytes_.data(), 0, nullptr) != 0,
            Fault::internal, "cannot encode {}: {}", path, image.message);
    File(path, File::Mode::write).write(0, std::span<const std::byte>(encoded.data(), size));
  }

 private:
  /// Returns the colour of a pixel, darker or lighter on a contour line of uniform width.
  static Colour shade(const Levels& levels, int x, int y) {
    const auto level = [&](int i, int j) {
      return levels
          .values[static_cast<std::size_t>(std::clamp(j, 0, pixels - 1) * pixels + std::clamp(i, 0, pixels - 1))];
    };
    const double here = level(x, y);
    const double slope = std::hypot(level(x + 1, y) - level(x - 1, y), level(x, y + 1) - level(x, y - 1)) / 2;
    const double nearest = std::round(here * contours) / contours;
    const double distance = std::abs(here - nearest) / std::max(slope, 1e-12);
    const Colour base = colour_of(levels.scale, here);
    if (nearest <= 0 || nearest > 0.99) return base;
    const double line = std::clamp(1.2 - distance, 0.0, 1.0);
    const bool dark = levels.scale.data() == sea.data() && here < 0.6;
    return mix(base, dark ? Colour{190, 225, 235} : Colour{12, 40, 70}, 0.42 * line);
  }

  void paint(int x, int y, double share, const Colour& colour) {
    const auto at = static_cast<std::size_t>(3 * (y * pixels + x));
    for (std::size_t i = 0; i < 3; ++i) {
      const double old = bytes_[at + i];
      bytes_[at + i] = static_cast<std::uint8_t>(std::lround(old + share * (colour[i] - old)));
    }
  }

  std::vector<std::uint8_t> bytes_;
};

/// Draws rings for all atoms in the plane, including periodic images.
void mark_atoms(Canvas& canvas, const Crystal& crystal, const Plane& plane) {
  constexpr double in_plane = 0.2;  // bohr
  constexpr int images = 6;
  for (const Atom& atom : crystal.atoms) {
    for (int n = 0; n < (2 * images + 1) * (2 * images + 1) * (2 * images + 1); ++n) {
      constexpr int m = 2 * images + 1;
      const std::array<int, 3> shift{n % m - images, n / m % m - images, n / (m * m) - images};
      Vector3 d{};
      for (std::size_t i = 0; i < 3; ++i) {
        d[i] = atom.position[i] - plane.centre[i];
        for (std::size_t j = 0; j < 3; ++j) d[i] += shift[j] * crystal.lattice[j][i];
      }
      const double u = dot(d, plane.right), v = dot(d, plane.up);
      if (dot(d, d) - u * u - v * v > in_plane * in_plane) continue;
      canvas.ring((u / plane.side + 0.5) * pixels, (0.5 - v / plane.side) * pixels, 6);
    }
  }
}

}  // namespace

PlaneValues draw_density(const Density& density, const std::string& path, const std::optional<Plane>& wanted,
                         int component) {
  together(density.comm, "draw_density", [&](EqualArguments& same) { same.add("path", path); });
  OutputFile output(density.comm, path);
  const Plane plane = wanted ? *wanted : plane_of_bonds(density.crystal);
  PlaneValues values = plane_values(density, plane, samples, component);
  on_root(density.comm, [&] {
    Canvas canvas(levels_of(at_pixels(values)));
    mark_atoms(canvas, density.crystal, plane);
    canvas.write(output.temporary());
    File(output.temporary(), File::Mode::write).flush();
  });
  output.commit();
  return values;
}

}  // namespace seiche
