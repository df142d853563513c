// Exact bounds of functions of two independent operands that are monotone in each.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "base/wide.h"

namespace tally {

// The least and the greatest f(a, b) over a grid of values that includes every extreme.
template <typename F>
WideInterval HullOver(std::initializer_list<Int128> as, std::initializer_list<Int128> bs, F f) {
  WideInterval y(f(*as.begin(), *bs.begin()), f(*as.begin(), *bs.begin()));
  for (const Int128 a : as) {
    for (const Int128 b : bs) y = y.Hull({f(a, b), f(a, b)});
  }
  return y;
}

// That of an f that is monotone in a for each b and in b for each a.
template <typename F>
WideInterval HullOfCorners(const Interval& a, const Interval& b, F f) {
  return HullOver({a.lo, a.hi}, {b.lo, b.hi}, f);
}

}  // namespace tally
