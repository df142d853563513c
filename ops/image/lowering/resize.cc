// Resizing as a table of taps for each axis: take where every tap is a pixel, else resample and one rescale.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "base/int_math.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/image/attrs.h"
#include "ops/image/lowering/tap_table.h"
#include "ops/infer.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// Whether every element of the result is an element of the input, and whether it is the one at its own place.
bool IsTake(const TapTable& table) {
  return table.taps == 1 &&
         std::all_of(table.weight.begin(), table.weight.end(), [](int64_t w) { return w == 1; });
}
bool IsIdentity(const TapTable& table, int64_t in) {
  const int64_t out = static_cast<int64_t>(table.index.size()) / table.taps;
  if (table.taps != 1 || out != in) return false;
  for (int64_t o = 0; o < out; ++o) {
    if (table.index[o] != o || table.weight[o] == 0) return false;
  }
  return true;
}

absl::StatusOr<Value> Resample(Composition& c, Value x, int64_t axis, const TapTable& table) {
  const int64_t out = static_cast<int64_t>(table.index.size()) / table.taps;
  if (IsTake(table)) {
    return c.Apply(Opcode::kTake, {x, c.Constant({out}, table.index)}, TakeAttrs{.axis = {axis}});
  }
  return c.Apply(Opcode::kResample,
                 {x, c.Constant({out, table.taps}, table.index), c.Constant({out, table.taps}, table.weight)},
                 ResampleAttrs{.axis = axis});
}

// round(y / whole) + zero, half up. The clamp holds nothing back: its ends are the interval's.
absl::StatusOr<Value> Divide(Composition& c, Value y, int64_t whole, int64_t zero) {
  if (whole == 1) return Plus(c, y, zero);
  if (!std::has_single_bit(static_cast<uint64_t>(whole))) {
    ASSIGN_OR_RETURN(const Value quotient,
                     c.Apply(Opcode::kDivide, {y, c.Constant({}, {whole})}, DivideAttrs{Rounding::kHalfUp}));
    return Plus(c, quotient, zero);
  }
  const int shift = std::countr_zero(static_cast<uint64_t>(whole));
  const auto rounded = [&](int64_t v) {
    return RoundShift<int64_t>(Rounding::kHalfUp, v, shift, false) + zero;
  };
  const RescaleAttrs attrs = {
      .zero_out = zero, .lo = rounded(c.interval(y).lo), .hi = rounded(c.interval(y).hi)};
  return c.Apply(Opcode::kRescale, {y, c.Constant({1}, {1}), c.Constant({1}, {0}), c.Constant({1}, {shift})},
                 attrs);
}

