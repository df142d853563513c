#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using GatherAlong = absl::StatusOr<Operand> (*)(Emitter&, const Operand&, const Operand&, int64_t);

absl::Status FinishAlongAxis(NodeContext& node, GatherAlong gather) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  return node.FinishAs(gather(node, x, indices, axis));
}

}  // namespace

absl::Status ImportGather(NodeContext& node) { return FinishAlongAxis(node, GatherSlices); }

absl::Status ImportGatherElements(NodeContext& node) { return FinishAlongAxis(node, GatherFromLines); }

absl::Status ImportGatherND(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.attributes().Int("batch_dims", 0));
  return node.FinishAs(GatherTuples(node, x, indices, batch_dims));
}

absl::Status ImportScatterND(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const quant::Int64Tensor* indices, node.IntConstant(1));
  ASSIGN_OR_RETURN(const Operand updates, node.Input(2));
  ASSIGN_OR_RETURN(const std::string reduction, node.attributes().String("reduction", "none"));
  if (reduction != "none") {
    return MakeError(label::model_unsupported_attribute,
                     "reduction = " + PrintableStart(reduction) + " is not imported");
  }
  return node.FinishAs(ReplaceTuples(node, x, *indices, updates));
}

}  // namespace tally::onnx
