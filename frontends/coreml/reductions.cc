// Layers that reduce axes to one element, sums along axes, and indices of extremes.
#include "frontends/graph/compositions/reductions.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/activations.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/windows.h"

namespace tally::coreml {
namespace {

using quant::Shape;

}  // namespace

absl::Status ImportReduce(CoremlLayer& layer) {
  const schema::Reduce& params = layer.file().reduce();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const List axes_of[] = {{1, 2, 3}, {2, 3}, {1}, {2}, {3}};
  if (params.axis() < 0 || params.axis() >= std::ssize(axes_of))
    return UnknownValue("axis", params.axis(), "0 (CHW), 1 (HW), 2 (C), 3 (H) and 4 (W)");
  const Reduction over = {.axes = axes_of[params.axis()]};
  const Operand& x = images.x;
  const auto reduced = [&]() -> absl::StatusOr<Operand> {
    switch (params.mode()) {
      case schema::Reduce::SUM: return Reduce(layer, ReductionKind::kSum, x, over);
      case schema::Reduce::AVG:
        if (params.axis() == schema::Reduce::HW)
          return GlobalAveragePool(layer, x);  // as other formats write it
        return Reduce(layer, ReductionKind::kMean, x, over);
      case schema::Reduce::PROD: return Reduce(layer, ReductionKind::kProduct, x, over);
      case schema::Reduce::LOGSUM: {
        ASSIGN_OR_RETURN(const Operand above,
                         Affine(layer, x, 1, params.epsilon() == 0 ? 1e-6f : params.epsilon()));
        ASSIGN_OR_RETURN(const Operand logs, layer.Emit(quant::Unary{RecipeFunction::kLog}, {above}, "logs"));
        return Reduce(layer, ReductionKind::kSum, logs, over);
      }
      case schema::Reduce::SUMSQUARE: return Reduce(layer, ReductionKind::kSumSquare, x, over);
      case schema::Reduce::L1: return Reduce(layer, ReductionKind::kL1, x, over);
      case schema::Reduce::L2: return Reduce(layer, ReductionKind::kL2, x, over);
      case schema::Reduce::MAX: return Reduce(layer, ReductionKind::kMax, x, over);
      case schema::Reduce::MIN: return Reduce(layer, ReductionKind::kMin, x, over);
      case schema::Reduce::ARGMAX:
        if (over.axes.size() != 1) return Malformed("ARGMAX is along one axis");
        return layer.Emit(quant::ArgExtreme{.axis = over.axes[0]}, {x}, "place");
      default: return UnknownValue("mode", params.mode(), "0 to 9, from SUM to ARGMAX");
    }
  }();
  return layer.FinishImages(reduced, images.leading);
}

namespace {

absl::Status FinishReduced(CoremlLayer& layer, ReductionKind kind, const schema::ReduceAxes& params) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(Operand x, layer.Input(0));
  const bool has_integers = kind == ReductionKind::kSum || kind == ReductionKind::kProduct ||
                            kind == ReductionKind::kMax || kind == ReductionKind::kMin;
  if (!has_integers) {
    ASSIGN_OR_RETURN(x, AsReal(layer, x));
  }
  const size_t rank = x.shape().size();
  Reduction over = {.keep_dimensions = params.keep_dims()};
  ASSIGN_OR_RETURN(List axes, ListOf(params.axes()));
  if (params.reduce_all()) axes = AxesFrom(0, rank);
  if (axes.empty()) return Malformed("it says no axes, and not reduceAll");
  ASSIGN_OR_RETURN(over.axes, NormalizeAxes(std::move(axes), rank));
  if (kind == ReductionKind::kMean && rank >= 3 && params.keep_dims() && over.axes == AxesFrom(2, rank))
    return layer.FinishAs(GlobalAveragePool(layer, x));  // as other formats write it
  ASSIGN_OR_RETURN(const Operand y, Reduce(layer, kind, x, over));
  return y.shape().empty() ? layer.FinishShape(y, {1}) : layer.FinishAs(y);  // Core ML has no scalars
}

}  // namespace

absl::Status ImportReduceL1(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kL1, layer.file().reduce_l1());
}
absl::Status ImportReduceL2(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kL2, layer.file().reduce_l2());
}
absl::Status ImportReduceMax(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kMax, layer.file().reduce_max());
}
absl::Status ImportReduceMin(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kMin, layer.file().reduce_min());
}
absl::Status ImportReduceSum(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kSum, layer.file().reduce_sum());
}
absl::Status ImportReduceProd(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kProduct, layer.file().reduce_prod());
}
absl::Status ImportReduceMean(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kMean, layer.file().reduce_mean());
}
absl::Status ImportReduceLogSum(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kLogSum, layer.file().reduce_log_sum());
}
absl::Status ImportReduceSumSquare(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kSumSquare, layer.file().reduce_sum_square());
}
absl::Status ImportReduceLogSumExp(CoremlLayer& layer) {
  return FinishReduced(layer, ReductionKind::kLogSumExp, layer.file().reduce_log_sum_exp());
}

absl::Status ImportCumSum(CoremlLayer& layer) {
  const schema::CumSum& params = layer.file().cum_sum();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  int64_t given = params.axis();
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(given, layer.Number(1));
  }
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  return layer.Finish(quant::CumulativeSum{axis, params.exclude_final_sum(), params.reverse()}, {x});
}

namespace {

absl::Status FinishExtreme(CoremlLayer& layer, const schema::ArgExtreme& params, bool is_min) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  const bool keeps = !params.remove_dim() || x.shape().size() == 1;  // Core ML has no scalars
  return layer.Finish(quant::ArgExtreme{.axis = axis, .keep_dimension = keeps, .is_min = is_min}, {x});
}

// The k first of an order, and their places.
absl::Status FinishSorted(CoremlLayer& layer, const Operand& x, quant::TopK sort, size_t values,
                          size_t places) {
  if (sort.k < 1 || sort.k > x.shape()[static_cast<size_t>(sort.axis)])
    return BadShape(absl::StrCat("it takes ", sort.k, " of ", x.shape()[static_cast<size_t>(sort.axis)]));
  if (values < layer.num_outputs()) RETURN_IF_ERROR(layer.FinishOutput(values, sort, {x}));
  sort.result = quant::TopKResult::kIndices;
  if (places < layer.num_outputs()) RETURN_IF_ERROR(layer.FinishOutput(places, sort, {x}));
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportArgMax(CoremlLayer& layer) { return FinishExtreme(layer, layer.file().arg_max(), false); }
absl::Status ImportArgMin(CoremlLayer& layer) { return FinishExtreme(layer, layer.file().arg_min(), true); }

absl::Status ImportArgSort(CoremlLayer& layer) {
  const schema::ArgSort& params = layer.file().arg_sort();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(params.axis(), x.shape().size()));
  const quant::TopK sort = {
      .axis = axis, .k = x.shape()[static_cast<size_t>(axis)], .is_min = !params.descending()};
  return FinishSorted(layer, x, sort, /*values=*/quant::kAnyNumber, /*places=*/0);
}

absl::Status ImportTopK(CoremlLayer& layer) {
  const schema::TopK& params = layer.file().top_k();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  quant::TopK sort = {.is_min = params.use_bottom_k()};
  ASSIGN_OR_RETURN(sort.axis, NormalizeAxis(params.axis(), x.shape().size()));
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(sort.k, layer.Number(1));
  } else {
    ASSIGN_OR_RETURN(sort.k, SizeOf(params.k()));
  }
  return FinishSorted(layer, x, sort, 0, 1);
}

}  // namespace tally::coreml
