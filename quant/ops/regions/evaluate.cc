#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "quant/ops/regions/plane.h"
#include "quant/ops/regions/region_ops.h"

namespace tally::quant {
namespace {

// [first, last] of a region along an axis, 0 for H.
struct Ends {
  double first, last;
};

Ends EndsOf(const FloatTensor& regions, int64_t region, int axis) {
  const float* corners = regions.data.data() + region * 4;
  return {corners[1 - axis], corners[3 - axis]};
}

int64_t ImageOf(const Tensor* images, int64_t region, int64_t count) {
  return std::clamp<int64_t>(std::get<Int64Tensor>(*images).data[static_cast<size_t>(region)], 0, count - 1);
}

struct PixelRange {
  int64_t first, end;
  int64_t size() const { return std::max<int64_t>(end - first, 0); }
};

// The position of a bin or point in the result.
struct Place {
  int64_t region, channel, bin[2];
};

// value(place) for each element of the result.
template <typename Value>
Tensor ForEach(const Shape& shape, Value value) {
  FloatTensor y{shape, {}};
  y.data.reserve(static_cast<size_t>(NumElements(shape)));
  for (int64_t r = 0; r < shape[0]; ++r)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t p = 0; p < shape[2]; ++p)
        for (int64_t q = 0; q < shape[3]; ++q) {
          y.data.push_back(static_cast<float>(value(Place{r, c, {p, q}})));
        }
  return y;
}

int64_t Along(const Extents& size, int axis) { return axis == 0 ? size.y : size.x; }

// [first, end) of a real interval, of the pixels of an axis that it touches.
PixelRange Touched(double first, double end, int64_t pixels) {
  return {static_cast<int64_t>(std::clamp(std::floor(first), 0.0, static_cast<double>(pixels))),
          static_cast<int64_t>(std::clamp(std::ceil(end), 0.0, static_cast<double>(pixels)))};
}

}  // namespace

Tensor RoiMaxPool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &regions = Float(operands[1]);
  return ForEach(shape, [&](const Place& at) {
    PixelRange range[2];
    for (int i = 0; i < 2; ++i) {
      const Ends ends = EndsOf(regions, at.region, i);
      const double first = std::round(ends.first * scale), last = std::round(ends.last * scale);
      const double side = std::max(last - first + 1, 1.0);
      const auto bins = static_cast<double>(Along(size, i)), p = static_cast<double>(at.bin[i]);
      // p * side is exact, and so is a whole quotient.
      range[i] = Touched(first + std::floor(p * side / bins), first + std::ceil((p + 1) * side / bins),
                         x.shape[static_cast<size_t>(2 + i)]);
    }
    if (range[0].size() * range[1].size() == 0) return 0.0;
    const Plane plane(x, ImageOf(operands[2], at.region, x.shape[0]), at.channel);
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t h = range[0].first; h < range[0].end; ++h) {
      for (int64_t w = range[1].first; w < range[1].end; ++w) largest = std::max(largest, plane.At(h, w));
    }
    return largest;
  });
}

Tensor RoiAlign::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &regions = Float(operands[1]);
  return ForEach(shape, [&](const Place& at) {
    const Plane plane(x, ImageOf(operands[2], at.region, x.shape[0]), at.channel);
    std::vector<double> points[2];
    for (int i = 0; i < 2; ++i) {
      const Ends ends = EndsOf(regions, at.region, i);
      const double start = ends.first * scale - (half_pixel ? 0.5 : 0.0);
      double side = (ends.last - ends.first) * scale;
      if (!half_pixel) side = std::max(side, 1.0);
      const auto bins = static_cast<double>(Along(size, i));
      const double samples =
          sampling_ratio > 0 ? static_cast<double>(sampling_ratio) : std::max(std::ceil(side / bins), 0.0);
      for (double s = 0; s < samples; ++s) {
        points[i].push_back(start + side * (static_cast<double>(at.bin[i]) + (s + 0.5) / samples) / bins);
      }
    }
    double sum = 0, largest = -std::numeric_limits<double>::infinity();
    for (const double v : points[0]) {
      for (const double u : points[1]) {
        const bool inside = v >= -1 && v <= static_cast<double>(plane.height) && u >= -1 &&
                            u <= static_cast<double>(plane.width);
        const double sample = inside ? plane.Between(v, u) : 0;
        sum += sample;
        if (mode != RoiAlignMode::kMaxTap) {
          largest = std::max(largest, sample);
          continue;
        }
        if (!inside) largest = std::max(largest, 0.0);
        if (inside) {
          Plane::Around(std::clamp(v, 0.0, static_cast<double>(plane.height - 1)),
                        std::clamp(u, 0.0, static_cast<double>(plane.width - 1)),
                        [&](double weight, int64_t row, int64_t column) {
                          largest = std::max(largest, weight == 0 ? 0 : weight * plane.At(row, column));
                        });
        }
      }
    }
    const auto count = static_cast<double>(points[0].size() * points[1].size());
    if (count == 0) return 0.0;
    return mode == RoiAlignMode::kAverage ? sum / count : largest;
  });
}

