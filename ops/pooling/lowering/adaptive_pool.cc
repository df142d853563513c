// Pooling to a given size: bin i of n along an axis of L elements is [floor(i L / n), ceil((i + 1) L / n)).
#include <algorithm>

#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/image/attrs.h"
#include "ops/lowerings.h"
#include "ops/pooling/lowering/attrs.h"
#include "ops/reduction/attrs.h"

namespace tally {
namespace {

constexpr int64_t kMaxBinElements = int64_t{1} << 20;  // for all bins of an axis, for one length

// The elements of every bin of an axis; a short one repeats its last.
struct Bins {
  int64_t count = 1, length = 1;
  Dims index;   // [count, length]
  Dims inside;  // 1 where index is no repetition
  Dims sizes;   // [count]
};

absl::StatusOr<Bins> BinsOf(int64_t elements, int64_t count) {
  Bins bins = {.count = count, .length = CeilDiv(elements, count) + (elements % count == 0 ? 0 : 1)};
  if (bins.length > kMaxBinElements / count) {
    return Meaningless(absl::StrCat(count, " bins of ", elements, " elements"));
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * elements / count, end = CeilDiv((i + 1) * elements, count);
    for (int64_t k = 0; k < bins.length; ++k) {
      bins.index.push_back(std::min(begin + k, end - 1));
      bins.inside.push_back(begin + k < end ? 1 : 0);
    }
    bins.sizes.push_back(end - begin);
  }
  return bins;
}

absl::Status CheckSizes(const Shape& x, const Dims& sizes) {
  if (x.rank() >= 3 && std::ssize(sizes) == x.rank() - 2) return absl::OkStatus();
  return Meaningless(absl::StrCat(sizes.size(), " sizes for the axes of ", x.ToString(), " behind N and C"));
}

// The length of the bins of each axis where they are equal and abut, so that a window can slide over them.
std::optional<Dims> EqualBins(const Shape& x, const Dims& sizes) {
  if (std::ssize(sizes) > kMaxPoolAxes) return std::nullopt;
  Dims lengths;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t elements = x[static_cast<int>(2 + i)];
    if (elements % sizes[i] != 0) return std::nullopt;
    lengths.push_back(elements / sizes[i]);
  }
  return lengths;
}

// The sums of the bins of one axis, exactly.
absl::StatusOr<Value> BinSums(Composition& c, Value x, int axis, const Bins& bins) {
  return c.Apply(Opcode::kResample,
                 {x, c.Constant({bins.count, bins.length}, bins.index),
                  c.Constant({bins.count, bins.length}, bins.inside)},
                 ResampleAttrs{.axis = axis});
}

absl::StatusOr<Value> BinMaxima(Composition& c, Value x, int axis, const Bins& bins) {
  ASSIGN_OR_RETURN(const Value elements,
                   c.Apply(Opcode::kTake, {x, c.Constant({bins.count, bins.length}, bins.index)},
                           TakeAttrs{.axis = {axis}}));
  return c.Apply(Opcode::kReduce, {elements}, ReduceAttrs{.kind = ReduceKind::kMax, .axes = {axis + 1}});
}

absl::StatusOr<Value> AverageOfUnequalBins(Composition& c, Value x, const AdaptiveAveragePoolAttrs& attrs) {
  const int rank = c.shape(x).rank();
  ASSIGN_OR_RETURN(Value sum, Plus(c, x, -attrs.zero_in));
  Value divisor = c.Constant({}, {int64_t{1} << attrs.shift});
  for (int axis = 2; axis < rank; ++axis) {
    const int64_t elements = c.shape(x)[axis], count = attrs.sizes[axis - 2];
    if (elements == count) continue;
    ASSIGN_OR_RETURN(const Bins bins, BinsOf(elements, count));
    ASSIGN_OR_RETURN(sum, BinSums(c, sum, axis, bins));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Create({count}));
    ASSIGN_OR_RETURN(const Tensor sizes, Tensor::FromValues(shape, bins.sizes));
    Dims along(rank - axis, 1);
    along[0] = count;
    ASSIGN_OR_RETURN(const Value lengths, Reshape(c, c.Constant(sizes), along));
    ASSIGN_OR_RETURN(divisor, c.Apply(Opcode::kBroadcastMul, {divisor, lengths}));
  }
  ASSIGN_OR_RETURN(const Value product, Times(c, sum, attrs.multiplier));
  ASSIGN_OR_RETURN(const Value average,
                   c.Apply(Opcode::kDivide, {product, divisor}, DivideAttrs{attrs.rounding}));
  ASSIGN_OR_RETURN(const Value y, Plus(c, average, attrs.zero_out));
  return Within(c, y, {attrs.lo, attrs.hi});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerAdaptiveAveragePool(Composition& c, std::span<const Value> operands,
                                                            const Attributes& attributes) {
  const auto attrs = Unpack<AdaptiveAveragePoolAttrs>(attributes);
  const Value x = operands[0];
  RETURN_IF_ERROR(CheckSizes(c.shape(x), attrs.sizes));
  if (attrs.lo > attrs.hi) return Meaningless("lo is above hi");
  const auto equal = EqualBins(c.shape(x), attrs.sizes);
  if (!equal) return One(AverageOfUnequalBins(c, x, attrs));
  const Dims ones(equal->size(), 1), zeros(equal->size(), 0);
  return One(c.Apply(Opcode::kAveragePool, {x},
                     AveragePoolAttrs{.kernel = *equal,
                                      .stride = *equal,
                                      .dilation = ones,
                                      .pad_begin = zeros,
                                      .pad_end = zeros,
                                      .zero_in = attrs.zero_in,
                                      .multiplier = attrs.multiplier,
                                      .shift = attrs.shift,
                                      .rounding = attrs.rounding,
                                      .zero_out = attrs.zero_out,
                                      .lo = attrs.lo,
                                      .hi = attrs.hi}));
}

absl::StatusOr<std::vector<Value>> LowerAdaptiveMaxPool(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const Dims sizes = Unpack<AdaptiveMaxPoolAttrs>(attributes).sizes;
  Value x = operands[0];
  RETURN_IF_ERROR(CheckSizes(c.shape(x), sizes));
  if (const auto equal = EqualBins(c.shape(x), sizes)) {
    const Dims ones(equal->size(), 1), zeros(equal->size(), 0);
    return One(c.Apply(Opcode::kMaxPool, {x}, PoolAttrs{*equal, *equal, ones, zeros, zeros, false}));
  }
  for (int axis = 2; axis < c.shape(x).rank(); ++axis) {
    if (c.shape(x)[axis] == sizes[axis - 2]) continue;
    ASSIGN_OR_RETURN(const Bins bins, BinsOf(c.shape(x)[axis], sizes[axis - 2]));
    ASSIGN_OR_RETURN(x, BinMaxima(c, x, axis, bins));
  }
  return std::vector<Value>{x};
}

}  // namespace tally
