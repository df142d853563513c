// Operators that move elements, and constants.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// x -> the same elements in row-major order under `shape`.
struct Reshape {
  static constexpr OpTraits kTraits = {.name = "Reshape", .moves = true, .grid = Grid::kOfOperand};
  Shape shape;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Reshape&) const = default;
};

// x -> y with y's dimension i = x's dimension permutation[i].
struct Transpose {
  static constexpr OpTraits kTraits = {.name = "Transpose", .moves = true, .grid = Grid::kOfOperand};
  std::vector<int64_t> permutation;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Transpose&) const = default;
};

// one or more values of equal shape but for `axis` -> their concatenation along `axis`.
struct Concat {
  static constexpr OpTraits kTraits = {.name = "Concat", .most = kAnyNumber, .moves = true};
  int64_t axis;

  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Concat&) const = default;
};

// x -> the elements begin, begin + step, .. of each axis, up to but without end: 0 <= begin < size, and no
// element is outside; step is not 0.
struct Slice {
  static constexpr OpTraits kTraits = {.name = "Slice", .moves = true, .grid = Grid::kOfOperand};
  std::vector<int64_t> begin, end, step;  // one for each axis

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Slice&) const = default;
};

// x, lengths (int64, one for each entry of `batch_axis`) -> x with the first elements of each sequence along
// `time_axis` in reverse, as many as its length says, within the axis.
struct ReverseSequence {
  static constexpr OpTraits kTraits = {
      .name = "ReverseSequence", .least = 2, .most = 2, .moves = true, .grid = Grid::kOfOperand};
  int64_t batch_axis = 0;
  int64_t time_axis = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const ReverseSequence&) const = default;
};

// x -> x between `before` and `after` further elements on each axis: zeros, or elements of x. An amount may
// exceed the axis: what repeats goes on.
struct Pad {
  static constexpr OpTraits kTraits = {
      .name = "Pad", .moves = true, .grid = Grid::kOfOperand, .adds_zero = true};
  enum class Mode {
    kZero,
    kEdge,     // the nearest element
    kReflect,  // mirrored at the first and the last element, which are not repeated
    kWrap,     // from the other end
  };
  Mode mode = Mode::kZero;
  std::vector<int64_t> before, after;  // one for each axis

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Pad&) const = default;
};

// As Pad with any other number around x, which needs a grid that holds both.
struct PadConstant {
  static constexpr OpTraits kTraits = {.name = "PadConstant"};
  float value;
  std::vector<int64_t> before, after;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const PadConstant&) const = default;
};

// x [N, C, ...] -> [N, C + 1, ...]: one more channel after the others, all of `value`, which the grid of x
// holds.
struct AppendChannel {
  static constexpr OpTraits kTraits = {.name = "AppendChannel", .grid = Grid::kOfOperand};
  float value;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const AppendChannel&) const = default;
};

// x -> x repeated along new leading axes and along axes of one element, as NumPy broadcasts.
struct Expand {
  static constexpr OpTraits kTraits = {.name = "Expand", .moves = true, .grid = Grid::kOfOperand};
  Shape shape;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Expand&) const = default;
};

// x -> `repeats` copies of x side by side along each axis, from 1 to 4096 of them.
struct Tile {
  static constexpr OpTraits kTraits = {.name = "Tile", .moves = true, .grid = Grid::kOfOperand};
  std::vector<int64_t> repeats;  // one for each axis

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Tile&) const = default;
};

// How the file of a network holds a float constant: element i is codes[i] times the scale of its entry of
// `axis`, rounded to a float.
struct ConstantCodes {
  std::vector<int32_t> codes;  // less their zero point
  std::vector<double> scales;  // positive; one for all, or one for each entry of `axis`
  int64_t axis = 0;
  bool operator==(const ConstantCodes&) const = default;
};

// no operands -> `value`, shared so that copies of a graph are cheap. Floats are finite. A layer whose
// weights have codes computes with them and none of its own.
struct Constant {
  static constexpr OpTraits kTraits = {.name = "Constant", .least = 0, .most = 0};
  std::shared_ptr<const Tensor> value;
  std::shared_ptr<const ConstantCodes> codes = nullptr;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Constant& other) const {
    const bool same_codes =
        codes == other.codes || (codes != nullptr && other.codes != nullptr && *codes == *other.codes);
    return *value == *other.value && same_codes;
  }
};

}  // namespace tally::quant
