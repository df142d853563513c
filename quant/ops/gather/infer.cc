#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "quant/ops/gather/gather_ops.h"

namespace tally::quant {
namespace {

absl::Status CheckIndices(std::string_view op, const ValueType& indices) {
  if (indices.element == ElementType::kInt64) return absl::OkStatus();
  return MakeError(label::graph_element_type, std::string(op) + ": the indices are not int64");
}

absl::Status DoNotFit(std::string_view op, const OperandTypes& operands) {
  return BadShape(std::string(op) + ": indices " + ToString(operands[1].shape) + " do not fit " +
                  ToString(operands[0].shape));
}

}  // namespace

TypeResult Gather::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& indices = operands[1].shape;
  RETURN_IF_ERROR(CheckIndices("Gather", operands[1]));
  RETURN_IF_ERROR(CheckAxis(axis, x.size()));
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return ValueType{operands[0].element, std::move(shape)};
}

TypeResult GatherElements::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& indices = operands[1].shape;
  RETURN_IF_ERROR(CheckIndices("GatherElements", operands[1]));
  RETURN_IF_ERROR(CheckAxis(axis, x.size()));
  bool fits = indices.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i) {
    fits = static_cast<int64_t>(i) == axis || indices[i] <= x[i];
  }
  if (!fits) return DoNotFit("GatherElements", operands);
  return ValueType{operands[0].element, indices};
}

TypeResult GatherNd::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& indices = operands[1].shape;
  RETURN_IF_ERROR(CheckIndices("GatherNd", operands[1]));
  if (batch_dims < 0 || batch_dims >= static_cast<int64_t>(indices.size())) {
    return BadAttribute("GatherNd: batch_dims does not leave a tuple");
  }
  const auto batch = static_cast<size_t>(batch_dims);
  if (batch + static_cast<size_t>(indices.back()) > x.size() ||
      !std::equal(indices.begin(), indices.begin() + batch_dims, x.begin())) {
    return DoNotFit("GatherNd", operands);
  }
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + batch_dims + indices.back(), x.end());
  return ValueType{operands[0].element, std::move(shape)};
}

}  // namespace tally::quant
