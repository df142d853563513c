// ONNX tensors as integers of one scale: real = integer * 2^-fraction_bits, exactly.
//
//   ASSIGN_OR_RETURN(const FixedPoint x, DecodeFixedPoint(proto));
//   x.tensor.view().at(0);
//
// Every finite float is an integer times a power of two, so a tensor of floats has such a scale; it is read
// here when the integers stay inside the limits of a tensor. Integer and bool tensors have no fraction bits.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "frontends/onnx/model/data_type.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

struct FixedPoint {
  Tensor tensor;
  int fraction_bits = 0;
  int data_type = 0;  // TensorProto::DataType
  bool is_saturated = false;
};

// Errors: those of tensor_elements.h, model_shape (an empty tensor, rank or size), model_inexact
// (an infinity, a NaN, a range of magnitudes too wide for 47 bits, or an element outside 48 bits).
absl::StatusOr<FixedPoint> DecodeFixedPoint(const ::onnx::TensorProto& proto);

// The same, where an integer outside 48 bits becomes the nearest within, and `is_saturated` says so.
absl::StatusOr<FixedPoint> DecodeSaturated(const ::onnx::TensorProto& proto);

// Whether a dim is 0: such a tensor has no place in a module.
bool IsEmpty(const ::onnx::TensorProto& proto);

// The value of an integer in fixed point as a float of `data_type`, in that type's encoding: rounded to
// nearest, ties to even. |value| < 2^48.
uint64_t EncodeFixed(int64_t value, int fraction_bits, int data_type);

// The encodings of the elements of a tensor of floats, as EncodeFixed gives them. Errors: as
// DecodeFixedPoint.
absl::StatusOr<std::vector<uint64_t>> FloatEncodings(const ::onnx::TensorProto& proto);

}  // namespace tally::onnx
