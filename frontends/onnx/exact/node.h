// The view that the importer of one ONNX operator has when every value is exact: integers in fixed point, no
// calibration.
//
//   absl::StatusOr<ExactResults> ExactRelu(ExactNode& node) {
//     ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
//     ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kRelu, {x.value}));
//     return ExactResults{x.With(y)};
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/model/attributes.h"
#include "ops/composition.h"
#include "ops/lowerings.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

using namespace frontend;  // the words that importers of all formats share

// How many slices along an axis a tensor really has, where that depends on the data; those after them are
// padding.
struct ExactCount {
  int axis = 0;
  Value number;  // a scalar
};

// real = integer * 2^-fraction_bits, exactly.
struct ExactValue {
  Value value;
  int fraction_bits = 0;
  int data_type = 0;  // TensorProto::DataType
  std::optional<ExactCount> count = {};
  // A constant of 64-bit integers, some of which a tensor cannot hold: the nearest that it can stand for
  // them.
  bool is_saturated = false;

  // Another value of the same scale and type.
  ExactValue With(Value other) const { return {other, fraction_bits, data_type}; }
};
using ExactValues = std::vector<ExactValue>;

// Nothing for an empty tensor, which has no place in a module.
using MaybeExactValue = std::optional<ExactValue>;
using ExactResults = std::vector<MaybeExactValue>;

// The services of a graph's importer for its nodes.
class ExactHost {
 public:
  virtual Composition& c() = 0;
  virtual int64_t opset() const = 0;

  // The results of a graph that is an attribute of the node: it sees the values that the node sees.
  virtual absl::StatusOr<ExactResults> ImportBody(const ::onnx::GraphProto& body, ExactResults inputs) = 0;

  // A tensor that is an attribute, the same value for the same tensor. Errors: those of DecodeFixedPoint.
  virtual absl::StatusOr<MaybeExactValue> Constant(const ::onnx::TensorProto& tensor) = 0;

  // Asks that `value`, which is computed at run time, is in `meant`. Where its interval is wider and it
  // only moves elements of graph inputs that have no range of their own, these are narrowed to what of
  // `meant` is not negative (InputBounds): an index can count from the back, and those that users have do
  // not. Errors: model_needs_range.
  virtual absl::Status RequireWithin(Value value, const Interval& meant) = 0;

  // Takes `units` of what one import may cost, a unit being about one element looked at. Errors:
  // model_too_large.
  virtual absl::Status Spend(int64_t units) = 0;

 protected:
  ~ExactHost() = default;
};

class ExactNode {
 public:
  // An input that is left out is nothing.
  ExactNode(ExactHost& host, Attributes attributes, std::vector<MaybeExactValue> inputs, size_t num_outputs)
      : host_(host),
        attributes_(std::move(attributes)),
        inputs_(std::move(inputs)),
        num_outputs_(num_outputs) {}

  ExactHost& host() { return host_; }
  Composition& c() { return host_.c(); }
  int64_t opset() const { return host_.opset(); }
  Attributes& attributes() { return attributes_; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return num_outputs_; }
  bool HasInput(size_t i) const { return i < inputs_.size() && inputs_[i].has_value(); }

  // Errors: model_malformed when the input is left out, model_unsupported_operand when it has a count,
  // model_inexact when it is saturated.
  absl::StatusOr<ExactValue> Input(size_t i) const;

  // All of them, as they are.
  const std::vector<MaybeExactValue>& inputs() const { return inputs_; }

  // The elements of an integer input that must be a constant of at most kMaxInts. Errors: also
  // model_unsupported_operand.
  static constexpr int64_t kMaxInts = int64_t{1} << 16;
  absl::StatusOr<std::vector<int64_t>> Ints(size_t i) const;
  // The same where only the order of an element and small numbers matters: what is beyond 48 bits is the last
  // number within.
  absl::StatusOr<std::vector<int64_t>> SaturatedInts(size_t i) const;

  // All inputs, brought to the largest number of fraction bits among them. Errors: what refuses the
  // multiplication.
  absl::StatusOr<ExactValues> AlignedInputs();

  // The same for any values.
  absl::StatusOr<ExactValues> Aligned(ExactValues values);

  // `x` with at least as many fraction bits.
  absl::StatusOr<ExactValue> WithFractionBits(const ExactValue& x, int fraction_bits);

  // The first element of a constant, in a scale that is at least as fine. Errors: model_inexact,
  // model_unsupported_operand.
  absl::StatusOr<int64_t> ConstantInFractionBits(const ExactValue& x, int fraction_bits);

  // Indices are on axes of `sizes` elements, the first of each tuple on the first one, from the back where
  // negative. The operators of the VM take the nearest place for others, or none; ONNX has no value for them.
  // Errors: model_malformed for constants, model_needs_range.
  absl::Status CheckIndices(Value indices, std::span<const int64_t> sizes) const;

  // An integer division has no value for 0.
  // Errors: model_malformed for a constant that holds 0, model_needs_range.
  absl::Status CheckDivisor(Value divisor) const;

  // x where the condition is not 0, else y, broadcast and of one scale.
  absl::StatusOr<ExactValue> Select(Value condition, const ExactValue& x, const ExactValue& y);

  // The one result of a lowering.
  template <typename Attrs = NoAttrs>
  absl::StatusOr<Value> Lower(std::string_view name, std::vector<Value> operands, const Attrs& attrs = {}) {
    return LowerOne(c(), name, operands, attrs);
  }

 private:
  absl::StatusOr<std::vector<int64_t>> ListOf(const ExactValue& x, size_t i) const;

  ExactHost& host_;
  Attributes attributes_;
  std::vector<MaybeExactValue> inputs_;
  size_t num_outputs_;
};

}  // namespace tally::onnx
