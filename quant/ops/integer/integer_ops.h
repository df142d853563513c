// Operators on integers (ids, positions, flags) and between integers and floats. Integers are exact in the
// float graph and in the module: they have an interval and no grid. A flag is 0 or 1.
#pragma once

#include "ops/comparison/attrs.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// x int64 -> the same numbers as floats.
struct ToFloat {
  static constexpr OpTraits kTraits = {
      .name = "ToFloat", .takes_integers = true, .folds = true, .grid = Grid::kDerived};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType GridFrom(std::span<const QuantizedType> operands) const;
  bool operator==(const ToFloat&) const = default;
};

// x floats -> the nearest integers toward zero, and the nearest within `bounds`. A code within half a step of
// an integer means that integer.
struct ToInteger {
  static constexpr OpTraits kTraits = {.name = "ToInteger", .folds = true, .reads_wide = true};
  static constexpr Interval kBounds = {-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
  Interval bounds = kBounds;  // kBounds at most

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  // How a real becomes an integer.
  int64_t Of(double real) const;
  bool operator==(const ToInteger&) const = default;
};

// a, b, both floats or both integers, broadcast -> flags: whether they compare so.
struct Compare {
  static constexpr OpTraits kTraits = {
      .name = "Compare", .least = 2, .most = 2, .takes_integers = true, .folds = true};
  Comparison kind = Comparison::kEqual;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  // In steps of 8 bits too much would be equal.
  static bool ReadsWide(size_t) { return true; }
  bool operator==(const Compare&) const = default;
};

// a, b int64, broadcast -> a + b and the like. Of flags, the larger is "or" and the smaller "and". A quotient
// and a remainder by 0 are 0; b is from 0 to 62 where it is an exponent or a number of bits.
struct IntegerArithmetic {
  static constexpr OpTraits kTraits = {
      .name = "IntegerArithmetic", .least = 2, .most = 2, .takes_integers = true, .folds = true};
  enum class Kind {
    kAdd,
    kSub,
    kMul,
    kMax,
    kMin,
    kDivide,       // toward zero
    kFloorDivide,  // toward minus infinity
    kModulo,       // the remainder of kFloorDivide: it has the sign of b
    kRemainder,    // the remainder of kDivide: it has the sign of a
    kPower,
    kShiftLeft,   // a 2^b
    kShiftRight,  // a / 2^b, toward minus infinity
    kBitAnd,      // bit by bit in two's complement
    kBitOr,
    kBitXor,
  };
  Kind kind = Kind::kAdd;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  // Nothing where there is no result: it leaves 64 bits, divides by 0, or b is out of range.
  std::optional<int64_t> Exactly(int64_t a, int64_t b) const;
  // Modulo 2^64, and 0 where there is none; lowering refuses what comes near 64 bits.
  int64_t Compute(int64_t a, int64_t b) const;
  bool operator==(const IntegerArithmetic&) const = default;
};

// x, floats or integers -> sums of the elements of x up to each along `axis`; without the element itself
// where `exclusive`, from the end where `reverse`.
struct CumulativeSum {
  static constexpr OpTraits kTraits = {
      .name = "CumulativeSum", .takes_integers = true, .folds = true, .rounds = true};
  int64_t axis = 0;
  bool exclusive = false;
  bool reverse = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const CumulativeSum&) const = default;
};

// condition int64, a, b, both floats or both integers, broadcast -> a where condition is not 0, else b.
struct Where {
  static constexpr OpTraits kTraits = {
      .name = "Where", .least = 3, .most = 3, .takes_integers = true, .folds = true, .rounds = true};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const Where&) const = default;
};

// x int64 -> values[x], of a list of at least one finite float or of integers; an x outside reads the
// nearest.
struct Lookup {
  static constexpr OpTraits kTraits = {.name = "Lookup", .takes_integers = true, .grid = Grid::kOwn};
  Tensor values;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType OwnGrid(const OperandTypes& operands) const;
  std::optional<Interval> IntervalFrom(OperandIntervals operands, const OperandTypes& types) const;
  bool operator==(const Lookup&) const = default;
};

// x, hide int64, which broadcasts to x -> x where hide is 0, elsewhere so far below all of x that a softmax
// after it gives 0 there: kDepth below the least element. Where all of a row is hidden, the softmax gives
// each element the same.
struct Masked {
  static constexpr OpTraits kTraits = {.name = "Masked",
                                       .least = 2,
                                       .most = 2,
                                       .takes_integers = true,
                                       .grid = Grid::kDerived,
                                       .reads_wide = true};
  static constexpr double kDepth = 24;  // the softmax's exponentials have 30 bits, and exp(-24) < 2^-31

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  QuantizedType GridFrom(std::span<const QuantizedType> operands) const;
  // How far below its range the grid of its operand reaches, so that the hidden elements fit the same 16
  // bits.
  static double RoomBelow() { return kDepth; }
  bool operator==(const Masked&) const = default;
};

}  // namespace tally::quant
