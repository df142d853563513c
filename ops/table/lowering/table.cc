// Tables of two values, of a value and its channel, and of a few points with straight lines between: each is
// one table.
#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/table/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr Interval kCodes16 = RangeOf(Storage::kI16);
constexpr int64_t kPoints = 513, kStep = 128;  // TOSA's: a point at every 128th code and one after the last

absl::Status Impossible(std::string_view why) { return MakeError(label::lowering_operands, why); }

absl::StatusOr<Value> Clipped(Composition& c, Value x, int64_t lo, int64_t hi) {
  return c.Apply(Opcode::kClip, {x}, ClipAttrs{.a_min = lo, .a_max = hi});
}

std::vector<int64_t> Entries(const TensorView& table) {
  std::vector<int64_t> entries(static_cast<size_t>(table.shape.num_elements()));
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = table.at(static_cast<int64_t>(i));
  return entries;
}

// table[x - offset] with the entries as a list.
absl::StatusOr<std::vector<Value>> LookUp(Composition& c, Value x, const std::vector<int64_t>& entries,
                                          int64_t offset) {
  const Value table = c.Constant({static_cast<int64_t>(entries.size())}, entries);
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kTable, {x, table}, TableAttrs{.offset = offset}));
  return std::vector<Value>{y};
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerTable2(Composition& c, std::span<const Value> operands,
                                               const Attributes& attributes) {
  const auto attrs = Unpack<Table2Attrs>(attributes);
  const TensorView* table = c.constant(operands[2]);
  if (table == nullptr) return Impossible("the table is not a constant");
  const int64_t entries = table->shape.num_elements();
  if (entries > kMaxRecipeEntries || entries % attrs.n_b != 0) {
    return Impossible(absl::StrCat(entries, " entries are more than 65536 or no multiple of n_b"));
  }
  ASSIGN_OR_RETURN(const Value a, Clipped(c, operands[0], attrs.lo_a, attrs.lo_a + entries / attrs.n_b - 1));
  ASSIGN_OR_RETURN(const Value b, Clipped(c, operands[1], attrs.lo_b, attrs.lo_b + attrs.n_b - 1));
  ASSIGN_OR_RETURN(const Value row, c.Apply(Opcode::kBroadcastMul, {a, c.Constant({1}, {attrs.n_b})}));
  ASSIGN_OR_RETURN(const Value index, c.Apply(Opcode::kBroadcastAdd, {row, b}));
  return LookUp(c, index, Entries(*table), attrs.lo_a * attrs.n_b + attrs.lo_b);
}

absl::StatusOr<std::vector<Value>> LowerTableInterpolated(Composition& c, std::span<const Value> operands,
                                                          const Attributes&) {
  const TensorView* table = c.constant(operands[1]);
  if (table == nullptr || table->shape.num_elements() != kPoints) {
    return Impossible("the table is not a constant of 513 entries");
  }
  const std::vector<int64_t> points = Entries(*table);
  const Interval x = c.interval(operands[0]);
  const int64_t first = std::clamp(x.lo, kCodes16.lo, kCodes16.hi),
                last = std::clamp(x.hi, kCodes16.lo, kCodes16.hi);
  for (size_t i = 0; i < points.size(); ++i) {
    const int64_t slope = i == 0 ? 0 : points[i] - points[i - 1];
    if (!kCodes16.Contains({points[i], points[i]}) || !kCodes16.Contains({slope, slope})) {
      return Impossible("an entry or the difference of two neighbours does not fit 16 bits");
    }
  }
  std::vector<int64_t> entries;
  for (int64_t code = first; code <= last; ++code) {
    const int64_t place = code - kCodes16.lo;
    const size_t i = static_cast<size_t>(place / kStep);
    entries.push_back(points[i] * kStep + (points[i + 1] - points[i]) * (place % kStep));
  }
  return LookUp(c, operands[0], entries, first);
}

absl::StatusOr<std::vector<Value>> LowerTablePerChannel(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const auto attrs = Unpack<TablePerChannelAttrs>(attributes);
  const Shape& shape = c.shape(operands[0]);
  const int64_t rank = shape.rank(), axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
  const TensorView* tables = c.constant(operands[1]);
  if (axis < 0 || axis >= rank) return Impossible("x has no such axis");
  if (tables == nullptr || tables->shape.rank() != 2 || tables->shape[0] != shape[static_cast<int>(axis)] ||
      tables->shape.num_elements() > kMaxRecipeEntries) {
    return Impossible(
        "the tables are not a constant [C, n] of at most 65536 entries for the C channels of x");
  }
  const int64_t channels = tables->shape[0], n = tables->shape[1];
  std::vector<int64_t> dims(static_cast<size_t>(rank - axis), 1), starts;
  dims[0] = channels;
  for (int64_t i = 0; i < channels; ++i) starts.push_back(i * n);
  ASSIGN_OR_RETURN(const Shape starts_shape, Shape::Create(dims));
  ASSIGN_OR_RETURN(const Tensor starts_tensor, Tensor::FromValues(starts_shape, starts));
  ASSIGN_OR_RETURN(const Value x, Clipped(c, operands[0], attrs.offset, attrs.offset + n - 1));
  ASSIGN_OR_RETURN(const Value index, c.Apply(Opcode::kBroadcastAdd, {x, c.Constant(starts_tensor)}));
  return LookUp(c, index, Entries(*tables), attrs.offset);
}

}  // namespace tally
