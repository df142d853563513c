#include "frontends/graph/compositions/reductions.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Shape;

namespace {

// A mean of integers is rounded toward zero.
absl::StatusOr<Operand> Mean(Emitter& emitter, const Operand& x, const Reduction& r) {
  const Shape& shape = x.shape();
  if (x.is_integer()) {
    const quant::ReduceSum op = {.axes = r.axes, .keep_dimensions = r.keep_dimensions};
    ASSIGN_OR_RETURN(const Operand sum, emitter.Emit(op, {x}, "sum"));
    const int64_t count = quant::NumElements(shape) / quant::NumElements(sum.shape());
    ASSIGN_OR_RETURN(const Operand divisor, emitter.NewConstant(count, "count"));
    return Quotient(emitter, sum, divisor);
  }
  if (shape.size() != 4 || r.axes != std::vector<int64_t>{2, 3}) {
    return emitter.Emit(
        quant::ReduceSum{.axes = r.axes, .keep_dimensions = r.keep_dimensions, .is_mean = true}, {x}, "mean");
  }
  ASSIGN_OR_RETURN(const Operand pooled, emitter.Emit(quant::GlobalAveragePool{}, {x}, "pooled"));
  if (r.keep_dimensions) return pooled;
  return emitter.Emit(quant::Reshape{{shape[0], shape[1]}}, {pooled}, "mean");
}

// `x` without the axes of 1 that are reduced.
absl::StatusOr<Operand> WithoutAxes(Emitter& emitter, const Operand& x, const Reduction& r) {
  Shape shape;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (std::ranges::find(r.axes, static_cast<int64_t>(i)) == r.axes.end()) shape.push_back(x.shape()[i]);
  }
  return emitter.Emit(quant::Reshape{shape}, {x}, "shaped");
}

// Halves times halves, so that no chain is long.
absl::StatusOr<Operand> ProductOfFloats(Emitter& emitter, const Operand& x, const Reduction& r) {
  constexpr int64_t kMost = 64;
  Operand product = x;
  for (const int64_t axis : r.axes) {
    const auto a = static_cast<size_t>(axis);
    if (x.shape()[a] > kMost) {
      return MakeError(label::model_unsupported_operand,
                       "a product of " + std::to_string(x.shape()[a]) + " floats: at most 64 are multiplied");
    }
    while (product.shape()[a] > 1) {
      const int64_t size = product.shape()[a], half = size / 2;
      ASSIGN_OR_RETURN(const Operand front, Part(emitter, product, a, 0, half, "front"));
      ASSIGN_OR_RETURN(const Operand back, Part(emitter, product, a, half, 2 * half, "back"));
      ASSIGN_OR_RETURN(const Operand pairs, emitter.Emit(quant::Mul{}, {front, back}, "pairs"));
      if (size % 2 == 0) {
        product = pairs;
        continue;
      }
      ASSIGN_OR_RETURN(const Operand odd, Part(emitter, product, a, size - 1, size, "odd"));
      ASSIGN_OR_RETURN(product, emitter.Emit(quant::Concat{axis}, {pairs, odd}, "left"));
    }
  }
  return r.keep_dimensions ? product : WithoutAxes(emitter, product, r);
}

// function(the sum of the terms), or of each term where no axis is reduced.
absl::StatusOr<Operand> SumOf(Emitter& emitter, const Operand& terms, const Reduction& r,
                              std::optional<RecipeFunction> function = std::nullopt) {
  Operand sum = terms;
  if (!r.axes.empty()) {
    const quant::ReduceSum op = {.axes = r.axes, .keep_dimensions = r.keep_dimensions};
    ASSIGN_OR_RETURN(sum, emitter.Emit(op, {terms}, "sum"));
  }
  if (!function.has_value()) return sum;
  return emitter.Emit(quant::Unary{*function}, {sum}, "reduced");
}

// The largest element is taken off first, so that no exponential leaves its range.
absl::StatusOr<Operand> LogSumExp(Emitter& emitter, const Operand& x, const Reduction& r) {
  ASSIGN_OR_RETURN(const Operand largest,
                   emitter.Emit(quant::ReduceExtreme{r.axes, true, false}, {x}, "max"));
  ASSIGN_OR_RETURN(const Operand below, emitter.Emit(quant::Sub{}, {x, largest}, "below"));
  ASSIGN_OR_RETURN(const Operand powers, emitter.Emit(quant::Unary{RecipeFunction::kExp}, {below}, "exp"));
  ASSIGN_OR_RETURN(const Operand log, SumOf(emitter, powers, {.axes = r.axes}, RecipeFunction::kLog));
  ASSIGN_OR_RETURN(const Operand kept, emitter.Emit(quant::Add{}, {log, largest}, "kept"));
  if (r.keep_dimensions) return kept;
  return WithoutAxes(emitter, kept, r);
}

}  // namespace

absl::StatusOr<Operand> Reduce(Emitter& emitter, ReductionKind kind, const Operand& x, const Reduction& r) {
  const bool is_elementwise = r.axes.empty();
  const auto squares = [&] { return Product(emitter, x, x); };
  switch (kind) {
    case ReductionKind::kSum: return SumOf(emitter, x, r);
    case ReductionKind::kProduct:
      if (is_elementwise) return x;
      if (!x.is_integer()) return ProductOfFloats(emitter, x, r);
      return emitter.Emit(quant::ReduceProduct{r.axes, r.keep_dimensions}, {x}, "product");
    case ReductionKind::kMean: return is_elementwise ? x : Mean(emitter, x, r);
    case ReductionKind::kMax:
    case ReductionKind::kMin:
      if (is_elementwise) return x;
      return emitter.Emit(quant::ReduceExtreme{r.axes, r.keep_dimensions, kind == ReductionKind::kMin}, {x},
                          "extreme");
    case ReductionKind::kL1: {
      ASSIGN_OR_RETURN(const Operand magnitudes, Magnitude(emitter, x));
      return SumOf(emitter, magnitudes, r);
    }
    case ReductionKind::kL2: {
      if (is_elementwise) return Magnitude(emitter, x);
      ASSIGN_OR_RETURN(const Operand terms, squares());
      return SumOf(emitter, terms, r, RecipeFunction::kSqrt);
    }
    case ReductionKind::kSumSquare: {
      ASSIGN_OR_RETURN(const Operand terms, squares());
      return SumOf(emitter, terms, r);
    }
    case ReductionKind::kLogSum: return SumOf(emitter, x, r, RecipeFunction::kLog);
    case ReductionKind::kLogSumExp: return is_elementwise ? x : LogSumExp(emitter, x, r);
  }
  __builtin_unreachable();
}

}  // namespace tally::frontend
