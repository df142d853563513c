#include "frontends/onnx/code_grid.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "frontends/onnx/labels.h"

namespace tally::onnx {

using ::onnx::TensorProto;

namespace {

struct CodeType {
  int data_type;
  std::string_view name;
  Interval interval;
};
constexpr CodeType kCodeTypes[] = {
    {TensorProto::INT8, "int8", {-128, 127}},
    {TensorProto::UINT8, "uint8", {0, 255}},
    {TensorProto::INT16, "int16", {-32768, 32767}},
    {TensorProto::UINT16, "uint16", {0, 65535}},
    {kInt4, "int4", {-8, 7}},
    {kUint4, "uint4", {0, 15}},
};

const CodeType* Find(int data_type) {
  const auto found = std::ranges::find(kCodeTypes, data_type, &CodeType::data_type);
  return found == std::end(kCodeTypes) ? nullptr : found;
}

}  // namespace

std::optional<Interval> IntervalOfCodes(int data_type) {
  const CodeType* type = Find(data_type);
  return type == nullptr ? std::nullopt : std::optional(type->interval);
}

std::string_view NameOfCodes(int data_type) { return Find(data_type)->name; }

absl::StatusOr<quant::QuantizedType> GridOf(int data_type, float scale, int64_t zero_point) {
  const std::optional<Interval> interval = IntervalOfCodes(data_type);
  if (!interval.has_value()) {
    return MakeError(label::onnx_unsupported_type,
                     absl::StrCat("element type ", data_type, " is none of 4, 8 or 16 bits"));
  }
  if (!std::isfinite(scale) || scale <= 0) {
    return MakeError(label::onnx_malformed, absl::StrCat("a scale is ", scale, ", not positive and finite"));
  }
  if (!interval->Contains(zero_point)) {
    return MakeError(label::onnx_malformed,
                     absl::StrCat("the zero point ", zero_point, " is none of ", interval->ToString()));
  }
  return quant::QuantizedType{scale, zero_point, *interval, Rounding::kHalfEven};
}

quant::QuantizedType GridHeld(quant::QuantizedType grid) {
  if (grid.interval.hi < 128) return grid;  // it fits 8 bits with a sign already
  const int64_t offset = grid.interval.lo + (grid.interval.hi - grid.interval.lo + 1) / 2;
  grid.zero_point -= offset;
  grid.interval = quant::Minus(grid.interval, offset);
  return grid;
}

}  // namespace tally::onnx
