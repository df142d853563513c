// Arithmetic, comparisons and choices, element by element.
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/activations.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/compositions/selection.h"

namespace tally::coreml {
namespace {

using quant::Shape;
using Kind = quant::IntegerArithmetic::Kind;

// Real inputs of images, or of lists, which broadcast.
absl::StatusOr<std::vector<Operand>> ReadAll(CoremlLayer& layer, size_t least) {
  RETURN_IF_ERROR(layer.CheckInputCount(least, quant::kAnyNumber));
  ASSIGN_OR_RETURN(std::vector<Operand> operands, layer.Reals());
  RETURN_IF_ERROR(layer.SameRanks(operands));
  return operands;
}

absl::Status FinishAll(CoremlLayer& layer, Pairwise f) {
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, ReadAll(layer, 2));
  return layer.FinishAs(OfAll(layer, operands, f));
}

absl::Status FinishPair(CoremlLayer& layer, Pairwise f) {
  ASSIGN_OR_RETURN(const CoremlLayer::Pair read, layer.ReadPair());
  return layer.FinishAs(f(layer, read.a, read.b));
}

// Two inputs of floats, whatever they are.
absl::Status FinishReals(CoremlLayer& layer, Pairwise f) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, layer.Reals());
  return layer.FinishAs(f(layer, operands[0], operands[1]));
}

// A tensor of weights [1], [C], [1, H, W] or [C, H, W], to broadcast to x.
absl::StatusOr<Operand> Spread(CoremlLayer& layer, const Operand& x,
                               const google::protobuf::RepeatedField<uint64_t>& sizes,
                               const schema::Weights& weights, const char* what) {
  Shape shape;
  for (const uint64_t size : sizes) {
    ASSIGN_OR_RETURN(shape.emplace_back(), SizeOf(size));
  }
  if (shape.size() != 1 && shape.size() != 3) return Malformed("its shape is neither (C) nor (C, H, W)");
  ASSIGN_OR_RETURN(const Operand tensor, layer.Weight(weights, shape, what));
  ASSIGN_OR_RETURN(const size_t axis, layer.ChannelAxis(x));
  Shape wanted = shape;
  if (shape.size() == 1) wanted.resize(x.shape().size() - axis, 1);
  return layer.Emit(quant::Reshape{std::move(wanted)}, {tensor}, what);
}

absl::Status CheckSpread(const Operand& x, const Operand& y) {
  if (y.shape() == x.shape()) return absl::OkStatus();
  return BadShape("its weights do not fit x " + quant::ToString(x.shape()));
}

}  // namespace

absl::Status ImportAdd(CoremlLayer& layer) {
  if (layer.num_inputs() > 1) return FinishAll(layer, Sum);
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  return layer.FinishAs(Affine(layer, x, 1, layer.file().add().alpha()));
}
absl::Status ImportMultiply(CoremlLayer& layer) {
  if (layer.num_inputs() > 1) return FinishAll(layer, Product);
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  return layer.FinishAs(Affine(layer, x, layer.file().multiply().alpha(), 0));
}
absl::Status ImportAverage(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, ReadAll(layer, 1));
  return layer.FinishAs(MeanOf(layer, operands));
}
absl::Status ImportMax(CoremlLayer& layer) { return FinishAll(layer, Larger); }
absl::Status ImportMin(CoremlLayer& layer) { return FinishAll(layer, Smaller); }

absl::Status ImportScale(CoremlLayer& layer) {
  const schema::Scale& params = layer.file().scale();
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  std::vector<Operand> values = {x};
  if (params.shape_scale_size() == 3 || params.shape_bias_size() == 3) {
    ASSIGN_OR_RETURN(const Images images, layer.AsImages(x));
    if (!layer.is_exact()) x = images.x;
  }
  ASSIGN_OR_RETURN(const size_t axis, layer.ChannelAxis(x));
  const int64_t channels = x.shape()[axis];
  const auto is_list = [&](const auto& sizes) {
    return sizes.size() == 1 && std::cmp_equal(sizes[0], channels);
  };
  if (axis == 1 && is_list(params.shape_scale()) && (!params.adds_bias() || is_list(params.shape_bias()))) {
    // One rounding for both.
    ASSIGN_OR_RETURN(const Operand scale, layer.Weight(params.scale(), {channels}, "scale"));
    ASSIGN_OR_RETURN(auto bias, layer.WeightIf(params.adds_bias(), params.bias(), {channels}, "bias"));
    if (!bias.has_value()) {
      const std::vector<float> zeros(static_cast<size_t>(channels));
      ASSIGN_OR_RETURN(bias, layer.NewConstant(quant::FloatTensor{{channels}, zeros}, "bias"));
    }
    return layer.FinishAs(ChannelAffine(layer, x, scale, *bias));
  }
  ASSIGN_OR_RETURN(const Operand scale, Spread(layer, x, params.shape_scale(), params.scale(), "scale"));
  ASSIGN_OR_RETURN(Operand y, Product(layer, x, scale));
  if (params.adds_bias()) {
    ASSIGN_OR_RETURN(const Operand bias, Spread(layer, x, params.shape_bias(), params.bias(), "bias"));
    ASSIGN_OR_RETURN(y, Sum(layer, y, bias));
  }
  RETURN_IF_ERROR(CheckSpread(x, y));
  return layer.FinishAs(y);
}

