#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/normalization/attrs.h"

namespace tally {
namespace {

constexpr Interval kNormOperand = {-32768, 32767};

template <typename Attrs>
Attrs WithClamp(EntropySource& e) {
  const Interval clamp = e.OneIn(2) ? RangeOf(Storage::kI8) : RandomInterval(e, kClamp);
  Attrs attrs;
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  attrs.zero_out = e.OneIn(2) ? e.Between(-128, 127) : 0;
  return attrs;
}

// As often as not along the channels of images.
int64_t RowAxis(CallContext& c, int rank) { return rank > 2 && c.e.OneIn(2) ? 1 : c.Axis(rank); }
std::vector<int64_t> RowAxes(CallContext& c, int rank) {
  if (rank > 2 && c.e.OneIn(2)) return {1};
  const std::vector<int64_t> axes = c.Axes(rank);
  return axes.empty() ? std::vector<int64_t>{-1} : axes;
}

// A list of numbers in [0, bound], the first of them at least 1.
DraftId Table(CallContext& c, int64_t size, int64_t bound) {
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < size; ++i) entries.push_back(c.e.Between(i == 0 ? 1 : 0, bound));
  return c.Constant(ShapeOf({size}), entries);
}

DraftId Exponentials(CallContext& c) { return Table(c, c.e.Between(1, 6), int64_t{1} << 30); }

Attempt DrawSoftmax(CallContext& c) {
  auto attrs = WithClamp<SoftmaxAttrs>(c.e);
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .within = kNormOperand});
  attrs.axis = RowAxis(c, c.shape(x).rank());
  attrs.bits = c.e.Between(7, 15);
  return {{x, Exponentials(c)}, Pack(attrs)};
}

Attempt DrawLogSoftmax(CallContext& c) {
  auto attrs = WithClamp<LogSoftmaxAttrs>(c.e);
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .within = kNormOperand});
  attrs.axis = RowAxis(c, c.shape(x).rank());
  attrs.multiplier = c.e.Between(0, 1 << 20);
  attrs.shift = c.e.Between(0, kMaxRescaleShift);
  // One slope and a bend: a table of 1025 free entries would use up the entropy.
  std::vector<int64_t> logarithms(1025);
  const int64_t slope = c.e.Between(0, 1 << 20);
  for (int64_t i = 0; i < 1025; ++i) logarithms[i] = slope * std::min<int64_t>(i, 700);
  return {{x, Exponentials(c), c.Constant(ShapeOf({1025}), logarithms)}, Pack(attrs)};
}

// x, m and b, where m has some of the dims of x.
template <typename Attrs>
Attempt DrawNorm(CallContext& c) {
  auto attrs = WithClamp<Attrs>(c.e);
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .within = kNormOperand});
  const int rank = c.shape(x).rank();
  attrs.axes = RowAxes(c, rank);
  attrs.guard = c.e.Between(0, 6);
  attrs.epsilon = c.e.Between(0, 1 << 20);
  attrs.epsilon_mode = static_cast<EpsilonMode>(c.e.Between(0, 2));
  attrs.shift = c.e.Between(0, 40);
  std::vector<int64_t> dims(c.shape(x).dims().begin() + c.e.Between(0, rank), c.shape(x).dims().end());
  for (int64_t& dim : dims) {
    if (c.e.OneIn(2)) dim = 1;
  }
  if (attrs.axes[0] == 1 && rank > 2 &&
      !c.e.OneIn(4)) {  // for each channel, for each position, or one for all
    const auto x_dims = c.shape(x).dims();
    dims.assign(rank - 1, 1);
    if (c.e.OneIn(2)) dims[0] = x_dims[1];
    if (dims[0] == 1 && c.e.OneIn(2)) std::copy(x_dims.begin() + 2, x_dims.end(), dims.begin() + 1);
  }
  const Shape shape = ShapeOf(dims);
  std::vector<int64_t> m, b;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    m.push_back(c.e.Between(-(1 << 24), 1 << 24));
    b.push_back(c.e.Between(-(1 << 24), 1 << 24));
  }
  return {{x, c.Constant(shape, m), c.Constant(shape, b)}, Pack(attrs)};
}

Attempt DrawRmsNorm(CallContext& c) {
  Attempt attempt = DrawNorm<RmsNormAttrs>(c);
  attempt.attributes->back() = {c.e.OneIn(2) ? c.e.Between(-128, 127) : 0};
  return attempt;
}

Attempt DrawLocalResponseNorm(CallContext& c) {
  auto attrs = WithClamp<LocalResponseNormAttrs>(c.e);
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .within = kNormOperand});
  attrs.axes = RowAxes(c, c.shape(x).rank());
  attrs.before.clear();
  attrs.after.clear();
  for (size_t i = 0; i < attrs.axes.size(); ++i) {
    attrs.before.push_back(c.e.Between(0, 2));
    attrs.after.push_back(c.e.Between(0, 2));
  }
  attrs.alpha = c.e.Between(0, 1 << 16);
  attrs.bias = c.e.Between(1, 1 << 16);
  attrs.shift = c.e.Between(0, 40);
  std::vector<int64_t> mantissas(1025), exponents(62);
  const int64_t slope = c.e.Between(0, 1 << 20);
  for (int64_t i = 0; i < 1025; ++i) mantissas[i] = (int64_t{1} << 31) - slope * i;
  for (int64_t k = 0; k < 62; ++k) exponents[k] = int64_t{1} << std::max<int64_t>(31 - k, 0);
  return {{x, c.Constant(ShapeOf({1025}), mantissas), c.Constant(ShapeOf({62}), exponents)}, Pack(attrs)};
}

}  // namespace

CallGenerator FindNormalizationCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kSoftmax: return DrawSoftmax;
    case Opcode::kLogSoftmax: return DrawLogSoftmax;
    case Opcode::kLayerNorm: return DrawNorm<LayerNormAttrs>;
    case Opcode::kRmsNorm: return DrawRmsNorm;
    case Opcode::kLocalResponseNorm: return DrawLocalResponseNorm;
    default: return nullptr;
  }
}

}  // namespace tally
