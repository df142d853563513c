#include "frontends/graph/compositions/detection.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/graph/compositions/testing/composed.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::frontend {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;
using Code = DetectionOptions::Code;

const FloatTensor kPriors{{3, 4}, {0, 0, 0.5f, 0.5f, 0.01f, 0, 0.51f, 0.5f, 0.5f, 0.5f, 1, 1}};
const FloatTensor kVariances{{3, 4},
                             {0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f}};
// Two priors that nearly agree, of class 1, and one of class 2, whose box is moved by a tenth of its side.
const FloatTensor kDeltas{{1, 12}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}};
const FloatTensor kScores{{1, 9}, {0.1f, 0.8f, 0.1f, 0.1f, 0.7f, 0.2f, 0.2f, 0.05f, 0.75f}};

DetectionOptions ThreeClasses() {
  DetectionOptions how;
  how.classes = 3;
  how.background = 0;
  how.code = Code::kCenterSize;
  how.score_threshold = 0.3f;
  how.bounds_after = {1, 1};
  return how;
}

std::vector<Tensor> Detected(const DetectionOptions& how, const FloatTensor& variances = kVariances) {
  Composed c;
  const DetectionOperands operands = {c.Input("deltas", {1, 12}), c.Input("scores", {1, 9}),
                                      c.Constant(kPriors), c.Constant(variances)};
  const auto found = DetectionOutput(c.emitter(), operands, how);
  EXPECT_TRUE(found.ok()) << found.status();
  const auto rows = DetectionRows(c.emitter(), *found);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return RunComposed(c.Build({*rows, found->counts, found->labels}), {kDeltas, kScores});
}

void ExpectRows(const Tensor& actual, const std::vector<float>& expected) {
  const std::vector<float>& rows = std::get<FloatTensor>(actual).data;
  ASSERT_GE(rows.size(), expected.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const float missing = i % 7 == 0 ? -1.0f : 0.0f;
    EXPECT_NEAR(rows[i], i < expected.size() ? expected[i] : missing, 1e-6f) << i;
  }
}

TEST(DetectionOutput, KeepsTheBestOfEachClass) {
  const std::vector<float> rows = {0, 1, 0.8f, 0, 0, 0.5f, 0.5f, 0, 2, 0.75f, 0.55f, 0.5f, 1, 1};
  const auto found = Detected(ThreeClasses());
  ExpectRows(found[0], rows);
  EXPECT_EQ(found[1], Tensor(Int64Tensor{{1}, {2}}));
  EXPECT_EQ(found[2], Tensor(Int64Tensor{{6}, {1, 2, 0, 0, 0, 0}}));
  // Variances that differ from prior to prior are factors of the deltas.
  FloatTensor other = kVariances;
  other.data[1] = 0.5f;
  ExpectRows(Detected(ThreeClasses(), other)[0], rows);
  DetectionOptions one = ThreeClasses();
  one.keep_top_k = 1;
  one.decrease_label = true;
  ExpectRows(Detected(one)[0], {0, 0, 0.8f, 0, 0, 0.5f, 0.5f});
  DetectionOptions corners = ThreeClasses();
  corners.code = Code::kCorners;
  corners.bounds_before = {1, 1};
  ExpectRows(Detected(corners)[0], {0, 1, 0.8f, 0, 0, 0.5f, 0.5f, 0, 2, 0.75f, 0.6f, 0.5f, 1, 1});
}

// Each class has boxes of its own, and a first stage says that the first prior holds nothing.
TEST(DetectionOutput, RefinesTheBoxesOfAFirstStage) {
  Composed c;
  DetectionOptions how = ThreeClasses();
  how.share_location = false;
  how.least_objectness = 0.5f;
  DetectionOperands operands = {c.Input("deltas", {1, 36}), c.Input("scores", {1, 9}), c.Constant(kPriors),
                                c.Constant(kVariances)};
  operands.first_scores = c.Input("first scores", {1, 6});
  operands.first_deltas = c.Input("first deltas", {1, 36});
  const auto found = DetectionOutput(c.emitter(), operands, how);
  ASSERT_TRUE(found.ok()) << found.status();
  const quant::Graph graph = c.Build({*DetectionRows(c.emitter(), *found)});
  FloatTensor nothing{{1, 36}, std::vector<float>(36)}, moved = nothing;
  moved.data[(1 * 3 + 1) * 4] = 1;  // prior 1, class 1
  const FloatTensor objects{{1, 6}, {1, 0, 0, 1, 0, 1}};
  ExpectRows(RunComposed(graph, {moved, kScores, objects, nothing})[0],
             {0, 1, 0.7f, 0.06f, 0, 0.56f, 0.5f, 0, 2, 0.75f, 0.5f, 0.5f, 1, 1});
  ExpectRows(RunComposed(graph, {nothing, kScores, objects, moved})[0],
             {0, 1, 0.7f, 0.06f, 0, 0.56f, 0.5f, 0, 2, 0.75f, 0.5f, 0.5f, 1, 1});
}

