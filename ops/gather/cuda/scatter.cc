#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/lines.h"
#include "ops/cuda/prepare_map.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cuda/kernel_tables.h"
#include "ops/gather/cuda/scatter_device.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

Work ScatterWork(const KernelFacts& facts, ScatterKind kind, const ScatterPositions& positions) {
  static_assert(static_cast<int>(ScatterKind::kMin) == static_cast<int>(Scattering::kMin));
  const bool replaces = kind == ScatterKind::kUpdate;
  const int64_t elements = facts.operands[0].shape.num_elements();
  const int64_t met_count = replaces ? elements / positions.inner : elements;
  const Storage x = facts.storages[0], updates = facts.storages[2];
  Work work;
  const Ref met = work.AddScratch(met_count * 8);
  work.Add(KernelId::kBeginScatter, GridOver(met_count), BeginScatterParams{met_count, !replaces, x},
           {OperandAt(0), met});
  work.Add(KernelId::kScatter,
           GridOver(replaces ? positions.loops.count : positions.loops.count * positions.inner),
           ScatterParams{static_cast<Scattering>(kind), positions, updates},
           {OperandAt(1), OperandAt(2), met});
  work.Add(KernelId::kEndScatter, GridOver(elements),
           EndScatterParams{elements, replaces, positions.inner, x, updates, facts.results[0].storage()},
           {OperandAt(0), OperandAt(2), met, ResultAt(0)});
  return work;
}

// Positions of indices into one axis of x.
ScatterPositions PlacesAlong(const LinesAlong& x, Folded loops, int64_t inner, Storage index) {
  loops.Fold();
  return {.loops = LoopsOf<2>(loops),
          .inner = inner,
          .depth = 1,
          .dims = {x.n},
          .strides = {x.inner},
          .index = index};
}

std::optional<Work> PrepareScatter(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ScatterAttrs>();
  const LinesAlong x(facts.operands[0].shape, attrs.axis);
  Folded loops;
  loops.AddLoop(x.lines / x.inner, x.n * x.inner, 0);
  loops.AddLoop(facts.operands[1].shape.num_elements(), 0, 1);
  return ScatterWork(facts, attrs.kind, PlacesAlong(x, loops, x.inner, facts.storages[1]));
}

std::optional<Work> PrepareScatterElements(const KernelFacts& facts) {
  const Shape &shape = facts.operands[0].shape, &indices = facts.operands[1].shape;
  const auto attrs = facts.attrs<ScatterAttrs>();
  const LinesAlong x(shape, attrs.axis);
  Folded loops;
  for (int k = 0; k < shape.rank(); ++k) {
    loops.AddLoop(indices[k], k == x.axis ? 0 : shape.stride(k), indices.stride(k));
  }
  return ScatterWork(facts, attrs.kind, PlacesAlong(x, loops, 1, facts.storages[1]));
}

std::optional<Work> PrepareScatterNd(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &indices = facts.operands[1].shape;
  const int depth = static_cast<int>(indices[indices.rank() - 1]);
  Folded loops;
  loops.AddLoop(indices.num_elements() / depth, 0, depth);
  ScatterPositions positions = {
      .loops = LoopsOf<2>(loops), .inner = x.stride(depth - 1), .depth = depth, .index = facts.storages[1]};
  for (int k = 0; k < depth; ++k) {
    positions.dims[k] = x[k];
    positions.strides[k] = x.stride(k);
  }
  return ScatterWork(facts, facts.attrs<ScatterNdAttrs>().kind, positions);
}

constexpr KernelEntry kScatterKernels[] = {
    {Opcode::kScatter, "scatter", Arch::kSm80, Layouts::kRowMajor, PrepareScatter},
    {Opcode::kScatterNd, "scatter_nd", Arch::kSm80, Layouts::kRowMajor, PrepareScatterNd},
    {Opcode::kScatterElements, "scatter_elements", Arch::kSm80, Layouts::kRowMajor, PrepareScatterElements},
};

}  // namespace

KernelTable ScatterKernels() { return kScatterKernels; }

}  // namespace tally::cuda
