#include <utility>

#include "fuzz/generators/call_generators.h"
#include "ops/linear/attrs.h"

namespace tally {
namespace {

// CVM asks for 8 bits of both factors; elsewhere 20 bits leave room for sums.
constexpr Interval kLinearFactor = {-(1 << 20), 1 << 20};
constexpr int kCvmFactorBits = 8;

// x, w and often a bias of one number for each output channel.
Attempt WithBias(CallContext& c, DraftId x, DraftId w) {
  Attempt attempt = {{x, w}};
  if (c.e.OneIn(2)) {
    attempt.operands.push_back(c.Operand({.shape = ShapeOf({c.shape(w)[0]}), .within = kLinearFactor}));
  }
  return attempt;
}

Attempt DrawConv2d(CallContext& c) {
  Conv2dAttrs attrs;
  const DraftId x =
      c.Operand({.min_rank = 4, .max_rank = 4, .within = kLinearFactor, .max_precision = kCvmFactorBits});
  const auto dims = c.shape(x).dims();
  attrs.groups = c.e.OneIn(3) ? dims[1] : 1;
  std::vector<int64_t> weight = {attrs.groups * c.e.Between(1, 3), dims[1] / attrs.groups};
  for (int i = 0; i < 2; ++i) {
    attrs.padding[i] = c.e.OneIn(2) ? c.e.Between(0, 3) : 0;
    attrs.stride[i] = c.e.OneIn(3) ? c.e.Between(1, 4) : 1;
    const int64_t room = dims[2 + i] + 2 * attrs.padding[i];
    const int64_t kernel = c.e.Between(1, std::min<int64_t>(room, 4));
    weight.push_back(kernel);
    // Dilated as far as the kernel still fits.
    if (kernel > 1 && c.e.OneIn(3)) attrs.dilation[i] = c.e.Between(1, (room - 1) / (kernel - 1));
  }
  const DraftId w =
      c.Operand({.shape = ShapeOf(weight), .within = kLinearFactor, .max_precision = kCvmFactorBits});
  Attempt attempt = WithBias(c, x, w);
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawDense(CallContext& c) {
  const DraftId x =
      c.Operand({.min_rank = 2, .max_rank = 2, .within = kLinearFactor, .max_precision = kCvmFactorBits});
  const Shape weight = ShapeOf({c.e.Between(1, 5), c.shape(x)[1]});
  return WithBias(c, x,
                  c.Operand({.shape = weight, .within = kLinearFactor, .max_precision = kCvmFactorBits}));
}

Attempt DrawMatmul(CallContext& c) {
  const MatmulAttrs attrs = {.transpose_a = c.e.OneIn(2),
                             .transpose_b = c.e.OneIn(2),
                             .zero_a = c.e.OneIn(3) ? c.e.Between(-200, 200) : 0,
                             .zero_b = c.e.OneIn(3) ? c.e.Between(-200, 200) : 0};
  const DraftId a = c.Operand({.min_rank = 2, .within = kLinearFactor});
  const auto dims = c.shape(a).dims();
  const int64_t terms = attrs.transpose_a ? dims[dims.size() - 2] : dims.back();
  // The batch of a, or a part of it that broadcasts.
  std::vector<int64_t> b(dims.begin() + (c.e.OneIn(3) ? c.e.Between(0, dims.size() - 2) : 0), dims.end() - 2);
  for (int64_t& dim : b) {
    if (c.e.OneIn(4)) dim = 1;
  }
  b.insert(b.end(), {terms, c.e.Between(1, 5)});
  if (attrs.transpose_b) std::swap(b.back(), b[b.size() - 2]);
  return {{a, c.Operand({.shape = ShapeOf(b), .within = kLinearFactor})}, Pack(attrs)};
}

// x and attrs of convolution and of conv_transpose, which differ in the order of the channels of w.
template <typename Attrs>
Attempt DrawGrouped(CallContext& c) {
  constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;
  Attrs attrs;
  const DraftId x = c.Operand({.min_rank = 3, .max_rank = 5, .within = kLinearFactor});
  const Shape& shape = c.shape(x);
  attrs.groups = c.e.OneIn(3) ? shape[1] : 1;
  attrs.zero_x = c.e.OneIn(3) ? c.e.Between(-200, 200) : 0;
  attrs.zero_w = c.e.OneIn(3) ? c.e.Between(-200, 200) : 0;
  const int64_t in = shape[1] / attrs.groups, out = c.e.Between(1, 3);
  std::vector<int64_t> w = {attrs.groups * (kTransposed ? in : out), kTransposed ? out : in};
  for (int axis = 2; axis < shape.rank(); ++axis) {
    const int64_t taps = c.e.Between(1, 3);
    w.push_back(taps);
    DrawWindow(c, shape[axis], taps, attrs);
    if constexpr (kTransposed) attrs.output_padding.push_back(c.e.OneIn(3) ? c.e.Between(0, 3) : 0);
  }
  Attempt attempt = {{x, c.Operand({.shape = ShapeOf(w), .within = kLinearFactor})}, Pack(attrs)};
  if (c.e.OneIn(2)) {
    attempt.operands.push_back(c.Operand({.shape = ShapeOf({attrs.groups * out}), .within = kLinearFactor}));
  }
  return attempt;
}

}  // namespace

CallGenerator FindLinearCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kConv2d: return DrawConv2d;
    case Opcode::kDense: return DrawDense;
    case Opcode::kMatmul: return DrawMatmul;
    case Opcode::kConvolution: return DrawGrouped<ConvolutionAttrs>;
    case Opcode::kConvTranspose: return DrawGrouped<ConvTransposeAttrs>;
    default: return nullptr;
  }
}

}  // namespace tally
