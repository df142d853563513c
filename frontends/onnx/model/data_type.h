// The meaning of the numbers of TensorProto::DataType.
#pragma once

#include <optional>

#include "frontends/graph/code_grid.h"
#include "frontends/graph/float_format.h"

namespace tally::onnx {

// Types that TensorProto has since opset 21, and the protobuf of older releases lacks.
constexpr int kUint4 = 21;
constexpr int kInt4 = 22;

bool IsFloat(int data_type);
// The format of FLOAT, DOUBLE, FLOAT16 or BFLOAT16.
frontend::FloatFormat FormatOf(int data_type);

// Nothing of types that hold no codes.
std::optional<frontend::CodeType> CodeTypeOf(int data_type);

}  // namespace tally::onnx
