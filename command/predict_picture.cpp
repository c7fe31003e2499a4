// SPDX-License-Identifier: BSD-3-Clause
#include "predict_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace seiche::command {

namespace {

constexpr std::array colours{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777", "#000000"};
constexpr double width = 560, height = 320, left = 64, right = 150, top = 34, bottom = 40;

/// A logarithmic axis, which maps values to positions between two ends.
struct Axis {
  double low, high, from, to;
  double at(double value) const {
    if (high <= low) return 0.5 * (from + to);
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
};

/// Returns 1, 2 and 5 times powers of ten within the axis.
std::vector<double> marks_of(const Axis& axis) {
  std::vector<double> marks;
  for (double ten = std::pow(10, std::floor(std::log10(axis.low))); ten <= axis.high; ten *= 10) {
    for (const double times : {1.0, 2.0, 5.0}) {
      if (times * ten >= axis.low && times * ten <= axis.high) marks.push_back(times * ten);
    }
  }
  return marks;
}

Axis axis_of(const std::vector<Curve>& curves) {
  double low = std::numeric_limits<double>::max(), high = 0;
  for (const Curve& curve : curves) {
    for (const double value : curve.values) {
      if (value <= 0) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  low = std::max(low, 1e-3 * high);  // negligible values would compress the others
  return {low / 1.3, high * 1.3, height - bottom, top};
}

std::string grid_of(const Axis& across, const Axis& up, const std::vector<double>& x) {
  std::string text;
  for (const double y : marks_of(up)) {
    text += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n", left,
                        width - right, up.at(y), up.at(y));
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", left - 6, up.at(y) + 4, y);
  }
  for (const double one : x) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", across.at(one),
                        height - bottom + 16, one);
  }
  return text;
}

std::string curve_of(const Axis& across, const Axis& up, const std::vector<double>& x, const Curve& curve) {
  std::string path;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (curve.values[i] < up.low) continue;
    path += fmt::format("{:.1f},{:.1f} ", across.at(x[i]), up.at(curve.values[i]));
  }
  return path;
}

}  // namespace

std::string drawn_curves(const std::string& title, const std::string& unit, const std::vector<double>& x,
                         const std::vector<Curve>& curves) {
  const Axis across{x.front(), x.back(), left, width - right}, up = axis_of(curves);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n<text x=\"{}\" y=\"18\" font-size=\"13\">{}</text>\n",
      width, height, width, height, left, title);
  text += grid_of(across, up, x);
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ranks</text>\n", (left + width - right) / 2,
                      height - 6);
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 6, top - 4, unit);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const char* colour = colours[c % colours.size()];
    const double down = top + 10 + 17 * static_cast<double>(c);
    const char* dashes = c == 0 ? "" : " stroke-dasharray=\"5 4\"";
    text += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                        curve_of(across, up, x, curves[c]), colour, dashes);
    text += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\"{}/>",
                        width - right + 10, width - right + 28, down, down, colour, dashes);
    text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", width - right + 33, down + 4, curves[c].label);
  }
  return text + "</svg>\n";
}

}  // namespace seiche::command
