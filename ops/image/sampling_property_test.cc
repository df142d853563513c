// Every operator that samples bilinearly, at random, against the sum over all pixels of x times two hat
// functions in exact rationals. RunOp also compares the three integers and checks the interval.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <string>

#include "ops/image/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Rational = boost::multiprecision::cpp_rational;
using boost::multiprecision::cpp_int;

Rational Clamp(const Rational& v, int64_t lo, int64_t hi) {
  return v < lo ? Rational(lo) : v > hi ? Rational(hi) : v;
}

Rational Hat(const Rational& distance) {
  const Rational magnitude = abs(distance);
  return magnitude < 1 ? Rational(1 - magnitude) : Rational(0);
}

int64_t HalfUp(const Rational& value) {
  const Rational shifted = value + Rational(1, 2);
  const cpp_int n = numerator(shifted), d = denominator(shifted);
  const cpp_int quotient = n / d;
  return static_cast<int64_t>(n < 0 && quotient * d != n ? cpp_int(quotient - 1) : quotient);
}

// One plane of `height` rows.
struct Plane {
  const int64_t* values;
  int64_t height;
  int64_t width;

  Rational at(const Rational& v, const Rational& u) const {
    Rational sum = 0;
    for (int64_t h = 0; h < height; ++h) {
      for (int64_t w = 0; w < width; ++w) sum += values[h * width + w] * Hat(v - h) * Hat(u - w);
    }
    return sum;
  }
  Rational nearest(const Rational& v, const Rational& u) const {
    return at(Clamp(v, 0, height - 1), Clamp(u, 0, width - 1));
  }
};

struct Random {
  int64_t Between(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }
  Ints List(int64_t count, int64_t lo, int64_t hi) {
    Ints values(count);
    for (int64_t& value : values) value = Between(lo, hi);
    return values;
  }
};

Ints ResultOf(const OpCase& test) {
  const auto y = RunOp(test);
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  return y->values[0];
}

RC_GTEST_PROP(SamplingLaws, GridSampleIsTheSumOfAllPixels, ()) {
  Random random;
  const int64_t h = random.Between(1, 4), w = random.Between(1, 4), f = random.Between(0, 5);
  const Ints x = random.List(h * w, -99, 99), grid = random.List(6, -3 << f, 3 << f);
  const GridSampleAttrs attrs = {
      .align_corners = random.Between(0, 1) == 1, .fraction = f, .result_fraction = random.Between(0, 4)};
  const Ints y = ResultOf({.op = Opcode::kGridSample,
                           .operands = {Values({1, 1, h, w}, x), Values({1, 3, 1, 2}, grid)},
                           .attributes = Pack(attrs)});
  RC_ASSERT(y.size() == 3u);
  const auto place = [&](int64_t g, int64_t n) -> Rational {
    const Rational from_left = Rational(g, int64_t{1} << f) + 1;
    return attrs.align_corners ? Rational(from_left * (n - 1) / 2) : Rational((from_left * n - 1) / 2);
  };
  for (int i = 0; i < 3; ++i) {
    const Rational exact = Plane{x.data(), h, w}.at(place(grid[2 * i + 1], h), place(grid[2 * i], w));
    RC_ASSERT(y[i] == HalfUp(exact * (int64_t{1} << attrs.result_fraction)));
  }
}

RC_GTEST_PROP(SamplingLaws, CropResizeIsTheSumOfAllPixels, ()) {
  Random random;
  const int64_t h = random.Between(1, 5), w = random.Between(1, 5), f = random.Between(0, 4);
  const int64_t oh = random.Between(2, 4), ow = random.Between(2, 4);
  const Ints x = random.List(h * w, -99, 99), box = random.List(4, -4 << f, 8 << f);
  const CropResizeAttrs attrs = {.size = {oh, ow}, .fraction = f};
  const Ints y = ResultOf({.op = Opcode::kCropResize,
                           .operands = {Values({1, 1, h, w}, x), Values({1, 4}, box), Values({1}, {0})},
                           .attributes = Pack(attrs)});
  RC_ASSERT(y.size() == static_cast<size_t>(oh * ow));
  const auto place = [&](int i, int64_t o, int64_t n) {
    const Rational first(box[i], int64_t{1} << f), last(box[i + 2], int64_t{1} << f);
    return Rational(first + (last - first) * o / (n - 1));
  };
  for (int64_t p = 0; p < oh; ++p) {
    for (int64_t q = 0; q < ow; ++q) {
      const Rational exact = Plane{x.data(), h, w}.nearest(place(0, p, oh), place(1, q, ow));
      RC_ASSERT(y[p * ow + q] == HalfUp(exact));
    }
  }
}

