// Layers that choose or replace elements by indices, or find where they are.
#include "frontends/graph/compositions/gather.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/selection.h"

namespace tally::coreml {
namespace {

using quant::Scatter;
using quant::Shape;

struct Chosen {
  Operand x, indices;
};

absl::StatusOr<Chosen> ReadChosen(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  Chosen read;
  ASSIGN_OR_RETURN(read.x, layer.Input(0));
  ASSIGN_OR_RETURN(read.indices, layer.Whole(1));
  return read;
}

}  // namespace

absl::Status ImportGather(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Chosen read, ReadChosen(layer));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(layer.file().gather().axis(), read.x.shape().size()));
  return layer.FinishAs(GatherSlices(layer, read.x, read.indices, axis));
}
absl::Status ImportGatherND(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Chosen read, ReadChosen(layer));
  return layer.FinishAs(GatherTuples(layer, read.x, read.indices, 0));
}
absl::Status ImportGatherAlongAxis(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Chosen read, ReadChosen(layer));
  ASSIGN_OR_RETURN(const int64_t axis,
                   NormalizeAxis(layer.file().gather_along_axis().axis(), read.x.shape().size()));
  return layer.FinishAs(GatherFromLines(layer, read.x, read.indices, axis));
}

namespace {

// The elements of x that the indices name, as updates have it.
absl::StatusOr<Operand> Named(CoremlLayer& layer, const Scatter& how, const Operand& x,
                              const Operand& indices) {
  switch (how.form) {
    case Scatter::Form::kSlices: return GatherSlices(layer, x, indices, how.axis);
    case Scatter::Form::kElements: return GatherFromLines(layer, x, indices, how.axis);
    case Scatter::Form::kTuples: return GatherTuples(layer, x, indices, 0);
  }
  __builtin_unreachable();
}

// Whether no two of the indices, constants, name the same place, so that there is no order of updates.
bool AreApart(const Scatter& how, const Operand& indices) {
  const auto* known =
      indices.is_constant() ? std::get_if<quant::Int64Tensor>(indices.constant.get()) : nullptr;
  if (known == nullptr || known->shape.empty() || how.form == Scatter::Form::kElements) return false;
  const size_t width = how.form == Scatter::Form::kTuples ? static_cast<size_t>(known->shape.back()) : 1;
  std::set<List> seen;
  for (size_t i = 0; i + width <= known->data.size(); i += width) {
    const auto begin = known->data.begin() + static_cast<int64_t>(i);
    const List tuple(begin, begin + static_cast<int64_t>(width));
    if (std::ranges::any_of(tuple, [](int64_t v) { return v < 0; }) || !seen.insert(tuple).second)
      return false;
  }
  return true;
}

absl::Status FinishScattered(CoremlLayer& layer, Scatter how, int mode) {
  RETURN_IF_ERROR(layer.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, layer.Whole(1));
  ASSIGN_OR_RETURN(Operand updates, layer.Input(2));
  if (x.is_integer() != updates.is_integer()) {
    ASSIGN_OR_RETURN(x, AsReal(layer, x));
    ASSIGN_OR_RETURN(updates, AsReal(layer, updates));
  }
  const bool multiplies = mode == schema::SCATTER_MUL || mode == schema::SCATTER_DIV;
  if (multiplies) {  // products of what is named, put in its place: each is rounded once
    if (!AreApart(how, indices)) {
      return Unsupported(
          "products and quotients at indices that are computed, or that name one place twice: their "
          "roundings have an order");
    }
    ASSIGN_OR_RETURN(const Operand named, Named(layer, how, x, indices));
    ASSIGN_OR_RETURN(updates, mode == schema::SCATTER_MUL ? Product(layer, named, updates)
                                                          : Quotient(layer, named, updates));
    mode = schema::SCATTER_UPDATE;
  }
  if (mode == schema::SCATTER_UPDATE && how.form == Scatter::Form::kTuples && indices.is_constant()) {
    // Each element comes from x or from the updates, and stays on its grid.
    return layer.FinishAs(ReplaceTuples(layer, x, std::get<quant::Int64Tensor>(*indices.constant), updates));
  }
  switch (mode) {
    case schema::SCATTER_UPDATE: how.kind = ScatterKind::kUpdate; break;
    case schema::SCATTER_ADD: how.kind = ScatterKind::kAdd; break;
    case schema::SCATTER_SUB: how.kind = ScatterKind::kSub; break;
    case schema::SCATTER_MAX: how.kind = ScatterKind::kMax; break;
    case schema::SCATTER_MIN: how.kind = ScatterKind::kMin; break;
    default: return UnknownValue("mode", mode, "0 to 6, from SCATTER_UPDATE to SCATTER_MIN");
  }
  return layer.FinishAs(Scattered(layer, x, indices, updates, how));
}

absl::Status FinishAlong(CoremlLayer& layer, Scatter::Form form, const schema::Scatter& params) {
  RETURN_IF_ERROR(layer.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  return FinishScattered(layer, {.form = form, .axis = axis}, params.mode());
}

}  // namespace

absl::Status ImportScatter(CoremlLayer& layer) {
  return FinishAlong(layer, Scatter::Form::kSlices, layer.file().scatter());
}
absl::Status ImportScatterAlongAxis(CoremlLayer& layer) {
  return FinishAlong(layer, Scatter::Form::kElements, layer.file().scatter_along_axis());
}
absl::Status ImportScatterND(CoremlLayer& layer) {
  return FinishScattered(layer, {.form = Scatter::Form::kTuples}, layer.file().scatter_nd().mode());
}

absl::Status ImportWhereNonZero(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const Found found, NonZeroPlaces(layer, x, quant::NumElements(x.shape())));
  RETURN_IF_ERROR(layer.FinishAs(found.places));
  return found.count.has_value() ? layer.CountRows(*found.count) : absl::OkStatus();
}

