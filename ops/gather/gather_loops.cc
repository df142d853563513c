#include "ops/gather/gather_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

// The numbers of ScatterKind in attrs.h.
enum KindCode { kUpdate = 0, kAdd, kSub, kMul, kMax, kMin };

template <int S>
void Places(const void* indices_bytes, int64_t count, const PlaceArgs& args, int64_t* places) {
  const auto* indices = At<S>(indices_bytes);
  const PlaceArgs a = args;
  const int64_t back = a.from_back ? a.n : 0;
  TALLY_SIMD
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = indices[i], counted = index + (index < 0 ? back : 0);
    const int64_t raised = counted < 0 ? 0 : counted;
    places[i] = a.base + i * a.step + (raised < a.n ? raised : a.n - 1) * a.stride;
  }
}

template <int S>
void Gather(const void* x_bytes, const int64_t* places, int64_t count, void* y_bytes) {
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  for (int64_t i = 0; i < count; ++i) y[i] = x[places[i]];
}

template <int S>
void AddPlaces(const void* indices_bytes, int64_t step, int64_t count, int64_t n, int64_t stride,
               int64_t* places) {
  const auto* indices = At<S>(indices_bytes);
  const auto run = [&](int64_t index_step) {
    TALLY_SIMD
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = indices[i * index_step], place = index + (index < 0 ? n : 0), before = places[i];
      const bool inside = (place >= 0) & (place < n) & (before >= 0);
      places[i] = inside ? before + place * stride : -1;
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
    if (a.places == nullptr) {
      TALLY_SIMD
      for (int64_t i = 0; i < a.count; ++i) {
        y[a.begin + i] = static_cast<Element<Y>>(updated(y[a.begin + i], updates[i]));
      }
      return;
    }
    for (int64_t i = 0; i < a.count; ++i) {
      const int64_t place = a.places[i];
      if (place < a.begin || place >= a.end) continue;
      y[place] = static_cast<Element<Y>>(updated(y[place], updates[i]));
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
    {Places<0>, Places<1>, Places<2>, Places<3>},
    {Gather<0>, Gather<1>, Gather<2>, Gather<3>},
    {AddPlaces<0>, AddPlaces<1>, AddPlaces<2>, AddPlaces<3>},
    {{Update<0, 0>, Update<0, 3>},
     {Update<1, 1>, Update<1, 3>},
     {Update<2, 2>, Update<2, 3>},
     {Update<3, 3>, Update<3, 3>}},
};

}  // namespace tally::TALLY_ISA
