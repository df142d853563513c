// The rows of docs/compatibility_cvm.md that say what Tally does: a case for each, on all engines. Rows on
// the format and on postprocesses have their cases in graph_test, storage_test, import_cvm_test and
// postprocess_test.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "frontends/cvm/import_cvm.h"
#include "frontends/cvm/testing/run_model.h"

namespace tally::cvm {
namespace {

using Texts = std::map<std::string, std::string>;
using Values = std::vector<int64_t>;

constexpr int64_t kMax = (int64_t{1} << 31) - 1;

// One operator on `data`.
ModelWriter Unary(const std::string& op, const Dims& x, const Dims& y, const Texts& attributes,
                  int precision = 8) {
  return ModelWriter().Data(x, precision).Op(op, {"data"}, {y}, attributes);
}

// The result of one operator for `x`, in the shape `y`.
Values Apply(const std::string& op, const Dims& dims, const Values& x, const Dims& y, const Texts& attributes,
             int precision = 8) {
  const auto result = RunModel(Unary(op, dims, y, attributes, precision), x);
  return result.ok() ? result->values : Values{};
}

// The result of one operator for `data` and a weight.
Values ApplyWith(const std::string& op, const Dims& dims, const Values& x, const Dims& w_dims,
                 const Values& w, const Dims& y, const Texts& attributes = {}) {
  const auto result = RunModel(
      ModelWriter().Data(dims, 16).Weight("w", w_dims, w, 16).Op(op, {"data", "w"}, {y}, attributes), x);
  return result.ok() ? result->values : Values{};
}

std::string LabelOf(const std::string& op, const Dims& x, const Dims& y, const Texts& attributes,
                    int precision = 8) {
  return ImportLabel(Unary(op, x, y, attributes, precision));
}

int PrecisionAfter(const ModelWriter& model) {
  return ImportCvm(model.Text(), model.Params())->output_precision;
}

ModelWriter Conv(const Dims& x, const Dims& w, const Values& weights, const Dims& y, Texts attributes) {
  attributes["channels"] = std::to_string(w[0]);
  attributes["kernel_size"] = "(" + std::to_string(w[2]) + ", " + std::to_string(w[3]) + ")";
  attributes["use_bias"] = "False";
  return ModelWriter().Data(x).Weight("w", w, weights).Op("conv2d", {"data", "w"}, {y}, attributes);
}

TEST(Compatibility, BroadcastAlignsShapesAtTheRight) {
  EXPECT_EQ(ApplyWith("broadcast_add", {2, 1}, {10, 20}, {1, 3}, {1, 2, 3}, {2, 3}),
            (Values{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(ApplyWith("broadcast_sub", {3}, {1, 2, 3}, {2, 1}, {10, 20}, {2, 3}),
            (Values{-9, -8, -7, -19, -18, -17}));
}

TEST(Compatibility, DivisionTruncatesAndByZeroIsZero) {
  EXPECT_EQ(ApplyWith("broadcast_div", {6}, {7, -7, 7, -7, 5, 0}, {6}, {2, 2, -2, -2, 0, 0}, {6}),
            (Values{3, -3, -3, 3, 0, 0}));
}

TEST(Compatibility, ReductionsKeepDimsOfOne) {
  const Values x = {1, 2, 3, 10, 20, 30};
  EXPECT_EQ(Apply("sum", {2, 3, 1}, x, {2, 1}, {{"axis", "(1,)"}}), (Values{6, 60}));
  EXPECT_EQ(Apply("max", {2, 3, 1}, x, {2, 1, 1}, {{"axis", "(1,)"}, {"keepdims", "True"}}), (Values{3, 30}));
}

TEST(Compatibility, ReductionsOfAllAxesGiveOneElement) {
  const Values x = {1, 2, 3, 10, 20, 30};
  EXPECT_EQ(Apply("sum", {2, 3}, x, {1}, {}), Values{66});
  EXPECT_EQ(Apply("sum", {2, 3}, x, {1}, {{"exclude", "True"}}), Values{66});
  EXPECT_EQ(Apply("sum", {2, 3}, x, {1, 1}, {{"keepdims", "True"}}), Values{66});
  EXPECT_EQ(Apply("sum", {2, 3}, x, {2, 3}, {{"axis", "(0, 1)"}, {"exclude", "True"}}), x);
  EXPECT_EQ(LabelOf("sum", {2, 3}, {1}, {{"axis", "(0, -2)"}}), "sum_c2");
}

TEST(Compatibility, MaximumOfNegativesIsNegative) {
  EXPECT_EQ(Apply("max", {3}, {-7, -5, -9}, {1}, {}), Values{-5});
  EXPECT_EQ(Apply("max", {3, 1}, {-7, -5, -9}, {1}, {{"axis", "(0,)"}}), Values{-5});
}

TEST(Compatibility, ConvolutionReadsEachTapOnce) {
  // 2x2 of ones over 3x3 with padding: every sum counts its real elements.
  const ModelWriter model =
      Conv({1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 1, 1}, {1, 1, 4, 4}, {{"padding", "(1, 1)"}});
  EXPECT_EQ(RunModel(model, Values(9, 1))->values, (Values{1, 2, 2, 1, 2, 4, 4, 2, 2, 4, 4, 2, 1, 2, 2, 1}));
}

TEST(Compatibility, GroupsOfSeveralChannelsAreNotDepthwise) {
  const ModelWriter model =
      Conv({1, 4, 1, 1}, {2, 2, 1, 1}, {1, 10, 100, 1}, {1, 2, 1, 1}, {{"groups", "2"}});
  EXPECT_EQ(RunModel(model, {1, 2, 3, 4})->values, (Values{21, 304}));
}

TEST(Compatibility, SumsOfProductsDoNotSaturate) {
  const ModelWriter model = Conv({1, 64, 1, 1}, {1, 64, 1, 1}, Values(64, 127), {1, 1, 1, 1}, {});
  EXPECT_EQ(RunModel(model, Values(64, 127))->values, Values{64 * 127 * 127});
  EXPECT_EQ(RunModel(model, Values(64, -127))->values, Values{-64 * 127 * 127});
}

TEST(Compatibility, ConvolutionWeightsHaveTheirShape) {
  EXPECT_EQ(ImportLabel(Conv({1, 2, 3, 3}, {1, 1, 2, 2}, Values(4), {1, 1, 2, 2}, {})), "conv2d_c3");
  EXPECT_EQ(ImportLabel(Conv({1, 1, 3, 3}, {1, 1, 4, 1}, Values(4), {1, 1, 1, 3}, {})), "conv2d_c4");
}

TEST(Compatibility, PoolingWindowsHoldARealElement) {
  const Dims x = {1, 1, 3, 3};
  const auto pool = [](const char* size, const char* stride, const char* padding, const char* ceil) {
    return Texts{{"pool_size", size}, {"strides", stride}, {"padding", padding}, {"ceil_mode", ceil}};
  };
  const Values negatives = {-9, -8, -7, -6, -5, -4, -3, -2, -1};
  EXPECT_EQ(Apply("max_pool2d", x, negatives, {1, 1, 2, 2}, pool("(2, 2)", "(2, 2)", "(0, 0)", "1")),
            (Values{-5, -4, -2, -1}));
  EXPECT_EQ(Apply("max_pool2d", x, negatives, {1, 1, 2, 2}, pool("(2, 2)", "(2, 2)", "1", "0")),
            (Values{-9, -7, -3, -1}));
  // The window after the last column would hold padding alone.
  EXPECT_EQ(LabelOf("max_pool2d", x, {1, 1, 3, 3}, pool("(2, 2)", "(2, 2)", "(1, 1)", "1")), "max_pool2d_c4");
  EXPECT_EQ(LabelOf("max_pool2d", x, {1, 1, 5, 5}, pool("(1, 1)", "(1, 1)", "(1, 1)", "0")), "max_pool2d_c2");
}

TEST(Compatibility, BitsOfZeroAreOne) {
  EXPECT_EQ(Apply("cvm_precision", {6}, {0, 1, -1, 4, -127, 127}, {6}, {}), (Values{1, 1, 1, 3, 7, 7}));
  EXPECT_EQ(Apply("cvm_precision", {2}, {kMax, -kMax}, {2}, {}, 32), (Values{31, 31}));
}

TEST(Compatibility, ClipTakesOrderedBounds) {
  EXPECT_EQ(Apply("clip", {3}, {-9, 0, 9}, {3}, {{"a_min", "-3"}, {"a_max", "4"}}), (Values{-3, 0, 4}));
  EXPECT_EQ(Apply("clip", {3}, {-9, 0, 9}, {3}, {{"a_min", "4"}, {"a_max", "4"}}), (Values{4, 4, 4}));
  EXPECT_EQ(LabelOf("clip", {3}, {3}, {{"a_min", "5"}, {"a_max", "4"}}), "clip_c1");
}

TEST(Compatibility, ClipNeedsNoBitMoreThanItsBounds) {
  EXPECT_EQ(PrecisionAfter(Unary("clip", {3}, {3}, {{"a_min", "-127"}, {"a_max", "127"}}, 32)), 8);
  EXPECT_EQ(PrecisionAfter(Unary("clip", {3}, {3}, {{"a_min", "0"}, {"a_max", "2147483647"}}, 32)), 32);
  EXPECT_EQ(LabelOf("clip", {3}, {3}, {{"a_min", "-2147483648"}, {"a_max", "0"}}, 32), "clip_c2");
}

TEST(Compatibility, CvmClipIsSymmetricAndIgnoresItsSign) {
  EXPECT_EQ(
      Apply("cvm_clip", {4}, {-128 * 9, -7, 7, 900}, {4}, {{"precision", "4"}, {"is_sign", "False"}}, 16),
      (Values{-7, -7, 7, 7}));
  EXPECT_EQ(Apply("cvm_clip", {2}, {-9, 9}, {2}, {{"precision", "1"}}), (Values{0, 0}));
}

TEST(Compatibility, RightShiftRoundsHalvesUp) {
  EXPECT_EQ(
      Apply("cvm_right_shift", {6}, {3, -3, 2, -2, 5, -5}, {6}, {{"precision", "8"}, {"shift_bit", "1"}}),
      (Values{2, -1, 1, -1, 3, -2}));
}

TEST(Compatibility, RightShiftIsExactAtTheEnds) {
  const Values x = {kMax, -kMax, int64_t{1} << 30, -(int64_t{1} << 30)};
  EXPECT_EQ(Apply("cvm_right_shift", {4}, x, {4}, {{"precision", "32"}, {"shift_bit", "31"}}, 32),
            (Values{1, -1, 1, 0}));
  EXPECT_EQ(Apply("cvm_right_shift", {4}, x, {4}, {{"precision", "32"}, {"shift_bit", "32"}}, 32),
            (Values{0, 0, 0, 0}));
  EXPECT_EQ(Apply("cvm_right_shift", {4}, x, {4}, {{"precision", "32"}, {"shift_bit", "1"}}, 32),
            (Values{int64_t{1} << 30, -(int64_t{1} << 30) + 1, int64_t{1} << 29, -(int64_t{1} << 29)}));
  EXPECT_EQ(Apply("cvm_right_shift", {4}, x, {4}, {{"precision", "8"}, {"shift_bit", "1"}}, 32),
            (Values{127, -127, 127, -127}));
}

TEST(Compatibility, RightShiftAlwaysClips) {
  EXPECT_EQ(Apply("cvm_right_shift", {2}, {kMax, -kMax}, {2}, {{"precision", "8"}, {"shift_bit", "24"}}, 32),
            (Values{127, -127}));
}

TEST(Compatibility, LeftShiftWorksWithin32Bits) {
  EXPECT_EQ(Apply("cvm_left_shift", {3}, {3, -3, 127}, {3}, {{"precision", "10"}, {"shift_bit", "2"}}),
            (Values{12, -12, 508}));
  EXPECT_EQ(Apply("cvm_left_shift", {2}, {127, -127}, {2}, {{"precision", "8"}, {"shift_bit", "24"}}),
            (Values{127, -127}));
  EXPECT_EQ(LabelOf("cvm_left_shift", {2}, {2}, {{"precision", "8"}, {"shift_bit", "25"}}),
            "cvm_left_shift_c1");
}

TEST(Compatibility, AxesCountFromTheEndToo) {
  EXPECT_EQ(Apply("repeat", {1, 2}, {1, 2}, {1, 4}, {{"repeats", "2"}, {"axis", "-1"}}),
            (Values{1, 1, 2, 2}));
  EXPECT_EQ(ApplyWith("concatenate", {1, 2}, {1, 2}, {1, 1}, {3}, {1, 3}, {{"axis", "-1"}}),
            (Values{1, 2, 3}));
  EXPECT_EQ(ApplyWith("concatenate", {1, 2}, {1, 2}, {1, 1}, {3}, {1, 3}), (Values{1, 2, 3}));
  EXPECT_EQ(LabelOf("repeat", {1, 2}, {1, 4}, {{"repeats", "2"}, {"axis", "-3"}}), "repeat_c1");
}

TEST(Compatibility, ConcatenationCopiesLargeTensors) {
  constexpr int64_t kSize = (1 << 21) + 1;
  const Values y =
      ApplyWith("concatenate", {kSize}, Values(kSize, 1), {1}, {7}, {kSize + 1}, {{"axis", "0"}});
  ASSERT_EQ(y.size(), kSize + 1);
  EXPECT_EQ(std::count(y.begin(), y.end() - 1, 1), kSize);
  EXPECT_EQ(y.back(), 7);
}

TEST(Compatibility, TileRepeatsTheLastDimToo) {
  EXPECT_EQ(Apply("tile", {2}, {1, 2}, {2, 4}, {{"reps", "(2, 2)"}}), (Values{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(Apply("tile", {1, 2}, {1, 2}, {1, 6}, {{"reps", "(3,)"}}), (Values{1, 2, 1, 2, 1, 2}));
}

TEST(Compatibility, FlattenKeepsTheFirstDim) {
  EXPECT_EQ(LabelOf("flatten", {2, 3, 4}, {2, 12}, {}), "");
  EXPECT_EQ(LabelOf("flatten", {5}, {5, 1}, {}), "");
  EXPECT_EQ(LabelOf("flatten", {2, 3, 4}, {24}, {}), "cvm_declared_shape");
}

TEST(Compatibility, SlicesReachBothEnds) {
  const Values x = {0, 1, 2, 3, 4};
  EXPECT_EQ(Apply("strided_slice", {5}, x, {4}, {{"begin", "(1,)"}, {"end", "(5,)"}}), (Values{1, 2, 3, 4}));
  EXPECT_EQ(Apply("strided_slice", {5}, x, {5}, {{"begin", "(4,)"}, {"end", "(-6,)"}, {"stride", "(-1,)"}}),
            (Values{4, 3, 2, 1, 0}));
  EXPECT_EQ(Apply("strided_slice", {5}, x, {3}, {{"begin", "(-99,)"}, {"end", "(99,)"}, {"stride", "(2,)"}}),
            (Values{0, 2, 4}));
  EXPECT_EQ(LabelOf("strided_slice", {5}, {1}, {{"begin", "(2,)"}, {"end", "(2,)"}}), "strided_slice_c3");
  EXPECT_EQ(LabelOf("strided_slice", {5}, {5}, {{"stride", "(0,)"}}), "strided_slice_c2");
}

TEST(Compatibility, SlicesEndWithTheDimByDefault) {
  EXPECT_EQ(Apply("strided_slice", {3}, {1, 2, 3}, {2}, {{"begin", "(1,)"}}), (Values{2, 3}));
  // The value that cvm-runtime would infer for a missing `end`.
  EXPECT_EQ(LabelOf("strided_slice", {3}, {1}, {}), "cvm_declared_shape");
}

TEST(Compatibility, SliceListsAreNotLongerThanTheRank) {
  for (const char* list : {"begin", "end", "stride"}) {
    EXPECT_EQ(LabelOf("strided_slice", {5}, {5}, {{list, "(1, 1)"}}), "strided_slice_c1") << list;
  }
}

TEST(Compatibility, SliceLikeNeedsAxesForOtherRanks) {
  const Values x = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(ApplyWith("slice_like", {2, 3}, x, {1, 2}, {0, 0}, {1, 2}), (Values{1, 2}));
  EXPECT_EQ(ApplyWith("slice_like", {2, 3}, x, {1}, {0}, {1, 3}, {{"axis", "(0,)"}}), (Values{1, 2, 3}));
  ModelWriter model;
  model.Data({2, 3}).Weight("w", {1}, {0}).Op("slice_like", {"data", "w"}, {{1, 3}});
  EXPECT_EQ(ImportLabel(model), "slice_like_c1");
}

TEST(Compatibility, IndicesClampAndDoNotCountFromTheEnd) {
  const auto model = [](const Texts& attributes) {
    ModelWriter model;
    model.Weight("x", {2, 2}, {10, 20, 30, 40}).Data({2});
    return model.Op("take", {"x", "data"}, {attributes.empty() ? Dims{2} : Dims{2, 2}}, attributes);
  };
  EXPECT_EQ(RunModel(model({}), {-1, 9})->values, (Values{10, 40}));
  EXPECT_EQ(RunModel(model({{"axis", "0"}}), {-1, 9})->values, (Values{10, 20, 30, 40}));
  EXPECT_EQ(RunModel(model({{"axis", "1"}}), {9, 0})->values, (Values{20, 10, 40, 30}));
}

TEST(Compatibility, LookupsReadTheTableSecond) {
  EXPECT_EQ(ApplyWith("cvm_lut", {5}, {-1, 0, 2, 3, 99}, {4}, {10, 20, 30, 40}, {5}, {{"in_dim", "4"}}),
            (Values{10, 10, 30, 40, 40}));
  ModelWriter model;
  model.Data({5}).Weight("w", {4}, {1, 2, 3, 4}).Op("cvm_lut", {"data", "w"}, {{5}}, {{"in_dim", "5"}});
  EXPECT_EQ(ImportLabel(model), "cvm_lut_c1");
}

TEST(Compatibility, NewAxesCountFromBehindTheLast) {
  EXPECT_EQ(LabelOf("expand_dims", {2, 3}, {2, 3, 1}, {{"axis", "-1"}}), "");
  EXPECT_EQ(LabelOf("expand_dims", {2, 3}, {1, 2, 3}, {{"axis", "-3"}}), "");
  EXPECT_EQ(LabelOf("expand_dims", {2, 3}, {2, 3, 1}, {{"axis", "3"}}), "expand_dims_c1");
  EXPECT_EQ(LabelOf("expand_dims", {2, 3}, {2, 3}, {{"axis", "0"}, {"num_newaxis", "0"}}), "attribute_range");
}

TEST(Compatibility, ReshapeTakesCodesThatDivide) {
  EXPECT_EQ(LabelOf("reshape", {2, 3, 4}, {6, 4}, {{"shape", "(-3, 0)"}}), "");
  EXPECT_EQ(LabelOf("reshape", {2, 3, 4}, {2, 12}, {{"shape", "(0, -1)"}}), "");
  EXPECT_EQ(LabelOf("reshape", {2, 3, 4}, {5, 4}, {{"shape", "(5, -1)"}}), "cvm_reshape");
}

TEST(Compatibility, SqueezeLeavesOneDim) {
  EXPECT_EQ(LabelOf("squeeze", {1, 1}, {1}, {}), "");
  EXPECT_EQ(LabelOf("squeeze", {1, 3, 1}, {3, 1}, {{"axis", "(0, -3)"}}), "");
  EXPECT_EQ(LabelOf("squeeze", {1, 3}, {1}, {{"axis", "(1,)"}}), "squeeze_c2");
}

ModelWriter Where(const Dims& cond, const Dims& dims, const Values& x, const Values& y) {
  ModelWriter model;
  model.Data(cond, 2).Weight("x", dims, x, 16).Weight("y", dims, y, 12);
  return model.Op("where", {"data", "x", "y"}, {dims});
}

TEST(Compatibility, WhereTakesARowForEachCondition) {
  const Values x = {1000, 2000, 3000, 4000}, y = {-1, -2, -3, -4};
  EXPECT_EQ(RunModel(Where({2}, {2, 2}, x, y), {1, 0})->values, (Values{1000, 2000, -3, -4}));
  EXPECT_EQ(RunModel(Where({2, 2}, {2, 2}, x, y), {0, -1, 1, 0})->values, (Values{-1, 2000, 3000, -4}));
}

TEST(Compatibility, WhereIsAsWideAsItsSources) {
  EXPECT_EQ(PrecisionAfter(Where({2}, {2, 2}, {1, 2, 3, 4}, {1, 2, 3, 4})), 16);
}

TEST(Compatibility, ComparisonsNeedTwoBits) {
  ModelWriter model;
  model.Data({1}, 1).Weight("w", {1}, {-5}).Op("broadcast_greater", {"data", "w"}, {{1}});
  EXPECT_EQ(PrecisionAfter(model), 2);
  EXPECT_EQ(RunModel(model, {0})->values, Values{1});
}

ModelWriter ValidCounts(const Dims& x, const std::string& threshold, const std::string& head) {
  ModelWriter model = ModelWriter().Data(x, 16);
  model.Op("get_valid_counts", {"data"}, {{x[0]}, x}, {{"score_threshold", threshold}}, "valid");
  return model.Heads({head});
}

TEST(Compatibility, ValidRowsAreAboveTheThresholdWhateverTheirId) {
  const Values x = {-1, 6, 0, 5, 0, 9};
  EXPECT_EQ(RunModel(ValidCounts({1, 3, 2}, "5", "valid"), x)->values, Values{2});
  EXPECT_EQ(RunModel(ValidCounts({1, 3, 2}, "5", "valid:1"), x)->values, (Values{-1, 6, 0, 9, -1, -1}));
  EXPECT_EQ(RunModel(ValidCounts({1, 3, 2}, "-5", "valid"), x)->values, Values{3});
}

TEST(Compatibility, ValidRowsHaveUpTo32Elements) {
  EXPECT_EQ(ImportLabel(ValidCounts({1, 3, 32}, "0", "valid")), "");
  EXPECT_EQ(ImportLabel(ValidCounts({1, 3, 33}, "0", "valid")), "get_valid_counts_c2");
  EXPECT_EQ(ImportLabel(ValidCounts({1, 3, 1}, "0", "valid")), "get_valid_counts_c2");
}

ModelWriter Nms(const Dims& x, const Values& counts, const Texts& attributes, int precision = 16) {
  ModelWriter model;
  model.Data(x, precision).Weight("n", {x[0]}, counts);
  return model.Op("non_max_suppression", {"data", "n"}, {x}, attributes);
}

const Values kBoxes = {
    0,  80, 0, 0, 10, 5,   // half of the next
    0,  90, 0, 0, 10, 10,  //
    -1, 95, 0, 0, 10, 10,  // invalid
    1,  70, 0, 0, 10, 10,  // for another class
};
const Values kBest = {0, 90, 0, 0, 10, 10}, kOther = {1, 70, 0, 0, 10, 10}, kHalf = {0, 80, 0, 0, 10, 5};
const Values kNone = {-1, -1, -1, -1, -1, -1};

Values Rows(std::initializer_list<Values> rows) {
  Values all;
  for (const Values& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

TEST(Compatibility, NmsKeepsTheBestOfEachClass) {
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {}), kBoxes)->values, Rows({kBest, kOther, kNone, kNone}));
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {{"iou_threshold", "51"}}), kBoxes)->values,
            Rows({kBest, kHalf, kOther, kNone}));
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {{"force_suppress", "True"}}), kBoxes)->values,
            Rows({kBest, kNone, kNone, kNone}));
}

TEST(Compatibility, NmsOfEqualScoresKeepsTheFirst) {
  const Values first = {0, 5, 0, 0, 10, 10}, second = {0, 5, 1, 0, 11, 10};
  EXPECT_EQ(RunModel(Nms({1, 2, 6}, {2}, {}), Rows({first, second}))->values, Rows({first, kNone}));
  EXPECT_EQ(RunModel(Nms({1, 2, 6}, {2}, {}), Rows({second, first}))->values, Rows({second, kNone}));
}

TEST(Compatibility, NmsLimitsOfZeroGiveNothing) {
  const Values nothing = Rows({kNone, kNone, kNone, kNone});
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {{"max_output_size", "0"}}), kBoxes)->values, nothing);
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {{"top_k", "0"}}), kBoxes)->values, nothing);
  EXPECT_EQ(RunModel(Nms({1, 4, 6}, {4}, {{"max_output_size", "1"}}), kBoxes)->values,
            Rows({kBest, kNone, kNone, kNone}));
}

