// Lowered operators on integers, updates at places and windows over volumes, against the float graph:
// integers are exact, floats within half a step of the result's grid, and what rounding what they read adds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

Value Integers(const Shape& shape, const Interval& interval) {
  return {"n", {ElementType::kInt64, shape}, kGraphInput, interval};
}
Value Floats(const Shape& shape) { return {"x", {ElementType::kFloat32, shape}}; }

Graph GraphOf(const Op& op, const std::vector<Value>& inputs) {
  GraphBuilder b("one");
  std::vector<ValueId> operands;
  for (Value input : inputs) {
    input.name += std::to_string(operands.size());
    operands.push_back(*b.AddInput(input));
  }
  b.AddOutput(*b.AddNode(op, operands, "y", "the node"));
  return *std::move(b).Build();
}

double LargestError(const Op& op, const std::vector<Value>& inputs) {
  return MeasureLowered(GraphOf(op, inputs)).error.largest();
}

TEST(LowerIntegers, ArithmeticIsExact) {
  using Kind = IntegerArithmetic::Kind;
  for (const Kind kind :
       {Kind::kAdd, Kind::kSub, Kind::kMul, Kind::kMax, Kind::kMin, Kind::kDivide, Kind::kFloorDivide,
        Kind::kModulo, Kind::kRemainder, Kind::kBitAnd, Kind::kBitOr, Kind::kBitXor}) {
    EXPECT_EQ(LargestError(IntegerArithmetic{kind}, {Integers({40, 6}, {-90, 70}), Integers({6}, {-7, 9})}),
              0)
        << static_cast<int>(kind);
  }
  for (const Kind kind : {Kind::kPower, Kind::kShiftLeft, Kind::kShiftRight}) {
    EXPECT_EQ(LargestError(IntegerArithmetic{kind}, {Integers({40, 6}, {-9, 7}), Integers({6}, {0, 5})}), 0)
        << static_cast<int>(kind);
  }
}

TEST(LowerIntegers, ReductionsAreExact) {
  const std::vector<Value> x = {Integers({3, 4, 5}, {-6, 9})};
  for (const bool keep : {false, true}) {
    EXPECT_EQ(LargestError(ReduceSum{{0, 2}, keep}, x), 0);
    EXPECT_EQ(LargestError(ReduceProduct{{1}, keep}, x), 0);
    EXPECT_EQ(LargestError(ArgExtreme{.axis = 2, .keep_dimension = keep, .takes_last = true}, x), 0);
    for (const bool is_min : {false, true})
      EXPECT_EQ(LargestError(ReduceExtreme{{1, 2}, keep, is_min}, x), 0);
  }
}

// What the indices, updates and x of each form are; some indices are outside.
std::vector<Value> ScatterInputs(Scatter::Form form, bool is_float) {
  const auto values = [&](const Shape& shape) {
    return is_float ? Floats(shape) : Integers(shape, {-20, 30});
  };
  switch (form) {
    case Scatter::Form::kSlices: return {values({4, 5, 3}), Integers({2, 2}, {-6, 6}), values({4, 2, 2, 3})};
    case Scatter::Form::kElements:
      return {values({4, 5, 3}), Integers({3, 9, 2}, {-6, 6}), values({3, 9, 2})};
    case Scatter::Form::kTuples: break;
  }
  return {values({4, 5, 3}), Integers({7, 2}, {-6, 5}), values({7, 3})};
}

TEST(LowerScatter, OfIntegersIsExact) {
  for (const auto form : {Scatter::Form::kSlices, Scatter::Form::kElements, Scatter::Form::kTuples}) {
    for (const ScatterKind kind :
         {ScatterKind::kUpdate, ScatterKind::kAdd, ScatterKind::kSub, ScatterKind::kMax, ScatterKind::kMin}) {
      EXPECT_EQ(LargestError(Scatter{form, 1, kind}, ScatterInputs(form, false)), 0)
          << static_cast<int>(form) << " " << static_cast<int>(kind);
    }
  }
  const std::vector<Value> few = {Integers({5}, {-3, 4}), Integers({4}, {-6, 6}), Integers({4}, {-5, 5})};
  EXPECT_EQ(LargestError(Scatter{Scatter::Form::kElements, 0, ScatterKind::kMul}, few), 0);
}

