// The operators of family detection, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

constexpr TopK kIndices = {.axis = 1, .k = 2, .result = TopKResult::kIndices};
constexpr NonMaxSuppression kCount = {.max_per_class = 2, .result = SuppressionResult::kCount};

// The overlap of boxes that are equal as such, but given as other corners or as centers and sides.
TEST(SelectionOps, BoxesByAnyTwoCornersOrByTheirCenters) {
  const Tensor scores = FloatTensor{{1, 1, 2}, {1, 2}};
  const Tensor corners = FloatTensor{{1, 2, 4}, {0, 0, 4, 2, 4, 2, 0, 0}};
  const Tensor centers = FloatTensor{{1, 2, 4}, {2, 1, 4, 2, 2, 1, 4, 2}};
  NonMaxSuppression op = {.max_per_class = 2};
  EXPECT_EQ(EvaluateOp(op, {corners, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, -1, -1, -1}}));
  op.encoding = BoxEncoding::kCenter;
  EXPECT_EQ(EvaluateOp(op, {centers, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, -1, -1, -1}}));
  // As centers and sides, the first of the corners' boxes has its center in the corner of the other and 4
  // times its sides.
  EXPECT_EQ(EvaluateOp(op, {corners, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, 0, 0, 0}}));
}

// Limits of a class's candidates and of an image, boxes of each class, and images that are apart.
TEST(NonMaxSuppression, Limits) {
  const FloatTensor far{{1, 3, 4}, {0, 0, 1, 1, 5, 5, 6, 6, 9, 9, 10, 10}};
  const FloatTensor scores{{1, 2, 3}, {0.3f, 0.9f, 0.5f, 0.9f, 0.1f, 0.6f}};
  NonMaxSuppression op = {.max_per_class = 3, .max_per_image = 3};
  EXPECT_EQ(EvaluateOp(op, {far, scores}), Tensor(Int64Tensor{{3, 3}, {0, 0, 1, 0, 1, 0, 0, 1, 2}}));
  op.mixes_classes = true;
  EXPECT_EQ(EvaluateOp(op, {far, scores}), Tensor(Int64Tensor{{3, 3}, {0, 0, 1, 0, 1, 0, 0, 1, 2}}));
  op.max_per_image = 6;
  EXPECT_EQ(EvaluateOp(op, {far, scores}),
            Tensor(Int64Tensor{{6, 3}, {0, 0, 1, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 0, 0, 1, 1}}));
  op.mixes_classes = false;
  op.top_k = 1;
  EXPECT_EQ(EvaluateOp(op, {far, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, 0, 1, 0}}));
}

TEST(NonMaxSuppression, BoxesOfEachClassAndSidesThatEndWithAPixel) {
  // In class 0 both boxes are one, in class 1 they are apart, or touch where the last pixel is theirs.
  const FloatTensor boxes{{1, 2, 2, 4}, {0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 3, 3, 3, 0, 6, 3}};
  const FloatTensor scores{{1, 2, 2}, {1, 2, 1, 2}};
  NonMaxSuppression op = {.max_per_class = 2, .iou_threshold = 0.1f, .result = SuppressionResult::kCount};
  EXPECT_EQ(EvaluateOp(op, {boxes, scores}), Tensor(Int64Tensor{{1}, {3}}));
  op.side_offset = 1;  // 4 of 28
  EXPECT_EQ(EvaluateOp(op, {boxes, scores}), Tensor(Int64Tensor{{1}, {2}}));
  EXPECT_EQ(InferOp(op, {FloatType({1, 2, 2, 4}), FloatType({1, 2, 2})}), "int64[1]");
  EXPECT_EQ(InferOp(op, {FloatType({1, 3, 2, 4}), FloatType({1, 2, 2})}), "graph_shape");
  op.side_offset = -1;
  EXPECT_EQ(InferOp(op, {FloatType({1, 2, 4}), FloatType({1, 2, 2})}), "graph_attribute");
}

