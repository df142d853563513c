// The operands of a type rule, and what it proves.
//
//   absl::Status InferRelu(const InferContext& c, Inferred* out) {
//     const Interval x = c.interval(0);
//     return out->AddResult(c, c.shape(0), WideInterval(std::max<int64_t>(x.lo, 0), std::max<int64_t>(x.hi, 0)));
//   }
//
// A rule refuses with MakeError(label::<operator>_c<n>, ...), the constraint's name in ops/<family>/spec.md.
// When it runs, operand count and attributes have passed the row's own checks. A rule is pure: same context,
// same verdict, on every machine. It allocates nothing proportional to a tensor other than a constant
// operand.
//
// The first of several faults is reported, in the order of docs/spec/validation.md: the constraints by their
// numbers, then the shapes of the results, the accumulator, the intervals of the results. So a rule keeps the
// dims of a result as Dims until its last constraint holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "base/error.h"
#include "base/tensor.h"
#include "base/wide.h"
#include "ops/attributes.h"
#include "ops/function_signature.h"
#include "ops/profile.h"
#include "ops/tensor_type.h"

namespace tally {

struct InferContext {
  Profile profile = Profile::kCore;
  const Attributes* attributes = nullptr;
  std::span<const TensorType> operands;
  // Published CVM precision of each operand, 1..32; meaningful in profile cvm only (docs/spec/validation.md).
  std::span<const int> precisions;
  // The constant that an operand is the direct result of, or null. Its bytes are empty where only the program
  // is at hand.
  std::span<const TensorView* const> constant_operands;
  // All constants of the module with the bounds of their elements, for the `constant` instruction.
  std::span<const TensorView> module_constants;
  std::span<const Interval> module_constant_bounds;
  // By number. Those that the attributes name exist: the caller of a rule has checked it.
  std::span<const FunctionSignature> functions = {};
  // The elements of constants are not at hand. A rule then proves shapes and what intervals alone say: ranges
  // that constants could keep are not checked, and the result may be all of TensorLimit.
  bool of_program = false;

  int num_operands() const { return static_cast<int>(operands.size()); }
  const Shape& shape(int i) const { return operands[i].shape; }
  const Interval& interval(int i) const { return operands[i].interval; }
  bool is_constant(int i) const { return constant_operands[i] != nullptr; }
  // A constant whose elements are at hand, or null.
  const TensorView* constant(int i) const { return of_program ? nullptr : constant_operands[i]; }
  // The bounds of the elements of a constant operand.
  Interval entries(int i) const { return constant(i) != nullptr ? constant(i)->Bounds() : interval(i); }
  // The range of a result of which nothing is known.
  WideInterval any_value() const { return TensorLimit(profile); }
  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// The dims of a result, not yet checked to be a shape.
using Dims = std::vector<int64_t>;

struct Inferred {
  std::vector<TensorType> results;
  // Bound of every partial sum in any order, for operators that accumulate; [0, 0] otherwise.
  Interval accumulator;
  // Bytes of working memory beyond operands and results that an engine may use.
  int64_t scratch_bytes = 0;

  // Appends a result. Error value_range when `bounds` leaves TensorLimit(c.profile).
  absl::Status AddResult(const InferContext& c, const Shape& shape, const WideInterval& bounds);

  // The same for dims. Errors shape_rank, shape_dim and shape_elements come first.
  absl::Status AddResult(const InferContext& c, const Dims& dims, const WideInterval& bounds);

  // Records that every partial sum is in `bounds`. Error accumulator_range when that leaves int64_t
  // (in profile cvm: when it leaves TensorLimit).
  absl::Status SetAccumulator(const InferContext& c, const WideInterval& bounds);
};

// The numpy result dims of `a` and `b`, right-aligned; error `label` when a pair of dims differs and none is
// 1.
absl::StatusOr<Dims> BroadcastDims(std::span<const int64_t> a, std::span<const int64_t> b, Label label);

// The same as a shape, for a rule without another constraint. Error shape_elements comes after `label`.
absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b, Label label);

// Error `label` when operand i leaves TensorLimit. Only a constant can, and an operator whose intermediates
// would then leave int64_t refuses it.
absl::Status CheckOperandLimit(const InferContext& c, int i, Label label);

// Axis in [-rank, rank) as [0, rank); error `label` outside.
absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank, Label label);

}  // namespace tally
