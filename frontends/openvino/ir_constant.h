// The description of Parameters and Consts in IR files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/openvino/element_type.h"
#include "frontends/openvino/ir_layer.h"

namespace tally::openvino {

inline bool IsType(const IrLayer& layer, std::string_view type) { return IsSameType(layer.type, type); }
inline bool IsConstant(const IrLayer& layer) { return IsType(layer, "Const") || IsType(layer, "Constant"); }

// A shape as a Parameter declares it: "1,3,?,32..64", of which what is no number is open,
// and may have sizes that it can be.
DeclaredShape DeclaredBy(std::string_view text);

struct IrConstant {
  IrType type;
  quant::Shape shape;
  std::span<const uint8_t> bytes;  // in the file of weights
};
// Offsets are checked against the file; ranges of several constants may overlap. Errors: model_malformed,
// model_shape, model_unsupported_type.
absl::StatusOr<IrConstant> ReadConstant(IrNode& node, std::span<const uint8_t> weights);

// Errors: model_malformed, where the file of weights does not have them.
absl::StatusOr<std::span<const uint8_t>> BytesAt(std::span<const uint8_t> weights, int64_t offset,
                                                 int64_t size);

}  // namespace tally::openvino
