// Element types as ONNX numbers them.
#pragma once

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/graph/labels.h"
#include "frontends/openvino/element_type.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::openvino {

// TensorProto::DataType. Errors: model_unsupported_type for elements of less than 8 bits.
inline absl::StatusOr<int> OnnxTypeOf(const IrType& type) {
  using ::onnx::TensorProto;
  const auto by_bits = [&](int of_8, int of_16, int of_32, int of_64) {
    return type.bits == 8 ? of_8 : type.bits == 16 ? of_16 : type.bits == 32 ? of_32 : of_64;
  };
  if (type.bits < 8) return MakeError(label::model_unsupported_type, "elements of less than 8 bits");
  switch (type.kind) {
    case IrType::Kind::kFlag: return TensorProto::BOOL;
    case IrType::Kind::kBrainFloat: return TensorProto::BFLOAT16;
    case IrType::Kind::kFloat:
      return by_bits(TensorProto::UNDEFINED, TensorProto::FLOAT16, TensorProto::FLOAT, TensorProto::DOUBLE);
    case IrType::Kind::kSigned:
      return by_bits(TensorProto::INT8, TensorProto::INT16, TensorProto::INT32, TensorProto::INT64);
    case IrType::Kind::kUnsigned:
      return by_bits(TensorProto::UINT8, TensorProto::UINT16, TensorProto::UINT32, TensorProto::UINT64);
  }
  return TensorProto::UNDEFINED;
}

}  // namespace tally::openvino
