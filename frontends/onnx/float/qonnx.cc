// Quant of QONNX (domain qonnx.custom_op.general), which Brevitas and QKeras write for weights and for what
// is computed:
//   y = scale * (clip(round(x / scale + zero_point)) - zero_point), on as many bits as its last input says.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/code_grid.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/float/constant_codes.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::QuantizedType;

using RoundingFunction = double (*)(double);

struct RoundingMode {
  std::string_view name;
  RoundingFunction round;
};

double HalfDown(double x) { return std::copysign(std::ceil(std::abs(x) - 0.5), x); }
double Up(double x) { return std::copysign(std::ceil(std::abs(x)), x); }

// The names in QONNX. `nearbyint` rounds ties to even, as no code of ours sets another mode.
constexpr RoundingMode kRoundingModes[] = {
    {"ROUND", [](double x) { return std::nearbyint(x); }},
    {"HALF_EVEN", [](double x) { return std::nearbyint(x); }},
    {"CEIL", [](double x) { return std::ceil(x); }},
    {"FLOOR", [](double x) { return std::floor(x); }},
    {"UP", Up},
    {"DOWN", [](double x) { return std::trunc(x); }},
    {"ROUND_TO_ZERO", [](double x) { return std::trunc(x); }},
    {"HALF_UP", [](double x) { return std::round(x); }},
    {"HALF_DOWN", HalfDown},
};

bool IsToEven(const RoundingMode& mode) { return mode.name == "ROUND" || mode.name == "HALF_EVEN"; }

absl::StatusOr<RoundingMode> ReadRoundingMode(NodeContext& node) {
  ASSIGN_OR_RETURN(std::string name, node.attributes().String("rounding_mode", "ROUND"));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto mode = std::ranges::find(kRoundingModes, name, &RoundingMode::name);
  if (mode != std::end(kRoundingModes)) return *mode;
  return MakeError(label::model_unsupported_attribute,
                   "rounding_mode '" + PrintableStart(name) + "'; known are " +
                       absl::StrJoin(kRoundingModes, ", ", [](std::string* text, const RoundingMode& known) {
                         text->append(known.name);
                       }));
}

// The integers that codes may be. Constants may have those of biases.
absl::StatusOr<Interval> ReadCodes(NodeContext& node, int64_t most_bits) {
  ASSIGN_OR_RETURN(const double bits, node.NumberConstant(3));
  ASSIGN_OR_RETURN(const int64_t is_signed, node.attributes().Int("signed", 1));
  ASSIGN_OR_RETURN(const int64_t is_narrow, node.attributes().Int("narrow", 0));
  if (!(bits >= 2 && bits <= static_cast<double>(most_bits)) || bits != std::floor(bits)) {
    return MakeError(label::model_unsupported_operand,
                     absl::StrCat("a bit width of ", bits, " is not imported here, only 2 to ", most_bits));
  }
  Interval codes = CodeType{static_cast<int>(bits), is_signed != 0}.interval();
  if (is_narrow != 0) is_signed != 0 ? ++codes.lo : --codes.hi;
  return codes;
}

// The axis of `shape` along which there are as many numbers as `numbers` has, aligned at the last one.
absl::StatusOr<int64_t> AxisOf(const FloatTensor& numbers, const quant::Shape& shape) {
  std::optional<int64_t> axis;
  const int64_t offset = std::ssize(shape) - std::ssize(numbers.shape);
  for (int64_t d = 0; d < std::ssize(numbers.shape); ++d) {
    const int64_t size = numbers.shape[static_cast<size_t>(d)];
    if (size == 1) continue;
    if (axis.has_value() || d + offset < 0 || shape[static_cast<size_t>(d + offset)] != size) {
      return MakeError(label::model_unsupported_operand, "scales of " + quant::ToString(numbers.shape) +
                                                             " are not those of one axis of " +
                                                             quant::ToString(shape));
    }
    axis = d + offset;
  }
  return axis.value_or(0);
}

