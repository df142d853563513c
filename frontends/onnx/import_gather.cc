#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Int64Tensor;
using quant::Shape;

// The elements of `x`, as one list, at `places`.
absl::Status FinishPicked(NodeContext& node, const Operand& x, Int64Tensor places) {
  ASSIGN_OR_RETURN(const Operand list,
                   node.Emit(quant::Reshape{{quant::NumElements(x.shape())}}, {x}, "list"));
  ASSIGN_OR_RETURN(const Operand indices, node.NewConstant(std::move(places), "places"));
  return node.Finish(quant::Gather{0}, {list, indices});
}

// Slices of a tensor that tuples of indices name.
struct Slices {
  std::vector<int64_t> first;  // the place in row-major order at which each slice begins
  int64_t size = 1;            // for each
  Shape shape;                 // for each
};

absl::StatusOr<Slices> SlicesAt(const Shape& x, const Int64Tensor& indices) {
  const int64_t length = indices.shape.empty() ? 0 : indices.shape.back();
  if (length < 1 || length > static_cast<int64_t>(x.size())) {
    return MakeError(label::onnx_shape, "the tuples of indices do not fit the tensor " + quant::ToString(x));
  }
  Slices slices = {.shape = Shape(x.begin() + length, x.end())};
  slices.size = quant::NumElements(slices.shape);
  for (size_t i = 0; i < indices.data.size(); i += static_cast<size_t>(length)) {
    int64_t place = 0;
    for (size_t axis = 0; axis < static_cast<size_t>(length); ++axis) {
      ASSIGN_OR_RETURN(const int64_t index, PlaceOn(x[axis], indices.data[i + axis]));
      place = place * x[axis] + index;
    }
    slices.first.push_back(place * slices.size);
  }
  return slices;
}

}  // namespace

absl::Status ImportGather(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  if (indices.is_constant()) {
    ASSIGN_OR_RETURN(const Int64Tensor* places, node.IntConstant(1));
    for (const int64_t place : places->data) {
      RETURN_IF_ERROR(PlaceOn(x.shape()[static_cast<size_t>(axis)], place).status());
    }
  }
  return node.Finish(quant::Gather{axis}, {x, indices});
}

absl::Status ImportGatherElements(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand chosen, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, x.shape().size()));
  if (!chosen.is_constant()) return node.Finish(quant::GatherElements{axis}, {x, chosen});
  ASSIGN_OR_RETURN(const Int64Tensor* indices, node.IntConstant(1));
  const size_t rank = x.shape().size();
  bool fits = indices->shape.size() == rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = static_cast<int64_t>(i) == axis || indices->shape[i] <= x.shape()[i];
  }
  if (!fits)
    return MakeError(label::onnx_shape, "the indices do not lie within " + quant::ToString(x.shape()));
  Int64Tensor places{indices->shape, {}};
  for (size_t n = 0; n < indices->data.size(); ++n) {
    int64_t place = 0, stride = 1, rest = static_cast<int64_t>(n);
    for (size_t i = rank; i-- > 0; stride *= x.shape()[i], rest /= indices->shape[i]) {
      int64_t at = rest % indices->shape[i];
      if (static_cast<int64_t>(i) == axis) {
        ASSIGN_OR_RETURN(at, PlaceOn(x.shape()[i], indices->data[n]));
      }
      place += at * stride;
    }
    places.data.push_back(place);
  }
  return FinishPicked(node, x, std::move(places));
}

absl::Status ImportGatherND(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand chosen, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.attributes().Int("batch_dims", 0));
  if (!chosen.is_constant() || batch_dims != 0) return node.Finish(quant::GatherNd{batch_dims}, {x, chosen});
  ASSIGN_OR_RETURN(const Int64Tensor* indices, node.IntConstant(1));
  ASSIGN_OR_RETURN(const Slices slices, SlicesAt(x.shape(), *indices));
  Int64Tensor places{{indices->shape.begin(), indices->shape.end() - 1}, {}};
  places.shape.insert(places.shape.end(), slices.shape.begin(), slices.shape.end());
  for (const int64_t first : slices.first) {
    for (int64_t i = 0; i < slices.size; ++i) places.data.push_back(first + i);
  }
  return FinishPicked(node, x, std::move(places));
}

// Each element comes from the data or from the updates, which of them the indices say now.
absl::Status ImportScatterND(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Int64Tensor* indices, node.IntConstant(1));
  ASSIGN_OR_RETURN(const Operand updates, node.Input(2));
  ASSIGN_OR_RETURN(const std::string reduction, node.attributes().String("reduction", "none"));
  if (reduction != "none") {
    return MakeError(label::onnx_unsupported_attribute, "reduction = " + reduction + " is not imported");
  }
  ASSIGN_OR_RETURN(const Slices slices, SlicesAt(x.shape(), *indices));
  const int64_t size = quant::NumElements(x.shape()), num_updates = quant::NumElements(updates.shape());
  if (num_updates != std::ssize(slices.first) * slices.size) {
    return MakeError(label::onnx_shape, "the updates are not as many as the indices name");
  }
  Int64Tensor places{x.shape(), std::vector<int64_t>(static_cast<size_t>(size))};
  std::iota(places.data.begin(), places.data.end(), 0);
  int64_t update = size;
  for (const int64_t first : slices.first) {
    for (int64_t i = 0; i < slices.size; ++i) places.data[static_cast<size_t>(first + i)] = update++;
  }
  // How exporters write an assignment to all of a tensor.
  const bool is_all = num_updates == size && std::ranges::is_sorted(places.data) && places.data[0] == size;
  if (is_all) return node.Finish(quant::Reshape{x.shape()}, {updates});
  ASSIGN_OR_RETURN(const Operand old_list, node.Emit(quant::Reshape{{size}}, {x}, "data"));
  ASSIGN_OR_RETURN(const Operand new_list, node.Emit(quant::Reshape{{num_updates}}, {updates}, "updates"));
  ASSIGN_OR_RETURN(const Operand both, node.Emit(quant::Concat{0}, {old_list, new_list}, "both"));
  return FinishPicked(node, both, std::move(places));
}

}  // namespace tally::onnx
