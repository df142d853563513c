// Norms, softmax, and what reduces axes.
#include "frontends/graph/compositions/norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// Axes `first` .. rank - 1 of the graph's value.
std::vector<int64_t> AxesOfBlob(const Operand& x, int64_t first) {
  std::vector<int64_t> axes(x.shape().size() - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Scale and bias of a norm, where parameter 2 or 3 says that there are some.
absl::StatusOr<NormWeights> ReadAffine(NcnnLayer& layer, int affine_id, int64_t count) {
  NormWeights weights;
  ASSIGN_OR_RETURN(const bool affine, layer.Flag(affine_id, true));
  if (!affine) return weights;
  ASSIGN_OR_RETURN(weights.scale, layer.RawWeights({count}, "gamma"));
  ASSIGN_OR_RETURN(weights.bias, layer.RawWeights({count}, "beta"));
  return weights;
}

// x - mean over `axes`, divided by the deviation of which `epsilon` is outside of the root.
absl::StatusOr<Operand> MeanAndDeviation(NcnnLayer& layer, const Operand& x, const std::vector<int64_t>& axes,
                                         bool divides, float epsilon) {
  ASSIGN_OR_RETURN(const Operand mean, Reduce(layer, ReductionKind::kMean, x, {.axes = axes}));
  ASSIGN_OR_RETURN(const Operand centered, layer.Emit(quant::Sub{}, {x, mean}, "centered"));
  if (!divides) return centered;
  ASSIGN_OR_RETURN(const Operand squares, layer.Emit(quant::Mul{}, {centered, centered}, "squares"));
  ASSIGN_OR_RETURN(const Operand variance, Reduce(layer, ReductionKind::kMean, squares, {.axes = axes}));
  ASSIGN_OR_RETURN(const Operand root, layer.Emit(quant::Unary{RecipeFunction::kSqrt}, {variance}, "root"));
  ASSIGN_OR_RETURN(const Operand addend, layer.NewConstant(epsilon, "epsilon"));
  ASSIGN_OR_RETURN(const Operand deviation, layer.Emit(quant::Add{}, {root, addend}, "deviation"));
  return layer.Emit(quant::Div{}, {centered, deviation}, "normalized");
}

}  // namespace

absl::Status ImportGroupNorm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t groups, layer.Int(0, 1));
  ASSIGN_OR_RETURN(const int64_t channels, layer.Int(1, 0));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(2, 0.001f));
  ASSIGN_OR_RETURN(const NormWeights weights, ReadAffine(layer, 3, channels));
  return layer.FinishAs(GroupNorm(layer, x, groups, epsilon, weights, /*by_channel=*/true));
}

absl::Status ImportInstanceNorm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t channels, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(1, 0.001f));
  ASSIGN_OR_RETURN(const NormWeights weights, ReadAffine(layer, 2, channels));
  return layer.FinishAs(InstanceNorm(layer, x, epsilon, weights));
}

// Over the innermost axes that together have affine_size elements.
namespace {

// The first of the axes of x, up to its last one, that have `size` elements together.
absl::StatusOr<int64_t> FirstAxisOf(const Operand& x, int64_t size) {
  int64_t first = static_cast<int64_t>(x.shape().size()), reach = 1;
  while (first > 1 && reach < size) reach *= x.shape()[static_cast<size_t>(--first)];
  if (reach == size && size > 0) return first;
  return MakeError(label::model_shape, absl::StrCat("no axes of its input have ", size, " elements"));
}

}  // namespace

absl::Status ImportRMSNorm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t size, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(1, 0.001f));
  ASSIGN_OR_RETURN(const bool has_scale, layer.Flag(2, true));
  ASSIGN_OR_RETURN(const int64_t first, FirstAxisOf(x, size));
  std::vector<Operand> operands = {x};
  if (has_scale) {
    const quant::Shape shape(x.shape().begin() + first, x.shape().end());
    ASSIGN_OR_RETURN(operands.emplace_back(), layer.RawWeights(shape, "scale"));
  }
  return layer.Finish(quant::RmsNorm{AxesOfBlob(x, first), epsilon}, operands);
}

