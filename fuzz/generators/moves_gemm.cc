// GEMM of every form, at every place: as layers, each channel by itself, transposed, of one position, of what
// was cut off in front.
#include <algorithm>
#include <numeric>

#include "fuzz/generators/places.h"
#include "fuzz/generators/tails.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"

namespace tally {
namespace {

constexpr Interval kGemmFactor = RangeOf(Storage::kI32);
constexpr int64_t kMaxWeights = 1 << 13;  // packing them takes longer than multiplying by them

void AddOwnBias(Network& n, int64_t channels, std::vector<DraftId>& operands) {
  if (!n.e.OneIn(2)) return;
  const Shape list = ShapeOf({channels});
  const Interval bias = n.Biases();
  operands.push_back(n.e.OneIn(8) ? n.Take({.shape = list, .within = bias}) : n.Constant(list, bias));
}

// Frequent steps after a sum are not left to the moves that happen to follow.
bool Finish(Network& n, std::optional<DraftId> y) {
  if (y) DrawTail(n, *y);
  return y.has_value();
}

// Mostly constant.
DraftId Factor(Network& n, const std::vector<int64_t>& dims) {
  const Shape shape = ShapeOf(dims);
  const Interval weights = n.Weights();
  return n.e.OneIn(8) ? n.Take({.shape = shape, .within = weights}) : n.Constant(shape, weights);
}

int64_t Divisor(EntropySource& e, int64_t number) {
  const int64_t most = e.Between(1, number);
  int64_t divisor = 1;
  for (int64_t d = 1; d <= most; ++d) {
    if (number % d == 0) divisor = d;
  }
  return divisor;
}

enum class Window {
  kAny,
  kOnePosition,
  kThreeTaps,  // side by side: those of 3 x 3 have a form of their own
};

// Appends the window over an axis of `size` positions; returns the number of its taps.
template <typename Attrs>
int64_t DrawWindow(EntropySource& e, int64_t size, Window window, Attrs& attrs) {
  constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;
  const bool one_position = window == Window::kOnePosition, three_taps = window == Window::kThreeTaps;
  int64_t taps = three_taps ? 3 : e.Between(1, 3);
  if (!kTransposed && one_position && size <= 5) taps = size;
  if (size == 1 && !three_taps && e.OneIn(2)) taps = 1;
  const int64_t dilation = taps > 1 && !three_taps && e.OneIn(3) ? 2 : 1, extent = dilation * (taps - 1) + 1;
  const int64_t stride = !three_taps && e.OneIn(4) ? e.Between(2, 3) : 1;
  int64_t begin = e.OneIn(2) ? e.Between(1, 2) : 0, end = e.OneIn(2) ? e.Between(1, 2) : 0;
  if constexpr (kTransposed) {
    attrs.output_padding.push_back(e.OneIn(3) ? e.Between(0, stride - 1) : 0);
    // The part that is cut off may be more than the kernel reaches beyond x.
    const int64_t whole = (size - 1) * stride + extent + attrs.output_padding.back();
    begin = std::min(e.OneIn(2) ? e.Between(1, 5) : begin, whole - 1);
    end = one_position ? whole - 1 - begin : std::min(end, whole - 1 - begin);
  } else if (one_position && taps == size && dilation == 1) {
    begin = end = 0;
  } else {
    end += std::max<int64_t>(0, extent - size - begin - end);
  }
  attrs.stride.push_back(stride);
  attrs.dilation.push_back(dilation);
  attrs.pad_begin.push_back(begin);
  attrs.pad_end.push_back(end);
  return taps;
}

template <typename Attrs>
bool Convolve(Network& n) {
  constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;
  const DraftId x = n.TakeOfRank(n.ImageRank(), kGemmFactor);
  const Shape shape = n.shape(x);
  Attrs attrs;
  const int64_t form = n.e.Between(0, 5);  // in one group, in some, each channel by itself
  attrs.groups = form < 2 ? 1 : form == 2 ? Divisor(n.e, shape[1]) : shape[1];
  const int64_t in = shape[1] / attrs.groups;
  const Window drawn = n.e.OneIn(5) ? Window::kOnePosition : n.e.OneIn(5) ? Window::kThreeTaps : Window::kAny;
  std::vector<int64_t> window;
  for (int axis = 2; axis < shape.rank(); ++axis) {
    window.push_back(DrawWindow(n.e, shape[axis], drawn, attrs));
  }
  const int64_t taps = std::accumulate(window.begin(), window.end(), int64_t{1}, std::multiplies<>());
  const int64_t positions = shape.num_elements() / shape[1];
  const int64_t room = std::min(n.draft.limits().max_elements / (positions * attrs.groups),
                                kMaxWeights / (in * taps * attrs.groups));
  const int64_t out = form > 2 && !n.e.OneIn(4) ? 1 : n.Channels(std::max<int64_t>(1, room));
  std::vector<int64_t> dims = {attrs.groups * (kTransposed ? in : out), kTransposed ? out : in};
  dims.insert(dims.end(), window.begin(), window.end());
  std::vector<DraftId> operands = {x, Factor(n, dims)};
  attrs.zero_x = n.Zero(n.type(x).interval);
  attrs.zero_w = n.e.OneIn(4) ? n.Zero(n.type(operands[1]).interval) : 0;
  AddOwnBias(n, attrs.groups * out, operands);
  return Finish(n, n.Op(kTransposed ? Opcode::kConvTranspose : Opcode::kConvolution, operands, attrs));
}

bool MakeConvolution(Network& n) { return Convolve<ConvolutionAttrs>(n); }
bool MakeConvTranspose(Network& n) { return Convolve<ConvTransposeAttrs>(n); }

bool MakeConv2d(Network& n) {
  const DraftId x = n.TakeOfRank(4, n.is_cvm() ? Interval{-127, 127} : kGemmFactor);
  const Shape shape = n.shape(x);
  Conv2dAttrs attrs;
  const bool depthwise = n.e.OneIn(3);
  attrs.groups = depthwise ? shape[1] : 1;
  const int64_t in = shape[1] / attrs.groups;
  std::vector<int64_t> dims = {0, in};
  for (int i = 0; i < 2; ++i) {
    attrs.padding[i] = n.e.OneIn(2) ? n.e.Between(0, 2) : 0;
    attrs.stride[i] = n.e.OneIn(3) ? 2 : 1;
    dims.push_back(n.e.Between(1, std::min<int64_t>(3, shape[2 + i] + 2 * attrs.padding[i])));
  }
  const int64_t positions = shape.num_elements() / shape[1], taps = dims[2] * dims[3];
  const int64_t room = std::min(n.draft.limits().max_elements / positions, kMaxWeights / (in * taps));
  dims[0] = depthwise ? shape[1] : n.Channels(std::max<int64_t>(1, room));
  std::vector<DraftId> operands = {x, Factor(n, dims)};
  AddOwnBias(n, dims[0], operands);
  return Finish(n, n.Op(Opcode::kConv2d, operands, attrs));
}

int64_t Units(Network& n, int64_t rows, int64_t terms) {
  return n.Channels(
      std::max<int64_t>(1, std::min(n.draft.limits().max_elements / rows, kMaxWeights / terms)));
}

bool MakeDense(Network& n) {
  const DraftId x = n.TakeOfRank(2, n.is_cvm() ? Interval{-127, 127} : kGemmFactor);
  const Shape shape = n.shape(x);
  const int64_t units = Units(n, shape[0], shape[1]);
  std::vector<DraftId> operands = {x, Factor(n, {units, shape[1]})};
  AddOwnBias(n, units, operands);
  return Finish(n, n.Op(Opcode::kDense, operands));
}

// By a constant, or by another value, a matrix for each element of the batch.
bool MakeMatmul(Network& n) {
  const DraftId a = n.TakeOfRank(static_cast<int>(n.e.Between(2, 4)), kGemmFactor);
  const Shape shape = n.shape(a);
  const int rank = shape.rank();
  MatmulAttrs attrs = {.transpose_a = n.e.OneIn(8), .transpose_b = n.e.OneIn(2)};
  attrs.zero_a = n.Zero(n.type(a).interval);
  const int64_t terms = shape[attrs.transpose_a ? rank - 2 : rank - 1], rows = shape.num_elements() / terms;
  const int64_t columns = Units(n, rows, terms);
  std::vector<int64_t> dims;
  if (n.e.OneIn(3)) dims.assign(shape.dims().begin(), shape.dims().end() - 2);
  dims.insert(dims.end(), {attrs.transpose_b ? columns : terms, attrs.transpose_b ? terms : columns});
  const bool of_run = n.e.OneIn(3);
  const DraftId b = of_run ? n.Take({.shape = ShapeOf(dims), .within = n.Weights()}) : Factor(n, dims);
  attrs.zero_b = n.e.OneIn(4) ? n.Zero(n.type(b).interval) : 0;
  return Finish(n, n.Op(Opcode::kMatmul, {a, b}, attrs));
}

// A convolution that a max_pool reads, of as many channels side by side as fill cache lines, and enough lines
// for threads.
bool MakePooledConvolution(Network& n) {
  // Few channels of 32 bits fill a cache line, and few positions are for tiles of few rows.
  const bool deep = n.e.OneIn(4);
  const int64_t columns = deep ? 1 : n.e.Pick<int64_t>({1, 2, 4});
  const int64_t channels = n.e.Pick<int64_t>({16, 32, 64}) / columns;
  const int64_t lines = deep || n.e.OneIn(2) ? 4 : 12;
  // Sums of words by words, or by more, are beyond 32 bits.
  constexpr Interval kWords = RangeOf(Storage::kI16);
  const bool wide = !deep && n.e.OneIn(2);
  const TensorType type = {ShapeOf({1, n.e.Between(1, 4), lines, columns}),
                           wide ? n.e.Pick({kWords, kGemmFactor}) : n.Elements()};
  const DraftId x = n.draft.accepts_params()
                        ? AddInput(n.e, n.draft, type, n.e.OneIn(4) ? n.swarm.inputs : Inputs::kImages)
                        : n.Constant(type.shape, type.interval);
  const Shape shape = n.shape(x);
  const DraftId w = n.Constant(ShapeOf({channels, shape[1], 1, 1}), wide ? kWords : n.Weights());
  const ConvolutionAttrs attrs = {.stride = {1, 1},
                                  .dilation = {1, 1},
                                  .pad_begin = {0, 0},
                                  .pad_end = {0, 0},
                                  .zero_x = n.Zero(n.type(x).interval)};
  auto y = n.Op(Opcode::kConvolution, {x, w}, attrs);
  if (y && !n.e.OneIn(3)) {
    y = deep && n.e.OneIn(2) ? Requantize(n, *y, RangeOf(Storage::kI32)) : Requantize(n, *y);
    if (y && n.e.OneIn(3)) y = ClampValue(n, *y);
    if (y && n.e.OneIn(3) && RangeOf(Storage::kI16).Contains(n.type(*y).interval)) y = LookUp(n, *y);
  }
  if (!y) return false;
  PoolAttrs pool = {.dilation = {1, 1}};
  for (int axis = 2; axis < 4; ++axis) {
    const int64_t taps = std::min(n.e.Between(1, 3), n.shape(*y)[axis]), pad = (taps - 1) / 2;
    pool.kernel.push_back(taps);
    pool.stride.push_back(1);
    pool.pad_begin.push_back(pad);
    pool.pad_end.push_back(taps - 1 - pad);
  }
  y = n.Op(Opcode::kMaxPool, {*y}, pool);
  if (y && n.e.OneIn(2)) Place(n.e, n.draft, *y);
  return y.has_value();
}

// Products of a matrix for each element of a batch, large enough for kernels.
bool MakeMatrices(Network& n) {
  const DraftId a = n.Take({.shape = ShapeOf({2, 8, 16}), .within = kGemmFactor});
  const DraftId b = n.e.OneIn(2) ? n.Constant(ShapeOf({2, 16, 8}), n.Weights())
                                 : n.Take({.shape = ShapeOf({2, 16, 8}), .within = n.Weights()});
  const MatmulAttrs attrs = {.zero_a = n.Zero(n.type(a).interval)};
  return Finish(n, n.Op(Opcode::kMatmul, {a, b}, attrs));
}

constexpr Move kMovesOfGemm[] = {
    {"convolution", MakeConvolution, Profile::kCore},
    {"convolution", MakeConvolution, Profile::kCore},  // again: of most forms
    {"conv_transpose", MakeConvTranspose, Profile::kCore},
    {"conv_transpose", MakeConvTranspose, Profile::kCore},
    {"conv2d", MakeConv2d},
    {"pooled_convolution", MakePooledConvolution, Profile::kCore},
    {"pooled_convolution", MakePooledConvolution, Profile::kCore},
    {"dense", MakeDense},
    {"matmul", MakeMatmul, Profile::kCore},
    {"matrices", MakeMatrices, Profile::kCore},
};

}  // namespace

std::span<const Move> MovesOfGemm() { return kMovesOfGemm; }

}  // namespace tally
