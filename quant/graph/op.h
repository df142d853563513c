// The canonical float operators: a closed set, so that every pass and every lowering can be complete.
//
//   const Op op = Conv2d{.stride = {2, 2}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}, .groups = 1};
//   if (const auto* conv = std::get_if<Conv2d>(&op)) ...
//
// Operands are a list that each operator names; in [brackets] the optional ones. Activations are NCHW,
// weights OIHW. Weights (everything but x) of Conv2d, Dense and BatchNorm are constants; other operands may
// be any value. Elements are float32; Reshape, Transpose and Concat also move int64.
//
// Importers resolve Identity, Dropout, Flatten and automatic padding, so none of them is here.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "quant/graph/tensor.h"

namespace tally::quant {

// So that 64-bit arithmetic on attributes cannot overflow.
constexpr int64_t kMaxAttribute = int64_t{1} << 30;

struct Extent2d {
  int64_t y = 1;
  int64_t x = 1;
  bool operator==(const Extent2d&) const = default;
};

struct Padding2d {
  int64_t top = 0;
  int64_t left = 0;
  int64_t bottom = 0;
  int64_t right = 0;
  bool operator==(const Padding2d&) const = default;
};

// x [N, IC, IH, IW], weight [OC, IC / groups, KH, KW], [bias [OC]] -> [N, OC, OH, OW]; pads are zeros.
// y[n, oc, oy, ox] = bias[oc] + sum over ic, ky, kx: weight[oc, ic, ky, kx] x[n, g IC / groups + ic, iy, ix]
// with iy = oy stride.y + ky dilation.y - pad.top, ix likewise, and g = oc / (OC / groups), the group of oc.
struct Conv2d {
  Extent2d stride;
  Extent2d dilation;
  Padding2d pad;
  int64_t groups = 1;
  bool operator==(const Conv2d&) const = default;
};

// x [M, K], weight [N, K], [bias [N]] -> [M, N]: x times the transpose of weight.
struct Dense {
  bool operator==(const Dense&) const = default;
};

// a [..., M, K], b [..., K, N] -> [..., M, N]; leading dimensions broadcast; both ranks at least 2.
struct MatMul {
  bool operator==(const MatMul&) const = default;
};

// a, b -> a + b, shapes broadcast from the right as in NumPy.
struct Add {
  bool operator==(const Add&) const = default;
};

// x -> max(x, 0).
struct Relu {
  bool operator==(const Relu&) const = default;
};

// x -> min(max(x, low), high); low <= high, an infinity bounds nothing.
struct Clip {
  float low;
  float high;
  bool operator==(const Clip&) const = default;
};

// x [N, C, IH, IW] -> [N, C, OH, OW]. Pads never win and are smaller than the kernel, so no window is empty.
struct MaxPool2d {
  Extent2d kernel;
  Extent2d stride;
  Padding2d pad;
  bool operator==(const MaxPool2d&) const = default;
};

// As MaxPool2d. The divisor is the window's elements inside x, or with count_include_pad the kernel's size.
struct AveragePool2d {
  Extent2d kernel;
  Extent2d stride;
  Padding2d pad;
  bool count_include_pad = false;
  bool operator==(const AveragePool2d&) const = default;
};

// x [N, C, H, W] -> [N, C, 1, 1].
struct GlobalAveragePool {
  bool operator==(const GlobalAveragePool&) const = default;
};

// x [N, C, ...], scale [C], bias [C], mean [C], variance [C]
//   -> scale (x - mean) / sqrt(variance + epsilon) + bias, per channel.
// FoldBatchNorm removes it; lowering never sees it.
struct BatchNorm {
  float epsilon = 1e-5f;
  bool operator==(const BatchNorm&) const = default;
};

// x -> the same elements in row-major order under `shape`.
struct Reshape {
  Shape shape;
  bool operator==(const Reshape&) const = default;
};

// x -> y with y's dimension i = x's dimension permutation[i].
struct Transpose {
  std::vector<int64_t> permutation;
  bool operator==(const Transpose&) const = default;
};

// one or more values of equal shape but for `axis` -> their concatenation along `axis`.
struct Concat {
  int64_t axis;
  bool operator==(const Concat&) const = default;
};

// x -> exp(x) / sum of exp(x) along `axis`.
struct Softmax {
  int64_t axis;
  bool operator==(const Softmax&) const = default;
};

// x -> int64 index of the largest element along `axis`, the first one of equals.
struct ArgMax {
  int64_t axis;
  bool keep_dimension = true;
  bool operator==(const ArgMax&) const = default;
};

// no operands -> `value`, shared so that copies of a graph are cheap. Floats are finite.
struct Constant {
  std::shared_ptr<const Tensor> value;
  bool operator==(const Constant& other) const { return *value == *other.value; }
};

using Op = std::variant<Conv2d, Dense, MatMul, Add, Relu, Clip, MaxPool2d, AveragePool2d, GlobalAveragePool,
                        BatchNorm, Reshape, Transpose, Concat, Softmax, ArgMax, Constant>;

// "Conv2d", "Dense", ...
std::string_view OpName(const Op& op);

struct OperandCount {
  size_t least;
  size_t most;
};
OperandCount OperandCountOf(const Op& op);

// Whether operand `index` must be a constant: the weights of Conv2d, Dense and BatchNorm.
bool IsWeightOperand(const Op& op, size_t index);

}  // namespace tally::quant
