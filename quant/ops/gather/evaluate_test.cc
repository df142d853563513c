// The operators of family gather, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Floats = std::vector<float>;

TEST(Gather, Types) {
  const ValueType x = {ElementType::kFloat32, {4, 5, 6}}, indices = {ElementType::kInt64, {2, 3}};
  EXPECT_EQ(InferOp(Gather{1}, {x, indices}), "float32[4, 2, 3, 6]");
  EXPECT_EQ(InferOp(Gather{0}, {x, {ElementType::kInt64, {}}}), "float32[5, 6]");
  EXPECT_EQ(InferOp(Gather{0}, {indices, indices}), "int64[2, 3, 3]");
  EXPECT_EQ(InferOp(Gather{3}, {x, indices}), "graph_attribute");
  EXPECT_EQ(InferOp(Gather{-1}, {x, indices}), "graph_attribute");
  EXPECT_EQ(InferOp(Gather{0}, {x, x}), "graph_element_type");
  EXPECT_EQ(InferOp(Gather{0}, {{ElementType::kFloat32, {1, 1, 1, 1, 1, 1, 1, 1}}, indices}), "graph_rank");
}

TEST(Gather, CountsFromBothEndsAndStaysInside) {
  const FloatTensor x{{2, 3}, {0, 1, 2, 10, 11, 12}};
  EXPECT_EQ(EvaluateFloatOp(Gather{1}, {x, Int64Tensor{{2}, {2, -3}}}), (Floats{2, 0, 12, 10}));
  EXPECT_EQ(EvaluateFloatOp(Gather{0}, {x, Int64Tensor{{}, {-1}}}), (Floats{10, 11, 12}));
  EXPECT_EQ(EvaluateFloatOp(Gather{1}, {x, Int64Tensor{{2}, {INT64_MAX, INT64_MIN}}}),
            (Floats{2, 0, 12, 10}));
}

using Form = Scatter::Form;
using Kind = IntegerArithmetic::Kind;
using Ints = Int64Tensor;

