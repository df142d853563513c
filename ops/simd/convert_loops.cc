#include "ops/simd/convert_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

template <int From, int To>
void Convert(const void* from, void* to, int64_t n) {
  const auto* x = At<From>(from);
  auto* y = At<To>(to);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Element<To>>(x[i]);
}

template <int To>
void Fill(void* to, int64_t n, int64_t value) {
  auto* y = At<To>(to);
  const auto v = static_cast<Element<To>>(value);
  for (int64_t i = 0; i < n; ++i) y[i] = v;
}

template <int From, int To>
void Gather(const void* from, int64_t stride, void* to, int64_t n) {
  const auto* x = At<From>(from);
  auto* y = At<To>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Element<To>>(x[i * stride]);
}

}  // namespace

const ConvertLoops kConvertLoops = {
    {{Convert<0, 0>, Convert<0, 1>, Convert<0, 2>, Convert<0, 3>},
     {Convert<1, 0>, Convert<1, 1>, Convert<1, 2>, Convert<1, 3>},
     {Convert<2, 0>, Convert<2, 1>, Convert<2, 2>, Convert<2, 3>},
     {Convert<3, 0>, Convert<3, 1>, Convert<3, 2>, Convert<3, 3>}},
    {Fill<0>, Fill<1>, Fill<2>, Fill<3>},
    {{Gather<0, 0>, Gather<0, 1>, Gather<0, 2>, Gather<0, 3>},
     {Gather<1, 0>, Gather<1, 1>, Gather<1, 2>, Gather<1, 3>},
     {Gather<2, 0>, Gather<2, 1>, Gather<2, 2>, Gather<2, 3>},
     {Gather<3, 0>, Gather<3, 1>, Gather<3, 2>, Gather<3, 3>}},
};

}  // namespace tally::TALLY_ISA
