#include "frontends/onnx/model/decode_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

template <typename T>
TensorProto Raw(int data_type, const std::vector<int64_t>& dims, const std::vector<T>& elements) {
  TensorProto proto;
  proto.set_data_type(data_type);
  for (const int64_t dimension : dims) proto.add_dims(dimension);
  proto.set_raw_data(elements.data(), elements.size() * sizeof(T));
  return proto;
}

TensorProto Typed(int data_type, const std::vector<int64_t>& dims) {
  TensorProto proto;
  proto.set_data_type(data_type);
  for (const int64_t dimension : dims) proto.add_dims(dimension);
  return proto;
}

std::string LabelOf(const TensorProto& proto) { return ErrorLabel(DecodeTensor(proto).status()); }

TEST(DecodeTensor, RawData) {
  EXPECT_EQ(*DecodeTensor(Raw<float>(TensorProto::FLOAT, {1, 2}, {1, -2})),
            Tensor(FloatTensor{{1, 2}, {1, -2}}));
  EXPECT_EQ(*DecodeTensor(Raw<double>(TensorProto::DOUBLE, {}, {0.5})), Tensor(FloatTensor{{}, {0.5f}}));
  EXPECT_EQ(*DecodeTensor(Raw<int64_t>(TensorProto::INT64, {2}, {INT64_MIN, 7})),
            Tensor(Int64Tensor{{2}, {INT64_MIN, 7}}));
  EXPECT_EQ(*DecodeTensor(Raw<int32_t>(TensorProto::INT32, {1}, {-7})), Tensor(Int64Tensor{{1}, {-7}}));
  EXPECT_EQ(*DecodeTensor(Raw<uint8_t>(TensorProto::BOOL, {2}, {1, 0})), Tensor(Int64Tensor{{2}, {1, 0}}));
  EXPECT_EQ(*DecodeTensor(Raw<int64_t>(TensorProto::INT64, {0}, {})), Tensor(Int64Tensor{{0}, {}}));
}

TEST(DecodeTensor, TypedFields) {
  TensorProto floats = Typed(TensorProto::FLOAT, {2});
  floats.add_float_data(1);
  floats.add_float_data(2);
  EXPECT_EQ(*DecodeTensor(floats), Tensor(FloatTensor{{2}, {1, 2}}));
  TensorProto doubles = Typed(TensorProto::DOUBLE, {1});
  doubles.add_double_data(3);
  EXPECT_EQ(*DecodeTensor(doubles), Tensor(FloatTensor{{1}, {3}}));
  TensorProto halves = Typed(TensorProto::FLOAT16, {1});
  halves.add_int32_data(0x3c00);
  EXPECT_EQ(*DecodeTensor(halves), Tensor(FloatTensor{{1}, {1}}));
  TensorProto longs = Typed(TensorProto::INT64, {1});
  longs.add_int64_data(-4);
  EXPECT_EQ(*DecodeTensor(longs), Tensor(Int64Tensor{{1}, {-4}}));
  for (const auto type : {TensorProto::INT32, TensorProto::BOOL}) {
    TensorProto ints = Typed(type, {1});
    ints.add_int32_data(1);
    EXPECT_EQ(*DecodeTensor(ints), Tensor(Int64Tensor{{1}, {1}}));
  }
}

TEST(DecodeTensor, Float16CoversItsRange) {
  const std::vector<uint16_t> bits = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3555, 0xc000, 0x7bff};
  const auto tensor = DecodeTensor(Raw<uint16_t>(TensorProto::FLOAT16, {8}, bits));
  ASSERT_TRUE(tensor.ok());
  const std::vector<float>& data = std::get<FloatTensor>(*tensor).data;
  EXPECT_EQ(data, (std::vector<float>{0, -0.0f, 0x1p-24f, 0x1.ff8p-15f, 0x1p-14f, 0x1.554p-2f, -2, 65504}));
  EXPECT_TRUE(std::signbit(data[1]));
  const auto special = DecodeTensor(Raw<uint16_t>(TensorProto::FLOAT16, {2}, {0xfc00, 0x7e00}));
  EXPECT_EQ(std::get<FloatTensor>(*special).data[0], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(std::get<FloatTensor>(*special).data[1]));
}

TEST(DecodeTensor, OnnxMalformed_DataThatDoNotFillTheShape) {
  EXPECT_EQ(LabelOf(Raw<float>(TensorProto::FLOAT, {2}, {1})), "model_malformed");
  EXPECT_EQ(LabelOf(Raw<float>(TensorProto::FLOAT, {1}, {1, 2})), "model_malformed");
  EXPECT_EQ(LabelOf(Raw<uint8_t>(TensorProto::FLOAT, {1}, {1, 2, 3})), "model_malformed");
  EXPECT_EQ(LabelOf(Raw<float>(TensorProto::FLOAT, {-1}, {1})), "model_malformed");
  EXPECT_EQ(LabelOf(Typed(TensorProto::FLOAT, {1})), "model_malformed");
  EXPECT_EQ(LabelOf(Typed(TensorProto::INT64, {quant::kMaxElements})),
            "model_malformed");  // and allocates nothing
  TensorProto twice = Raw<float>(TensorProto::FLOAT, {1}, {1});
  twice.add_float_data(1);
  EXPECT_EQ(LabelOf(twice), "model_malformed");
}

// The upper half of a float32.
TEST(DecodeTensor, Bfloat16) {
  const auto tensor =
      DecodeTensor(Raw<uint16_t>(TensorProto::BFLOAT16, {4}, {0x3fc0, 0xc049, 0x0000, 0x7f7f}));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(std::get<quant::FloatTensor>(*tensor).data,
            (std::vector<float>{1.5f, -3.140625f, 0, 0x1.fep127f}));
}

TEST(DecodeTensor, OnnxShape_RankAndSize) {
  EXPECT_EQ(LabelOf(Raw<float>(TensorProto::FLOAT, std::vector<int64_t>(9, 1), {1})), "model_shape");
  EXPECT_EQ(LabelOf(Typed(TensorProto::FLOAT, {INT64_MAX, INT64_MAX})), "model_shape");
  EXPECT_EQ(LabelOf(Typed(TensorProto::FLOAT, {1 << 16, 1 << 16})), "model_shape");
}

TEST(DecodeTensor, OnnxUnsupportedType) {
  for (const int type : {TensorProto::UNDEFINED, TensorProto::UINT8, TensorProto::STRING}) {
    EXPECT_EQ(LabelOf(Raw<float>(type, {1}, {1})), "model_unsupported_type") << type;
  }
  EXPECT_EQ(LabelOf(Raw<float>(99, {1}, {1})), "model_unsupported_type");
  TensorProto segment = Raw<float>(TensorProto::FLOAT, {1}, {1});
  segment.mutable_segment()->set_begin(0);
  EXPECT_EQ(LabelOf(segment), "model_unsupported_type");
}

TEST(DecodeTensor, OnnxExternalData) {
  TensorProto located = Typed(TensorProto::FLOAT, {1});
  located.set_data_location(TensorProto::EXTERNAL);
  EXPECT_EQ(LabelOf(located), "onnx_external_data");
  TensorProto named = Typed(TensorProto::FLOAT, {1});
  named.add_external_data()->set_key("location");
  EXPECT_EQ(LabelOf(named), "onnx_external_data");
}

}  // namespace
}  // namespace tally::onnx
