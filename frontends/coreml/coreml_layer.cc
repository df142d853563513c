#include "frontends/coreml/coreml_layer.h"

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::coreml {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

std::optional<Int64Tensor> IntegersOf(const Operand& constant) {
  const auto* floats = constant.is_constant() ? std::get_if<FloatTensor>(constant.constant.get()) : nullptr;
  if (floats == nullptr) return std::nullopt;
  constexpr float kExact = 0x1p24f;  // beyond it floats do not have all integers
  const auto is_integer = [](float v) { return std::trunc(v) == v && std::abs(v) <= kExact; };
  if (!std::ranges::all_of(floats->data, is_integer)) return std::nullopt;
  Int64Tensor integers{floats->shape, {}};
  for (const float v : floats->data) integers.data.push_back(static_cast<int64_t>(v));
  return integers;
}

absl::StatusOr<Operand> AsReal(Emitter& emitter, const Operand& x) {
  if (!x.is_integer()) return x;
  return emitter.Emit(quant::ToFloat{}, {x}, "floats");
}

absl::StatusOr<Operand> FlagsOf(Emitter& emitter, const Operand& x) {
  const quant::Tensor nothing = x.is_integer() ? quant::Tensor(Int64Tensor{{}, {0}}) : FloatTensor{{}, {0}};
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(nothing, "nothing"));
  return emitter.Emit(quant::Compare{Comparison::kNotEqual}, {x, zero}, "flags");
}

absl::StatusOr<Borders> BordersOf(const schema::BorderAmounts& amounts) {
  Borders borders;
  if (amounts.border_amounts_size() == 0) return borders;
  if (amounts.border_amounts_size() != 2) return Malformed("its amounts are not those of H and W");
  for (size_t i = 0; i < 2; ++i) {
    const auto& edges = amounts.border_amounts(static_cast<int>(i));
    ASSIGN_OR_RETURN(borders.before[i], NumberOf(edges.start_edge_size()));
    ASSIGN_OR_RETURN(borders.after[i], NumberOf(edges.end_edge_size()));
  }
  return borders;
}

absl::StatusOr<Operand> CoremlLayer::Real(size_t index) {
  ASSIGN_OR_RETURN(const Operand x, Input(index));
  return AsReal(*this, x);
}

absl::StatusOr<Operand> CoremlLayer::Whole(size_t index) {
  ASSIGN_OR_RETURN(const Operand x, Input(index));
  if (x.is_integer()) return x;
  if (!x.is_constant()) return Emit(quant::ToInteger{}, {x}, "integers");
  std::optional<Int64Tensor> integers = IntegersOf(x);
  if (integers.has_value()) return NewConstant(*std::move(integers), "integers");
  return MakeError(label::model_unsupported_type, Quoted(x.name) + " holds numbers that are not integers");
}

absl::StatusOr<std::vector<Operand>> CoremlLayer::Reals() {
  std::vector<Operand> operands;
  for (size_t i = 0; i < num_inputs(); ++i) {
    ASSIGN_OR_RETURN(operands.emplace_back(), Real(i));
  }
  return operands;
}

absl::StatusOr<Operand> CoremlLayer::OnlyReal() {
  RETURN_IF_ERROR(CheckInputCount(1, 1));
  return Real(0);
}

absl::StatusOr<Operand> CoremlLayer::Flags(size_t index) {
  ASSIGN_OR_RETURN(const Operand x, Input(index));
  return FlagsOf(*this, x);
}

absl::StatusOr<List> CoremlLayer::Listed(size_t index) {
  ASSIGN_OR_RETURN(const Operand x, Whole(index));
  if (!x.is_constant()) {
    return MakeError(label::model_unsupported_operand,
                     absl::StrCat("input ", index,
                                  " is computed at run time: where it depends on shapes, fix these "
                                  "(--shape, --batch), and where on an input, fix that (--fix NAME=VALUE)"));
  }
  return std::get<Int64Tensor>(*x.constant).data;
}

absl::StatusOr<int64_t> CoremlLayer::Number(size_t index) {
  ASSIGN_OR_RETURN(const List list, Listed(index));
  if (list.size() == 1) return list[0];
  return BadShape(absl::StrCat("input ", index, " is not one number"));
}