TEST(Compatibility, NmsTreatsBatchesApart) {
  EXPECT_EQ(RunModel(Nms({3, 1, 6}, {0, -4, 1}, {}), Rows({kBest, kBest, kBest}))->values,
            Rows({kNone, kNone, kBest}));
}

TEST(Compatibility, NmsLeavesItsOperandAlone) {
  ModelWriter model = Nms({1, 4, 6}, {4}, {{"top_k", "1"}});
  model.Op("concatenate", {"data", "non_max_suppression"}, {{1, 8, 6}}, {{"axis", "1"}});
  const auto result = RunModel(model, kBoxes);
  ASSERT_TRUE(result.ok()) << result.status();
  // The best score is that of the invalid box, and there is no second candidate.
  EXPECT_EQ(result->values, Rows({kBoxes, kNone, kNone, kNone, kNone}));
}

TEST(Compatibility, NmsLimitIsExactForManyBoxes) {
  Values boxes, expected;
  for (int64_t i = 0; i < 200; ++i) {
    const Values box = {0, 1000 - i, 20 * i, 0, 20 * i + 10, 10};
    boxes.insert(boxes.end(), box.begin(), box.end());
    const Values& row = i < 3 ? box : kNone;
    expected.insert(expected.end(), row.begin(), row.end());
  }
  EXPECT_EQ(RunModel(Nms({1, 200, 6}, {100}, {{"max_output_size", "3"}}), boxes)->values, expected);
}

