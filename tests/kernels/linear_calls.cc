// GEMM beyond 32 bits: elements of any width, the ends of their intervals, zero points there and outside.
#include <algorithm>

#include "fuzz/generators/values.h"
#include "ops/linear/attrs.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

// Pairs of -2^15 have sums of 2^31; of one sign, sums of many terms leave 32 bits wherever they can.
Interval SumOperands(EntropySource& e) {
  switch (e.Between(0, 8)) {
    case 0: return {-128, 127};
    case 1: return {0, 255};
    case 8: return {-1, 255};  // one value too many for a byte
    case 2:
    case 3: return {-32768, 32767};
    case 4: return {-32768, -32767};
    case 5: return {32766, 32768};
    case 6: return RangeOf(Storage::kI32);
    default: return {-(int64_t{1} << 40), int64_t{1} << 40};
  }
}

int64_t ZeroOf(EntropySource& e, const Interval& x) {
  constexpr Interval kWord = RangeOf(Storage::kI32);
  switch (e.Between(0, 5)) {
    case 0: return std::max(x.lo, kWord.lo);
    case 1: return std::min(x.hi, kWord.hi);
    case 2: return kWord.lo;
    case 3: return kWord.hi;
    default: return 0;
  }
}

// A parameter, or a constant whose values are as often the ends as any.
DraftId Factor(CallContext& c, const Shape& shape, const Interval& interval) {
  if (c.e.OneIn(2)) return c.draft.AddParam({shape, interval});
  const Tensor tensor = RandomTensor(c.e, {shape, interval});
  std::vector<int64_t> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(tensor.view().at(i));
  return c.Constant(shape, values);
}

// Around the blocks of columns, rows and depth of the kernels, and small.
int64_t Size(EntropySource& e) {
  return e.OneIn(2) ? e.Between(1, 9) : e.Pick<int64_t>({4, 16, 32, 64, 128}) + e.Between(-1, 2);
}

Attempt DrawMatmul(CallContext& c) {
  const Interval a = SumOperands(c.e), b = SumOperands(c.e);
  const MatmulAttrs attrs = {.transpose_a = c.e.OneIn(2),
                             .transpose_b = c.e.OneIn(2),
                             .zero_a = ZeroOf(c.e, a),
                             .zero_b = ZeroOf(c.e, b)};
  const int64_t rows = Size(c.e), depth = Size(c.e), columns = Size(c.e), batch = c.e.Between(1, 3);
  const auto matrix = [&](int64_t first, int64_t second, bool transposed) {
    std::vector<int64_t> dims = {first, second};
    if (transposed) std::swap(dims[0], dims[1]);
    if (c.e.OneIn(2)) dims.insert(dims.begin(), c.e.OneIn(3) ? 1 : batch);
    return ShapeOf(dims);
  };
  const DraftId left = Factor(c, matrix(rows, depth, attrs.transpose_a), a);
  return {{left, Factor(c, matrix(depth, columns, attrs.transpose_b), b)}, Pack(attrs)};
}

// Every channel by itself, as networks have it.
Attempt DrawDepthwise(CallContext& c) {
  ConvolutionAttrs attrs;
  const int64_t channels = c.e.Between(1, 40), kernel = c.e.Pick<int64_t>({3, 5}), stride = c.e.Between(1, 2);
  const Interval x = c.e.Pick<Interval>({{-128, 127}, {0, 255}, {-100, 155}}), w = {-128, 127};
  attrs.groups = channels;
  attrs.zero_x = c.e.Between(x.lo, x.hi);
  std::vector<int64_t> x_dims = {c.e.Between(1, 2), channels};
  for (int i = 0; i < 2; ++i) {
    attrs.stride.push_back(stride);
    attrs.dilation.push_back(1);
    attrs.pad_begin.push_back(c.e.Between(0, 2));
    attrs.pad_end.push_back(c.e.Between(0, 2));
    x_dims.push_back(kernel + c.e.Between(0, 9));
  }
  Attempt attempt = {
      {c.draft.AddParam({ShapeOf(x_dims), x}), Factor(c, ShapeOf({channels, 1, kernel, kernel}), w)},
      Pack(attrs)};
  if (c.e.OneIn(2)) attempt.operands.push_back(Factor(c, ShapeOf({channels}), {-10000, 10000}));
  return attempt;
}

