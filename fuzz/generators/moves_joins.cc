// Moves that join values: concatenations of what happens to fit, and of branches that are made for it.
#include <algorithm>

#include "fuzz/generators/tails.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"

namespace tally {
namespace {

bool FitsBeside(const Shape& a, const Shape& b, int axis) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (i != axis && a[i] != b[i]) return false;
  }
  return true;
}

bool Join(Network& n, const std::vector<DraftId>& parts, int axis) {
  const int rank = n.shape(parts[0]).rank();
  return n.Op(Opcode::kConcatenate, parts, ConcatenateAttrs{.axis = n.e.OneIn(2) ? axis : axis - rank})
      .has_value();
}

// Up to four values, new ones first, constants among them, and now and then one of them twice.
bool MakeConcatenation(Network& n) {
  const DraftId x = n.Take({.min_rank = 1, .max_rank = 5});
  const int axis = n.e.OneIn(3) ? std::min(1, n.shape(x).rank() - 1) : n.AnyAxis(n.shape(x));
  std::vector<DraftId> parts = {x};
  for (DraftId id = n.draft.size(); id-- > 0 && parts.size() < 4;) {
    if (!FitsBeside(n.shape(id), n.shape(x), axis) || (id == x && !n.e.OneIn(4))) continue;
    if (!n.e.OneIn(4)) parts.push_back(id);
  }
  if (parts.size() == 1 && n.e.OneIn(2)) parts.push_back(n.Constant(n.shape(x), n.type(x).interval));
  if (n.e.OneIn(2)) std::reverse(parts.begin(), parts.end());
  return Join(n, parts, axis);
}

// A convolution of x of as many positions, in one group or each channel by itself, transposed or not.
std::optional<DraftId> Branch(Network& n, DraftId x, const std::optional<Interval>& clamp) {
  const Shape shape = n.shape(x);
  const bool depthwise = n.e.OneIn(3), transposed = n.e.OneIn(3);
  const int64_t taps = n.e.OneIn(2) ? 1 : 3, positions = shape.num_elements() / shape[1];
  const int64_t out = n.Channels(std::max<int64_t>(1, n.draft.limits().max_elements / (4 * positions)));
  std::vector<int64_t> dims = {depthwise || transposed ? shape[1] : out, depthwise    ? 1
                                                                         : transposed ? out
                                                                                      : shape[1]};
  dims.resize(static_cast<size_t>(shape.rank()), taps);
  const std::vector<int64_t> ones(dims.size() - 2, 1), pads(dims.size() - 2, taps / 2);
  const std::vector<DraftId> operands = {x, n.Constant(ShapeOf(dims), n.Weights())};
  const int64_t groups = depthwise ? shape[1] : 1;
  auto y =
      transposed
          ? n.Op(Opcode::kConvTranspose, operands,
                 ConvTransposeAttrs{.stride = ones,
                                    .dilation = ones,
                                    .pad_begin = pads,
                                    .pad_end = pads,
                                    .output_padding = std::vector<int64_t>(ones.size()),
                                    .groups = groups})
          : n.Op(Opcode::kConvolution, operands,
                 ConvolutionAttrs{
                     .stride = ones, .dilation = ones, .pad_begin = pads, .pad_end = pads, .groups = groups});
  if (y && clamp && !n.e.OneIn(8)) y = Requantize(n, *y, *clamp);
  return y;
}

bool MakeBranches(Network& n) {
  const DraftId x = n.TakeOfRank(n.ImageRank(), RangeOf(n.e.OneIn(3) ? Storage::kI32 : Storage::kI16));
  std::vector<DraftId> parts;
  const auto clamp = n.e.OneIn(4) ? std::nullopt : std::optional(DrawClamp(n.e));
  for (int64_t left = n.e.Between(2, 3); left > 0; --left) {
    const auto part = Branch(n, x, clamp);
    if (part) parts.push_back(*part);
  }
  if (n.e.OneIn(8)) parts.push_back(x);
  return !parts.empty() && Join(n, parts, 1);
}

// The instructions of functions follow the swarm as well (fuzz/generators/calls_control.cc).
bool MakeInvocation(Network& n) {
  if (n.draft.limits().max_depth == 0) return false;
  return n.AddOperator(n.e.Pick({Opcode::kCall, Opcode::kIf, Opcode::kLoop}));
}

constexpr Move kMovesOfJoins[] = {
    {"concatenation", MakeConcatenation},
    {"branches", MakeBranches, Profile::kCore},
    {"invocation", MakeInvocation, Profile::kCore},
};

}  // namespace

std::span<const Move> MovesOfJoins() { return kMovesOfJoins; }

}  // namespace tally
