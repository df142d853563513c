// The traits of every float operator. An operator is a struct of its attributes with this as `kTraits`, and
//
//   Infer      its type rule; the number of operands and their elements have been checked
//   Evaluate   its float definition; operands and shapes fit
//   Lower      the integer code that computes it
//
// in infer.cc, evaluate.cc and lower.cc of its family. One that is listed in quant/graph/op.h and lacks any
// does not link.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/interval.h"
#include "quant/labels.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

class Lowering;
struct Node;
struct QuantizedType;

// How the grid of the result is chosen.
enum class Grid {
  kCalibrated,  // from the range that calibration saw
  kOfOperand,   // that of the first operand, within bounds() where the operator has some
  kOwn,         // OwnGrid says, of the operands' types or, where it asks for them, of the ranges around it
  kDerived,     // GridFrom says, from the grids of the operands
};

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

struct OpTraits {
  std::string_view name;
  size_t least = 1, most = 1;   // operands
  bool has_weights = false;     // all operands but the first are constants, or those that IsWeight says
  bool moves = false;           // elements of any type
  bool takes_integers = false;  // among its operands; Infer says which
  bool folds = false;           // computed at import where all operands are constants, as what moves is
  Grid grid = Grid::kCalibrated;
  bool adds_zero = false;  // kOfOperand: its result may hold 0 beside what its operand holds
  bool rounds = false;     // its result, once: an activation after it becomes the bounds of that rescale
  // 8 bits of its first operand would lose what it looks for; ReadsWide says it of each.
  bool reads_wide = false;
  // Its operands are factors of sums of products, for which engines are fastest with 8 bits.
  bool multiplies = false;
  // Rounding its weights shifts each channel of its result, by the means of the channels, axis 1, of its
  // first operand.
  bool shifts = false;
  // Its inner value that needs a grid, by the name in calibration files; Evaluate then has a third argument,
  // where all of it goes.
  std::string_view inner = {};
};

// The bounds of what an operator lets through; an infinity bounds nothing.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const Bounds&) const = default;
};

// The ranges that calibration saw around a node.
struct SeenRanges {
  std::vector<Bounds> operands;
  Bounds result;
  Bounds inner = {0, 0};  // for what kTraits.inner names
};

using TypeResult = absl::StatusOr<ValueType>;
using OperandTypes = std::vector<ValueType>;
using Operands = std::span<const Tensor* const>;
// The interval of each operand; nothing of floats and of integers that nothing is known of.
using OperandIntervals = std::span<const std::optional<Interval>>;
// A tally::ValueId: what holds the result in the module.
using LoweredResult = absl::StatusOr<uint32_t>;

// So that 64-bit arithmetic on attributes cannot overflow.
constexpr int64_t kMaxAttribute = int64_t{1} << 30;
constexpr bool InRange(int64_t value, int64_t least) { return value >= least && value <= kMaxAttribute; }

inline absl::Status BadShape(const std::string& message) { return MakeError(label::graph_shape, message); }
inline absl::Status BadAttribute(const std::string& message) {
  return MakeError(label::graph_attribute, message);
}

// The NumPy broadcast of two shapes, or graph_shape.
absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b);

// 0 <= axis < rank, or graph_attribute.
absl::Status CheckAxis(int64_t axis, size_t rank);

// One axis at least, each one once and in ascending order, or graph_attribute.
absl::Status CheckAxes(const std::vector<int64_t>& axes, size_t rank);

// From `lo` to `hi`; nothing of integers that the VM's operators do not take.
std::optional<Interval> IntervalWithin(__int128 lo, __int128 hi);

inline const FloatTensor& Float(const Tensor* operand) { return std::get<FloatTensor>(*operand); }

inline FloatTensor ZeroTensor(const Shape& shape) {
  return {shape, std::vector<float>(static_cast<size_t>(NumElements(shape)))};
}

}  // namespace tally::quant
