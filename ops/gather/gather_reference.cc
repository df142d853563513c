#include <vector>

#include "ops/gather/attrs.h"
#include "ops/gather/index_shape.h"
#include "ops/movement.h"

namespace tally {

using gather::Clamped;
using gather::ClampedIndex;

// y[.., j.., ..] = x[.., position(indices[j..]), ..], the axes of the indices in place of the axis.
template <typename Int>
void ReferenceGather(const ReferenceContext<Int>& c) {
  const Operand<Int>&x = c.operands[0], &indices = c.operands[1];
  const int64_t attr = c.template attrs<GatherAttrs>().axis;
  const int axis = static_cast<int>(attr < 0 ? attr + x.shape().rank() : attr);
  const int64_t n = x.shape()[axis], inner = x.shape().stride(axis);
  for (const int64_t i : c.elements()) {
    const int64_t j = i / inner % indices.size(), outer = i / inner / indices.size();
    c.results[0].Set(i, x[(outer * n + ClampedIndex(indices[j], n)) * inner + i % inner]);
  }
}

// y[b.., j.., r..] = x[b.., position(indices[b.., j.., 0]), position(indices[b.., j.., 1]), .., r..]
template <typename Int>
void ReferenceGatherNd(const ReferenceContext<Int>& c) {
  const Operand<Int>&x = c.operands[0], &indices = c.operands[1];
  const int batch = static_cast<int>(c.template attrs<GatherNdAttrs>().batch_dims);
  const int depth = static_cast<int>(indices.shape()[indices.shape().rank() - 1]);
  const int64_t inner = batch + depth == 0 ? x.size() : x.shape().stride(batch + depth - 1);
  const int64_t rows = indices.size() / depth;
  int64_t batches = 1;
  for (int axis = 0; axis < batch; ++axis) batches *= x.shape()[axis];
  for (const int64_t row : c.Groups(rows, inner)) {
    int64_t start = row / (rows / batches) * (x.size() / batches);
    for (int k = 0; k < depth; ++k) {
      const int axis = batch + k;
      start += ClampedIndex(indices[row * depth + k], x.shape()[axis]) * x.shape().stride(axis);
    }
    for (const int64_t at : c.Part(0, row * inner, inner)) c.results[0].Set(at, x[start + at - row * inner]);
  }
}

// y[d] = x[d with position(indices[d]) on the axis]
template <typename Int>
void ReferenceGatherElements(const ReferenceContext<Int>& c) {
  const Operand<Int>&x = c.operands[0], &indices = c.operands[1];
  const int64_t attr = c.template attrs<GatherAttrs>().axis;
  const int axis = static_cast<int>(attr < 0 ? attr + x.shape().rank() : attr);
  Move(c, [&](Index d) {
    d[axis] = ClampedIndex(indices[Flatten(d, indices.shape())], x.shape()[axis]);
    return d;
  });
}

// For each batch b and beam w, with L = clamp(lengths[b], 0, T): from the last step back to the first,
//
//   y[L - 1, b, w] = steps[L - 1, b, w],     p = parents[L - 1, b, w]
//   y[t, b, w]     = steps[t, b, clamp(p)],  p = parents[t, b, clamp(p)]    for t = L - 2, .., 0
//
// then everything after the first `end` is `end`, and so is everything from L on.
template <typename Int>
void ReferenceGatherTree(const ReferenceContext<Int>& c) {
  const Operand<Int>&steps = c.operands[0], &parents = c.operands[1], &lengths = c.operands[2];
  const Int end = c.operands[3][0];
  const int64_t time = steps.shape()[0], batches = steps.shape()[1], beams = steps.shape()[2];
  const auto sequence_of = [&](int64_t i) { return i % (batches * beams); };
  for (const int64_t s : c.GroupsBy(batches * beams, sequence_of)) {
    const int64_t b = s / beams, w = s % beams;
    const int64_t length = Clamped(lengths[b], time);
    std::vector<Int> sequence(time, end);
    int64_t beam = w;
    for (int64_t t = length - 1; t >= 0; --t) {
      const int64_t at = (t * batches + b) * beams + beam;
      sequence[t] = steps[at];
      beam = Clamped(parents[at], beams - 1);
    }
    bool ended = false;
    for (int64_t t = 0; t < time; ++t) {
      c.results[0].Set((t * batches + b) * beams + w, ended ? end : sequence[t]);
      ended = ended || sequence[t] == end;
    }
  }
}

TALLY_REFERENCE(Gather);
TALLY_REFERENCE(GatherNd);
TALLY_REFERENCE(GatherElements);
TALLY_REFERENCE(GatherTree);

}  // namespace tally
