#include "frontends/graph/code_grid.h"

#include <cmath>

#include "base/error.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

Interval CodeType::interval() const {
  const int64_t count = int64_t{1} << bits;
  return is_signed ? Interval{-count / 2, count / 2 - 1} : Interval{0, count - 1};
}

std::string CodeType::ToString() const { return absl::StrCat(is_signed ? "int" : "uint", bits); }

absl::StatusOr<quant::QuantizedType> GridOf(CodeType type, float scale, int64_t zero_point) {
  if (!std::isfinite(scale) || scale <= 0) {
    return MakeError(label::model_malformed, absl::StrCat("a scale is ", scale, ", not positive and finite"));
  }
  if (!type.interval().Contains(zero_point)) {
    return MakeError(label::model_malformed,
                     absl::StrCat("the zero point ", zero_point, " is not in ", type.interval().ToString()));
  }
  return quant::QuantizedType{scale, zero_point, type.interval(), Rounding::kHalfEven};
}

quant::QuantizedType GridHeld(quant::QuantizedType grid) {
  if (grid.interval.hi < 128) return grid;  // it fits 8 bits with a sign already
  const int64_t offset = grid.interval.lo + (grid.interval.hi - grid.interval.lo + 1) / 2;
  grid.zero_point -= offset;
  grid.interval = quant::Minus(grid.interval, offset);
  return grid;
}

}  // namespace tally::frontend
