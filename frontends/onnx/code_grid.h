// Tensors of 4, 8 or 16 bits hold codes: integers that stand for reals on a grid.
//
//   ASSIGN_OR_RETURN(const quant::QuantizedType grid, GridOf(TensorProto::UINT8, 0.5f, 128));
//   GridHeld(grid);  // that of int8, with the zero point 0: what modules compute with
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/interval.h"
#include "quant/lower/quantized_type.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Types that TensorProto has since opset 21, and the protobuf of older releases lacks.
constexpr int kUint4 = 21;
constexpr int kInt4 = 22;

// What codes of a type go through; nothing of types that hold none.
std::optional<Interval> IntervalOfCodes(int data_type);

// "uint8", of a type that holds codes.
std::string_view NameOfCodes(int data_type);

// real = scale * (code - zero_point). Errors: onnx_malformed, where the scale is not positive and finite or
// the zero point is none of the type's integers; onnx_unsupported_type.
absl::StatusOr<quant::QuantizedType> GridOf(int data_type, float scale, int64_t zero_point);

// The same reals as signed integers of as many bits.
quant::QuantizedType GridHeld(quant::QuantizedType grid);

}  // namespace tally::onnx
