// The encodings of floats in ONNX tensors, by one rule for all formats of IEEE 754.
//
//   DecodeFloat(0x3c00, FormatOf(TensorProto::FLOAT16));  // 1.0
//   EncodeFloat(1.0, FormatOf(TensorProto::BFLOAT16));    // 0x3f80
#pragma once

#include <cstdint>

namespace tally::onnx {

struct FloatFormat {
  int mantissa_bits;  // without the leading one
  int exponent_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int all_ones() const { return (1 << exponent_bits) - 1; }  // the exponent of infinities and NaNs
};

// The format of FLOAT, DOUBLE, FLOAT16 or BFLOAT16 (TensorProto::DataType).
FloatFormat FormatOf(int data_type);
bool IsFloat(int data_type);

// Exact: a double holds the values of every format.
double DecodeFloat(uint64_t bits, FloatFormat format);

// The nearest value, ties to even; an infinity when it is too large. `value` is finite.
uint64_t EncodeFloat(double value, FloatFormat format);

}  // namespace tally::onnx
