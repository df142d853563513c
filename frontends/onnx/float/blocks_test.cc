#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;

constexpr char kMicrosoft[] = "com.microsoft";
constexpr int kInt4 = 22;

// Two columns of 20 rows in blocks of 16: the low bits of a byte are the first row.
ModelBuilder Product(int64_t bits, bool has_zeros) {
  ModelBuilder model;
  model.Input("a", {1, 20})
      .Output("y")
      .Weight("s", {{4}, {1, 0.5f, 2, 0.25f}})
      .Weight("bias", {{2}, {100, 200}});
  Int64Tensor codes{{2, 2, 2 * bits}, {}};
  for (int64_t i = 0; i < 8 * bits; ++i) codes.data.push_back(i * 37 % 256);
  model.Codes("b", TensorProto::UINT8, codes);
  const std::vector<int64_t> zero_points =
      bits == 4 ? std::vector<int64_t>{0x31, 0x0f} : std::vector<int64_t>{1, 3, 15, 0};
  model.Codes("z", TensorProto::UINT8, {{std::ssize(zero_points)}, zero_points});
  const std::vector<std::string> plain = {"a", "b", "s"}, zeros = {"a", "b", "s", "z", "", "bias"};
  model.Node("MatMulNBits", has_zeros ? zeros : plain, {"y"})
      .Domain(kMicrosoft)
      .Int("K", 20)
      .Int("N", 2)
      .Int("bits", bits)
      .Int("block_size", 16)
      .Int("accuracy_level", 4);
  return model;
}

// The elements of column 0 and 1 that one row of A picks.
std::vector<float> Row(const ModelBuilder& model, int64_t row) {
  FloatTensor a{{1, 20}, std::vector<float>(20)};
  a.data[static_cast<size_t>(row)] = 1;
  return std::get<FloatTensor>(model.Run({a})[0]).data;
}

TEST(ImportBlocks, ProductsWithCodesOfFourBits) {
  const ModelBuilder plain =
      Product(4, false);  // bytes 0, 37 = 0x25, ...; the second column begins with byte 16: 0x50
  EXPECT_EQ(Row(plain, 0), (std::vector<float>{-8, (0 - 8) * 2.0f}));
  EXPECT_EQ(Row(plain, 2), (std::vector<float>{5 - 8, (5 - 8) * 2.0f}));  // 0x25 and 0x75
  EXPECT_EQ(Row(plain, 3), (std::vector<float>{2 - 8, (7 - 8) * 2.0f}));
  EXPECT_EQ(Row(plain, 17),
            (std::vector<float>{(2 - 8) * 0.5f, (7 - 8) * 0.25f}));  // byte 8: 0x28, byte 24: 0x78
  const ModelBuilder zeros = Product(4, true);                       // 1, 3 and 15, 0
  EXPECT_EQ(Row(zeros, 2), (std::vector<float>{5 - 1 + 100, (5 - 15) * 2.0f + 200}));
  EXPECT_EQ(Row(zeros, 17), (std::vector<float>{(2 - 3) * 0.5f + 100, 7 * 0.25f + 200}));
}

TEST(ImportBlocks, ProductsWithCodesOfEightAndTwoBits) {
  EXPECT_EQ(Row(Product(8, false), 1), (std::vector<float>{37 - 128, (33 * 37 % 256 - 128) * 2.0f}));
  EXPECT_EQ(Row(Product(8, true), 1), (std::vector<float>{37 - 1 + 100, (33 * 37 % 256 - 15) * 2.0f + 200}));
  EXPECT_EQ(Row(Product(2, false), 4), (std::vector<float>{(37 & 3) - 2, ((9 * 37 % 256 & 3) - 2) * 2.0f}));
}

TEST(ImportBlocks, WhatProductsAreRefused) {
  ModelBuilder ordered = Product(4, true);
  ordered.Integers("g", {{20}, std::vector<int64_t>(20)});
  ordered.graph().mutable_node(0)->set_input(4, "g");
  EXPECT_EQ(ordered.ImportLabel(), "model_unsupported_operand");
  ModelBuilder bits = Product(4, false);
  bits.graph().mutable_node(0)->mutable_attribute(2)->set_i(3);
  EXPECT_EQ(bits.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder rows = Product(4, false);
  rows.graph().mutable_node(0)->mutable_attribute(0)->set_i(400);
  EXPECT_EQ(rows.ImportLabel(), "model_shape");
  ModelBuilder none = Product(4, false);
  none.graph().mutable_node(0)->mutable_attribute(3)->set_i(0);
  EXPECT_EQ(none.ImportLabel(), "model_malformed");
  ModelBuilder nan = Product(4, false);
  nan.Weight("huge", {{4}, {1, 3e38f, 1, 1}});
  nan.graph().mutable_node(0)->set_input(2, "huge");
  EXPECT_EQ(nan.ImportLabel(), "model_nan_weight");
}

ModelBuilder Rows(int type, const Int64Tensor& codes) {
  ModelBuilder model(21);
  model.IntegerInput("i", {2}).Output("y").Weight("s", {{2, 2}, {1, 2, 4, 8}}).Codes("d", type, codes);
  model.Node("GatherBlockQuantized", {"d", "i", "s"}, {"y"})
      .Domain(kMicrosoft)
      .Int("block_size", 16)
      .Int("gather_axis", 0)
      .Int("quantize_axis", 1);
  return model;
}

TEST(ImportBlocks, RowsOfATableInBlocks) {
  Int64Tensor packed{{2, 16}, std::vector<int64_t>(32)};
  packed.data[0] = 0x91, packed.data[31] = 0xf0;
  const auto y = std::get<FloatTensor>(Rows(TensorProto::UINT8, packed).Run({{{2}, {1, 0}}})[0]);
  EXPECT_EQ(y.shape, (quant::Shape{2, 32}));
  EXPECT_EQ(y.data[31], (15 - 8) * 8);  // the last of row 1
  EXPECT_EQ(y.data[30], -8 * 8);
  EXPECT_EQ(y.data[32], 1 - 8);  // the first of row 0
  EXPECT_EQ(y.data[33], 9 - 8);
  ModelBuilder signs = Rows(kInt4, {{2, 32}, {}});
  auto* codes = signs.graph().mutable_initializer(1);
  ASSERT_EQ(codes->name(), "d");
  codes->set_raw_data(std::string(32, '\xdd'));  // two of -3
  EXPECT_EQ(std::get<FloatTensor>(signs.Run({{{2}, {1, 0}}})[0]).data[0], -12);
}

TEST(ImportBlocks, DequantizedConstantsInBlocks) {
  ModelBuilder model(21);
  model.Input("x", {2, 3}).Output("y").Codes("w", TensorProto::INT8, {{2, 3}, {1, 2, 3, -4, 5, 6}});
  model.Weight("s", {{2, 2}, {1, 0.5f, 2, 4}}).Codes("z", TensorProto::INT8, {{2, 2}, {0, 1, 0, 2}});
  model.Node("DequantizeLinear", {"w", "s", "z"}, {"reals"}).Int("axis", 1).Int("block_size", 2);
  model.Node("Add", {"x", "reals"}, {"y"});
  EXPECT_EQ(std::get<FloatTensor>(model.Run({{{2, 3}, {0, 0, 0, 0, 0, 0}}})[0]).data,
            (std::vector<float>{1, 2, 1, -8, 10, 16}));
  model.graph().mutable_node(0)->mutable_attribute(1)->set_i(1);
  EXPECT_EQ(model.ImportLabel(), "model_shape");
}

}  // namespace
}  // namespace tally::onnx