absl::Status ImportLayerNorm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t size, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(1, 0.001f));
  ASSIGN_OR_RETURN(const int64_t first, FirstAxisOf(x, size));
  const quant::Shape shape(x.shape().begin() + first, x.shape().end());
  ASSIGN_OR_RETURN(const NormWeights weights, ReadAffine(layer, 2, size));
  const quant::LayerNorm norm = {AxesOfBlob(x, first), epsilon};
  std::vector<Operand> operands = {x};
  for (const auto& list : {weights.scale, weights.bias}) {
    if (!list.has_value()) continue;
    ASSIGN_OR_RETURN(Operand shaped, layer.Emit(quant::Reshape{shape}, {*list}, "affine"));
    operands.push_back(std::move(shaped));
  }
  return layer.Finish(norm, operands);
}

// alpha is divided by the number of elements of the window: of all channels by local_size, of a channel by
// its square.
absl::Status ImportLRN(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t region, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t size, layer.Int(1, 5));
  ASSIGN_OR_RETURN(const float alpha, layer.Float(2, 1));
  ASSIGN_OR_RETURN(const float beta, layer.Float(3, 0.75f));
  ASSIGN_OR_RETURN(const float bias, layer.Float(4, 1));
  if (size < 1 || size > quant::kMaxAttribute) return Malformed("it is over no window");
  if (region == 0) {  // over size / 2 channels on both sides, one more than an even size says
    const int64_t taps = size / 2 * 2 + 1;
    const float each = alpha * static_cast<float>(taps) / static_cast<float>(size);
    return layer.Finish(quant::LocalResponseNorm{taps, each, beta, bias}, {x});
  }
  if (region != 1 || BlobRank(x) != 3) return Malformed("it is across channels, or within those of an image");
  const Extents before(2, size / 2), after(2, size - size / 2 - 1), one(2, 1);
  const LayerWindows windows = {{size, size}, one, one, before, after};
  return layer.FinishAs(LocalNormWithin(layer, x, {windows, alpha, beta, bias}));
}

absl::Status ImportMVN(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const bool divides, layer.Flag(0, false));
  ASSIGN_OR_RETURN(const bool of_all, layer.Flag(1, false));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(2, 0.0001f));
  return layer.FinishAs(MeanAndDeviation(layer, x, AxesOfBlob(x, of_all ? 1 : 2), divides, epsilon));
}

absl::Status ImportNormalize(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const bool across_spatial, layer.Flag(0, false));
  ASSIGN_OR_RETURN(const bool shared, layer.Flag(1, false));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(2, 0.0001f));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(3, 0));
  ASSIGN_OR_RETURN(const bool across_channel, layer.Flag(4, true));
  ASSIGN_OR_RETURN(const int64_t mode, layer.Int(9, 0));
  ASSIGN_OR_RETURN(const Operand scale, layer.RawWeights({count}, "scale"));
  if (mode < 0 || mode > 2) return UnknownValue("eps_mode", mode, "0 to 2");
  if (!across_spatial && !across_channel) return layer.FinishAs(x);  // ncnn does nothing then
  const std::vector<int64_t> axes = !across_spatial   ? std::vector<int64_t>{1}
                                    : !across_channel ? AxesOfBlob(x, 2)
                                                      : AxesOfBlob(x, 1);
  // Added to the sum of squares, or the least of the root, or of the sum.
  ASSIGN_OR_RETURN(const Operand y,
                   mode == 0 ? L2Norm(layer, x, axes, epsilon)
                             : L2NormFrom(layer, x, axes, mode == 1 ? epsilon : std::sqrt(epsilon)));
  if (shared || count == 1) {
    ASSIGN_OR_RETURN(const Operand number, layer.Emit(quant::Reshape{{1}}, {scale}, "factor"));
    return layer.FinishAs(Product(layer, y, number));
  }
  ASSIGN_OR_RETURN(const Operand channels, PerChannel(layer, scale, x));
  return layer.FinishAs(Product(layer, y, channels));
}

