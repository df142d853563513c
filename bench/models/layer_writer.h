// Shared by the models: layers of 8 bits written into a module as a quantizer writes them, an exact
// accumulation and one rescale whose multipliers are normalized to [2^30, 2^31) (docs/spec/numerics.md).
//
//   ModuleBuilder b(Profile::kCore);
//   const ValueId x = b.Param("x", TypeOf({128, 768}, {-128, 127}));
//   const ValueId y = WriteDense(b, x, dense, kSigned8);
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "bench/models/linear_shape.h"
#include "bench/models/random_source.h"
#include "vm/module_builder.h"

namespace tally::bench {

// A grid of results: codes [lo, hi], of which `zero` stands for 0.
struct Grid {
  int64_t zero = 0;
  int64_t lo = -128;
  int64_t hi = 127;
};
inline constexpr Grid kSigned8 = {};
inline constexpr Grid kUnsigned8 = {.zero = -128};  // for what a ReLU left: 255 levels above zero
inline constexpr Grid kSigned16 = {.lo = -32767, .hi = 32767};

TensorType TypeOf(std::initializer_list<int64_t> dims, Interval interval);
ValueId WriteWeights(ModuleBuilder& b, std::span<const int64_t> dims, std::span<const int8_t> values);
ValueId WriteIntegers(ModuleBuilder& b, std::span<const int64_t> values);

// y = clamp(round((x - zero_in) * gain) + zero), a gain for each channel of `axis` or a single one, each in
// (0, 2^30).
ValueId WriteRescale(ModuleBuilder& b, ValueId x, std::span<const double> gains, int64_t axis,
                     const Grid& to);

// y = clamp(round(sum of (x_k - zeros[k]) * gains[k]) + zero).
ValueId WriteLincomb(ModuleBuilder& b, std::vector<ValueId> x, std::vector<int64_t> zeros,
                     std::span<const double> gains, const Grid& to);

// A convolution of x [N, C, H, W]: y = conv(x - zero_x, w) + bias.
struct ConvLayer {
  ConvShape shape;
  int64_t zero_x = 0;
  std::vector<int8_t> weights;  // [OC, C / groups, K, K]
  std::vector<int32_t> bias;
  std::vector<double> gains;  // for each output channel
};
ValueId WriteConv(ModuleBuilder& b, ValueId x, const ConvLayer& layer, const Grid& to);

// A fully connected layer: y = (x - zero_x) w^T + bias.
struct DenseLayer {
  int64_t inputs = 1, units = 1;
  int64_t zero_x = 0;
  std::vector<int8_t> weights;  // [units, inputs]
  std::vector<int32_t> bias;
  std::vector<double> gains;  // for each unit
};

// Weights from `random`, and the gains that give results a standard deviation of `deviation` codes, from one
// channel to the next between 0.6 and 1.4 times that, when x - zero_x has this mean and root mean square.
DenseLayer RandomDense(int64_t inputs, int64_t units, int64_t zero_x, double mean, double rms,
                       double deviation, RandomSource& random);
ValueId WriteDense(ModuleBuilder& b, ValueId x, const DenseLayer& layer, const Grid& to);

// A factor in [0.6, 1.4).
double Spread(RandomSource& random);

}  // namespace tally::bench
