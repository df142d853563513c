// Tensors of 16 bits or less hold codes: integers that stand for reals on a grid.
//
//   ASSIGN_OR_RETURN(const quant::QuantizedType grid, GridOf({.bits = 8, .is_signed = false}, 0.5f, 128));
//   GridHeld(grid);  // that of int8, with the zero point 0: what modules compute with
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/interval.h"
#include "quant/grid/quantized_type.h"

namespace tally::frontend {

// The integers that a tensor of codes has room for.
struct CodeType {
  int bits = 8;
  bool is_signed = true;

  Interval interval() const;
  std::string ToString() const;  // "uint8"
  bool operator==(const CodeType&) const = default;
};

// The codes of biases.
constexpr CodeType kWideCodes = {.bits = 32, .is_signed = true};

// real = scale * (code - zero_point). Errors: model_malformed, where the scale is not positive and finite or
// the zero point is none of the type's integers.
absl::StatusOr<quant::QuantizedType> GridOf(CodeType type, float scale, int64_t zero_point);

// The same reals as signed integers of as many bits.
quant::QuantizedType GridHeld(quant::QuantizedType grid);

}  // namespace tally::frontend