absl::Status ImportSoftmax(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t given, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const bool is_fixed, layer.Flag(1, false));
  if (given != 0 && !is_fixed) {
    return MakeError(label::model_malformed,
                     "an old converter wrote another axis than the one it meant (fixbug0)");
  }
  ASSIGN_OR_RETURN(const int64_t axis, AxisOf(given, x));
  return layer.Finish(quant::Softmax{axis}, {x});
}

absl::Status ImportReduction(NcnnLayer& layer) {
  constexpr ReductionKind kKinds[] = {
      ReductionKind::kSum, ReductionKind::kL1,     ReductionKind::kSumSquare, ReductionKind::kMean,
      ReductionKind::kMax, ReductionKind::kMin,    ReductionKind::kProduct,   ReductionKind::kL1,
      ReductionKind::kL2,  ReductionKind::kLogSum, ReductionKind::kLogSumExp};
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const bool of_all, layer.Flag(1, true));
  ASSIGN_OR_RETURN(const float factor, layer.Float(2, 1));
  ASSIGN_OR_RETURN(const std::vector<int64_t> given, layer.params().Ints(3));
  ASSIGN_OR_RETURN(const bool keeps, layer.Flag(4, false));
  ASSIGN_OR_RETURN(const bool is_fixed, layer.Flag(5, false));
  if (type < 0 || type >= std::ssize(kKinds)) {
    return UnknownValue("operation", type, "0 to 10");
  }
  Reduction reduction = {AxesOfBlob(x, 1), keeps};
  if (!of_all && !given.empty()) {
    if (!is_fixed) {
      return MakeError(label::model_malformed,
                       "an old converter wrote other axes than those it meant (fixbug0)");
    }
    reduction.axes.clear();
    for (const int64_t axis : given) {
      ASSIGN_OR_RETURN(reduction.axes.emplace_back(), AxisOf(axis, x));
    }
    std::ranges::sort(reduction.axes);
  }
  ASSIGN_OR_RETURN(Operand y, Reduce(layer, kKinds[type], x, reduction));
  if (y.shape().size() == 1) {  // one element stays
    ASSIGN_OR_RETURN(y, AsBlob(layer, y, {1}, "one"));
  }
  if (factor == 1) return layer.FinishAs(y);
  ASSIGN_OR_RETURN(const Operand coefficient, layer.NewConstant(factor, "coefficient"));
  return layer.FinishAs(Product(layer, y, coefficient));
}

// The last of equal elements is first. Results are floats, as blobs are.
absl::Status ImportArgMax(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const bool with_values, layer.Flag(0, false));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(1, 1));
  const int64_t size = quant::NumElements(x.shape());
  ASSIGN_OR_RETURN(const Operand flat, AsBlob(layer, x, {size}, "flat"));
  // From the end, so that the first of equal ones is the last.
  ASSIGN_OR_RETURN(const Operand reversed,
                   layer.Emit(quant::Slice{{0, size - 1}, {1, -1}, {1, -1}}, {flat}, "reversed"));
  ASSIGN_OR_RETURN(const Operand places, layer.Emit(quant::TopK{1, count, false, quant::TopKResult::kIndices},
                                                    {reversed}, "places"));
  ASSIGN_OR_RETURN(const Operand last, layer.NewConstant(size - 1, "last"));
  ASSIGN_OR_RETURN(const Operand indices, Difference(layer, last, places));
  ASSIGN_OR_RETURN(const Operand floats, layer.Emit(quant::ToFloat{}, {indices}, "floats"));
  if (!with_values) return layer.FinishAs(floats);
  ASSIGN_OR_RETURN(const Operand values, layer.Emit(quant::TopK{1, count}, {reversed}, "values"));
  std::vector<Operand> rows;
  for (const Operand& row : {values, floats}) {
    ASSIGN_OR_RETURN(Operand shaped, AsBlob(layer, row, {1, count}, "row"));
    rows.push_back(std::move(shaped));
  }
  return layer.Finish(quant::Concat{1}, rows);
}

}  // namespace tally::ncnn
