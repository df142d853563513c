// What an operator's importer sees: its inputs, its attributes and a way to emit nodes.
//
//   absl::Status ImportRelu(NodeContext& node) {
//     RETURN_IF_ERROR(node.CheckInputCount(1, 1));
//     ASSIGN_OR_RETURN(const Operand x, node.Input(0));
//     return node.Finish(quant::Relu{}, {x});
//   }
//
// Importers return errors that say what is wrong; ImportOnnx puts the node in front of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/attributes.h"
#include "frontends/onnx/import_onnx.h"
#include "frontends/onnx/scope.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

class NodeContext {
 public:
  // `read`: the names that nodes and the graph's outputs read.
  NodeContext(const ::onnx::NodeProto& node, int64_t opset, const ImportOptions& options, std::string source,
              Attributes attributes, Scope& scope, const std::unordered_set<std::string_view>& read);

  std::string_view op_type() const { return node_.op_type(); }
  int64_t opset() const { return opset_; }
  const ImportOptions& options() const { return options_; }
  Attributes& attributes() { return attributes_; }

  // Inputs that are left out at the end do not count. Errors: onnx_malformed.
  absl::Status CheckInputCount(size_t least, size_t most) const;
  size_t num_inputs() const { return num_inputs_; }
  bool HasInput(size_t index) const;
  // Errors: onnx_malformed, when the input is left out or unknown; onnx_shape, when it is an empty constant;
  // onnx_unsupported_type, when it holds codes, unless PassCodes was told of them.
  absl::StatusOr<Operand> Input(size_t index) const;
  // The same, with the least float for negative infinities of a constant: of masks, which are added or chosen
  // in front of a softmax, they mean the same.
  absl::StatusOr<Operand> SaturatedInput(size_t index) const;
  // The same as Input, where an empty constant has a meaning.
  absl::StatusOr<Operand> InputOrEmpty(size_t index) const;
  // Codes too.
  absl::StatusOr<Operand> CodesInput(size_t index) const;
  // The operator moves or chooses elements, and so does with what codes stand for as it would with the codes:
  // its outputs have them.
  void PassCodes(Codes codes) { passed_ = std::move(codes); }
  absl::Status PinInput(quant::ValueId input, const quant::QuantizedType& grid) {
    return scope_.PinInput(input, grid);
  }
  // The data of an input that must be a constant; valid as long as the scope.
  // Errors: also onnx_unsupported_operand, onnx_unsupported_type.
  absl::StatusOr<const quant::FloatTensor*> FloatConstant(size_t index) const;
  absl::StatusOr<const quant::Int64Tensor*> IntConstant(size_t index) const;

  // The one number that an input must be, of floats or of integers. Errors: as FloatConstant.
  absl::StatusOr<double> NumberConstant(size_t index) const;

  // How many outputs have a name, and so a reader, maybe.
  size_t num_named_outputs() const;
  size_t num_outputs() const { return is_finished_.size(); }
  // Whether anything reads output `index`, so that one which costs something need not be computed.
  bool IsRead(size_t index) const;

  // A node on the way to the output; `step` makes its name.
  absl::StatusOr<Operand> Emit(quant::Op op, const std::vector<Operand>& operands, std::string_view step);
  // The node that yields output 0.
  absl::Status Finish(quant::Op op, const std::vector<Operand>& operands);
  // The same for a node of two inputs, which are the operands.
  absl::Status FinishPair(quant::Op op);
  // Output 0 is `operand` itself.
  absl::Status FinishAs(const Operand& operand);
  // The same for any output; one without a name has no reader and gets no node, and only operators that look
  // at IsRead let output 0 be without. What an importer does not finish is refused where it is read.
  absl::Status FinishOutput(size_t index, quant::Op op, const std::vector<Operand>& operands);
  absl::Status FinishOutputAs(size_t index, const Operand& operand);
  bool is_finished(size_t index) const { return is_finished_[index]; }
  // Output 0 is a new constant.
  absl::Status FinishAsConstant(quant::Tensor tensor);
  // Reports how many rows of output 0 are meant, in an output of the graph called NAME.count.
  absl::Status CountRows(quant::Op op, const std::vector<Operand>& operands);
  // A computed constant on the way to the output. Errors: onnx_too_large.
  absl::StatusOr<Operand> NewConstant(quant::Tensor tensor, std::string_view step);

 private:
  const std::string& OutputName(size_t index) const { return node_.output(static_cast<int>(index)); }
  // The name of what is emitted on the way: that of the first output that has one.
  std::string StepName(std::string_view step) const;

  const ::onnx::NodeProto& node_;
  int64_t opset_;
  const ImportOptions& options_;
  std::string source_;
  Attributes attributes_;
  Scope& scope_;
  const std::unordered_set<std::string_view>& read_;
  size_t num_inputs_;
  std::optional<Codes> passed_;
  std::vector<bool> is_finished_;  // by output
};

}  // namespace tally::onnx
