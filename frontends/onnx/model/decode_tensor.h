// TensorProto to Tensor.
//
//   ASSIGN_OR_RETURN(const quant::Tensor weight, DecodeTensor(graph.initializer(0)));
//
// FLOAT, DOUBLE, FLOAT16 and BFLOAT16 become float32; INT64, INT32 and BOOL become int64. A dimension may be
// 0 here.
// Errors: onnx_external_data, model_unsupported_type, model_shape (rank or size), model_malformed (data and
// shape differ).
#pragma once

#include "absl/status/statusor.h"
#include "quant/tensor/tensor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

absl::StatusOr<quant::Tensor> DecodeTensor(const ::onnx::TensorProto& proto);

// A tensor of codes (frontends/graph/code_grid.h): INT4, UINT4, INT8, UINT8, INT16 and UINT16. The same
// errors.
absl::StatusOr<quant::Int64Tensor> DecodeCodes(const ::onnx::TensorProto& proto);

}  // namespace tally::onnx
