// CVM's convolution and the one on bits as convolution.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/linear/lowering/attrs.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"

namespace tally {

absl::StatusOr<std::vector<Value>> LowerConv2d(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  const auto attrs = Unpack<Conv2dAttrs>(attributes);
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kConvolution, {operands.begin(), operands.end()},
                                          ConvolutionAttrs{.stride = attrs.stride,
                                                           .dilation = attrs.dilation,
                                                           .pad_begin = attrs.padding,
                                                           .pad_end = attrs.padding,
                                                           .groups = attrs.groups}));
  return std::vector<Value>{y};
}

namespace {

// Bits as signs: 2 * v - 1.
absl::StatusOr<Value> Signs(Composition& c, Value bits) {
  if (const TensorView* constant = c.constant(bits)) {
    Tensor signs(constant->shape, Storage::kI8);
    for (int64_t i = 0; i < constant->shape.num_elements(); ++i) {
      StoreElement(Storage::kI8, signs.mutable_bytes().data(), i, 2 * constant->at(i) - 1);
    }
    return c.Constant(signs);
  }
  return c.Apply(Opcode::kLincomb, {bits},
                 LincombAttrs{.multipliers = {2}, .zero_points = {0}, .bias = -1, .lo = -1, .hi = 1});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerBinaryConvolution(Composition& c, std::span<const Value> operands,
                                                          const Attributes& attributes) {
  const auto attrs = Unpack<BinaryConvolutionAttrs>(attributes);
  const size_t axes = attrs.stride.size();
  for (const Value bits : operands) {
    if (Interval{0, 1}.Contains(c.interval(bits))) continue;
    return MakeError(label::lowering_operands,
                     absl::StrCat(c.interval(bits).ToString(), " is more than bits"));
  }
  if (!HasWindowsOf(attrs, axes) || c.shape(operands[0]).rank() != static_cast<int>(axes) + 2) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("lists for another rank than that of ", c.shape(operands[0]).ToString()));
  }
  ASSIGN_OR_RETURN(Value x, Signs(c, operands[0]));
  ASSIGN_OR_RETURN(const Value w, Signs(c, operands[1]));
  // Padding is a bit like the others, not 0.
  PadAttrs pad = {.before = {0, 0}, .after = {0, 0}, .value = attrs.pad_value ? 1 : -1};
  pad.before.insert(pad.before.end(), attrs.pad_begin.begin(), attrs.pad_begin.end());
  pad.after.insert(pad.after.end(), attrs.pad_end.begin(), attrs.pad_end.end());
  const auto none = [](int64_t n) { return n == 0; };
  if (!std::ranges::all_of(pad.before, none) || !std::ranges::all_of(pad.after, none)) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kPad, {x}, pad));
  }
  const std::vector<int64_t> zeros(axes, 0);
  ASSIGN_OR_RETURN(
      const Value y,
      c.Apply(Opcode::kConvolution, {x, w},
              ConvolutionAttrs{
                  .stride = attrs.stride, .dilation = attrs.dilation, .pad_begin = zeros, .pad_end = zeros}));
  return std::vector<Value>{y};
}

}  // namespace tally
