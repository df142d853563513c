// The elements of each operand that one element of a result reads: the read set of its operator.
//
//   inline constexpr OperandReads kReadsDense[] = {
//       {Reach::kMany, "its row", RowOfDense, kExactly},
//       {Reach::kMany, "the row of its unit", WeightsOfChannel, kExactly},
//       kReadsBias};
//
// A dispute ends in one element, which is judged with the leaves that hold its read set (vm/referee.h). The
// trace commits to what such a judgement needs (vm/committed_values.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/attributes.h"
#include "ops/indexing.h"
#include "ops/tensor_type.h"

namespace tally {

enum class Reach : uint8_t {
  kNothing,
  kOne,    // at most one element, where the shapes, the attributes and the place in the result say
  kNamed,  // at most kMostNamed elements, some of them where other elements say
  kMany,   // more: a row, a window, all
};
inline constexpr int64_t kMostNamed = 16;

// As much of leaves as the judgement of one element reads.
inline constexpr int64_t kMostLeafBytes = int64_t{48} << 10;

// A part of a tensor: along each axis of it `count` coordinates from `begin` on, `step` apart.
struct Region {
  int rank = 0;
  Index begin = {}, count = {}, step = {};

  // Along `axis` alone.
  void Set(int axis, int64_t first, int64_t number = 1, int64_t apart = 1) {
    begin[axis] = first;
    count[axis] = number;
    step[axis] = apart;
  }
  int64_t size() const {
    int64_t elements = 1;
    for (int axis = 0; axis < rank; ++axis) elements *= count[axis];
    return elements;
  }
  // The coordinates of its i-th element, row-major.
  Index At(int64_t i) const {
    Index d = {};
    for (int axis = rank - 1; axis >= 0; --axis) {
      d[axis] = begin[axis] + i % count[axis] * step[axis];
      i /= count[axis];
    }
    return d;
  }
};

Region WholeOf(const Shape& shape);

struct ReadContext {
  const Attributes* attributes = nullptr;
  std::span<const TensorType> operands, results;
  int result = 0;
  int64_t element = 0;  // row-major

  const Shape& shape(int operand) const { return operands[static_cast<size_t>(operand)].shape; }
  // The coordinates of the element in its result.
  Index place() const { return Unflatten(element, results[static_cast<size_t>(result)].shape); }
  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// The elements of an operand among which are all that the element reads.
using RegionRule = Region (*)(const ReadContext& c, int operand);

// All of the operand; the element with the number of the result's; the one that is broadcast to it.
Region Everything(const ReadContext& c, int operand);
Region SameElement(const ReadContext& c, int operand);
Region BroadcastElement(const ReadContext& c, int operand);

struct OperandReads {
  Reach reach;
  std::string_view what;  // for the page of the operator
  RegionRule region = Everything;
  bool exactly = false;  // it reads the whole region, whatever the elements are
};
inline constexpr bool kExactly = true;

// By operand. The last entry is that of all further operands too; a row without operands has none.
using ReadSet = std::span<const OperandReads>;

inline const OperandReads& ReadsOf(ReadSet set, size_t operand) {
  return set[operand < set.size() ? operand : set.size() - 1];
}

// Those of several families.
inline constexpr ReadSet kReadsNothing = {};
inline constexpr OperandReads kReadsSame[] = {
    {Reach::kOne, "the element with its number", SameElement, kExactly}};
inline constexpr OperandReads kReadsBroadcast[] = {
    {Reach::kOne, "the element that is broadcast to it", BroadcastElement, kExactly}};
inline constexpr OperandReads kReadsMoved[] = {{Reach::kOne, "the one element that the formula names"}};

}  // namespace tally
