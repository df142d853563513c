// Operators that divide by a sum or a deviation.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x [N, C, ...], scale [C], bias [C], mean [C], variance [C]
//   -> scale (x - mean) / sqrt(variance + epsilon) + bias, per channel.
// FoldBatchNorm removes it; lowering never sees it.
struct BatchNorm {
  static constexpr OpTraits kTraits = {.name = "BatchNorm", .least = 5, .most = 5, .has_weights = true};
  float epsilon = 1e-5f;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const BatchNorm&) const = default;
};

// x -> exp(x) / sum of exp(x) along `axis`.
struct Softmax {
  static constexpr OpTraits kTraits = {.name = "Softmax", .grid = Grid::kOwn, .reads_wide = true};
  int64_t axis;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  Bounds ResultBounds() const { return {0, 1}; }
  QuantizedType OwnGrid(const OperandTypes& operands) const;
  bool operator==(const Softmax&) const = default;
};

// x -> the logarithm of the softmax along `axis`.
struct LogSoftmax {
  static constexpr OpTraits kTraits = {.name = "LogSoftmax", .reads_wide = true};
  int64_t axis;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const LogSoftmax&) const = default;
};

// x, [scale], [bias] -> (x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance over
// `axes`, which ascend. scale and bias broadcast to x. Where variance and epsilon are 0 the quotient is 0.
struct LayerNorm {
  static constexpr OpTraits kTraits = {
      .name = "LayerNorm", .most = 3, .has_weights = true, .rounds = true, .reads_wide = true};
  std::vector<int64_t> axes;
  float epsilon = 1e-5f;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const LayerNorm&) const = default;
};

// x, [scale], [bias] -> x / sqrt(mean of x^2 + epsilon) * scale + bias, in everything else as LayerNorm.
struct RmsNorm {
  static constexpr OpTraits kTraits = {
      .name = "RmsNorm", .most = 3, .has_weights = true, .rounds = true, .reads_wide = true};
  std::vector<int64_t> axes;
  float epsilon = 1e-5f;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const RmsNorm&) const = default;
};

// x [N, C, ...] -> x / (bias + alpha / size * the sum of x^2)^beta over the channels from (size - 1) / 2
// before to size / 2 after, as far as there are channels. bias > 0.
struct LocalResponseNorm {
  static constexpr OpTraits kTraits = {.name = "LocalResponseNorm", .rounds = true};
  int64_t size = 1;
  float alpha = 1e-4f;
  float beta = 0.75f;
  float bias = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const LocalResponseNorm&) const = default;
};

}  // namespace tally::quant
