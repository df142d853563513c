// The meaning of the names of roundings, as inequalities between numbers of Z: none of them shifts or adds a
// half.
#pragma once

#include <z3++.h>

#include <cstdlib>

#include "base/rescale.h"

namespace tally {

// Claims that the integer y is p / unit, rounded; unit > 0.
struct Definition {
  z3::expr p, unit, y;

  z3::expr Remainder() const { return p - y * unit; }
  z3::expr Twice() const { return 2 * Remainder(); }

  z3::expr Floor() const { return Remainder() >= 0 && Remainder() < unit; }
  z3::expr HalfUp() const { return Twice() >= -unit && Twice() < unit; }
  z3::expr HalfDown() const { return Twice() > -unit && Twice() <= unit; }
  z3::expr HalfAway() const { return z3::ite(p < 0, HalfDown(), HalfUp()); }
  z3::expr HalfEven() const {
    const z3::expr tie = Twice() == unit || Twice() == -unit;
    return (Twice() > -unit && Twice() < unit) || (tie && z3::mod(y, 2) == 0);
  }
  z3::expr Trunc() const {
    return z3::ite(p < 0, Remainder() <= 0, Remainder() >= 0) && Remainder() < unit && Remainder() > -unit;
  }

  z3::expr Of(Rounding rounding) const {
    switch (rounding) {
      case Rounding::kFloor: return Floor();
      case Rounding::kHalfUp: return HalfUp();
      case Rounding::kHalfAway: return HalfAway();
      case Rounding::kHalfEven: return HalfEven();
      case Rounding::kTrunc: return Trunc();
      case Rounding::kDouble: break;  // has a definition of two steps
    }
    std::abort();
  }
};

}  // namespace tally
