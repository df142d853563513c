#include "frontends/ncnn/param_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"

namespace tally::ncnn {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string LabelOf(const std::string& text) {
  return std::string(ErrorLabel(ReadParamFile(BytesOf(text)).status()));
}

constexpr char kTwo[] = "7767517\n2 2\nInput in 0 1 x 0=4\nReLU r 1 1 x y ";

TEST(ParamFile, NumbersAreIntegersFloatsListsAndStrings) {
  auto file =
      *ReadParamFile(BytesOf(std::string(kTwo) + "0=-3 1=0.25 2=1e2 -23304=2,1.0,2.0 5=7,8 6=\"a\"\r\n\n"));
  ASSERT_EQ(file.layers.size(), 2u);
  ParamLayer& layer = file.layers[1];
  EXPECT_EQ(layer.type + layer.name + layer.inputs[0] + layer.outputs[0], "ReLUrxy");
  EXPECT_EQ(*layer.params.Int(0, 0), -3);
  EXPECT_EQ(*layer.params.Float(1, 0), 0.25f);
  EXPECT_EQ(*layer.params.Float(2, 0), 100);
  EXPECT_EQ(*layer.params.Floats(4), (std::vector<float>{1, 2}));
  EXPECT_EQ(*layer.params.Ints(5), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(ErrorLabel(layer.params.Int(5, 0).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(layer.params.Int(6, 0).status()), "model_malformed");
  EXPECT_EQ(*layer.params.Int(9, 42), 42);
}

// A text file's integer in the place of a float is its bits: ncnn's tools write lists of floats so.
TEST(ParamFile, IntegersForFloatsAreTheirBits) {
  auto file = *ReadParamFile(BytesOf(std::string(kTwo) + "-23305=2,1077936128,1082130432 0=0"));
  EXPECT_EQ(*file.layers[1].params.Floats(5), (std::vector<float>{3, 4}));
  EXPECT_EQ(*file.layers[1].params.Float(0, 9), 0);
}

TEST(ParamFile, WhatNothingReadsIsRefusedUnlessItIsZero) {
  auto file = *ReadParamFile(BytesOf(std::string(kTwo) + "0=1 3=0 30=5 31=6"));
  Params& params = file.layers[1].params;
  EXPECT_EQ(ErrorLabel(params.CheckAllRead()), "model_unsupported_attribute");
  EXPECT_TRUE(params.Int(0, 0).ok());
  EXPECT_TRUE(params.CheckAllRead().ok());
}

// One part of a file contradicts another one.
TEST(ParamFile, ContradictionsAreRefused) {
  const std::string layers = "\nInput in 0 1 x\nReLU r 1 1 x y\n";
  EXPECT_EQ(LabelOf("7767517\n2 2" + layers), "");
  EXPECT_EQ(LabelOf("7767517\n1 2" + layers), "model_malformed");  // more layers than it says
  EXPECT_EQ(LabelOf("7767517\n3 2" + layers), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n2 1" + layers), "model_malformed");  // more blobs
  EXPECT_EQ(LabelOf("7767517\n2 9" + layers), "model_malformed");
}

// A layer is known by its place.
TEST(ParamFile, LayersMayHaveOneName) {
  EXPECT_EQ(LabelOf("7767517\n2 2\nInput act 0 1 x\nReLU act 1 1 x y"), "");
}

TEST(ParamFile, CountsBeyondTheLineAreNoMemory) {
  const std::string large = std::to_string(INT64_MAX);
  EXPECT_EQ(LabelOf("7767517\n1 1\nReLU r " + large + " 1 x y"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n1 1\nReLU r 1 " + large + " x y"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n1 1\nReLU r " + large + " " + large + " x y"), "model_malformed");
}

TEST(ParamFile, StringsMayBeInQuotationMarks) {
  auto file = *ReadParamFile(BytesOf(std::string(kTwo) + "0=2 6=\"*(0w,2),0h\" 9=abc"));
  EXPECT_EQ(*file.layers[1].params.Text(6), "*(0w,2),0h");
  EXPECT_EQ(*file.layers[1].params.Text(9), "abc");
  EXPECT_EQ(*file.layers[1].params.Text(5), "");
  EXPECT_FALSE(file.layers[1].params.Text(0).ok());
  EXPECT_FALSE(file.layers[1].params.Int(6, 0).ok());
  EXPECT_EQ(LabelOf(std::string(kTwo) + "6=\"*(0w,2)"), "model_malformed");
}

TEST(ParamFile, Refusals) {
  EXPECT_EQ(LabelOf(std::string(kTwo)), "");
  EXPECT_EQ(LabelOf("7767517\n3 2\nInput in 0 1 x\nReLU r 1 1 x y"), "model_malformed");  // a line less
  EXPECT_EQ(LabelOf("7767517\n-1 2\n"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n1\nInput in 0 1 x\n"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n1 1\nInput in 0 2 x\n"), "model_malformed");  // a blob less
  EXPECT_EQ(LabelOf("7767517\n1 1\nInput in 0 -1 x\n"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n1 1\nInput in 9999999999999999 1 x\n"), "model_malformed");
  EXPECT_EQ(LabelOf("7767517\n2 2\nInput a 0 1 x\nReLU b 1 1 x x"), "model_malformed");  // one blob twice
  for (const char* param :
       {"0", "0=", "0=1=2", "x=1", "99=1", "-1=1", "-23300=3,1", "0=1 0=1", "0=1,,2", "0=5000000000"}) {
    EXPECT_EQ(LabelOf(std::string(kTwo) + param), "model_malformed") << param;
  }
}

std::string Binary(const std::vector<int32_t>& words) {
  std::string bytes(words.size() * 4, '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

TEST(ParamFile, BinaryHasTheSameNumbers) {
  // An Input (16) of w = 4 and a ReLU (26) with a slope and a list.
  const std::vector<int32_t> words = {7767517, 2, 2, 16, 0, 1,          0,      0, 4, -233, 26,
                                      1,       1, 0, 1,  0, 0x3e800000, -23310, 2, 7, 8,    -233};
  auto file = *ReadParamFile(BytesOf(Binary(words)));
  EXPECT_EQ(file.layers[0].type, "Input");
  EXPECT_EQ(*file.layers[0].params.Int(0, 0), 4);
  EXPECT_EQ(file.layers[1].inputs, file.layers[0].outputs);
  EXPECT_EQ(*file.layers[1].params.Float(0, 0), 0.25f);
  EXPECT_EQ(*file.layers[1].params.Ints(10), (std::vector<int64_t>{7, 8}));
  for (size_t size = 1; size < words.size(); ++size) {  // cut off anywhere
    EXPECT_EQ(LabelOf(Binary({words.begin(), words.begin() + static_cast<int64_t>(size)})), "model_malformed")
        << size;
  }
  EXPECT_EQ(LabelOf(Binary({7767517, 1, 1, 110, 0, 0, -233})), "model_unsupported_operator");
  EXPECT_EQ(LabelOf(Binary({7767517, 1, 1, 16, 0, 1 << 30, 0, -233})), "model_malformed");
  EXPECT_EQ(LabelOf(Binary({7767517, 1, 1, 16, 0, 1, 0, -23310, 1 << 30, 0, -233})), "model_malformed");
}

}  // namespace
}  // namespace tally::ncnn