Tensor PsroiPool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &regions = Float(operands[1]);
  const auto average_of_bin = [&](const Place& at, int64_t image) {
    PixelRange range[2];
    for (int i = 0; i < 2; ++i) {
      const Ends ends = EndsOf(regions, at.region, i);
      const double start = std::round(ends.first) * scale, side = (std::round(ends.last) + 1) * scale - start;
      const auto bins = static_cast<double>(Along(size, i)), p = static_cast<double>(at.bin[i]);
      range[i] = Touched((start * bins + p * side) / bins, (start * bins + (p + 1) * side) / bins,
                         x.shape[static_cast<size_t>(2 + i)]);
    }
    const int64_t count = range[0].size() * range[1].size();
    const Plane plane(x, image, (at.channel * size.y + at.bin[0]) * size.x + at.bin[1]);
    double sum = 0;
    for (int64_t h = range[0].first; h < range[0].end; ++h) {
      for (int64_t w = range[1].first; w < range[1].end; ++w) sum += plane.At(h, w);
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
  };
  // Point p of part s along an axis of `pixels`.
  const auto point = [&](const Place& at, int i, int64_t s, int64_t pixels) {
    const Ends ends = EndsOf(regions, at.region, i);
    const double unit = scale * static_cast<double>(pixels - 1);
    const int64_t points = Along(size, i);
    const double within =
        points == 1 ? 0.5 : static_cast<double>(at.bin[i]) / static_cast<double>(points - 1);
    return unit * (ends.first + (ends.last - ends.first) * (static_cast<double>(s) + within) /
                                    static_cast<double>(Along(parts, i)));
  };
  return ForEach(shape, [&](const Place& at) {
    const int64_t image = ImageOf(operands[2], at.region, x.shape[0]);
    if (mode == PsroiMode::kAverage) return average_of_bin(at, image);
    double sum = 0;
    for (int64_t s = 0; s < parts.y; ++s) {
      const double v = point(at, 0, s, x.shape[2]);
      for (int64_t t = 0; t < parts.x; ++t) {
        const double u = point(at, 1, t, x.shape[3]);
        if (v < 0 || v >= static_cast<double>(x.shape[2]) || u < 0 || u >= static_cast<double>(x.shape[3])) {
          continue;
        }
        sum += Plane(x, image, (s * parts.x + t) * shape[1] + at.channel).Between(v, u);
      }
    }
    return sum / static_cast<double>(parts.y * parts.x);
  });
}

Tensor DeformablePsroiPool::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &regions = Float(operands[1]);
  return ForEach(shape, [&](const Place& at) {
    const Plane plane(x, ImageOf(operands[2], at.region, x.shape[0]),
                      (at.channel * size.y + at.bin[0]) * size.x + at.bin[1]);
    std::vector<double> points[2];
    for (int i = 0; i < 2; ++i) {
      double moved = 0;
      if (operands.size() == 4) {
        const FloatTensor& offsets = Float(operands[3]);
        const int64_t classes = offsets.shape[1] / 2, of_class = at.channel / (shape[1] / classes);
        const int64_t row = at.bin[0] * offsets.shape[2] / size.y,
                      column = at.bin[1] * offsets.shape[3] / size.x;
        moved = offsets.data[static_cast<size_t>(
                    ((at.region * 2 * classes + 2 * of_class + 1 - i) * offsets.shape[2] + row) *
                        offsets.shape[3] +
                    column)] *
                static_cast<double>(offset_scale);
      }
      const Ends ends = EndsOf(regions, at.region, i);
      const double start = std::round(ends.first) * scale - 0.5;
      const double side = std::max((std::round(ends.last) + 1) * scale - 0.5 - start, 0.1);
      const auto bins = static_cast<double>(Along(size, i)), samples = static_cast<double>(Along(parts, i));
      const auto pixels = static_cast<double>(x.shape[static_cast<size_t>(2 + i)]);
      for (double s = 0; s < samples; ++s) {
        const double v = start + side * ((static_cast<double>(at.bin[i]) + s / samples) / bins + moved);
        if (v >= -0.5 && v <= pixels - 0.5) points[i].push_back(v);
      }
    }
    double sum = 0;
    for (const double v : points[0]) {
      for (const double u : points[1]) sum += plane.Between(v, u);
    }
    return sum / static_cast<double>(std::max<size_t>(points[0].size() * points[1].size(), 1));
  });
}

namespace {

// Point i of n of the interval.
double CropPointOf(CropGrid grid, double start, double length, double i, double n) {
  switch (grid) {
    case CropGrid::kStrictAlignEndpoints: return n == 1 ? start : start + i * length / (n - 1);
    case CropGrid::kAlignEndpoints: return n == 1 ? start + length / 2 : start + i * length / (n - 1);
    case CropGrid::kUpsample: return start + std::min(length, i * (length + 1) / n);
    case CropGrid::kRoiAlign: return start + std::min(length, (i + 0.5) * std::max(1.0, length) / n);
  }
  __builtin_unreachable();  // there is no other grid
}

}  // namespace

Tensor CropResize::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor &x = Float(operands[0]), &regions = Float(operands[1]);
  const bool width_first = boxes == BoxForm::kCornersWidthFirst || boxes == BoxForm::kCenterSizeWidthFirst;
  const bool center = boxes == BoxForm::kCenterSizeHeightFirst || boxes == BoxForm::kCenterSizeWidthFirst;
  return ForEach(shape, [&](const Place& at) {
    double point[2];
    bool outside = false;
    for (int i = 0; i < 2; ++i) {
      const auto last = static_cast<double>(x.shape[static_cast<size_t>(2 + i)] - 1);
      const float* numbers = regions.data.data() + at.region * 4 + (width_first ? 1 - i : i);
      const double unit = scale * (normalized ? last : 1.0), a = numbers[0] * unit, b = numbers[2] * unit;
      point[i] = CropPointOf(grid, center ? a - b / 2 : a, center ? b : b - a, static_cast<double>(at.bin[i]),
                             static_cast<double>(Along(size, i)));
      outside |= point[i] < 0 || point[i] > last;
    }
    if (outside && zero_outside) return 0.0;
    return Plane(x, ImageOf(operands[2], at.region, x.shape[0]), at.channel).Between(point[0], point[1]);
  });
}

}  // namespace tally::quant
