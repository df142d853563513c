#include "frontends/onnx/exact/count.h"

#include <algorithm>

#include "base/status_macros.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally::onnx {

Tensor CutTo(const TensorView& padded, int axis, int64_t count) {
  std::vector<int64_t> dims(padded.shape.dims().begin(), padded.shape.dims().end());
  int64_t inner = SizeBytes(padded.storage), outer = 1;
  for (int i = 0; i < axis; ++i) outer *= dims[i];
  for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  const int64_t from = dims[axis] * inner, to = count * inner;
  dims[axis] = count;
  Tensor cut(*Shape::Create(dims), padded.storage);
  for (int64_t i = 0; i < outer; ++i) {
    std::copy_n(padded.bytes.begin() + i * from, to, cut.mutable_bytes().begin() + i * to);
  }
  return cut;
}

absl::StatusOr<MaybeExactValue> CutToKnownCount(Composition& c, const ExactValue& x) {
  if (!x.count) return x;
  const Interval number = c.interval(x.count->number);
  if (number.lo != number.hi) return x;
  if (number.hi == 0) return MaybeExactValue();
  const TensorView* constant = c.constant(x.value);
  if (constant != nullptr) return x.With(c.Constant(CutTo(*constant, x.count->axis, number.hi)));
  const SliceAttrs attrs = {.begin = {0}, .end = {number.hi}, .axes = {x.count->axis}};
  ASSIGN_OR_RETURN(const Value y, LowerOne(c, "slice", std::vector<Value>{x.value}, attrs));
  return x.With(y);
}

}  // namespace tally::onnx
