// Arithmetic, comparisons, conversions and reductions.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/openvino/element_type.h"
#include "frontends/openvino/exact/onnx_type.h"
#include "frontends/openvino/exact/translators.h"

namespace tally::openvino {
namespace {

absl::Status Reduce(Translator& t, std::string_view op) {
  ASSIGN_OR_RETURN(const bool keeps, t.node().Flag("keep_dims", false));
  t.Add(op, {t.In(0), t.In(1)}, t.Out(0)).Set("keepdims", keeps).Set("noop_with_empty_axes", 1);
  return absl::OkStatus();
}

// Flags are extremes of integers; a reduction of booleans has none in ONNX.
absl::Status ReduceFlags(Translator& t, std::string_view op) {
  ASSIGN_OR_RETURN(const bool keeps, t.node().Flag("keep_dims", false));
  const auto numbers = t.Add("Cast", {t.In(0)}).Set("to", ::onnx::TensorProto::INT32);
  const auto reduced = t.Add(op, {numbers, t.In(1)}).Set("keepdims", keeps).Set("noop_with_empty_axes", 1);
  t.Add("Cast", {reduced}, t.Out(0)).Set("to", ::onnx::TensorProto::BOOL);
  return absl::OkStatus();
}

// With its last two axes in the other order.
absl::StatusOr<std::string> MaybeTransposed(Translator& t, size_t index, const char* attribute) {
  ASSIGN_OR_RETURN(const bool transposes, t.node().Flag(attribute, false));
  ASSIGN_OR_RETURN(const size_t rank, t.RankOf(index));
  if (!transposes || rank < 2) return t.In(index);
  std::vector<int64_t> order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  std::swap(order[rank - 1], order[rank - 2]);
  return std::string(t.Add("Transpose", {t.In(index)}).Set("perm", order));
}

}  // namespace

absl::Status TranslateReduceMax(Translator& t) { return Reduce(t, "ReduceMax"); }
absl::Status TranslateReduceMin(Translator& t) { return Reduce(t, "ReduceMin"); }
absl::Status TranslateReduceProd(Translator& t) { return Reduce(t, "ReduceProd"); }
absl::Status TranslateReduceSum(Translator& t) { return Reduce(t, "ReduceSum"); }
absl::Status TranslateReduceLogicalAnd(Translator& t) { return ReduceFlags(t, "ReduceMin"); }
absl::Status TranslateReduceLogicalOr(Translator& t) { return ReduceFlags(t, "ReduceMax"); }

absl::Status TranslateNotEqual(Translator& t) {
  t.Add("Not", {t.Add("Equal", {t.In(0), t.In(1)})}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslateSquaredDifference(Translator& t) {
  const std::string difference = t.Add("Sub", {t.In(0), t.In(1)});
  t.Add("Mul", {difference, difference}, t.Out(0));
  return absl::OkStatus();
}

// Bounds are those of integers: the lower one rounds up.
absl::Status TranslateClamp(Translator& t) {
  std::vector<std::string> inputs = {t.In(0)};
  for (const bool is_low : {true, false}) {
    ASSIGN_OR_RETURN(const float bound, t.node().Float(is_low ? "min" : "max"));
    constexpr float kMost = 1 << 30;
    const float whole = is_low ? std::ceil(bound) : std::floor(bound);
    if (std::abs(whole) > kMost) {  // no bound
      inputs.emplace_back();
      continue;
    }
    inputs.push_back(t.Add("CastLike", {t.Number(static_cast<int64_t>(whole)), t.In(0)}));
  }
  t.Add("Clip", inputs, t.Out(0));
  return absl::OkStatus();
}

// Integers divide toward minus infinity, as Python's do, unless the layer says no.
absl::Status TranslateDivide(Translator& t) {
  ASSIGN_OR_RETURN(const bool floors, t.node().Flag("m_pythondiv", true));
  if (!floors) {
    t.Add("Div", {t.In(0), t.In(1)}, t.Out(0));
    return absl::OkStatus();
  }
  const std::string quotient = t.Add("Div", {t.In(0), t.In(1)});  // toward 0
  const std::string rest = t.Add("Mod", {t.In(0), t.In(1)});
  const std::string rest_toward_0 = t.Add("Mod", {t.In(0), t.In(1)}).Set("fmod", 1);
  const std::string one = t.Add("CastLike", {t.Number(1), t.In(0)});
  const std::string below = t.Add("Sub", {quotient, one});
  t.Add("Where", {t.Add("Equal", {rest, rest_toward_0}), quotient, below}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslateFloorMod(Translator& t) {
  t.Add("Mod", {t.In(0), t.In(1)}, t.Out(0));
  return absl::OkStatus();
}

absl::Status TranslateMod(Translator& t) {
  t.Add("Mod", {t.In(0), t.In(1)}, t.Out(0)).Set("fmod", 1);
  return absl::OkStatus();
}

absl::Status TranslateConvert(Translator& t) {
  ASSIGN_OR_RETURN(const std::string name, t.node().Word("destination_type"));
  ASSIGN_OR_RETURN(const IrType type, IrTypeOf(name));
  ASSIGN_OR_RETURN(const int to, OnnxTypeOf(type));
  t.Add("Cast", {t.In(0)}, t.Out(0)).Set("to", to);
  return absl::OkStatus();
}

absl::Status TranslateMatMul(Translator& t) {
  ASSIGN_OR_RETURN(const std::string a, MaybeTransposed(t, 0, "transpose_a"));
  ASSIGN_OR_RETURN(const std::string b, MaybeTransposed(t, 1, "transpose_b"));
  t.Add("MatMul", {a, b}, t.Out(0));
  return absl::OkStatus();
}

}  // namespace tally::openvino