absl::Status ImportOneHot(CoremlLayer& layer) {
  const schema::OneHot& params = layer.file().one_hot();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand indices, layer.Whole(0));
  int64_t depth = 0;
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(depth, layer.Number(1));
  } else {
    ASSIGN_OR_RETURN(depth, SizeOf(params.one_hot_vector_size()));
  }
  if (depth > quant::kMaxAttribute) return Malformed("the depth is out of range");
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), indices.shape().size() + 1));
  const quant::FloatTensor values{{2}, {params.off_value(), params.on_value()}};
  ASSIGN_OR_RETURN(const Operand both, layer.NewConstant(values, "values"));
  return layer.FinishAs(OneHot(layer, indices, axis, depth, both, /*from_back=*/false));
}

namespace {

absl::Status FinishTriangle(CoremlLayer& layer, int64_t k, bool upper) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  return layer.FinishAs(Triangle(layer, x, k, upper));
}

}  // namespace

absl::Status ImportLowerTriangular(CoremlLayer& layer) {
  return FinishTriangle(layer, layer.file().lower_triangular().k(), false);
}
absl::Status ImportUpperTriangular(CoremlLayer& layer) {
  return FinishTriangle(layer, layer.file().upper_triangular().k(), true);
}
// A negative number keeps all of that side.
absl::Status ImportMatrixBandPart(CoremlLayer& layer) {
  const schema::MatrixBandPart& params = layer.file().matrix_band_part();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(Operand x, layer.Input(0));
  if (params.num_lower() >= 0) {
    ASSIGN_OR_RETURN(x, Triangle(layer, x, -params.num_lower(), true));
  }
  if (params.num_upper() >= 0) {
    ASSIGN_OR_RETURN(x, Triangle(layer, x, params.num_upper(), false));
  }
  return layer.FinishAs(x);
}

}  // namespace tally::coreml