TEST(PlacementOps, TypesAndTheirRefusals) {
  const ValueType x = FloatType({4, 5, 3});
  EXPECT_EQ(InferOp(Scatter{Form::kSlices, 1}, {x, IntegerType({2}), FloatType({4, 2, 3})}),
            "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kSlices, 1}, {x, IntegerType({2}), FloatType({4, 3, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 1}, {x, IntegerType({3, 9, 2}), FloatType({3, 9, 2})}),
            "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 1}, {x, IntegerType({5, 9, 2}), FloatType({5, 9, 2})}),
            "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 3}, {x, IntegerType({1, 1, 1}), FloatType({1, 1, 1})}),
            "graph_attribute");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 2}), FloatType({7, 3})}), "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 4}), FloatType({7})}), "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, FloatType({7, 2}), FloatType({7, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 2}), IntegerType({7, 3})}),
            "graph_element_type");
  EXPECT_EQ(
      InferOp(Scatter{Form::kTuples, 0, ScatterKind::kMul}, {x, IntegerType({7, 2}), FloatType({7, 3})}),
      "graph_attribute");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, IntegerType({4})}), "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, IntegerType({5})}), "graph_shape");
  EXPECT_EQ(InferOp(ReverseSequence{1, 1}, {x, IntegerType({5})}), "graph_attribute");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, FloatType({4})}), "graph_element_type");
  EXPECT_EQ(InferOp(NonZero{7}, {x}), "int64[7, 3]");
  EXPECT_EQ(InferOp(NonZero{7, NonZeroResult::kCount}, {IntegerType({9})}), "int64[]");
  EXPECT_EQ(InferOp(NonZero{61}, {x}), "graph_attribute");
  EXPECT_EQ(InferOp(NonZero{1}, {FloatType({})}), "graph_shape");
  const ValueType beams = IntegerType({6, 3, 4});
  EXPECT_EQ(InferOp(GatherTree{}, {beams, beams, IntegerType({3}), IntegerType({})}), "int64[6, 3, 4]");
  EXPECT_EQ(InferOp(GatherTree{}, {beams, beams, IntegerType({4}), IntegerType({})}), "graph_shape");
  EXPECT_EQ(InferOp(ReduceProduct{{1}}, {IntegerType({2, 3})}), "int64[2, 1]");
  EXPECT_EQ(InferOp(ReduceProduct{{1}}, {FloatType({2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(ReduceSum{{1}, false}, {IntegerType({2, 3})}), "int64[2]");
  EXPECT_EQ(InferOp(ReduceSum{{1}, false, true}, {IntegerType({2, 3})}), "graph_element_type");
}

// The last of several updates of one element wins, and one outside changes nothing.
TEST(PlacementOps, ScatterUpdatesInOrder) {
  const Ints x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(EvaluateOp(Scatter{Form::kElements, 1},
                       {x, Ints{{2, 3}, {0, -1, 0, 3, 1, -4}}, Ints{{2, 3}, {10, 20, 30, 40, 50, 60}}}),
            Tensor(Ints{{2, 3}, {30, 2, 20, 4, 50, 6}}));
  EXPECT_EQ(EvaluateOp(Scatter{Form::kSlices, 0, ScatterKind::kAdd},
                       {x, Ints{{3}, {1, 1, 2}}, Ints{{3, 3}, {1, 1, 1, 10, 20, 30, 7, 7, 7}}}),
            Tensor(Ints{{2, 3}, {1, 2, 3, 15, 26, 37}}));
  EXPECT_EQ(EvaluateOp(Scatter{Form::kTuples, 0, ScatterKind::kMul},
                       {x, Ints{{3, 2}, {1, -1, 1, 2, 0, 3}}, Ints{{3}, {2, 3, 99}}}),
            Tensor(Ints{{2, 3}, {1, 2, 3, 4, 5, 36}}));
  const FloatTensor f{{3}, {1, 2, 3}};
  EXPECT_EQ(EvaluateOp(Scatter{Form::kElements, 0, ScatterKind::kMax},
                       {f, Ints{{2}, {0, 1}}, FloatTensor{{2}, {0.5f, 2.5f}}}),
            Tensor(FloatTensor{{3}, {1, 2.5f, 3}}));
}

TEST(PlacementOps, SequencesAndPlaces) {
  EXPECT_EQ(EvaluateOp(ReverseSequence{0, 1}, {Ints{{2, 3}, {1, 2, 3, 4, 5, 6}}, Ints{{2}, {2, 9}}}),
            Tensor(Ints{{2, 3}, {2, 1, 3, 6, 5, 4}}));
  EXPECT_EQ(EvaluateOp(GatherTree{}, {Ints{{3, 1, 2}, {1, 2, 3, 4, 5, 6}},
                                      Ints{{3, 1, 2}, {0, 0, 0, 0, 1, 0}}, Ints{{1}, {3}}, Ints{{}, {9}}}),
            Tensor(Ints{{3, 1, 2}, {1, 1, 4, 3, 5, 6}}));
  const FloatTensor x{{2, 2}, {0, 0.5f, -1, 0}};
  EXPECT_EQ(EvaluateOp(NonZero{3}, {x}), Tensor(Ints{{3, 2}, {0, 1, 1, 0, -1, -1}}));
  EXPECT_EQ(EvaluateOp(NonZero{1}, {x}), Tensor(Ints{{1, 2}, {0, 1}}));
  for (const int64_t bound : {1, 3}) {
    EXPECT_EQ(EvaluateOp(NonZero{bound, NonZeroResult::kCount}, {x}), Tensor(Ints{{}, {2}}));
  }
}

constexpr TopK kIndices = {.axis = 1, .k = 2, .result = TopKResult::kIndices};
constexpr NonMaxSuppression kCount = {.max_per_class = 2, .result = SuppressionResult::kCount};

TEST(SelectionOps, TypesAndTheirRefusals) {
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), IntegerType({1, 5})}), "float32[1, 5]");
  EXPECT_EQ(InferOp(GatherElements{1}, {IntegerType({2, 3}), IntegerType({3, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), IntegerType({3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherElements{2}, {FloatType({2, 3}), IntegerType({2, 3})}), "graph_attribute");
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), FloatType({2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(GatherNd{}, {FloatType({2, 3, 4}), IntegerType({5, 2})}), "float32[5, 4]");
  EXPECT_EQ(InferOp(GatherNd{1}, {IntegerType({2, 3, 4}), IntegerType({2, 5, 2})}), "int64[2, 5]");
  EXPECT_EQ(InferOp(GatherNd{1}, {FloatType({2, 3, 4}), IntegerType({3, 5, 2})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherNd{}, {FloatType({2, 3}), IntegerType({5, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherNd{2}, {FloatType({2, 3}), IntegerType({2, 1})}), "graph_attribute");
  EXPECT_EQ(InferOp(GatherNd{-1}, {FloatType({2, 3}), IntegerType({2, 1})}), "graph_attribute");
  EXPECT_EQ(InferOp(TopK{1, 2}, {FloatType({2, 3})}), "float32[2, 2]");
  EXPECT_EQ(InferOp(TopK{1, 2}, {IntegerType({2, 3})}), "int64[2, 2]");
  EXPECT_EQ(InferOp(kIndices, {FloatType({2, 3})}), "int64[2, 2]");
  EXPECT_EQ(InferOp(TopK{1, 4}, {FloatType({2, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(TopK{1, 0}, {FloatType({2, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(TopK{2, 1}, {FloatType({2, 3})}), "graph_attribute");
  EXPECT_EQ(InferOp(NonMaxSuppression{.max_per_class = 9}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "int64[30, 3]");
  EXPECT_EQ(InferOp(kCount, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}), "int64[2]");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({2, 5, 4}), FloatType({2, 3, 4})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({2, 5, 3}), FloatType({2, 3, 5})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({1, 5, 4}), FloatType({2, 3, 5})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {IntegerType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_element_type");
  EXPECT_EQ(InferOp(NonMaxSuppression{.max_per_class = 0}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_attribute");
  EXPECT_EQ(InferOp(NonMaxSuppression{.iou_threshold = 1.5f}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_attribute");
}

TEST(SelectionOps, AnIndexCountsFromTheBackAndOneOutsideIsTheNearest) {
  const Tensor x = Int64Tensor{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(EvaluateOp(GatherElements{1}, {x, Int64Tensor{{2, 2}, {-1, 9, -9, 1}}}),
            Tensor(Int64Tensor{{2, 2}, {3, 3, 4, 5}}));
  EXPECT_EQ(EvaluateOp(GatherElements{0}, {x, Int64Tensor{{1, 3}, {1, 0, -1}}}),
            Tensor(Int64Tensor{{1, 3}, {4, 2, 6}}));
  EXPECT_EQ(EvaluateOp(GatherNd{}, {x, Int64Tensor{{3, 2}, {-1, 0, 0, 7, -8, -2}}}),
            Tensor(Int64Tensor{{3}, {4, 3, 2}}));
}

}  // namespace
}  // namespace tally::quant
