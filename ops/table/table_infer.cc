#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/table/attrs.h"
#include "ops/table/labels.h"
#include "ops/table/rules.h"

namespace tally {
namespace {

constexpr int64_t kMaxTableEntries = 65536;  // every value of 16 bits

// The extremes of the entries that an index in `index` reaches once it is clamped.
Interval Reachable(const TensorView& table, const WideInterval& index) {
  const WideInterval reached = index.Clamp(0, table.shape.num_elements() - 1);
  const int64_t first = static_cast<int64_t>(reached.lo), last = static_cast<int64_t>(reached.hi);
  Interval y = {table.at(first), table.at(first)};
  for (int64_t i = first + 1; i <= last; ++i) y = y.Hull({table.at(i), table.at(i)});
  return y;
}

}  // namespace

absl::Status InferCvmLut(const InferContext& c, Inferred* out) {
  const int64_t in_dim = c.attrs<CvmLutAttrs>().in_dim;
  if (c.shape(1).num_elements() != in_dim) {
    return MakeError(label::cvm_lut_c1,
                     absl::StrCat("in_dim = ", in_dim, " for a table ", c.shape(1).ToString()));
  }
  const TensorView* table = c.constant(1);
  return out->AddResult(c, c.shape(0), table != nullptr ? Reachable(*table, c.interval(0)) : c.interval(1));
}

absl::Status InferTable(const InferContext& c, Inferred* out) {
  const int64_t offset = c.attrs<TableAttrs>().offset;
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::table_c1));
  if (!c.is_constant(1)) return MakeError(label::table_c2, "the table is not a constant");
  if (c.shape(1).rank() != 1 || c.shape(1)[0] > kMaxTableEntries) {
    return MakeError(label::table_c3,
                     absl::StrCat("table ", c.shape(1).ToString(), " is not a list of at most ",
                                  kMaxTableEntries, " entries"));
  }
  const WideInterval index = WideInterval(c.interval(0)) - WideInterval(offset, offset);
  const TensorView* table = c.constant(1);
  return out->AddResult(c, c.shape(0), table != nullptr ? Reachable(*table, index) : c.interval(1));
}

WideGas GasLookup(const GasContext& c) { return SatAdd(SatMul(13, c.elements_out(0)), 2560); }

std::vector<int> PrecisionOfTable(const PrecisionContext& c) { return {c.operand(1)}; }

}  // namespace tally
