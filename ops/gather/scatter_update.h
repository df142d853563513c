// The effect of a scatter's updates.
#pragma once

#include "ops/gather/attrs.h"

namespace tally::gather {

// The value of element `x` after one update.
template <typename Int>
Int Updated(ScatterKind kind, const Int& x, const Int& update) {
  switch (kind) {
    case ScatterKind::kUpdate: return update;
    case ScatterKind::kAdd: return Int(x + update);
    case ScatterKind::kSub: return Int(x - update);
    case ScatterKind::kMul: return Int(x * update);
    case ScatterKind::kMax: return x < update ? update : x;
    case ScatterKind::kMin: return update < x ? update : x;
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

}  // namespace tally::gather
