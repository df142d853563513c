// The bodies of Loop and Scan run once for each iteration; what they take is cut into slices, what they give
// is stacked.
#pragma once

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

// The graph in an attribute. Errors: model_malformed.
absl::StatusOr<const ::onnx::GraphProto*> ReadBody(ExactNode& node, std::string_view name);

// Slice `index` of x along `axis`, without that axis.
absl::StatusOr<ExactValue> SliceOf(ExactNode& node, const ExactValue& x, int64_t axis, int64_t index);

// Results of the iterations along a new axis, in their order or from the last to the first. Nothing when
// there are none. Errors: model_shape when one is empty, model_unsupported_operand when its size depends on
// the data, lowering_operands when shapes differ.
absl::StatusOr<MaybeExactValue> Stack(ExactNode& node, const ExactResults& rows, int64_t axis, bool reversed);

}  // namespace tally::onnx
