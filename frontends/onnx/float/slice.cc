// Parts of values, and values with more around them.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

namespace tally::onnx {
namespace {

using quant::Shape;
using List = std::vector<int64_t>;

// The node that yields output `index`, unless that is x itself.
absl::Status FinishSlice(NodeContext& node, size_t index, const Operand& x, const quant::Slice& slice) {
  if (slice == All(x.shape())) return node.FinishOutputAs(index, x);
  return node.FinishOutput(index, slice, {x});
}

// How long each output of a Split is.
absl::StatusOr<List> SizesOfParts(NodeContext& node, int64_t size) {
  ASSIGN_OR_RETURN(const std::optional<List> given, ReadList(node, "split", 1, 13));
  int64_t parts = static_cast<int64_t>(node.num_outputs());
  if (node.opset() >= 18) {
    ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("num_outputs", parts));
    if (wanted != parts) {
      return MakeError(label::model_malformed, "num_outputs is " + std::to_string(wanted) +
                                                   " and there are " + std::to_string(parts) + " outputs");
    }
  }
  List sizes;
  if (given.has_value()) {
    sizes = *given;
  } else {
    if (node.opset() < 18 && size % parts != 0) {
      return MakeError(label::model_shape,
                       std::to_string(size) + " elements have no " + std::to_string(parts) + " equal parts");
    }
    const int64_t part = CeilDiv(size, parts);  // the last is smaller
    for (int64_t rest = size; parts > 0; --parts, rest -= sizes.back()) sizes.push_back(std::min(part, rest));
  }
  return sizes;
}

absl::StatusOr<float> PadValue(NodeContext& node) {
  if (node.opset() < 11) return node.attributes().Float("value", 0);
  if (!node.HasInput(2)) return 0;
  ASSIGN_OR_RETURN(const Operand operand, node.Input(2));
  if (operand.type.element == quant::ElementType::kInt64) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* value, node.IntConstant(2));
    if (value->data == List{0}) return 0;
    return MakeError(label::model_unsupported_type, "integers are padded with 0 only");
  }
  ASSIGN_OR_RETURN(const quant::FloatTensor* value, node.FloatConstant(2));
  if (value->data.size() != 1) return MakeError(label::model_shape, "the value of Pad is not a scalar");
  return value->data[0];
}

absl::StatusOr<quant::Pad::Mode> ReadMode(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "constant"));
  if (mode == "constant") return quant::Pad::Mode::kZero;
  if (mode == "edge") return quant::Pad::Mode::kEdge;
  if (mode == "reflect") return quant::Pad::Mode::kReflect;
  if (mode == "wrap" && node.opset() >= 19) return quant::Pad::Mode::kWrap;
  return MakeError(label::model_malformed, "attribute mode is " + PrintableStart(mode));
}

}  // namespace

absl::Status ImportSlice(NodeContext& node) {
  const bool has_attributes = node.opset() < 10;
  RETURN_IF_ERROR(has_attributes ? node.CheckInputCount(1, 1) : node.CheckInputCount(3, 5));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::optional<List> begin, ReadList(node, "starts", 1, 10));
  ASSIGN_OR_RETURN(const std::optional<List> end, ReadList(node, "ends", 2, 10));
  ASSIGN_OR_RETURN(std::optional<List> axes, ReadList(node, "axes", 3, 10));
  std::optional<List> steps;
  if (!has_attributes) {
    ASSIGN_OR_RETURN(steps, ReadList(node, "", 4, 10));
  }
  if (!begin.has_value() || !end.has_value()) return MakeError(label::model_malformed, "Slice has no ends");
  if (!axes.has_value()) {
    axes.emplace(begin->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps.has_value()) steps.emplace(begin->size(), 1);
  if (end->size() != begin->size() || axes->size() != begin->size() || steps->size() != begin->size()) {
    return MakeError(label::model_malformed, "the lists of Slice differ in length");
  }
  quant::Slice slice = All(x.shape());
  Shape shape = x.shape();
  bool is_empty = false;
  for (size_t i = 0; i < axes->size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis((*axes)[i], shape.size()));
    const size_t a = static_cast<size_t>(axis);
    if ((*steps)[i] == 0) return MakeError(label::model_malformed, "a step of Slice is 0");
    shape[a] = Narrow(slice, a, x.shape()[a], (*begin)[i], (*end)[i], (*steps)[i]);
    is_empty = is_empty || shape[a] == 0;
  }
  if (!is_empty) return FinishSlice(node, 0, x, slice);
  if (!x.is_constant()) return MakeError(label::model_shape, "the slice is empty");
  return node.FinishAsConstant(std::visit(  // for Concat, which leaves it out
      [&]<typename T>(const quant::DenseTensor<T>&) -> quant::Tensor {
        return quant::DenseTensor<T>{shape, {}};
      },
      *x.constant));
}

absl::Status ImportSplit(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() < 13 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  const size_t a = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(const List sizes, SizesOfParts(node, x.shape()[a]));
  return node.FinishParts(x, a, sizes);
}

// A negative pad cuts elements off, before anything is added.
absl::Status ImportPad(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(node.opset() < 11 ? 1 : 2, node.opset() < 11   ? 1
                                                                  : node.opset() < 18 ? 3
                                                                                      : 4));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(const quant::Pad::Mode mode, ReadMode(node));
  ASSIGN_OR_RETURN(PadAmounts pads, ReadPads(node, rank, quant::kMaxAttribute));
  ASSIGN_OR_RETURN(const float value, PadValue(node));
  quant::Slice slice = All(x.shape());
  for (size_t i = 0; i < rank; ++i) {
    slice.begin[i] -= std::min<int64_t>(pads.before[i], 0);
    slice.end[i] += std::min<int64_t>(pads.after[i], 0);
    pads.before[i] = std::max<int64_t>(pads.before[i], 0);
    pads.after[i] = std::max<int64_t>(pads.after[i], 0);
    if (slice.begin[i] >= slice.end[i]) return MakeError(label::model_shape, "the pads cut off a whole axis");
  }
  const bool cuts = slice != All(x.shape());
  const List none(rank, 0);
  if (pads.before == none && pads.after == none) return FinishSlice(node, 0, x, slice);
  if (cuts) {
    ASSIGN_OR_RETURN(x, node.Emit(std::move(slice), {x}, "cut"));
  }
  if (mode == quant::Pad::Mode::kZero && value != 0) {
    return node.Finish(quant::PadConstant{value, std::move(pads.before), std::move(pads.after)}, {x});
  }
  return node.Finish(quant::Pad{mode, std::move(pads.before), std::move(pads.after)}, {x});
}

}  // namespace tally::onnx
