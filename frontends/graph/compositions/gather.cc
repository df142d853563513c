#include "frontends/graph/compositions/gather.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Int64Tensor;
using quant::Shape;

namespace {

// Nothing where they are computed at run time. Errors: model_unsupported_type for what holds no integers.
absl::StatusOr<const Int64Tensor*> KnownIndices(const Operand& indices) {
  if (!indices.is_constant()) return nullptr;
  if (const auto* known = std::get_if<Int64Tensor>(indices.constant.get())) return known;
  return MakeError(label::model_unsupported_type, "the indices do not hold integers");
}

// The elements of `x`, as one list, at `places`.
absl::StatusOr<Operand> Picked(Emitter& emitter, const Operand& x, Int64Tensor places) {
  ASSIGN_OR_RETURN(const Operand list,
                   emitter.Emit(quant::Reshape{{quant::NumElements(x.shape())}}, {x}, "list"));
  ASSIGN_OR_RETURN(const Operand indices, emitter.NewConstant(std::move(places), "places"));
  return emitter.Emit(quant::Gather{0}, {list, indices}, "picked");
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
    return MakeError(label::model_shape, "the tuples of indices do not fit the tensor " + quant::ToString(x));
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

absl::StatusOr<Operand> GatherSlices(Emitter& emitter, const Operand& x, const Operand& indices,
                                     int64_t axis) {
  ASSIGN_OR_RETURN(const Int64Tensor* known, KnownIndices(indices));
  for (size_t i = 0; known != nullptr && i < known->data.size(); ++i) {
    RETURN_IF_ERROR(PlaceOn(x.shape()[static_cast<size_t>(axis)], known->data[i]).status());
  }
  return emitter.Emit(quant::Gather{axis}, {x, indices}, "slices");
}

absl::StatusOr<Operand> GatherFromLines(Emitter& emitter, const Operand& x, const Operand& chosen,
                                        int64_t axis) {
  ASSIGN_OR_RETURN(const Int64Tensor* indices, KnownIndices(chosen));
  if (indices == nullptr) return emitter.Emit(quant::GatherElements{axis}, {x, chosen}, "picked");
  const size_t rank = x.shape().size();
  bool fits = indices->shape.size() == rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = static_cast<int64_t>(i) == axis || indices->shape[i] <= x.shape()[i];
  }
  if (!fits) return MakeError(label::model_shape, "the indices are not within " + quant::ToString(x.shape()));
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
  return Picked(emitter, x, std::move(places));
}

absl::StatusOr<Operand> GatherTuples(Emitter& emitter, const Operand& x, const Operand& chosen,
                                     int64_t batch_dims) {
  ASSIGN_OR_RETURN(const Int64Tensor* indices, KnownIndices(chosen));
  if (indices == nullptr || batch_dims != 0) {
    return emitter.Emit(quant::GatherNd{batch_dims}, {x, chosen}, "picked");
  }
  ASSIGN_OR_RETURN(const Slices slices, SlicesAt(x.shape(), *indices));
  Int64Tensor places{{indices->shape.begin(), indices->shape.end() - 1}, {}};
  places.shape.insert(places.shape.end(), slices.shape.begin(), slices.shape.end());
  for (const int64_t first : slices.first) {
    for (int64_t i = 0; i < slices.size; ++i) places.data.push_back(first + i);
  }
  return Picked(emitter, x, std::move(places));
}

// Each element comes from x or from the updates, which of them the indices say now.
absl::StatusOr<Operand> ReplaceTuples(Emitter& emitter, const Operand& x, const Int64Tensor& indices,
                                      const Operand& updates) {
  ASSIGN_OR_RETURN(const Slices slices, SlicesAt(x.shape(), indices));
  const int64_t size = quant::NumElements(x.shape()), num_updates = quant::NumElements(updates.shape());
  if (num_updates != std::ssize(slices.first) * slices.size) {
    return MakeError(label::model_shape, "the updates are not as many as the indices name");
  }
  Int64Tensor places{x.shape(), std::vector<int64_t>(static_cast<size_t>(size))};
  std::iota(places.data.begin(), places.data.end(), 0);
  int64_t update = size;
  for (const int64_t first : slices.first) {
    for (int64_t i = 0; i < slices.size; ++i) places.data[static_cast<size_t>(first + i)] = update++;
  }
  // How exporters write an assignment to all of a tensor.
  const bool is_all = num_updates == size && std::ranges::is_sorted(places.data) && places.data[0] == size;
  if (is_all) return emitter.Emit(quant::Reshape{x.shape()}, {updates}, "replaced");
  ASSIGN_OR_RETURN(const Operand old_list, emitter.Emit(quant::Reshape{{size}}, {x}, "data"));
  ASSIGN_OR_RETURN(const Operand new_list, emitter.Emit(quant::Reshape{{num_updates}}, {updates}, "updates"));
  ASSIGN_OR_RETURN(const Operand both, emitter.Emit(quant::Concat{0}, {old_list, new_list}, "both"));
  return Picked(emitter, both, std::move(places));
}

absl::StatusOr<Operand> Scattered(Emitter& emitter, const Operand& x, const Operand& indices,
                                  const Operand& updates, const quant::Scatter& how) {
  ASSIGN_OR_RETURN(const Int64Tensor* known, KnownIndices(indices));
  const bool by_tuples = how.form == quant::Scatter::Form::kTuples;
  if (known != nullptr && by_tuples) RETURN_IF_ERROR(SlicesAt(x.shape(), *known).status());
  for (size_t i = 0; known != nullptr && !by_tuples && i < known->data.size(); ++i) {
    RETURN_IF_ERROR(PlaceOn(x.shape()[static_cast<size_t>(how.axis)], known->data[i]).status());
  }
  if (how.kind == ScatterKind::kMul && !x.is_integer()) {
    return MakeError(label::model_unsupported_attribute, "updates that multiply floats are not imported");
  }
  return emitter.Emit(how, {x, indices, updates}, "scattered");
}

absl::StatusOr<Found> NonZeroPlaces(Emitter& emitter, const Operand& x, int64_t bound) {
  quant::NonZero op = {.bound = std::min(bound, quant::NumElements(x.shape()))};
  if (!x.is_constant()) {
    Found found;
    ASSIGN_OR_RETURN(found.places, emitter.Emit(op, {x}, "places"));
    op.result = quant::NonZeroResult::kCount;
    ASSIGN_OR_RETURN(found.count, emitter.Emit(op, {x}, "count"));
    return found;
  }
  const Shape shape = {op.bound, static_cast<int64_t>(x.shape().size())};
  const quant::Tensor* const operands[] = {x.constant.get()};
  auto places = std::get<Int64Tensor>(op.Evaluate(operands, shape));
  op.result = quant::NonZeroResult::kCount;
  places.shape[0] = std::min(op.bound, std::get<Int64Tensor>(op.Evaluate(operands, {})).data[0]);
  places.data.resize(static_cast<size_t>(places.shape[0] * places.shape[1]));
  ASSIGN_OR_RETURN(Operand constant, emitter.NewConstant(std::move(places), "places"));
  return Found{std::move(constant), std::nullopt};
}

}  // namespace tally::frontend
