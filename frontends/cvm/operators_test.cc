#include "frontends/cvm/operators.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace tally::cvm {
namespace {

std::vector<Shape> Shapes(std::initializer_list<std::initializer_list<int64_t>> list) {
  std::vector<Shape> shapes;
  for (const auto& dims : list) shapes.push_back(*Shape::Create(dims));
  return shapes;
}

std::string LabelOf(Opcode op, const AttributeTexts& texts, const std::vector<Shape>& operands = {}) {
  return ErrorLabel(ReadAttributes(op, texts, operands).status());
}

TEST(AllOperators, AreThe37OfTheProfile) {
  std::set<Opcode> expected;
  for (const OpInfo& op : AllOps()) {
    if (op.profile == Profile::kCvm && op.code != Opcode::kConstant) expected.insert(op.code);
  }
  const std::vector<Opcode> all = AllOperators();
  EXPECT_EQ(all.size(), 37);
  EXPECT_EQ(std::set<Opcode>(all.begin(), all.end()), expected);
}

TEST(FindOperator, DropsANumberBehindTheName) {
  EXPECT_EQ(FindOperator("relu"), Opcode::kRelu);
  EXPECT_EQ(FindOperator("relu_7"), Opcode::kRelu);
  EXPECT_EQ(FindOperator("conv2d"), Opcode::kConv2d);
  EXPECT_EQ(FindOperator("conv2d_012"), Opcode::kConv2d);
  for (const char* name : {"", "_", "_1", "1", "relu_", "relu7", "relu_7_8", "relu_x", "Relu", " relu",
                           "constant", "softmax", "conv2d2"}) {
    EXPECT_EQ(FindOperator(name), std::nullopt) << name;
  }
}

struct Case {
  Opcode op;
  AttributeTexts texts;
  Attributes attributes;
  std::vector<Shape> operands;
};

// Written out, so that a row that mixes up two attributes fails: every attribute has a value of its own.
TEST(ReadAttributes, MapsEveryAttribute) {
  const std::vector<Shape> conv = Shapes({{1, 4, 9, 9}, {6, 2, 3, 5}}),
                           conv_bias = Shapes({{1, 4, 9, 9}, {6, 2, 3, 5}, {6}});
  const Case cases[] = {
      {Opcode::kClip, {{"a_min", "-3"}, {"a_max", "7"}}, {{-3}, {7}}, {}},
      {Opcode::kConcatenate, {{"axis", "-2"}}, {{-2}}, {}},
      {Opcode::kConv2d,
       {{"channels", "6"},
        {"kernel_size", "(3, 5)"},
        {"strides", "[2,3]"},
        {"padding", "(4, 5)"},
        {"dilation", "(6, 7)"},
        {"groups", "2"},
        {"layout", "NCHW"},
        {"kernel_layout", "OIHW"},
        {"out_layout", "__undef__"},
        {"out_dtype", "same"},
        {"use_bias", "False"}},
       {{4, 5}, {2, 3}, {6, 7}, {2}},
       conv},
      {Opcode::kConv2d,
       {{"channels", "6"}, {"kernel_size", "[3, 5]"}, {"out_layout", "NCHW"}, {"out_dtype", "int32"}},
       {{0, 0}, {1, 1}, {1, 1}, {1}},
       conv_bias},
      {Opcode::kCvmClip, {{"precision", "8"}, {"is_sign", "false"}}, {{8}}, {}},
      {Opcode::kCvmLeftShift, {{"precision", "9"}, {"shift_bit", "3"}, {"is_sign", "true"}}, {{9}, {3}}, {}},
      {Opcode::kCvmRightShift, {{"precision", "9"}, {"shift_bit", "3"}}, {{9}, {3}}, {}},
      {Opcode::kCvmLut, {{"in_dim", "256"}}, {{256}}, {}},
      {Opcode::kDense, {{"units", "5"}, {"use_bias", "0"}}, {}, Shapes({{1, 3}, {5, 3}})},
      {Opcode::kDense, {{"units", "5"}}, {}, Shapes({{1, 3}, {5, 3}, {5}})},
      {Opcode::kExpandDims, {{"axis", "2"}, {"num_newaxis", "3"}}, {{2}, {3}}, {}},
      {Opcode::kExpandDims, {{"axis", "-1"}}, {{-1}, {1}}, {}},
      {Opcode::kGetValidCounts, {{"score_threshold", "-12"}}, {{-12}}, {}},
      {Opcode::kGetValidCounts, {}, {{0}}, {}},
      {Opcode::kSum,
       {{"axis", "(1, -1)"}, {"keepdims", "1"}, {"exclude", "0"}, {"dtype", "int32"}},
       {{1, -1}, {1}, {0}},
       {}},
      {Opcode::kMax, {{"axis", "2"}, {"exclude", "TRUE"}}, {{2}, {0}, {1}}, {}},
      {Opcode::kSum, {}, {{}, {0}, {0}}, {}},
      {Opcode::kMaxPool2d,
       {{"pool_size", "(2, 3)"}, {"strides", "(4, 5)"}, {"padding", "1"}, {"ceil_mode", "True"}},
       {{2, 3}, {4, 5}, {1}, {1}},
       {}},
      {Opcode::kMaxPool2d, {{"pool_size", "(2, 3)"}, {"layout", "NCHW"}}, {{2, 3}, {1, 1}, {0, 0}, {0}}, {}},
      {Opcode::kNonMaxSuppression,
       {{"iou_threshold", "45"},
        {"max_output_size", "100"},
        {"force_suppress", "1"},
        {"top_k", "7"},
        {"coord_start", "2"},
        {"score_index", "1"},
        {"id_index", "0"},
        {"return_indices", "FALSE"},
        {"invalid_to_bottom", "1"}},
       {{45}, {100}, {1}, {7}},
       {}},
      {Opcode::kNonMaxSuppression, {}, {{50}, {-1}, {0}, {-1}}, {}},
      {Opcode::kRepeat, {{"repeats", "3"}, {"axis", "-1"}}, {{3}, {-1}}, {}},
      {Opcode::kRepeat, {{"repeats", "3"}}, {{3}, {0}}, {}},
      {Opcode::kReshape, {{"shape", "(0, -1)"}}, {{0, -1}}, {}},
      {Opcode::kSliceLike, {{"axis", "(2,)"}}, {{2}}, {}},
      {Opcode::kSqueeze, {{"axis", "(0, 2)"}}, {{0, 2}}, {}},
      {Opcode::kStridedSlice,
       {{"begin", "(1, 2)"}, {"end", "(3, 4)"}, {"stride", "(5, -1)"}},
       {{1, 2}, {3, 4}, {5, -1}},
       {}},
      {Opcode::kStridedSlice, {}, {{0}, {}, {}}, {}},
      {Opcode::kTake, {{"axis", "1"}}, {{1}}, {}},
      {Opcode::kTake, {{"axis", "None"}}, {{}}, {}},
      {Opcode::kTake, {}, {{}}, {}},
      {Opcode::kTile, {{"reps", "(2, 1)"}}, {{2, 1}}, {}},
      {Opcode::kTranspose, {{"axes", "(0, 2, 1)"}}, {{0, 2, 1}}, {}},
      {Opcode::kTranspose, {}, {{}}, {}},
      {Opcode::kUpsampling, {{"scale", "2"}, {"layout", "NCHW"}, {"method", "NEAREST_NEIGHBOR"}}, {{2}}, {}},
      {Opcode::kRelu, {}, {}, {}},
      {Opcode::kWhere, {{"__hidden__", "anything"}}, {}, {}},
  };
  for (const Case& c : cases) {
    const auto attributes = ReadAttributes(c.op, c.texts, c.operands);
    ASSERT_TRUE(attributes.ok()) << InfoOf(c.op).name << ": " << attributes.status();
    EXPECT_EQ(*attributes, c.attributes) << InfoOf(c.op).name;
    // The written form reads back, and names every attribute of the row.
    const AttributeTexts written = WriteAttributes(c.op, c.attributes, c.operands);
    EXPECT_EQ(*ReadAttributes(c.op, written, c.operands), c.attributes) << InfoOf(c.op).name;
    for (const auto& [name, text] : c.texts)
      EXPECT_EQ(written.count(name), name.starts_with("__") ? 0 : 1) << name;
  }
}

TEST(WriteAttributes, SpellsAsCvmDoes) {
  EXPECT_EQ(WriteAttributes(Opcode::kConv2d, {{4, 5}, {2, 3}, {6, 7}, {2}},
                            Shapes({{1, 4, 9, 9}, {6, 2, 3, 5}, {6}})),
            (AttributeTexts{{"channels", "6"},
                            {"kernel_size", "(3, 5)"},
                            {"strides", "(2, 3)"},
                            {"padding", "(4, 5)"},
                            {"dilation", "(6, 7)"},
                            {"groups", "2"},
                            {"layout", "NCHW"},
                            {"kernel_layout", "OIHW"},
                            {"out_layout", "__undef__"},
                            {"out_dtype", "same"},
                            {"use_bias", "True"}}));
  EXPECT_EQ(WriteAttributes(Opcode::kTake, {{}}, {}), (AttributeTexts{{"axis", "None"}}));
  EXPECT_EQ(WriteAttributes(Opcode::kRelu, {}, {}), AttributeTexts());
}

TEST(ReadAttributes, RefusesUnknownNames) {
  EXPECT_EQ(LabelOf(Opcode::kRelu, {{"alpha", "1"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kConcatenate, {{"axis", "1"}, {"Axis", "1"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kSum, {{"axes", "1"}}), "cvm_attribute");
  for (const char* name : {"", "__", "____", "_x_", "__x", "x__"}) {
    EXPECT_EQ(LabelOf(Opcode::kRelu, {{name, "1"}}), "cvm_attribute") << name;
  }
}

TEST(ReadAttributes, RefusesMissingNames) {
  EXPECT_EQ(LabelOf(Opcode::kClip, {{"a_min", "1"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kReshape, {}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kRepeat, {{"axis", "1"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kCvmRightShift, {{"precision", "8"}}), "cvm_attribute");
}

TEST(ReadAttributes, RefusesValuesWithoutAMeaning) {
  EXPECT_EQ(LabelOf(Opcode::kUpsampling, {{"scale", "2"}, {"layout", "NHWC"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kUpsampling, {{"scale", "2"}, {"method", "BILINEAR"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kUpsampling, {{"scale", "(2, 2)"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kSum, {{"dtype", "float32"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kNonMaxSuppression, {{"coord_start", "1"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kNonMaxSuppression, {{"return_indices", "True"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kNonMaxSuppression, {{"invalid_to_bottom", "False"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kNonMaxSuppression, {{"invalid_to_bottom", "2"}}), "cvm_attribute");
  EXPECT_EQ(LabelOf(Opcode::kCvmClip, {{"precision", "8"}, {"is_sign", "maybe"}}), "cvm_attribute");
}

TEST(ReadAttributes, RefusesWhatTheOperandsContradict) {
  const std::vector<Shape> two = Shapes({{1, 4, 9, 9}, {6, 2, 3, 5}});
  const auto conv = [](const char* channels, const char* kernel, const char* bias) {
    return AttributeTexts{{"channels", channels}, {"kernel_size", kernel}, {"use_bias", bias}};
  };
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("6", "(3, 5)", "0"), two), "");
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("5", "(3, 5)", "0"), two), "cvm_operands");
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("6", "(5, 3)", "0"), two), "cvm_operands");
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("6", "3", "0"), two), "cvm_operands");
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("6", "(3, 5)", "1"), two), "cvm_operands");
  EXPECT_EQ(LabelOf(Opcode::kConv2d, conv("6", "()", "0"), Shapes({{1, 4, 9, 9}, {6}})),
            "");  // conv2d_c1 refuses
  EXPECT_EQ(LabelOf(Opcode::kDense, {{"units", "4"}, {"use_bias", "0"}}, Shapes({{1, 3}, {5, 3}})),
            "cvm_operands");
  EXPECT_EQ(LabelOf(Opcode::kDense, {{"units", "5"}, {"use_bias", "0"}}, Shapes({{1, 3}, {5, 3}, {5}})),
            "cvm_operands");
}

}  // namespace
}  // namespace tally::cvm
