#include "frontends/graph/compositions/gather.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

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

struct ScatterOperands {
  Operand x, indices, updates;
  ScatterKind kind = ScatterKind::kUpdate;
};

absl::StatusOr<ScatterOperands> ReadScatter(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ScatterOperands read;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(read.indices, node.Input(1));
  ASSIGN_OR_RETURN(read.updates, node.Input(2));
  ASSIGN_OR_RETURN(read.kind, ReadScatterKind(node));
  return read;
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

absl::Status ImportScatterElements(NodeContext& node) {
  ASSIGN_OR_RETURN(const ScatterOperands read, ReadScatter(node));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  quant::Scatter scatter = {.form = quant::Scatter::Form::kElements, .kind = read.kind};
  ASSIGN_OR_RETURN(scatter.axis, NormalizeAxis(wanted, read.x.shape().size()));
  return node.FinishAs(Scattered(node, read.x, read.indices, read.updates, scatter));
}

// By constants, each element comes from x or from the updates, and stays on its grid.
absl::Status ImportScatterND(NodeContext& node) {
  ASSIGN_OR_RETURN(const ScatterOperands read, ReadScatter(node));
  if (read.indices.is_constant() && read.kind == ScatterKind::kUpdate) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* indices, node.IntConstant(1));
    return node.FinishAs(ReplaceTuples(node, read.x, *indices, read.updates));
  }
  const quant::Scatter scatter = {.form = quant::Scatter::Form::kTuples, .kind = read.kind};
  return node.FinishAs(Scattered(node, read.x, read.indices, read.updates, scatter));
}

// The places are a column for each in ONNX. Their number is a further output of the graph, where it is not
// known.
absl::Status ImportNonZero(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const Found found, NonZeroPlaces(node, x, quant::NumElements(x.shape())));
  RETURN_IF_ERROR(node.Finish(quant::Transpose{{1, 0}}, {found.places}));
  return found.count.has_value() ? node.CountRows(*found.count, /*axis=*/1) : absl::OkStatus();
}

absl::Status ImportReverseSequence(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand lengths, node.Input(1));
  quant::ReverseSequence reverse;
  ASSIGN_OR_RETURN(reverse.batch_axis, node.attributes().Int("batch_axis", 1));
  ASSIGN_OR_RETURN(reverse.time_axis, node.attributes().Int("time_axis", 0));
  return node.Finish(reverse, {x, lengths});
}

}  // namespace tally::onnx
