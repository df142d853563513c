// What the importer of one ONNX operator sees when every value is exact: integers in fixed point, no calibration.
//
//   absl::StatusOr<ExactValues> ExactRelu(ExactNode& node) {
//     ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
//     ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kRelu, {x.value}));
//     return ExactValues{x.With(y)};
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/attributes.h"
#include "ops/composition.h"
#include "ops/lowerings.h"

namespace tally::onnx {

// real = integer * 2^-fraction_bits, exactly.
struct ExactValue {
  Value value;
  int fraction_bits = 0;
  int data_type = 0;  // TensorProto::DataType

  // Another value of the same scale and type.
  ExactValue With(Value other) const { return {other, fraction_bits, data_type}; }
};
using ExactValues = std::vector<ExactValue>;

class ExactNode {
 public:
  // An input that is left out is empty.
  ExactNode(Composition& c, int64_t opset, Attributes attributes,
            std::vector<std::optional<ExactValue>> inputs, size_t num_outputs)
      : c_(c),
        opset_(opset),
        attributes_(std::move(attributes)),
        inputs_(std::move(inputs)),
        num_outputs_(num_outputs) {}

  Composition& c() { return c_; }
  int64_t opset() const { return opset_; }
  Attributes& attributes() { return attributes_; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return num_outputs_; }
  bool HasInput(size_t i) const { return i < inputs_.size() && inputs_[i].has_value(); }

  // Errors: onnx_malformed when the input is left out.
  absl::StatusOr<ExactValue> Input(size_t i) const;

  // The elements of an integer input that must be a constant. Errors: also onnx_unsupported_operand.
  absl::StatusOr<std::vector<int64_t>> Ints(size_t i) const;

  // All inputs, brought to the largest number of fraction bits among them. Errors: what refuses the multiplication.
  absl::StatusOr<ExactValues> AlignedInputs();

  // `x` with at least as many fraction bits.
  absl::StatusOr<ExactValue> WithFractionBits(const ExactValue& x, int fraction_bits);

  // The one result of a lowering.
  template <typename Attrs = NoAttrs>
  absl::StatusOr<Value> Lower(std::string_view name, std::vector<Value> operands, const Attrs& attrs = {}) {
    return LowerOne(c_, name, operands, attrs);
  }

 private:
  Composition& c_;
  int64_t opset_;
  Attributes attributes_;
  std::vector<std::optional<ExactValue>> inputs_;
  size_t num_outputs_;
};

}  // namespace tally::onnx
