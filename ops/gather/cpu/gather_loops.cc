#include "ops/gather/cpu/gather_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

// The numbers of ScatterKind in attrs.h.
enum KindCode { kUpdate = 0, kAdd, kSub, kMul, kMax, kMin };

template <int S>
void Positions(const void* indices_bytes, int64_t count, const PositionArgs& args, int64_t* positions) {
  const auto* indices = At<S>(indices_bytes);
  const PositionArgs a = args;
  const int64_t back = a.from_back ? a.n : 0;
  TALLY_SIMD
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = indices[i], counted = index + (index < 0 ? back : 0);
    const int64_t raised = counted < 0 ? 0 : counted;
    positions[i] = a.base + i * a.step + (raised < a.n ? raised : a.n - 1) * a.stride;
  }
}

template <int S>
void Gather(const void* x_bytes, const int64_t* positions, int64_t count, void* y_bytes) {
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  for (int64_t i = 0; i < count; ++i) y[i] = x[positions[i]];
}

template <int S>
void AddPositions(const void* indices_bytes, int64_t step, int64_t count, int64_t n, int64_t stride,
                  int64_t* positions) {
  const auto* indices = At<S>(indices_bytes);
  const auto run = [&](int64_t index_step) {
    TALLY_SIMD
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = indices[i * index_step], position = index + (index < 0 ? n : 0),
                    before = positions[i];
      const bool inside = (position >= 0) & (position < n) & (before >= 0);
      positions[i] = inside ? before + position * stride : -1;
    }
  };
  step == 1 ? run(1) : run(step);
}

// Sums and products are taken modulo 2^64, of which y keeps what its interval needs.
template <int Y, int U>
void Update(const UpdateArgs& args) {
  const UpdateArgs a = args;
  const auto* updates = At<U>(a.updates);
  auto* y = At<Y>(a.y);
  const auto run = [&](auto updated) {
    if (a.positions == nullptr) {
      TALLY_SIMD
      for (int64_t i = 0; i < a.count; ++i) {
        y[a.begin + i] = static_cast<Element<Y>>(updated(y[a.begin + i], updates[i]));
      }
      return;
    }
    for (int64_t i = 0; i < a.count; ++i) {
      const int64_t position = a.positions[i];
      if (position < a.begin || position >= a.end) continue;
      y[position] = static_cast<Element<Y>>(updated(y[position], updates[i]));
    }
  };
  const auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  switch (a.kind) {
    case kUpdate: return run([](int64_t, int64_t update) { return update; });
    case kAdd: return run([u](int64_t x, int64_t update) { return u(x) + u(update); });
    case kSub: return run([u](int64_t x, int64_t update) { return u(x) - u(update); });
    case kMul: return run([u](int64_t x, int64_t update) { return u(x) * u(update); });
    case kMax: return run([](int64_t x, int64_t update) { return x > update ? x : update; });
    case kMin: return run([](int64_t x, int64_t update) { return x < update ? x : update; });
  }
}

}  // namespace

const GatherLoops kGatherLoops = {
    {Positions<0>, Positions<1>, Positions<2>, Positions<3>},
    {Gather<0>, Gather<1>, Gather<2>, Gather<3>},
    {AddPositions<0>, AddPositions<1>, AddPositions<2>, AddPositions<3>},
    {{Update<0, 0>, Update<0, 3>},
     {Update<1, 1>, Update<1, 3>},
     {Update<2, 2>, Update<2, 3>},
     {Update<3, 3>, Update<3, 3>}},
};

}  // namespace tally::TALLY_ISA