TEST(Compatibility, NmsRatiosAreExactForLargeBoxes) {
  // Areas of about 2^58 and their half, less one row: 49 percent.
  const int64_t side = (int64_t{1} << 29) - 1;
  const Values whole = {0, 9, 0, 0, side, side}, half = {0, 8, 0, 0, side, side / 2};
  EXPECT_EQ(RunModel(Nms({1, 2, 6}, {2}, {}, 30), Rows({whole, half}))->values, Rows({whole, half}));
  EXPECT_EQ(RunModel(Nms({1, 2, 6}, {2}, {{"iou_threshold", "49"}}, 30), Rows({whole, half}))->values,
            Rows({whole, kNone}));
  EXPECT_EQ(ImportLabel(Nms({1, 2, 6}, {2}, {}, 31)), "non_max_suppression_c3");
}

TEST(Compatibility, DataOutsideItsPrecisionIsRefused) {
  const ModelWriter model = Unary("relu", {1}, {1}, {});
  EXPECT_EQ(RunModel(model, {127})->values, Values{127});
  EXPECT_EQ(ErrorLabel(RunModel(model, {-128}).status()), "input_interval");
  EXPECT_EQ(ErrorLabel(RunModel(Unary("abs", {1}, {1}, {}, 32), {-kMax - 1}).status()), "input_interval");
}

}  // namespace
}  // namespace tally::cvm
