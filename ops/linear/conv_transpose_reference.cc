#include <array>
#include <vector>

#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/reference.h"
#include "ops/window.h"

namespace tally {
namespace {

// A tap, and the position of x from which it reaches a result.
struct Source {
  int64_t tap;
  int64_t position;
};

std::vector<Source> SourcesOf(const Window& w, int64_t result, int64_t length) {
  std::vector<Source> sources;
  for (int64_t tap = 0; tap < w.size; ++tap) {
    const int64_t scaled = result + w.pad_begin - tap * w.dilation;
    if (scaled < 0) break;
    if (scaled % w.stride == 0 && scaled / w.stride < length) sources.push_back({tap, scaled / w.stride});
  }
  return sources;
}

// Calls visit(tap, position) for every combination of sources of the spatial axes.
template <typename Visit>
void ForEachSource(const std::array<std::vector<Source>, kMaxRank>& sources, int axis, int rank, Index& tap,
                   Index& position, Visit& visit) {
  if (axis == rank) return visit();
  for (const Source& source : sources[axis]) {
    tap[axis] = source.tap;
    position[axis] = source.position;
    ForEachSource(sources, axis + 1, rank, tap, position, visit);
  }
}

}  // namespace

// y[n, g * OPG + o, p..] = bias[g * OPG + o]
//     + sum over ic, q.., k.. with p = q * stride + k * dilation - pad_begin on each spatial axis of
//         (x[n, g * IC + ic, q..] - zero_x) * (w[g * IC + ic, o, k..] - zero_w)
// where IC = C / groups and OPG = OC / groups.
template <typename Int>
void ReferenceConvTranspose(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ConvTransposeAttrs>();
  const Operand<Int>&x = c.operands[0], &w = c.operands[1];
  const Result<Int>& y = c.results[0];
  const Int zero_x(attrs.zero_x), zero_w(attrs.zero_w);
  const int rank = x.shape().rank();
  const int64_t IC = x.shape()[1] / attrs.groups, OPG = w.shape()[1];
  const Windows windows = WindowsOf(attrs, w.shape().dims().subspan(2), rank);
  for (const int64_t i : c.elements()) {
    const Index d = Unflatten(i, y.shape());
    std::array<std::vector<Source>, kMaxRank> sources;
    for (int axis = 2; axis < rank; ++axis) {
      sources[axis] = SourcesOf(windows[axis], d[axis], x.shape()[axis]);
    }
    Index tap = {}, position = {d[0]};
    tap[1] = d[1] % OPG;
    Int acc = 0;
    const auto add_channels = [&] {
      for (int64_t ic = 0; ic < IC; ++ic) {
        tap[0] = position[1] = d[1] / OPG * IC + ic;
        acc = Int(acc +
                  Int(x[Flatten(position, x.shape())] - zero_x) * Int(w[Flatten(tap, w.shape())] - zero_w));
      }
    };
    ForEachSource(sources, 2, rank, tap, position, add_channels);
    if (c.operands.size() == 3) acc = Int(acc + c.operands[2][d[1]]);
    y.Set(i, acc);
  }
}

TALLY_REFERENCE(ConvTranspose);

}  // namespace tally
