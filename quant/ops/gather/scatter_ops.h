// Operators that replace elements at indices, and those that find where elements are.
#pragma once

#include <array>
#include <cstdint>

#include "ops/gather/attrs.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// x, indices (int64), updates, of the type of x -> x with what the indices name updated, one after the other.
// A negative index counts from the back; an update at one outside changes nothing.
struct Scatter {
  static constexpr OpTraits kTraits = {
      .name = "Scatter", .least = 3, .most = 3, .takes_integers = true, .folds = true, .rounds = true};
  enum class Form {
    kSlices,  // the update of an index is a slice of x along `axis`; the dimensions of the indices are in its place
    kElements,  // updates have the shape of the indices, and each goes to its own line along `axis`
    kTuples,    // the last axis of the indices has tuples, each of which names a slice of x on its first axes
  };
  Form form = Form::kElements;
  int64_t axis = 0;                         // not for kTuples
  ScatterKind kind = ScatterKind::kUpdate;  // floats are not multiplied

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const Scatter&) const = default;
};

// step_ids [T, B, W], parent_ids [T, B, W], lengths [B], end [], all int64 -> [T, B, W]: the sequences that a
// beam search ends with, followed back from the last step of each (ops/gather/spec.md).
struct GatherTree {
  static constexpr OpTraits kTraits = {.name = "GatherTree", .least = 4, .most = 4, .takes_integers = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const GatherTree&) const = default;
};

// Which of its results a node yields.
enum class NonZeroResult {
  kPlaces,  // [bound, rank of x]: the places of the elements that are not 0 in row-major order; then rows of -1
  kCount,  // []: how many elements are not 0: above bound, some are left out
};

// x, floats or integers -> where it is not 0, of at most `bound` elements the first.
struct NonZero {
  static constexpr OpTraits kTraits = {.name = "NonZero", .takes_integers = true, .reads_wide = true};
  int64_t bound = 1;
  NonZeroResult result = NonZeroResult::kPlaces;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const NonZero&) const = default;
};

}  // namespace tally::quant
