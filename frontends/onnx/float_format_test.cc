#include "frontends/onnx/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

TEST(FloatFormat, EncodingIsTheInverseOfDecoding) {
  for (const int type : {TensorProto::FLOAT16, TensorProto::BFLOAT16}) {
    const FloatFormat format = FormatOf(type);
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = DecodeFloat(bits, format);
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(EncodeFloat(value, format), bits);
    }
  }
}

TEST(FloatFormat, EncodesAsTheHardwareDoes) {
  for (const double value : {0.0, -0.0, 1.0, -0.1, 1.0 / 3, 16777217.0, 16777219.0, 0x1.fffffefp+60, 1e38,
                             0x1p-126, 0x1.8p-149, 0x0.8p-149, 0x1.0p-150, 5e-40, 1e-60}) {
    EXPECT_EQ(EncodeFloat(value, FormatOf(TensorProto::FLOAT)),
              std::bit_cast<uint32_t>(static_cast<float>(value)))
        << value;
    EXPECT_EQ(EncodeFloat(value, FormatOf(TensorProto::DOUBLE)), std::bit_cast<uint64_t>(value)) << value;
  }
}

TEST(FloatFormat, RoundsToEvenAndToInfinity) {
  const FloatFormat half = FormatOf(TensorProto::FLOAT16), brain = FormatOf(TensorProto::BFLOAT16);
  EXPECT_EQ(EncodeFloat(2049, half), EncodeFloat(2048, half));
  EXPECT_EQ(EncodeFloat(2051, half), EncodeFloat(2052, half));
  EXPECT_EQ(EncodeFloat(65519, half), 0x7bffu);
  EXPECT_EQ(EncodeFloat(-65520, half), 0xfc00u);
  EXPECT_EQ(EncodeFloat(257, brain), EncodeFloat(256, brain));
  EXPECT_EQ(EncodeFloat(259, brain), EncodeFloat(260, brain));
  EXPECT_EQ(EncodeFloat(1.0, brain), 0x3f80u);
}

}  // namespace
}  // namespace tally::onnx
