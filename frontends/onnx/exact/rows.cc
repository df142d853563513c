#include "frontends/onnx/exact/rows.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/model/labels.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/layout/lowering/attrs.h"

namespace tally::onnx {

absl::StatusOr<const ::onnx::GraphProto*> ReadBody(ExactNode& node, std::string_view name) {
  const ::onnx::AttributeProto* attribute = node.attributes().Find(name);
  if (attribute == nullptr || !attribute->has_g()) {
    return MakeError(label::model_malformed, "no graph " + std::string(name));
  }
  return &attribute->g();
}

absl::StatusOr<ExactValue> SliceOf(ExactNode& node, const ExactValue& x, int64_t axis, int64_t index) {
  const Value at = node.c().Constant({}, {index});
  ASSIGN_OR_RETURN(const Value slice, node.c().Apply(Opcode::kGather, {x.value, at}, GatherAttrs{axis}));
  return x.With(slice);
}

absl::StatusOr<MaybeExactValue> Stack(ExactNode& node, const ExactResults& rows, int64_t axis,
                                      bool reversed) {
  if (rows.empty()) return MaybeExactValue();
  int fraction_bits = 0;
  for (const MaybeExactValue& row : rows) {
    if (!row) return MakeError(label::model_shape, "an iteration gives an empty tensor");
    if (row->count) {
      return MakeError(label::model_unsupported_operand,
                       "the size of what an iteration gives depends on the data");
    }
    if (row->data_type != rows[0]->data_type)
      return MakeError(label::model_malformed, "iterations differ in type");
    fraction_bits = std::max(fraction_bits, row->fraction_bits);
  }
  std::vector<Value> aligned, parts;
  for (const MaybeExactValue& row : rows) {
    ASSIGN_OR_RETURN(const ExactValue value, node.WithFractionBits(*row, fraction_bits));
    aligned.push_back(value.value);
  }
  if (reversed) std::ranges::reverse(aligned);
  ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, static_cast<size_t>(node.c().shape(aligned[0]).rank()) + 1));
  for (size_t first = 0; first < aligned.size(); first += kMaxOperands) {
    const size_t end = std::min<size_t>(first + kMaxOperands, aligned.size());
    ASSIGN_OR_RETURN(const Value part,
                     node.Lower("stack", {aligned.begin() + first, aligned.begin() + end}, AxisAttrs{axis}));
    parts.push_back(part);
  }
  ExactValue stacked = rows[0]->With(parts[0]);
  stacked.fraction_bits = fraction_bits;
  if (parts.size() > 1) {
    ASSIGN_OR_RETURN(stacked.value, node.c().Apply(Opcode::kConcatenate, parts, ConcatenateAttrs{axis}));
  }
  return stacked;
}

}  // namespace tally::onnx
