#include "ops/cpu/strided_copy.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernel_tables.h"
#include "ops/layout/permutation_shape.h"
#include "ops/layout/slice_shape.h"

namespace tally {
namespace {

using Strides = std::array<int64_t, kMaxRank>;
using PreparedCopy = std::optional<Prepared<CopyParams>>;

// Every element of the result, from x[first] on by strides along its axes.
PreparedCopy CopyOfResult(const KernelFacts& facts, const Strides& x_strides, int64_t first) {
  const Shape& y = facts.results[0].shape;
  Folded f(y, facts.layout);
  f.AddStrided(StridesOf(y, facts.layout));
  f.AddStrided(x_strides);
  f.Fold();
  return Prepared<CopyParams>{{f, first}};
}

PreparedCopy PrepareTranspose(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape& x = facts.operands[0].shape;
  const Index permutation = Permutation(facts.attrs<TransposeAttrs>(), x.rank());
  const Strides own = StridesOf(x, facts.layout);
  Strides strides = {};
  for (int i = 0; i < x.rank(); ++i) strides[i] = own[permutation[i]];
  return CopyOfResult(facts, strides, 0);
}

PreparedCopy PrepareStridedSlice(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const auto attrs = facts.attrs<StridedSliceAttrs>();
  const Shape& x = facts.operands[0].shape;
  Strides strides = StridesOf(x, facts.layout);
  int64_t first = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const AxisSlice slice = SliceOfAxis(attrs, i, x[i]);
    first += slice.begin * strides[i];
    strides[i] *= slice.stride;
  }
  return CopyOfResult(facts, strides, first);
}

PreparedCopy PrepareSliceLike(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  return CopyOfResult(facts, StridesOf(facts.operands[0].shape, facts.layout), 0);
}

PreparedCopy PrepareBroadcastTo(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape& y = facts.results[0].shape;
  Folded f(y, facts.layout);
  f.AddStrided(StridesOf(y, facts.layout));
  f.AddBroadcast(facts.operands[0].shape, facts.layout);
  f.Fold();
  return Prepared<CopyParams>{{f}};
}

PreparedCopy PrepareRepeat(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<RepeatAttrs>();
  Strides dims = kOnes, repeats = kOnes;
  for (int i = 0; i < x.rank(); ++i) dims[i] = x[i];
  repeats[attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis] = attrs.repeats;
  return Prepared<CopyParams>{{LoopsOfRepeats(facts, dims, StridesOf(x, facts.layout), kOnes, repeats)}};
}

// The operand may have fewer axes than the result: those it lacks have one element.
PreparedCopy PrepareTile(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const Strides own = StridesOf(x, facts.layout);
  Strides dims = kOnes, strides = {}, tiles = kOnes;
  const int missing = y.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) {
    dims[missing + i] = x[i];
    strides[missing + i] = own[i];
  }
  for (int i = 0; i < y.rank(); ++i) tiles[i] = y[i] / dims[i];
  return Prepared<CopyParams>{{LoopsOfRepeats(facts, dims, strides, tiles, kOnes)}};
}

struct ConcatenateParams {
  struct Part {
    Folded f;
    int64_t first;  // element of y
  };
  std::vector<Part> parts;  // for the operands
};

std::optional<Prepared<ConcatenateParams>> PrepareConcatenate(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape& y = facts.results[0].shape;
  const Strides y_strides = StridesOf(y, facts.layout);
  const auto attrs = facts.attrs<ConcatenateAttrs>();
  const int64_t axis = attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis;
  ConcatenateParams p;
  int64_t start = 0;
  for (const TensorType& x : facts.operands) {
    Folded f(x.shape, facts.layout);
    f.AddStrided(y_strides);
    f.AddStrided(StridesOf(x.shape, facts.layout));
    f.Fold();
    p.parts.push_back({f, start * y_strides[axis]});
    start += x.shape[static_cast<int>(axis)];
  }
  return Prepared<ConcatenateParams>{std::move(p)};
}

template <Isa isa>
void Concatenate(const ConcatenateParams& p, const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  for (size_t k = 0; k < p.parts.size(); ++k) {
    const KernelOperand& x = call.operands[k];
    const auto& [f, first] = p.parts[k];
    StridedCopy<isa>(call, f, {x.storage, x.bytes}, {y.storage, y.bytes + first * SizeBytes(y.storage)});
  }
}

template <KernelName kName, PreparedCopy (*prepare)(const KernelFacts&)>
constexpr auto CopyKernels(Opcode op) {
  return EveryIsaAndLayout<kName>({.op = op},
                                  []<Isa isa, Layout>() { return kKernel<prepare, CopyOperand<isa>>; });
}

constexpr auto kMovementKernels = JoinKernels(
    CopyKernels<"transpose", PrepareTranspose>(Opcode::kTranspose),
    EveryIsaAndLayout<"concatenate">(
        {.op = Opcode::kConcatenate},
        []<Isa isa, Layout>() { return kKernel<PrepareConcatenate, Concatenate<isa>>; }),
    CopyKernels<"repeat", PrepareRepeat>(Opcode::kRepeat), CopyKernels<"tile", PrepareTile>(Opcode::kTile),
    CopyKernels<"strided_slice", PrepareStridedSlice>(Opcode::kStridedSlice),
    CopyKernels<"slice_like", PrepareSliceLike>(Opcode::kSliceLike),
    CopyKernels<"broadcast_to", PrepareBroadcastTo>(Opcode::kBroadcastTo));

}  // namespace

KernelTable MovementKernels() { return kMovementKernels; }

}  // namespace tally