absl::Status ImportBias(CoremlLayer& layer) {
  const schema::Bias& params = layer.file().bias();
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  if (params.shape_size() == 3 && !layer.is_exact()) {
    ASSIGN_OR_RETURN(const Images images, layer.AsImages(x));
    x = images.x;
  }
  ASSIGN_OR_RETURN(const Operand bias, Spread(layer, x, params.shape(), params.bias(), "bias"));
  ASSIGN_OR_RETURN(const Operand y, Sum(layer, x, bias));
  RETURN_IF_ERROR(CheckSpread(x, y));
  return layer.FinishAs(y);
}

absl::Status ImportAddBroadcastable(CoremlLayer& layer) { return FinishPair(layer, Sum); }
absl::Status ImportSubtractBroadcastable(CoremlLayer& layer) { return FinishPair(layer, Difference); }
absl::Status ImportMultiplyBroadcastable(CoremlLayer& layer) { return FinishPair(layer, Product); }
absl::Status ImportMinBroadcastable(CoremlLayer& layer) { return FinishPair(layer, Smaller); }
absl::Status ImportMaxBroadcastable(CoremlLayer& layer) { return FinishPair(layer, Larger); }
absl::Status ImportFloorDivBroadcastable(CoremlLayer& layer) { return FinishPair(layer, FloorQuotient); }
// All numbers are reals to these.
absl::Status ImportDivideBroadcastable(CoremlLayer& layer) { return FinishReals(layer, Quotient); }
absl::Status ImportPowBroadcastable(CoremlLayer& layer) { return FinishReals(layer, PowerOf); }
// The remainder of floorDiv, with the sign of the divisor.
absl::Status ImportModBroadcastable(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const CoremlLayer::Pair read, layer.ReadPair());
  return layer.FinishAs(RemainderOf(layer, read.a, read.b, /*like_dividend=*/false));
}

namespace {

// Compares two inputs, or one and a number.
absl::Status FinishCompared(CoremlLayer& layer, Comparison kind, float alpha) {
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(const CoremlLayer::Pair read, layer.ReadPair());
    return layer.Finish(quant::Compare{kind}, {read.a, read.b});
  }
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const Operand number, layer.NewConstant(alpha, "alpha"));
  return layer.Finish(quant::Compare{kind}, {x, number});
}

absl::Status FinishLogical(CoremlLayer& layer, quant::Op op) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, layer.Flags(0));
  ASSIGN_OR_RETURN(const Operand b, layer.Flags(1));
  return layer.Finish(std::move(op), {a, b});
}

}  // namespace

absl::Status ImportEqual(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kEqual, layer.file().equal().alpha());
}
absl::Status ImportNotEqual(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kNotEqual, layer.file().not_equal().alpha());
}
absl::Status ImportLessThan(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kLess, layer.file().less_than().alpha());
}
absl::Status ImportLessEqual(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kLessEqual, layer.file().less_equal().alpha());
}
absl::Status ImportGreaterThan(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kGreater, layer.file().greater_than().alpha());
}
absl::Status ImportGreaterEqual(CoremlLayer& layer) {
  return FinishCompared(layer, Comparison::kGreaterEqual, layer.file().greater_equal().alpha());
}

absl::Status ImportLogicalOr(CoremlLayer& layer) {
  return FinishLogical(layer, quant::IntegerArithmetic{Kind::kMax});
}
absl::Status ImportLogicalAnd(CoremlLayer& layer) {
  return FinishLogical(layer, quant::IntegerArithmetic{Kind::kMin});
}
absl::Status ImportLogicalXor(CoremlLayer& layer) {
  return FinishLogical(layer, quant::Compare{Comparison::kNotEqual});
}
absl::Status ImportLogicalNot(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  return layer.FinishAs(Not(layer, x));
}

absl::Status ImportWhereBroadcastable(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand condition, layer.Flags(0));
  ASSIGN_OR_RETURN(Operand a, layer.SaturatedInput(1));
  ASSIGN_OR_RETURN(Operand b, layer.SaturatedInput(2));
  if (a.is_integer() != b.is_integer()) {
    ASSIGN_OR_RETURN(a, AsReal(layer, a));
    ASSIGN_OR_RETURN(b, AsReal(layer, b));
  }
  return layer.Finish(quant::Where{}, {condition, a, b});
}

}  // namespace tally::coreml