RC_GTEST_PROP(SamplingLaws, RoiAlignIsTheSumOfAllPixels, ()) {
  Random random;
  const int64_t h = random.Between(1, 5), w = random.Between(1, 5), f = random.Between(0, 4);
  const int64_t bins = random.Between(1, 3), samples = random.Between(1, 3);
  const Ints x = random.List(h * w, -99, 99), roi = random.List(4, -4 << f, 8 << f);
  RoiAlignAttrs attrs;
  attrs.pooled_size = {bins, bins};
  attrs.fraction = f;
  attrs.half_pixel = random.Between(0, 1) == 1;
  attrs.sampling_ratio = samples;
  const Ints y = ResultOf({.op = Opcode::kRoiAlign,
                           .operands = {Values({1, 1, h, w}, x), Values({1, 4}, roi), Values({1}, {0})},
                           .attributes = Pack(attrs)});
  RC_ASSERT(y.size() == static_cast<size_t>(bins * bins));
  const auto place = [&](int i,
                         int64_t part) {  // the middle of part `part` of bins * samples; x comes first
    const Rational half = attrs.half_pixel ? Rational(1, 2) : Rational(0);
    const Rational first = Rational(roi[1 - i], int64_t{1} << f) - half;
    Rational side = Rational(roi[3 - i] - roi[1 - i], int64_t{1} << f);
    if (!attrs.half_pixel && side < 1) side = 1;
    return Rational(first + side * (part + Rational(1, 2)) / (bins * samples));
  };
  for (int64_t p = 0; p < bins; ++p) {
    for (int64_t q = 0; q < bins; ++q) {
      Rational sum = 0;
      for (int64_t s = 0; s < samples * samples; ++s) {
        const Rational v = place(0, p * samples + s / samples), u = place(1, q * samples + s % samples);
        if (v >= -1 && v <= h && u >= -1 && u <= w) sum += Plane{x.data(), h, w}.nearest(v, u);
      }
      RC_ASSERT(y[p * bins + q] == HalfUp(sum / (samples * samples)));
    }
  }
}

RC_GTEST_PROP(SamplingLaws, DeformableConv2dIsTheSumOfAllPixels, ()) {
  Random random;
  const int64_t h = random.Between(2, 5), w = random.Between(2, 5), f = random.Between(0, 4);
  const Ints x = random.List(2 * h * w, -99, 99), weight = random.List(2 * 2 * 2, -9, 9);
  const int64_t oh = h - 1, ow = w - 1, plane = oh * ow;
  const Ints offset = random.List(8 * plane, -3 << f, 3 << f), mask = random.List(4 * plane, -4, 4);
  const DeformableConv2dAttrs attrs = {.offset_fraction = f, .shift = random.Between(0, 6)};
  const Ints y = ResultOf({.op = Opcode::kDeformableConv2d,
                           .operands = {Values({1, 2, h, w}, x), Constant({1, 2, 2, 2}, weight),
                                        Values({1, 8, oh, ow}, offset), Values({1, 4, oh, ow}, mask)},
                           .attributes = Pack(attrs)});
  RC_ASSERT(y.size() == static_cast<size_t>(plane));
  for (int64_t o = 0; o < plane; ++o) {
    Rational sum = 0;
    for (int64_t channel = 0; channel < 2; ++channel) {
      for (int64_t k = 0; k < 4; ++k) {
        const Rational v = o / ow + k / 2 + Rational(offset[2 * k * plane + o], int64_t{1} << f);
        const Rational u = o % ow + k % 2 + Rational(offset[(2 * k + 1) * plane + o], int64_t{1} << f);
        const Plane image = {x.data() + channel * h * w, h, w};
        sum += weight[channel * 4 + k] * mask[k * plane + o] * image.at(v, u);
      }
    }
    RC_ASSERT(y[o] == HalfUp(sum * (int64_t{1} << (2 * f)) / (int64_t{1} << attrs.shift)));
  }
}

}  // namespace
}  // namespace tally
