// Lowerings between one tensor and several.
#include "base/int_math.h"
#include "ops/common/compose.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

// The sizes of the parts of an axis of n elements.
absl::StatusOr<Dims> PartsOf(const SplitAttrs& attrs, int64_t n) {
  Dims sizes = attrs.sizes;
  if ((attrs.count == 0) == sizes.empty()) return Meaningless("one of count and sizes must be given");
  if (sizes.empty()) {
    const int64_t size = CeilDiv(n, attrs.count);
    sizes.assign(attrs.count, size);
    sizes.back() = n - size * (attrs.count - 1);
  }
  int64_t rest = n, open = 0;
  for (const int64_t size : sizes) {
    if (size < 0) {
      ++open;
    } else {
      rest -= size;
    }
  }
  if (open > 1) return Meaningless("two sizes are -1");
  for (int64_t& size : sizes) {
    if (size < 0 && attrs.count == 0) {
      size = rest;
      rest = 0;
    }
    if (size < 1) return Meaningless("a part is empty");
  }
  if (rest != 0) return Meaningless(absl::StrCat("the parts leave ", rest, " of ", n, " elements"));
  return sizes;
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerSplit(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  const auto attrs = Unpack<SplitAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, x.rank()));
  ASSIGN_OR_RETURN(const Dims sizes, PartsOf(attrs, x[axis]));
  Dims begin(x.rank(), 0), length = DimsOf(x);
  std::vector<Value> parts;
  for (const int64_t size : sizes) {
    length[axis] = size;
    ASSIGN_OR_RETURN(const Value part, Crop(c, operands[0], begin, length));
    parts.push_back(part);
    begin[axis] += size;
  }
  return parts;
}

absl::StatusOr<std::vector<Value>> LowerStack(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  Dims dims = DimsOf(c.shape(operands[0]));
  ASSIGN_OR_RETURN(const int axis,
                   AxisOf(Unpack<AxisAttrs>(attributes).axis, static_cast<int>(dims.size()) + 1));
  dims.insert(dims.begin() + axis, 1);
  std::vector<Value> slices;
  for (const Value x : operands) {
    if (c.shape(x) != c.shape(operands[0])) {
      return Meaningless(absl::StrCat(c.shape(x).ToString(), " on ", c.shape(operands[0]).ToString()));
    }
    ASSIGN_OR_RETURN(const Value slice, Reshape(c, x, dims));
    slices.push_back(slice);
  }
  return One(c.Apply(Opcode::kConcatenate, slices, ConcatenateAttrs{.axis = axis}));
}

absl::StatusOr<std::vector<Value>> LowerUnstack(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int axis, AxisOf(Unpack<AxisAttrs>(attributes).axis, x.rank()));
  if (x[axis] > kMaxOperands) return Meaningless(absl::StrCat(x[axis], " results"));
  Dims begin(x.rank(), 0), length = DimsOf(x), dims = length;
  length[axis] = 1;
  dims.erase(dims.begin() + axis);
  std::vector<Value> slices;
  for (; begin[axis] < x[axis]; ++begin[axis]) {
    ASSIGN_OR_RETURN(const Value slice, Crop(c, operands[0], begin, length));
    ASSIGN_OR_RETURN(const Value y, Reshape(c, slice, dims));
    slices.push_back(y);
  }
  return slices;
}

}  // namespace tally
