#include "ops/gather/attrs.h"
#include "ops/gather/kernels.h"
#include "ops/gather/place_shape.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"

namespace tally {
namespace {

// Modulo 2^64, of which y keeps what its interval needs.
int64_t Updated(ScatterKind kind, int64_t x, int64_t update) {
  const auto a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(update);
  switch (kind) {
    case ScatterKind::kUpdate: return update;
    case ScatterKind::kAdd: return static_cast<int64_t>(a + b);
    case ScatterKind::kSub: return static_cast<int64_t>(a - b);
    case ScatterKind::kMul: return static_cast<int64_t>(a * b);
    case ScatterKind::kMax: return std::max(x, update);
    case ScatterKind::kMin: return std::min(x, update);
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

// x, then the updates in their order. Every thread looks at all places and changes those of its share, which are
// rows of `inner` elements.
template <Isa isa, typename ForEach>
void ApplyUpdates(const KernelCall& call, ScatterKind kind, int64_t inner, const ForEach& for_each) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &indices = call.operands[1], &updates = call.operands[2];
  const KernelResult& y = call.results[0];
  const int64_t y_size = SizeBytes(y.storage), update_size = SizeBytes(updates.storage);
  const Share rows = call.ShareOf(x.type->shape.num_elements() / inner);
  const Share share = {rows.begin * inner, rows.end * inner};
  if (x.bytes != y.bytes) {
    convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](x.bytes + share.begin * SizeBytes(x.storage),
                                                          y.bytes + share.begin * y_size,
                                                          share.end - share.begin);
  }
  int64_t next = 0;
  for_each([&](int64_t i) { return LoadElement(indices.storage, indices.bytes, i); },
           [&](std::optional<int64_t> start, int64_t n) {
             const int64_t first = next;
             next += n;
             if (!start || *start < share.begin || *start >= share.end) return;
             if (kind == ScatterKind::kUpdate && n > 1) {
               convert.convert[CodeOf(updates.storage)][CodeOf(y.storage)](
                   updates.bytes + first * update_size, y.bytes + *start * y_size, n);
               return;
             }
             for (int64_t i = 0; i < n; ++i) {
               StoreElement(y.storage, y.bytes, *start + i,
                            Updated(kind, LoadElement(y.storage, y.bytes, *start + i),
                                    LoadElement(updates.storage, updates.bytes, first + i)));
             }
           });
}

}  // namespace

template <Isa isa>
void ScatterKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<ScatterAttrs>();
  const Shape& x = call.operands[0].type->shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  const int64_t indices = call.operands[1].type->shape.num_elements();
  ApplyUpdates<isa>(call, attrs.kind, x.stride(axis), [&](const auto& index, const auto& visit) {
    ForEachScatter(x, axis, indices, index, visit);
  });
}

template <Isa isa>
void ScatterNdKernel(const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &indices = call.operands[1].type->shape;
  const int depth = static_cast<int>(indices[indices.rank() - 1]);
  const int64_t inner = depth == 0 ? x.num_elements() : x.stride(depth - 1);
  ApplyUpdates<isa>(call, call.attrs<ScatterNdAttrs>().kind, inner,
                    [&](const auto& index, const auto& visit) {
                      ForEachScatterNd(x, depth, indices.num_elements() / depth, index, visit);
                    });
}

template <Isa isa>
void ScatterElementsKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<ScatterAttrs>();
  const Shape& x = call.operands[0].type->shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  ApplyUpdates<isa>(call, attrs.kind, 1, [&](const auto& index, const auto& visit) {
    ForEachScatterElement(x, axis, call.operands[1].type->shape, index, visit);
  });
}

TALLY_INSTANTIATE_KERNEL(ScatterKernel);
TALLY_INSTANTIATE_KERNEL(ScatterNdKernel);
TALLY_INSTANTIATE_KERNEL(ScatterElementsKernel);

}  // namespace tally
