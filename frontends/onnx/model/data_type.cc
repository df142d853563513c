#include "frontends/onnx/model/data_type.h"

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

using ::onnx::TensorProto;

bool IsFloat(int data_type) {
  return data_type == TensorProto::FLOAT || data_type == TensorProto::DOUBLE ||
         data_type == TensorProto::FLOAT16 || data_type == TensorProto::BFLOAT16;
}

frontend::FloatFormat FormatOf(int data_type) {
  switch (data_type) {
    case TensorProto::DOUBLE: return frontend::kDouble;
    case TensorProto::FLOAT16: return frontend::kHalf;
    case TensorProto::BFLOAT16: return frontend::kBrain;
    default: return frontend::kSingle;
  }
}

std::optional<frontend::CodeType> CodeTypeOf(int data_type) {
  switch (data_type) {
    case TensorProto::INT8: return frontend::CodeType{.bits = 8, .is_signed = true};
    case TensorProto::UINT8: return frontend::CodeType{.bits = 8, .is_signed = false};
    case TensorProto::INT16: return frontend::CodeType{.bits = 16, .is_signed = true};
    case TensorProto::UINT16: return frontend::CodeType{.bits = 16, .is_signed = false};
    case kInt4: return frontend::CodeType{.bits = 4, .is_signed = true};
    case kUint4: return frontend::CodeType{.bits = 4, .is_signed = false};
    default: return std::nullopt;
  }
}

}  // namespace tally::onnx