TEST(NonMaxSuppression, ImagesApartHaveAsManyRows) {
  const FloatTensor boxes{{2, 2, 4}, {0, 0, 1, 1, 5, 5, 6, 6, 0, 0, 1, 1, 0, 0, 1, 1}};
  const FloatTensor scores{{2, 1, 2}, {1, 2, 2, 1}};
  NonMaxSuppression op = {.max_per_class = 2};
  EXPECT_EQ(EvaluateOp(op, {boxes, scores}),
            Tensor(Int64Tensor{{4, 3}, {0, 0, 1, 0, 0, 0, 1, 0, 0, -1, -1, -1}}));
  op.are_images_apart = true;
  const FloatTensor first_alone{{2, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 5, 5, 6, 6}};
  EXPECT_EQ(EvaluateOp(op, {first_alone, scores}),
            Tensor(Int64Tensor{{4, 3}, {0, 0, 1, -1, -1, -1, 1, 0, 0, 1, 0, 1}}));
}

TEST(BoxDecode, TypesAndDefinition) {
  EXPECT_EQ(InferOp(BoxDecode{}, {FloatType({2, 5, 4}), FloatType({5, 4})}), "float32[2, 5, 4]");
  EXPECT_EQ(InferOp(BoxDecode{}, {FloatType({2, 5, 4}), FloatType({2, 5, 4})}), "float32[2, 5, 4]");
  EXPECT_EQ(InferOp(BoxDecode{}, {FloatType({2, 5, 4}), FloatType({2, 4})}), "graph_shape");
  EXPECT_EQ(InferOp(BoxDecode{}, {FloatType({2, 5, 3}), FloatType({5, 4})}), "graph_shape");
  EXPECT_EQ(InferOp(BoxDecode{0}, {FloatType({5, 4}), FloatType({5, 4})}), "graph_attribute");
  EXPECT_EQ(InferOp(BoxDecode{1, 1, -1}, {FloatType({5, 4}), FloatType({5, 4})}), "graph_attribute");
  // A box of 2 by 4 at (1, 2), moved by half of its sides, and twice as high.
  const FloatTensor deltas{{1, 4}, {1, -1, 0, 2}}, priors{{1, 4}, {0, 0, 2, 4}};
  const std::vector<float> box = EvaluateFloatOp(BoxDecode{0.5f, 0.5f * std::log(2.0f)}, {deltas, priors});
  const std::vector<float> expected = {1, -4, 3, 4};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(box[i], expected[i], 1e-5f);
}

// Each step gives its best class, the lowest of equals; blanks and repetitions are left out.
TEST(CtcGreedyDecoder, TypesAndDefinition) {
  const CtcGreedyDecoder length = {.result = CtcResult::kLength};
  EXPECT_EQ(InferOp(CtcGreedyDecoder{}, {FloatType({6, 2, 3})}), "int64[2, 6]");
  EXPECT_EQ(InferOp(length, {FloatType({6, 2, 3}), IntegerType({6, 2})}), "int64[2]");
  EXPECT_EQ(InferOp(length, {FloatType({6, 2, 3}), IntegerType({2, 6})}), "graph_shape");
  EXPECT_EQ(InferOp(length, {FloatType({6, 2, 3}), FloatType({6, 2})}), "graph_element_type");
  EXPECT_EQ(InferOp(length, {IntegerType({6, 2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(length, {FloatType({6, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(CtcGreedyDecoder{.blank = -1}, {FloatType({6, 2, 3})}), "graph_attribute");
  // Steps whose best classes are 1, 1, 0, 1, 2, 2; the second sequence ends before the fourth.
  const std::vector<int64_t> best = {1, 1, 0, 1, 2, 2};
  FloatTensor x{{6, 2, 3}, {}};
  for (const int64_t c : best) {
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t k = 0; k < 3; ++k) x.data.push_back(k == c || (c == 1 && k == 2) ? 1.0f : 0.5f);
  }
  const Int64Tensor mask{{6, 2}, {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}};
  EXPECT_EQ(EvaluateOp(CtcGreedyDecoder{}, {x, mask}),
            Tensor(Int64Tensor{{2, 6}, {1, 1, 2, -1, -1, -1, 1, -1, -1, -1, -1, -1}}));
  EXPECT_EQ(EvaluateOp(length, {x, mask}), Tensor(Int64Tensor{{2}, {3, 1}}));
  EXPECT_EQ(EvaluateOp(CtcGreedyDecoder{.blank = 2, .merge_repeated = false}, {x}),
            Tensor(Int64Tensor{{2, 6}, {1, 1, 0, 1, -1, -1, 1, 1, 0, 1, -1, -1}}));
}

}  // namespace
}  // namespace tally::quant
