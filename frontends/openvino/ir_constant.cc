#include "frontends/openvino/ir_constant.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"

namespace tally::openvino {

namespace {

std::optional<int64_t> Number(std::string_view text) {
  const auto numbers = ParseInts(text);
  if (!numbers.ok() || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

// "3", "?", "-1", or from one size to another, of which either may be left out: "1..", "32..64".
DeclaredDim DimOf(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {.size = Number(text).value_or(0)};
  const auto least = Number(text.substr(0, dots)), most = Number(text.substr(dots + 2));
  return {.size = 0,
          .sizes = Interval{least.value_or(0), most.value_or(std::numeric_limits<int64_t>::max())}};
}

}  // namespace

DeclaredShape DeclaredBy(std::string_view text) {
  std::vector<DeclaredDim> dims;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    dims.push_back(DimOf(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return dims;
}

absl::StatusOr<IrConstant> ReadConstant(IrNode& node, std::span<const uint8_t> weights) {
  if (node.file().outputs.size() != 1) return Malformed("a constant has one output");
  const IrOutput& output = node.file().outputs[0];
  IrConstant constant;
  ASSIGN_OR_RETURN(const std::string element, node.Word("element_type", output.precision));
  ASSIGN_OR_RETURN(constant.type, IrTypeOf(element));
  ASSIGN_OR_RETURN(constant.shape, node.Ints("shape"));
  if (!node.Has("shape")) constant.shape = output.dims;
  if (constant.shape != output.dims) {
    return MakeError(label::model_shape, "it is " + quant::ToString(constant.shape) + ", and its port " +
                                             quant::ToString(output.dims));
  }
  if (std::ranges::any_of(constant.shape, [](int64_t size) { return size < 0; }))
    return Malformed("its shape is open");
  ASSIGN_OR_RETURN(const int64_t offset, node.Int("offset"));
  ASSIGN_OR_RETURN(const int64_t size, node.Int("size"));
  ASSIGN_OR_RETURN(constant.bytes, BytesAt(weights, offset, size));
  return constant;
}

absl::StatusOr<std::span<const uint8_t>> BytesAt(std::span<const uint8_t> weights, int64_t offset,
                                                 int64_t size) {
  const auto end = static_cast<int64_t>(weights.size());
  if (offset < 0 || size < 0 || offset > end || size > end - offset) {
    return Malformed(
        absl::StrCat("its bytes, ", size, " from ", offset, " on, are not in the file of weights, of ", end));
  }
  return weights.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

}  // namespace tally::openvino
