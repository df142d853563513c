// One channel of an image, read between its pixels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "quant/tensor/tensor.h"

namespace tally::quant {

struct Plane {
  Plane(const FloatTensor& x, int64_t image, int64_t channel)
      : height(x.shape[2]),
        width(x.shape[3]),
        pixels(x.data.data() + (image * x.shape[1] + channel) * height * width) {}

  bool Has(int64_t row, int64_t column) const {
    return 0 <= row && row < height && 0 <= column && column < width;
  }
  double At(int64_t row, int64_t column) const { return pixels[row * width + column]; }

  // Calls visit(weight, row, column) for the four pixels around (v, u); some may be outside.
  template <typename Visit>
  static void Around(double v, double u, Visit visit) {
    const double row = std::floor(v), column = std::floor(u);
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 2; ++j) {
        visit((i == 0 ? row + 1 - v : v - row) * (j == 0 ? column + 1 - u : u - column),
              static_cast<int64_t>(row) + i, static_cast<int64_t>(column) + j);
      }
    }
  }

  // At (v, u), moved onto the plane.
  double Between(double v, double u) const {
    v = std::clamp(v, 0.0, static_cast<double>(height - 1));
    u = std::clamp(u, 0.0, static_cast<double>(width - 1));
    double sum = 0;
    Around(v, u, [&](double weight, int64_t row, int64_t column) {
      if (weight != 0) sum += weight * At(row, column);
    });
    return sum;
  }

  int64_t height, width;
  const float* pixels;
};

}  // namespace tally::quant