TEST(DetectionOutput, RefusesWhatDoesNotFit) {
  Composed c;
  DetectionOperands operands = {c.Input("deltas", {1, 12}), c.Input("scores", {1, 8}), c.Constant(kPriors),
                                c.Constant(kVariances)};
  EXPECT_EQ(ErrorLabel(DetectionOutput(c.emitter(), operands, ThreeClasses()).status()), "model_shape");
  DetectionOptions nothing;
  nothing.background = 0;
  operands.scores = c.Input("other", {1, 3});
  EXPECT_EQ(ErrorLabel(DetectionOutput(c.emitter(), operands, nothing).status()), "model_shape");
}

TEST(DetectionOutput, IntegersFindTheSame) {
  Composed c;
  DetectionOptions how = ThreeClasses();
  const DetectionOperands operands = {c.Input("deltas", {1, 12}), c.Input("scores", {1, 9}),
                                      c.Constant(kPriors), c.Constant(kVariances)};
  const auto found = DetectionOutput(c.emitter(), operands, how);
  const quant::QuantizedType fine = {0x1p-14, 0, {-65536, 65536}};
  EXPECT_EQ(quant::MeasureLowered(c.Build({found->labels}), {.options = {.inputs = {{"scores", fine}}}})
                .error.largest(),
            0);
}

// A map of two cells with one anchor of 4 pixels each; the second is better, and the first one small.
TEST(Proposal, GivesTheBestAnchors) {
  const auto proposed = [](int64_t after, float least) {
    Composed c;
    ProposalOptions how;
    how.base_size = 4;
    how.stride = 4;
    how.height = 4;
    how.width = 8;
    how.least_width = least;
    how.after = after;
    const Operand p = c.Input("p", {1, 2, 1, 2}), d = c.Input("d", {1, 4, 1, 2});
    const auto found = Proposal(c.emitter(), p, d, how);
    EXPECT_TRUE(found.ok()) << found.status();
    const FloatTensor halved{{1, 4, 1, 2}, {0, 0, 0, 0, std::log(0.5f), 0, 0, 0}};
    return RunComposed(c.Build({found->boxes, found->scores, found->counts}),
                       {FloatTensor{{1, 2, 1, 2}, {0.5f, 0.2f, 0.5f, 0.8f}}, halved});
  };
  const auto two = proposed(3, 0);
  EXPECT_EQ(two[0], Tensor(FloatTensor{{3, 4}, {4, 0, 7, 3, 1, 0, 3, 3, 0, 0, 0, 0}}));
  EXPECT_EQ(two[1], Tensor(FloatTensor{{3}, {0.8f, 0.5f, 0}}));
  EXPECT_EQ(two[2], Tensor(Int64Tensor{{1}, {2}}));
  EXPECT_EQ(proposed(2, 4)[1], Tensor(FloatTensor{{2}, {0.8f, 0}}));
  EXPECT_EQ(proposed(1, 0)[0], Tensor(FloatTensor{{1, 4}, {4, 0, 7, 3}}));
  Composed c;
  EXPECT_EQ(
      ErrorLabel(Proposal(c.emitter(), c.Input("p", {1, 4, 1, 2}), c.Input("d", {1, 4, 1, 2}), {}).status()),
      "model_shape");
}

// Two cells of one anchor half as large as the image, and two classes: the second cell's box is better; a map
// whose box covers it nearly is worse.
TEST(YoloDetections, KeepsTheBestOfAllMaps) {
  Composed c;
  const Operand first = c.Input("first", {1, 7, 1, 2}), second = c.Input("second", {1, 7, 1, 1});
  const auto found = YoloDetections(c.emitter(), {{first, {0.5f, 0.5f}}, {second, {0.5f, 0.5f}}},
                                    {.score_threshold = 0.2f, .iou_threshold = 0.4f});
  ASSERT_TRUE(found.ok()) << found.status();
  const quant::Graph graph = c.Build({found->boxes, found->labels, found->scores, found->counts});
  constexpr float kSure = 20;  // the logarithm of odds
  const FloatTensor maps{{1, 7, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, kSure, -9, kSure, kSure, -9}};
  const FloatTensor other{{1, 7, 1, 1}, {std::log(3.0f), 0, 0, 0, -1, 0, kSure}};
  const auto results = RunComposed(graph, {maps, other});
  const std::vector<float> boxes = std::get<FloatTensor>(results[0]).data;
  const std::vector<float> expected = {0.5f, 0.25f, 1, 0.75f, 0, 0.25f, 0.5f, 0.75f, 0, 0, 0, 0};
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(boxes[i], expected[i], 1e-5f) << i;
  EXPECT_EQ(results[1], Tensor(Int64Tensor{{3}, {0, 1, 0}}));
  EXPECT_EQ(results[3], Tensor(Int64Tensor{{1}, {2}}));
  Composed other_shape;
  const Operand bad = other_shape.Input("bad", {1, 7, 1, 1});
  EXPECT_EQ(ErrorLabel(YoloDetections(other_shape.emitter(), {{bad, {1, 1, 1, 1}}}, {}).status()),
            "model_shape");
}

}  // namespace
}  // namespace tally::frontend
