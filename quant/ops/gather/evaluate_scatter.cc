#include <algorithm>
#include <vector>

#include "quant/ops/gather/scatter_ops.h"
#include "quant/ops/lines.h"
#include "quant/ops/pick.h"

namespace tally::quant {
namespace {

template <typename T>
void Update(ScatterKind kind, T& element, T update) {
  switch (kind) {
    case ScatterKind::kUpdate: element = update; return;
    case ScatterKind::kAdd: element = static_cast<T>(element + update); return;
    case ScatterKind::kSub: element = static_cast<T>(element - update); return;
    case ScatterKind::kMul: element = static_cast<T>(element * update); return;
    case ScatterKind::kMax: element = std::max(element, update); return;
    case ScatterKind::kMin: element = std::min(element, update); return;
  }
}

// -1 for what is outside.
int64_t PlaceOf(int64_t index, int64_t size) {
  if (index < 0) index += size;
  return index >= 0 && index < size ? index : -1;
}

// Where each update goes, in their row-major order; -1 for those that change nothing.
std::vector<int64_t> Targets(const Scatter& op, const Shape& x, const Int64Tensor& indices,
                             const Shape& updates) {
  std::vector<int64_t> targets;
  targets.reserve(static_cast<size_t>(NumElements(updates)));
  if (op.form == Scatter::Form::kTuples) {
    const int64_t length = indices.shape.back();
    const int64_t size = NumElements(Shape(x.begin() + length, x.end()));
    for (size_t row = 0; row < indices.data.size(); row += static_cast<size_t>(length)) {
      int64_t first = 0;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t place = PlaceOf(indices.data[row + static_cast<size_t>(i)], x[i]);
        first = place < 0 || first < 0 ? -1 : first * x[i] + place;
      }
      for (int64_t i = 0; i < size; ++i) targets.push_back(first < 0 ? -1 : first * size + i);
    }
    return targets;
  }
  if (op.form == Scatter::Form::kSlices) {
    const AxisView view = Around(x, op.axis);
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      for (const int64_t index : indices.data) {
        const int64_t place = PlaceOf(index, view.size);
        const int64_t first = (outer * view.size + place) * view.inner;
        for (int64_t i = 0; i < view.inner; ++i) targets.push_back(place < 0 ? -1 : first + i);
      }
    }
    return targets;
  }
  const std::vector<int64_t> strides = StridesOf(x);
  for (size_t n = 0; n < indices.data.size(); ++n) {
    int64_t target = 0, rest = static_cast<int64_t>(n);
    bool is_inside = true;
    for (size_t i = x.size(); i-- > 0; rest /= updates[i]) {
      const bool is_chosen = static_cast<int64_t>(i) == op.axis;
      const int64_t place = is_chosen ? PlaceOf(indices.data[n], x[i]) : rest % updates[i];
      is_inside = is_inside && place >= 0;
      target += place * strides[i];
    }
    targets.push_back(is_inside ? target : -1);
  }
  return targets;
}

}  // namespace

Tensor Scatter::Evaluate(Operands operands, const Shape& shape) const {
  const auto& indices = std::get<Int64Tensor>(*operands[1]);
  const std::vector<int64_t> targets = Targets(*this, shape, indices, ShapeOf(*operands[2]));
  return std::visit(
      [&]<typename T>(DenseTensor<T> y) -> Tensor {
        const auto& updates = std::get<DenseTensor<T>>(*operands[2]).data;
        for (size_t i = 0; i < updates.size(); ++i) {
          if (targets[i] >= 0) Update(kind, y.data[targets[i]], updates[i]);
        }
        return y;
      },
      *operands[0]);
}

// From the last step of a sequence back: the id there, and the beam that it came from. What follows the first
// end, and the last step, is `end`.
Tensor GatherTree::Evaluate(Operands operands, const Shape& shape) const {
  const auto integers = [&](size_t i) -> const std::vector<int64_t>& {
    return std::get<Int64Tensor>(*operands[i]).data;
  };
  const int64_t steps = shape[0], batch = shape[1], width = shape[2], end = integers(3)[0];
  Int64Tensor y{shape, std::vector<int64_t>(static_cast<size_t>(NumElements(shape)), end)};
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t length = std::clamp<int64_t>(integers(2)[b], 0, steps);
    for (int64_t beam = 0; beam < width; ++beam) {
      const auto place = [&](int64_t t, int64_t w) { return (t * batch + b) * width + w; };
      int64_t parent = beam;
      for (int64_t t = length - 1; t >= 0; --t) {
        parent = std::clamp<int64_t>(parent, 0, width - 1);
        y.data[place(t, beam)] = integers(0)[place(t, parent)];
        parent = integers(1)[place(t, parent)];
      }
      bool has_ended = false;
      for (int64_t t = 0; t < length; ++t) {
        int64_t& id = y.data[place(t, beam)];
        if (has_ended) id = end;
        has_ended = has_ended || id == end;
      }
    }
  }
  return y;
}

Tensor NonZero::Evaluate(Operands operands, const Shape& shape) const {
  const Shape& x = ShapeOf(*operands[0]);
  Int64Tensor places{shape, {}};
  int64_t count = 0;
  std::visit(
      [&](const auto& dense) {
        const std::vector<int64_t> strides = StridesOf(x);
        for (size_t i = 0; i < dense.data.size(); ++i) {
          if (dense.data[i] == 0 || ++count > bound) continue;
          for (size_t axis = 0; axis < x.size(); ++axis) {
            places.data.push_back(static_cast<int64_t>(i) / strides[axis] % x[axis]);
          }
        }
      },
      *operands[0]);
  if (result == NonZeroResult::kCount) return Int64Tensor{shape, {count}};
  places.data.resize(static_cast<size_t>(NumElements(shape)), -1);
  return places;
}

}  // namespace tally::quant
