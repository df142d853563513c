#include "ops/gather/gather_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

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

}  // namespace

const GatherLoops kGatherLoops = {
    {Places<0>, Places<1>, Places<2>, Places<3>},
    {Gather<0>, Gather<1>, Gather<2>, Gather<3>},
};

}  // namespace tally::TALLY_ISA
