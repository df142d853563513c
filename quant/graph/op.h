// The canonical float operators: a closed set, so that every pass and every lowering can be complete.
//
//   const Op op = Conv{.stride = {2, 2}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}, .groups = 1};
//   if (const auto* conv = std::get_if<Conv>(&op)) ...
//
// Operands are a list that each operator names; in [brackets] the optional ones. Activations are NCHW,
// weights OIHW. Weights, all operands but the first where `has_weights` says so, are constants; other
// operands may be any value. Elements are float32; operators that move elements also move int64, and those of
// quant/ops/integer compute with it.
//
// Each is described, with all that belongs to it, in its family (quant/ops/op_traits.h says what that is).
//
// Importers resolve Identity, Dropout, Flatten and automatic padding, so none of them is here.
#pragma once

#include <string_view>
#include <variant>

#include "quant/ops/detection/detection_ops.h"
#include "quant/ops/elementwise/elementwise_ops.h"
#include "quant/ops/elementwise/unary_ops.h"
#include "quant/ops/gather/gather_ops.h"
#include "quant/ops/gather/scatter_ops.h"
#include "quant/ops/image/image_ops.h"
#include "quant/ops/integer/integer_ops.h"
#include "quant/ops/layout/layout_ops.h"
#include "quant/ops/linear/linear_ops.h"
#include "quant/ops/normalization/normalization_ops.h"
#include "quant/ops/pooling/pooling_ops.h"
#include "quant/ops/quantization/quantization_ops.h"
#include "quant/ops/random/random_ops.h"
#include "quant/ops/recurrent/recurrent_ops.h"
#include "quant/ops/reduction/reduction_ops.h"
#include "quant/ops/regions/region_ops.h"
#include "quant/ops/regions/sampled_ops.h"
#include "quant/ops/sort/sort_ops.h"

namespace tally::quant {

using Op =
    std::variant<Conv, ConvTranspose, Dense, MatMul, Add, Sub, Mul, Div, Max, Min, Unary, Slopes, Relu, Clip,
                 MaxPool, AveragePool, GlobalAveragePool, BatchNorm, Softmax, LogSoftmax, LayerNorm, RmsNorm,
                 LocalResponseNorm, Reshape, Transpose, Concat, Slice, Pad, PadConstant, AppendChannel,
                 Expand, Tile, Gather, GatherElements, GatherNd, Scatter, GatherTree, NonZero,
                 ReverseSequence, Resize, ResizeCubic, CropResize, GridSample, RoiMaxPool, RoiAlign,
                 PsroiPool, DeformablePsroiPool, DeformableConv, ReduceSum, ReduceExtreme, ReduceProduct,
                 ArgExtreme, TopK, NonMaxSuppression, BoxDecode, CtcGreedyDecoder, RandomIntegers,
                 RandomCategorical, Rnn, Gru, Lstm, Constant, ToFloat, ToInteger, Compare, IntegerArithmetic,
                 CumulativeSum, Where, Lookup, Masked, FakeQuantize>;

inline const OpTraits& TraitsOf(const Op& op) {
  return *std::visit([](const auto& row) { return &row.kTraits; }, op);
}

// "Conv", "Dense", ...
inline std::string_view OpName(const Op& op) { return TraitsOf(op).name; }

// Whether operand `index` must be a constant: weights and what norms multiply and add.
inline bool IsWeightOperand(const Op& op, size_t index) {
  return std::visit(
      [&](const auto& row) {
        if constexpr (requires { row.IsWeight(index); }) return row.IsWeight(index);
        return row.kTraits.has_weights && index > 0;
      },
      op);
}

// Whether 8 bits of operand `index` would lose what the operator looks for.
inline bool ReadsWide(const Op& op, size_t index) {
  return std::visit(
      [&](const auto& row) {
        if constexpr (requires { row.ReadsWide(index); }) return row.ReadsWide(index);
        return row.kTraits.reads_wide && index == 0;
      },
      op);
}

// The bounds of the results of an operator whatever it reads, as of a sigmoid.
inline Bounds ResultBoundsOf(const Op& op) {
  return std::visit(
      [](const auto& row) -> Bounds {
        if constexpr (requires { row.ResultBounds(); }) return row.ResultBounds();
        return {};
      },
      op);
}

// The bounds of an activation, which lets through what is within.
inline bool HasBounds(const Op& op) {
  return std::visit(
      [](const auto& row) {
        return requires { row.bounds(); };
      },
      op);
}
// Infinite, where the operator has none.
inline Bounds BoundsOf(const Op& op) {
  return std::visit(
      [](const auto& row) {
        if constexpr (requires { row.bounds(); }) return row.bounds();
        return Bounds{};
      },
      op);
}

}  // namespace tally::quant