absl::StatusOr<CoremlLayer::Pair> CoremlLayer::ReadPair() {
  RETURN_IF_ERROR(CheckInputCount(2, 2));
  Pair pair;
  ASSIGN_OR_RETURN(pair.a, Input(0));
  ASSIGN_OR_RETURN(pair.b, Input(1));
  if (pair.a.is_integer() == pair.b.is_integer()) return pair;
  Operand& floats = pair.a.is_integer() ? pair.b : pair.a;
  Operand& integers = pair.a.is_integer() ? pair.a : pair.b;
  if (std::optional<Int64Tensor> known = IntegersOf(floats)) {
    ASSIGN_OR_RETURN(floats, NewConstant(*std::move(known), "integers"));
  } else {
    ASSIGN_OR_RETURN(integers, AsReal(*this, integers));
  }
  return pair;
}

absl::StatusOr<Images> CoremlLayer::ImageInput(size_t index) {
  ASSIGN_OR_RETURN(const Operand x, Real(index));
  return AsImages(x);
}

absl::StatusOr<Images> CoremlLayer::AsImages(const Operand& x) {
  const Shape& shape = x.shape();
  if (shape.size() == 4) return Images{x, {shape[0]}};
  if (!is_exact() && shape.size() == 2) {
    ASSIGN_OR_RETURN(Operand images, Emit(quant::Reshape{{shape[0], shape[1], 1, 1}}, {x}, "images"));
    return Images{std::move(images), {shape[0]}};
  }
  if (shape.size() < 3)
    return BadShape("x is " + quant::ToString(shape) + ", which has no channels, height and width");
  const Shape leading(shape.begin(), shape.end() - 3);
  Shape wanted = {quant::NumElements(leading)};
  wanted.insert(wanted.end(), shape.end() - 3, shape.end());
  ASSIGN_OR_RETURN(Operand images, Emit(quant::Reshape{std::move(wanted)}, {x}, "images"));
  return Images{std::move(images), leading};
}

absl::StatusOr<Operand> CoremlLayer::FromImages(const Operand& y, const Shape& leading) {
  Shape wanted = leading;
  wanted.insert(wanted.end(), y.shape().begin() + 1, y.shape().end());
  if (wanted == y.shape()) return y;
  return Emit(quant::Reshape{std::move(wanted)}, {y}, "result");
}

absl::Status CoremlLayer::FinishImages(const absl::StatusOr<Operand>& y, const Shape& leading) {
  RETURN_IF_ERROR(y.status());
  return FinishAs(FromImages(*y, leading));
}

absl::StatusOr<size_t> CoremlLayer::ChannelAxis(const Operand& x) const {
  const size_t rank = x.shape().size();
  if (!is_exact()) return size_t{1};
  if (rank >= 3) return rank - 3;
  return BadShape("x is " + quant::ToString(x.shape()) + ", which has no channels, height and width");
}

absl::Status CoremlLayer::SameRanks(std::vector<Operand>& values) {
  if (is_exact()) return absl::OkStatus();
  const bool has_images = std::ranges::any_of(values, [](const Operand& v) { return v.shape().size() == 4; });
  for (Operand& value : values) {
    if (!has_images || value.shape().size() == 4) continue;
    ASSIGN_OR_RETURN(Images images, AsImages(value));
    value = std::move(images.x);
  }
  return absl::OkStatus();
}

absl::StatusOr<Operand> CoremlLayer::Weight(const schema::Weights& weights, const Shape& shape,
                                            std::string_view what, size_t channel_axis) const {
  return DecodeWeights(weights, shape,
                       {PrintableStart(file_.name()) + "." + std::string(what), channel_axis});
}

absl::StatusOr<std::optional<Operand>> CoremlLayer::WeightIf(bool is_there, const schema::Weights& weights,
                                                             const Shape& shape,
                                                             std::string_view what) const {
  if (!is_there) return std::nullopt;
  ASSIGN_OR_RETURN(Operand weight, Weight(weights, shape, what));
  return std::optional(std::move(weight));
}

absl::Status CoremlLayer::FinishShape(const Operand& x, Shape shape) {
  if (shape == x.shape()) return FinishAs(x);
  return Finish(quant::Reshape{std::move(shape)}, {x});
}

}  // namespace tally::coreml