absl::Status CheckResize(const ResizeAttrs& attrs) {
  const size_t axes = attrs.axes.size();
  if (attrs.sizes.size() != axes || (!attrs.scales.empty() && attrs.scales.size() != 2 * axes)) {
    return MakeError(label::lowering_operands,
                     absl::StrCat(attrs.sizes.size(), " sizes and ", attrs.scales.size(),
                                  " parts of scales for ", axes, " axes"));
  }
  const bool crops = attrs.coordinates == Coordinates::kTfCropAndResize;
  if (attrs.regions.size() != (crops ? 2 * axes : 0)) {
    return MakeError(label::lowering_operands,
                     absl::StrCat(attrs.regions.size(), " ends of regions for ", axes, " axes"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Resize(Composition& c, Value x, const ResizeAttrs& attrs) {
  RETURN_IF_ERROR(CheckResize(attrs));
  Dims dims = DimsOf(c.shape(x));
  std::vector<std::pair<int, TapTable>> tables;  // for the axes that change
  int64_t whole = 1;
  bool reads_nothing = false;
  for (size_t i = 0; i < attrs.axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axes[i], c.shape(x).rank()));
    ResizedAxis resized = {.in = dims[axis], .out = attrs.sizes[i]};
    resized.scale = {resized.out, resized.in};
    if (!attrs.scales.empty()) resized.scale = {attrs.scales[2 * i], attrs.scales[2 * i + 1]};
    if (!attrs.regions.empty()) resized.region = {attrs.regions[2 * i], attrs.regions[2 * i + 1]};
    ASSIGN_OR_RETURN(TapTable table, MakeTapTable(attrs, resized));
    if (IsIdentity(table, resized.in)) continue;
    if (!CheckedMul(whole, table.whole, &whole)) return Meaningless("the weights leave 63 bits");
    reads_nothing = reads_nothing || table.reads_nothing;
    dims[axis] = resized.out;
    tables.emplace_back(axis, std::move(table));
  }
  // A sum of no terms is 0: the extrapolation value, if it is taken off before and added after.
  const int64_t zero = reads_nothing ? attrs.extrapolation : 0;
  ASSIGN_OR_RETURN(x, Plus(c, x, -zero));
  for (const auto& [axis, table] : tables) {
    ASSIGN_OR_RETURN(x, Resample(c, x, axis, table));
  }
  return Divide(c, x, whole, zero);
}

// An upsampling of the last two axes, by integers.
absl::StatusOr<Value> Upsample(Composition& c, Value x, const std::vector<int64_t>& scale,
                               ResizeAttrs attrs) {
  const Shape& shape = c.shape(x);
  if (shape.rank() < 2) {
    return MakeError(label::lowering_operands, absl::StrCat(shape.ToString(), " has no last two axes"));
  }
  attrs.axes = {-2, -1};
  attrs.sizes = {shape[shape.rank() - 2] * scale[0], shape[shape.rank() - 1] * scale[1]};
  return Resize(c, x, attrs);
}

absl::StatusOr<Value> UpsampleNearest(Composition& c, Value x, const std::vector<int64_t>& scale) {
  return Upsample(c, x, scale, {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerResize(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  return One(Resize(c, operands[0], Unpack<ResizeAttrs>(attributes)));
}

absl::StatusOr<std::vector<Value>> LowerUpsampling(Composition& c, std::span<const Value> operands,
                                                   const Attributes& attributes) {
  const int64_t scale = Unpack<UpsamplingAttrs>(attributes).scale;
  if (c.shape(operands[0]).rank() != 4) return MakeError(label::lowering_operands, "x is not [N, C, H, W]");
  return One(UpsampleNearest(c, operands[0], {scale, scale}));
}

absl::StatusOr<std::vector<Value>> LowerUpsampleNearest(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  return One(UpsampleNearest(c, operands[0], Unpack<UpsampleAttrs>(attributes).scale));
}

absl::StatusOr<std::vector<Value>> LowerUpsampleBilinear(Composition& c, std::span<const Value> operands,
                                                         const Attributes& attributes) {
  const auto attrs = Unpack<UpsampleBilinearAttrs>(attributes);
  constexpr Coordinates kOfGrid[] = {Coordinates::kAsymmetric, Coordinates::kAlignCorners,
                                     Coordinates::kHalfPixel};
  return One(
      Upsample(c, operands[0], attrs.scale,
               {.mode = ResizeMode::kLinear, .coordinates = kOfGrid[static_cast<size_t>(attrs.grid)]}));
}

// Along H and W of [N, H, W, C], in units of 1 / n: point o is at o * d + offset, and there are as many
// points as d fits into the positions up to (in - 1) * n + border.
absl::StatusOr<std::vector<Value>> LowerTosaResize(Composition& c, std::span<const Value> operands,
                                                   const Attributes& attributes) {
  const auto attrs = Unpack<TosaResizeAttrs>(attributes);
  Value x = operands[0];
  if (c.shape(x).rank() != 4) return MakeError(label::lowering_operands, "x is not [N, H, W, C]");
  for (int i = 0; i < 2; ++i) {
    const int64_t in = c.shape(x)[1 + i], n = attrs.scale[2 * i], d = attrs.scale[2 * i + 1];
    const int64_t span = (in - 1) * n - attrs.offset[i] + attrs.border[i];
    if (span < 0 || span % d != 0 || span / d >= int64_t{1} << 20) {
      return MakeError(label::lowering_operands,
                       absl::StrCat("axis ", 1 + i, " spans ", span, " units in steps of ", d));
    }
    TapTable table = {.taps = attrs.bilinear ? 2 : 1};
    for (int64_t o = 0; o <= span / d; ++o) {
      const int64_t position = o * d + attrs.offset[i];
      const int64_t pixel = FloorDiv(position, n), part = position - pixel * n;
      const int64_t low = std::clamp<int64_t>(pixel, 0, in - 1),
                    high = std::clamp<int64_t>(pixel + 1, 0, in - 1);
      if (attrs.bilinear) {
        table.index.insert(table.index.end(), {low, high});
        table.weight.insert(table.weight.end(), {n - part, part});
      } else {
        table.index.push_back(2 * part >= n ? high : low);
        table.weight.push_back(1);
      }
    }
    ASSIGN_OR_RETURN(x, Resample(c, x, 1 + i, table));
  }
  return std::vector<Value>{x};
}

}  // namespace tally
