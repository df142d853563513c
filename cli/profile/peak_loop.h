// A loop of independent sums of products on registers.
#pragma once

#include <cstdint>

namespace tally::cli {
namespace {  // every unit compiles its own, for its instructions

// Calls add(sum, a, b), one product of a and b and its sum, for `chains` sums in each round: more of them
// than latency times ports. Returns the number of operations, two for each of `products` that a call makes.
template <typename Vector, int chains, typename Add>
__attribute__((always_inline)) inline int64_t SumProducts(int64_t rounds, int products, Add add) {
  Vector sums[chains] = {};
  Vector a = {}, b = {};
  // The compiler may not know what the registers hold, so it can neither hoist nor merge the products.
#pragma GCC unroll 24
  for (Vector& sum : sums) asm volatile("" : "+v"(sum));
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 24
    for (Vector& sum : sums) {
      asm volatile("" : "+v"(a), "+v"(b));
      sum = add(sum, a, b);
    }
  }
#pragma GCC unroll 24
  for (Vector& sum : sums) asm volatile("" : "+v"(sum));
  return rounds * chains * products * 2;
}

}  // namespace
}  // namespace tally::cli
