// The operators of family layout, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

TEST(Evaluate, LayoutMovesFloatsAndIntegers) {
  EXPECT_EQ(EvaluateOp(Reshape{{3, 2}}, {F({6}, {1, 2, 3, 4, 5, 6})}), Tensor(F({3, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{1, 0}}, {I({2, 3}, {1, 2, 3, 4, 5, 6})}),
            Tensor(I({3, 2}, {1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{2, 0, 1}}, {F({1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
            Tensor(F({3, 1, 2}, {1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{}}, {F({}, {7})}), Tensor(F({}, {7})));
  EXPECT_EQ(EvaluateOp(Concat{1}, {F({2, 1}, {1, 2}), F({2, 2}, {3, 4, 5, 6})}),
            Tensor(F({2, 3}, {1, 3, 4, 2, 5, 6})));
  EXPECT_EQ(EvaluateOp(Concat{0}, {I({1}, {1}), I({2}, {2, 3})}), Tensor(I({3}, {1, 2, 3})));
  EXPECT_EQ(EvaluateOp(Constant{std::make_shared<const Tensor>(I({1}, {9}))}, {}), Tensor(I({1}, {9})));
}

std::string Infer(const Op& op, const Shape& x) { return InferFloatOp(op, {x}); }

using Floats = std::vector<float>;

TEST(Slice, Types) {
  EXPECT_EQ(Infer(Slice{{1, 0}, {3, 5}, {1, 2}}, {4, 5}), "float32[2, 3]");
  EXPECT_EQ(Infer(Slice{{3, 4}, {-1, 0}, {-2, -3}}, {4, 5}), "float32[2, 2]");
  EXPECT_EQ(Infer(Slice{{}, {}, {}}, {}), "float32[]");
  const ValueType integers = {ElementType::kInt64, {4}};
  EXPECT_EQ(InferOp(Slice{{1}, {2}, {1}}, {integers}), "int64[1]");
  EXPECT_EQ(Infer(Slice{{0}, {1}, {1}}, {4, 5}), "graph_attribute");
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (const auto& [begin, end, step] : std::vector<std::array<int64_t, 3>>{{0, 4, 0},
                                                                            {-1, 4, 1},
                                                                            {4, 4, 1},
                                                                            {0, 5, 1},
                                                                            {2, 2, 1},
                                                                            {2, 1, 1},
                                                                            {1, 2, -1},
                                                                            {0, -2, -1},
                                                                            {3, 0, kLeast},
                                                                            {1, -1, 1}}) {
    EXPECT_EQ(Infer(Slice{{begin}, {end}, {step}}, {4}), "graph_attribute")
        << begin << " " << end << " " << step;
  }
}

TEST(Slice, TakesStepsInBothDirections) {
  const FloatTensor x{{2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}};
  EXPECT_EQ(EvaluateFloatOp(Slice{{0, 1}, {2, 4}, {1, 2}}, {x}), (Floats{1, 3, 11, 13}));
  EXPECT_EQ(EvaluateFloatOp(Slice{{1, 3}, {-1, 0}, {-1, -2}}, {x}), (Floats{13, 11, 3, 1}));
}

TEST(Pad, Types) {
  EXPECT_EQ(Infer(Pad{Pad::Mode::kEdge, {1, 0}, {2, 0}}, {4, 5}), "float32[7, 5]");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {1}, {2}}, {4, 5}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {-1}, {2}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {1}, {kMaxAttribute + 1}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Pad{Pad::Mode::kZero, {kMaxAttribute}, {kMaxAttribute}}, {4}), "graph_size");
  EXPECT_EQ(Infer(PadConstant{2, {1}, {2}}, {4}), "float32[7]");
  EXPECT_EQ(Infer(PadConstant{2, {1, 1}, {2}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(PadConstant{std::numeric_limits<float>::infinity(), {1}, {2}}, {4}), "graph_attribute");
  const ValueType integers = {ElementType::kInt64, {4}};
  EXPECT_EQ(InferOp(Pad{Pad::Mode::kZero, {1}, {0}}, {integers}), "int64[5]");
  EXPECT_EQ(InferOp(PadConstant{2, {1}, {0}}, {integers}), "graph_element_type");
}

TEST(Pad, ContinuesTheAxis) {
  const FloatTensor x{{3}, {1, 2, 3}};
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kZero, {2}, {1}}, {x}), (Floats{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kEdge, {2}, {1}}, {x}), (Floats{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kReflect, {5}, {3}}, {x}),
            (Floats{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kWrap, {2}, {4}}, {x}), (Floats{2, 3, 1, 2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(EvaluateFloatOp(Pad{Pad::Mode::kReflect, {2}, {1}}, {FloatTensor{{1}, {7}}}),
            (Floats{7, 7, 7, 7}));
  EXPECT_EQ(EvaluateFloatOp(PadConstant{9, {1, 0}, {0, 2}}, {FloatTensor{{1, 2}, {1, 2}}}),
            (Floats{9, 9, 9, 9, 1, 2, 9, 9}));
}

TEST(AppendChannel, StandsBehindTheOthersOfEachImage) {
  EXPECT_EQ(Infer(AppendChannel{2}, {2, 3, 4, 5}), "float32[2, 4, 4, 5]");
  EXPECT_EQ(Infer(AppendChannel{2}, {3}), "graph_shape");
  EXPECT_EQ(Infer(AppendChannel{std::numeric_limits<float>::infinity()}, {2, 3}), "graph_attribute");
  EXPECT_EQ(EvaluateFloatOp(AppendChannel{9}, {FloatTensor{{2, 2, 1}, {1, 2, 3, 4}}}),
            (Floats{1, 2, 9, 3, 4, 9}));
}

TEST(Expand, Broadcasts) {
  EXPECT_EQ(Infer(Expand{{2, 2, 3}}, {2, 1}), "float32[2, 2, 3]");
  EXPECT_EQ(Infer(Expand{{2, 1}}, {2, 3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{3}}, {1, 3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{4}}, {3}), "graph_shape");
  EXPECT_EQ(Infer(Expand{{0}}, {1}), "graph_dimension");
  EXPECT_EQ(EvaluateFloatOp(Expand{{2, 2, 2}}, {FloatTensor{{2, 1}, {1, 2}}}),
            (Floats{1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(EvaluateFloatOp(Expand{{2}}, {FloatTensor{{}, {3}}}), (Floats{3, 3}));
}

TEST(Tile, RepeatsTheWhole) {
  EXPECT_EQ(Infer(Tile{{2, 3}}, {4, 5}), "float32[8, 15]");
  EXPECT_EQ(Infer(Tile{{2}}, {4, 5}), "graph_attribute");
  EXPECT_EQ(Infer(Tile{{0}}, {4}), "graph_attribute");
  EXPECT_EQ(Infer(Tile{{4097}}, {4}), "graph_attribute");
  EXPECT_EQ(EvaluateFloatOp(Tile{{2, 2}}, {FloatTensor{{1, 2}, {1, 2}}}), (Floats{1, 2, 1, 2, 1, 2, 1, 2}));
}

}  // namespace
}  // namespace tally::quant