TEST(LowerScatter, OfFloatsRoundsOnce) {
  for (const auto form : {Scatter::Form::kSlices, Scatter::Form::kElements, Scatter::Form::kTuples}) {
    for (const ScatterKind kind :
         {ScatterKind::kUpdate, ScatterKind::kAdd, ScatterKind::kSub, ScatterKind::kMax, ScatterKind::kMin}) {
      const OutputAccuracy accuracy =
          MeasureLowered(GraphOf(Scatter{form, 1, kind}, ScatterInputs(form, true)));
      EXPECT_GT(accuracy.error.sqnr_db(), 35) << static_cast<int>(form) << " " << static_cast<int>(kind);
    }
  }
}

TEST(LowerSequences, ReverseAndFollowAndFind) {
  const Value lengths = Integers({3}, {-1, 7});
  EXPECT_EQ(LargestError(ReverseSequence{1, 0}, {Integers({5, 3, 2}, {-9, 9}), lengths}), 0);
  const OutputAccuracy floats = MeasureLowered(GraphOf(ReverseSequence{0, 2}, {Floats({3, 2, 5}), lengths}));
  EXPECT_LE(floats.error.largest(), floats.step * (0.5 + 1e-4));
  EXPECT_EQ(LargestError(GatherTree{}, {Integers({6, 3, 4}, {0, 9}), Integers({6, 3, 4}, {-1, 5}), lengths,
                                        Integers({}, {9, 9})}),
            0);
  for (const NonZeroResult result : {NonZeroResult::kPlaces, NonZeroResult::kCount}) {
    for (const int64_t bound : {3, 24}) {
      EXPECT_EQ(LargestError(NonZero{bound, result}, {Integers({2, 3, 4}, {-1, 1})}), 0);
    }
  }
}

TEST(LowerVolumes, AreAsImages) {
  const Shape x = {2, 4, 5, 6, 7};
  const Conv conv = {{2, 1, 2}, {1, 2, 1}, {1, 0, 2, 1, 1, 0}, 2};
  EXPECT_GT(MeasureLowered(OneNode(conv, {x}, {Random({6, 2, 2, 3, 2}, 1), Random({6}, 2)})).error.sqnr_db(),
            33);
  const ConvTranspose transposed = {{2, 1, 2}, {1, 2, 1}, {1, 0, 0, 1, 1, 1}, {1, 0, 1}, 2};
  EXPECT_GT(MeasureLowered(OneNode(transposed, {x}, {Random({4, 3, 2, 3, 2}, 3)})).error.sqnr_db(), 33);
  for (const Shape& shape : {x, Shape{2, 4, 6, 7}}) {
    const int64_t deep = shape.size() == 5 ? 2 : 1;
    const Extents kernel = {3, 2, deep}, stride = {2, 1, deep}, dilation = {2, 3, 1};
    const Pads pads = {1, 1, 2, 0, deep - 1, 0};
    EXPECT_GT(MeasureLowered(OneNode(MaxPool{kernel, stride, pads, dilation}, {shape})).error.sqnr_db(), 38);
    for (const bool counts : {false, true}) {
      for (const bool ceil : {false, true}) {
        const AveragePool pool = {kernel, stride, pads, counts, dilation, ceil};
        EXPECT_GT(MeasureLowered(OneNode(pool, {shape})).error.sqnr_db(), 33);
      }
    }
  }
  EXPECT_GT(MeasureLowered(OneNode(GlobalAveragePool{}, {x})).error.sqnr_db(), 25);
}

}  // namespace
}  // namespace tally::quant
