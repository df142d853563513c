#include "frontends/graph/compositions/selection.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Int64Tensor;
using quant::Shape;
using Kind = quant::IntegerArithmetic::Kind;

absl::StatusOr<Operand> ZeroLike(Emitter& emitter, const Operand& x) {
  return x.is_integer() ? emitter.NewConstant(int64_t{0}, "zero") : emitter.NewConstant(0.0f, "zero");
}

absl::StatusOr<Operand> CountUp(Emitter& emitter, const Shape& shape, int64_t axis, std::string_view step) {
  ASSIGN_OR_RETURN(const Operand one, emitter.NewConstant(int64_t{1}, "one"));
  ASSIGN_OR_RETURN(const Operand ones, emitter.Emit(quant::Expand{shape}, {one}, "ones"));
  return emitter.Emit(quant::CumulativeSum{.axis = axis, .exclusive = true}, {ones}, step);
}

absl::StatusOr<Operand> Not(Emitter& emitter, const Operand& x) {
  ASSIGN_OR_RETURN(const Operand zero, ZeroLike(emitter, x));
  return emitter.Emit(quant::Compare{Comparison::kEqual}, {x, zero}, "not");
}

absl::StatusOr<Operand> OneHot(Emitter& emitter, const Operand& indices, int64_t axis, int64_t depth,
                               const Operand& values, bool from_back) {
  if (!values.is_constant()) {
    return MakeError(label::model_unsupported_operand, "the values of OneHot are computed at run time");
  }
  if (depth < 1 || values.shape() != Shape{2}) {
    return MakeError(label::model_shape, "OneHot takes one depth of at least 1 and two values");
  }
  Shape shape = indices.shape();
  Shape along(shape.size() + 1, 1);
  along[static_cast<size_t>(axis)] = depth;
  shape.insert(shape.begin() + axis, 1);
  ASSIGN_OR_RETURN(const Operand lines, emitter.Emit(quant::Reshape{shape}, {indices}, "lines"));
  ASSIGN_OR_RETURN(const Operand places, CountUp(emitter, along, axis, "places"));
  constexpr quant::Compare kIsAt = {Comparison::kEqual};
  ASSIGN_OR_RETURN(Operand is_on, emitter.Emit(kIsAt, {lines, places}, "front"));
  if (from_back) {
    ASSIGN_OR_RETURN(const Operand size, emitter.NewConstant(depth, "depth"));
    ASSIGN_OR_RETURN(const Operand back,
                     emitter.Emit(quant::IntegerArithmetic{Kind::kSub}, {places, size}, "places_from_back"));
    ASSIGN_OR_RETURN(const Operand is_back, emitter.Emit(kIsAt, {lines, back}, "back"));
    ASSIGN_OR_RETURN(is_on, emitter.Emit(quant::IntegerArithmetic{Kind::kMax}, {is_on, is_back}, "on"));
  }
  return emitter.Emit(quant::Lookup{*values.constant}, {is_on}, "one_hot");
}

absl::StatusOr<Operand> Triangle(Emitter& emitter, const Operand& x, int64_t k, bool upper) {
  const size_t rank = x.shape().size();
  if (rank < 2) return MakeError(label::model_shape, "x has no rows and columns");
  Int64Tensor kept{{x.shape()[rank - 2], x.shape()[rank - 1]}, {}};
  for (int64_t row = 0; row < kept.shape[0]; ++row) {
    // Beyond the corners all k mean the same, and none overflows.
    const int64_t diagonal = std::clamp(k, -kept.shape[0], kept.shape[1]) + row;
    for (int64_t column = 0; column < kept.shape[1]; ++column) {
      kept.data.push_back(upper ? column >= diagonal : column <= diagonal);
    }
  }
  ASSIGN_OR_RETURN(const Operand flags, emitter.NewConstant(std::move(kept), "kept"));
  ASSIGN_OR_RETURN(const Operand zero, ZeroLike(emitter, x));
  return emitter.Emit(quant::Where{}, {flags, x, zero}, "triangle");
}

}  // namespace tally::frontend