template <typename Attrs>
Attempt DrawConvolution(CallContext& c) {
  constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;
  if (!kTransposed && c.e.OneIn(5)) return DrawDepthwise(c);
  Attrs attrs;
  const Interval x = SumOperands(c.e), w = SumOperands(c.e);
  attrs.groups = c.e.OneIn(3) ? c.e.Between(1, 3) : 1;
  attrs.zero_x = ZeroOf(c.e, x);
  attrs.zero_w = ZeroOf(c.e, w);
  const int axes = static_cast<int>(c.e.Between(1, 3));
  const int64_t in = c.e.OneIn(2) ? c.e.Between(1, 4) : c.e.Between(5, 40),
                out = c.e.OneIn(3) ? Size(c.e) : 2;
  std::vector<int64_t> x_dims = {c.e.Between(1, 3), in * attrs.groups};
  std::vector<int64_t> w_dims = {(kTransposed ? in : out) * attrs.groups, kTransposed ? out : in};
  for (int i = 0; i < axes; ++i) {
    const int64_t kernel = c.e.Between(1, 3), dilation = c.e.Between(1, 3);
    attrs.stride.push_back(c.e.Between(1, 3));
    attrs.dilation.push_back(dilation);
    attrs.pad_begin.push_back(c.e.Between(0, 3));
    attrs.pad_end.push_back(c.e.Between(0, 3));
    if constexpr (kTransposed) attrs.output_padding.push_back(c.e.Between(0, attrs.stride.back() - 1));
    w_dims.push_back(kernel);
    x_dims.push_back(dilation * (kernel - 1) + (axes == 3 ? c.e.Between(1, 4) : c.e.Between(1, 40)));
  }
  Attempt attempt = {{c.draft.AddParam({ShapeOf(x_dims), x}), Factor(c, ShapeOf(w_dims), w)}, Pack(attrs)};
  if (c.e.OneIn(2)) attempt.operands.push_back(Factor(c, ShapeOf({out * attrs.groups}), SumOperands(c.e)));
  return attempt;
}

// Offsets that move taps by fractions of a pixel, onto the edges and far outside.
Attempt DrawDeformable(CallContext& c) {
  DeformableConv2dAttrs attrs;
  attrs.groups = c.e.Between(1, 2);
  attrs.offset_groups = c.e.Between(1, 2);
  attrs.border = static_cast<DeformableBorder>(c.e.Between(0, 1));
  attrs.offset_fraction = c.e.Between(0, 5);
  attrs.shift = c.e.Between(0, 12);
  const int64_t batch = c.e.Between(1, 2), in = 2 * c.e.Between(1, 3), out = c.e.OneIn(3) ? Size(c.e) : 2;
  std::vector<int64_t> x = {batch, in * attrs.groups}, w = {out * attrs.groups, in},
                       offset = {batch, 2 * attrs.offset_groups}, mask = {batch, attrs.offset_groups};
  for (int i = 0; i < 2; ++i) {
    const int64_t kernel = c.e.Between(1, 3), size = c.e.Between(1, 9);
    attrs.stride[i] = c.e.Between(1, 2);
    attrs.dilation[i] = c.e.Between(1, 2);
    attrs.padding[i] = c.e.Between(0, 2);
    attrs.padding[2 + i] = c.e.Between(0, 2);
    x.push_back(size);
    w.push_back(kernel);
    const int64_t room =
        size + attrs.padding[i] + attrs.padding[2 + i] - attrs.dilation[i] * (kernel - 1) - 1;
    if (room < 0) return {};
    for (auto* dims : {&offset, &mask}) {
      (*dims)[1] *= kernel;
      dims->push_back(room / attrs.stride[i] + 1);
    }
  }
  const int64_t reach = c.e.Pick<int64_t>({1, 3, 20}) << attrs.offset_fraction;
  const Interval bytes = {-128, 127};
  Attempt attempt = {{c.draft.AddParam({ShapeOf(x), c.e.OneIn(2) ? bytes : TileInterval(c.e)}),
                      Factor(c, ShapeOf(w), c.e.OneIn(2) ? bytes : TileInterval(c.e)),
                      c.draft.AddParam({ShapeOf(offset), {-reach, reach}})},
                     Pack(attrs)};
  if (c.e.OneIn(2)) attempt.operands.push_back(c.draft.AddParam({ShapeOf(mask), {0, 255}}));
  return attempt;
}

}  // namespace

CallGenerator FindLinearKernelCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kMatmul: return DrawMatmul;
    case Opcode::kConvolution: return DrawConvolution<ConvolutionAttrs>;
    case Opcode::kConvTranspose: return DrawConvolution<ConvTransposeAttrs>;
    case Opcode::kDeformableConv2d: return DrawDeformable;
    default: return nullptr;
  }
}

}  // namespace tally
