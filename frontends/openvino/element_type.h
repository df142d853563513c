// The element types of IR files, and constants of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/interval.h"
#include "quant/tensor/tensor.h"

namespace tally::openvino {

struct IrType {
  int bits = 32;
  enum class Kind { kFloat, kBrainFloat, kSigned, kUnsigned, kFlag } kind = Kind::kFloat;

  bool operator==(const IrType&) const = default;
  bool is_float() const { return kind == Kind::kFloat || kind == Kind::kBrainFloat; }
  // The range of integers of 16 bits or less.
  std::optional<Interval> interval() const;
};

// "f32", "FP32", "i64", "boolean", .. Errors: model_unsupported_type.
absl::StatusOr<IrType> IrTypeOf(std::string_view name);

// Floats, or integers; flags are 0 and 1. Elements of less than 8 bits are packed, u1 from the highest bit
// on, u4 and i4 from the lowest. Errors: model_shape, model_nan_weight, model_unsupported_type for what 64
// bits with a sign do not hold; model_malformed where there are more or fewer bytes than the shape says.
absl::StatusOr<quant::Tensor> DecodeConstant(IrType type, const quant::Shape& shape,
                                             std::span<const uint8_t> bytes);

}  // namespace tally::openvino
