#include "frontends/cvm/infer_node.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"
#include "frontends/cvm/reshape_target.h"
#include "ops/layout/attrs.h"
#include "ops/op_rules.h"
#include "vm/labels.h"
#include "vm/limits.h"

namespace tally::cvm {

absl::Status CheckEntry(const Shape& shape, int precision) {
  const auto dims = shape.dims();
  if (dims.empty() || shape.rank() > kCvmMaxRank ||
      *std::max_element(dims.begin(), dims.end()) > kCvmMaxDim || shape.num_elements() > kCvmMaxElements) {
    return MakeError(label::cvm_shape, absl::StrCat("shape ", shape.ToString(), " is outside profile cvm"));
  }
  if (precision > kCvmMaxPrecision) {
    return MakeError(label::cvm_precision, absl::StrCat("published precision ", precision, " exceeds 32"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Entry>> InferNode(const std::vector<Entry>& entries, const AttributeTexts& texts,
                                             Node& node) {
  const OpInfo& info = InfoOf(*node.op);
  const auto count = static_cast<int>(node.inputs.size());
  if (count < info.min_operands || count > info.max_operands) {
    return MakeError(label::cvm_operands,
                     absl::StrCat(count, " inputs, not ", info.min_operands, " to ", info.max_operands));
  }
  std::vector<Shape> shapes;
  std::vector<TensorType> types;
  std::vector<int> precisions;
  for (const size_t input : node.inputs) {
    shapes.push_back(entries[input].shape);
    types.push_back({entries[input].shape, {0, 0}});
    precisions.push_back(entries[input].precision);
  }
  ASSIGN_OR_RETURN(node.attributes, ReadAttributes(*node.op, texts, shapes));
  if (node.op == Opcode::kReshape) {
    ASSIGN_OR_RETURN(const Shape target, ReshapeTarget(node.attributes[0], shapes[0]));
    node.attributes = Pack(ReshapeAttrs{{target.dims().begin(), target.dims().end()}});
  }
  RETURN_IF_ERROR(CheckAttributes(info.attributes, node.attributes));
  const std::vector<const TensorView*> no_constants(node.inputs.size(), nullptr);
  const InferContext context = {Profile::kCvm, &node.attributes, types, precisions, no_constants, {}, {}};
  Inferred inferred;
  RETURN_IF_ERROR(RulesOf(*node.op).infer(context, &inferred));
  const std::vector<int> published = RulesOf(*node.op).precision({&context, inferred.results});
  std::vector<Entry> results;
  for (size_t i = 0; i < inferred.results.size(); ++i) {
    RETURN_IF_ERROR(CheckEntry(inferred.results[i].shape, published[i]));
    results.push_back({inferred.results[i].shape, published[i]});
  }
  return results;
}

}  // namespace tally::cvm