absl::StatusOr<CodeGrids> ReadGrids(NodeContext& node, const quant::Shape& shape, const Interval& codes) {
  ASSIGN_OR_RETURN(const FloatTensor* scales, node.FloatConstant(1));
  ASSIGN_OR_RETURN(const FloatTensor* zeros, node.FloatConstant(2));
  CodeGrids grids;
  ASSIGN_OR_RETURN(grids.axis, AxisOf(*scales, shape));
  if (zeros->data.size() != 1 && zeros->shape != scales->shape) {
    return MakeError(label::model_shape, "zero points of " + quant::ToString(zeros->shape) +
                                             " and scales of " + quant::ToString(scales->shape));
  }
  for (size_t i = 0; i < scales->data.size(); ++i) {
    const double scale = scales->data[i], zero = zeros->data[zeros->data.size() == 1 ? 0 : i];
    if (!std::isfinite(scale) || scale <= 0) {
      return MakeError(label::model_malformed,
                       absl::StrCat("a scale is ", scale, ", not positive and finite"));
    }
    if (zero != std::floor(zero) || !codes.Contains(static_cast<int64_t>(std::clamp(zero, -1e9, 1e9)))) {
      return MakeError(
          label::model_unsupported_operand,
          absl::StrCat("the zero point ", zero, " is not one of the integers ", codes.ToString()));
    }
    grids.grids.push_back({scale, static_cast<int64_t>(zero), codes, Rounding::kHalfEven});
  }
  return grids;
}

absl::Status FinishAsConstant(NodeContext& node, const FloatTensor& x, const RoundingMode& mode) {
  ASSIGN_OR_RETURN(const Interval codes, ReadCodes(node, kWideCodes.bits));
  ASSIGN_OR_RETURN(const CodeGrids grids, ReadGrids(node, x.shape, codes));
  quant::Int64Tensor integers{x.shape, {}};
  for (size_t i = 0; i < x.data.size(); ++i) {
    const QuantizedType& grid = grids.Of(i, x.shape);
    const double quotient = x.data[i] / grid.scale + static_cast<double>(grid.zero_point);
    if (!std::isfinite(quotient)) {
      return MakeError(label::model_nan_weight, "a constant to quantize holds NaN or an infinity");
    }
    const double least = static_cast<double>(codes.lo), most = static_cast<double>(codes.hi);
    integers.data.push_back(static_cast<int64_t>(mode.round(std::clamp(quotient, least, most))));
  }
  return FinishConstant(node, integers, grids);
}

// Computed values with a scale for each channel: in units of it they have one grid.
absl::Status FinishChannels(NodeContext& node, const Operand& x, const CodeGrids& grids) {
  QuantizedType unit = grids.grids[0];
  unit.scale = 1;
  FloatTensor scales{quant::Shape(x.shape().size(), 1), {}};
  scales.shape[static_cast<size_t>(grids.axis)] = std::ssize(grids.grids);
  for (const QuantizedType& grid : grids.grids) {
    scales.data.push_back(static_cast<float>(grid.scale));
    if (grid.zero_point != unit.zero_point) {
      return MakeError(
          label::model_unsupported_operand,
          "what is computed at run time has a zero point for each channel; one for all is right");
    }
  }
  ASSIGN_OR_RETURN(const Operand each, node.NewConstant(std::move(scales), "scales"));
  ASSIGN_OR_RETURN(const Operand quotient, Quotient(node, x, each));
  ASSIGN_OR_RETURN(const Operand codes,
                   node.Emit(quant::FakeQuantize{GridHeld(unit)}, {quotient}, "on_grid"));
  return node.FinishAs(Product(node, codes, each));
}

}  // namespace

absl::Status ImportQuant(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const RoundingMode mode, ReadRoundingMode(node));
  if (x.is_constant()) {
    ASSIGN_OR_RETURN(const FloatTensor* floats, node.FloatConstant(0));
    return FinishAsConstant(node, *floats, mode);
  }
  if (!IsToEven(mode)) {
    return MakeError(label::model_unsupported_attribute,
                     "what is computed at run time is rounded to even: rounding_mode ROUND");
  }
  constexpr int64_t kMostBits = 16;
  ASSIGN_OR_RETURN(const Interval codes, ReadCodes(node, kMostBits));
  ASSIGN_OR_RETURN(const CodeGrids grids, ReadGrids(node, x.shape(), codes));
  if (grids.grids.size() != 1) return FinishChannels(node, x, grids);
  return node.Finish(quant::FakeQuantize{GridHeld(grids.grids[0])}, {x});
}

}  // namespace tally::onnx
