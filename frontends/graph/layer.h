// The view that the importer of one layer has: the operands that the layer reads by name, and the graph, to
// which it adds what the layer yields. A frontend adds the attributes of its format.
//
//   absl::Status ImportRelu(Layer& layer) {
//     ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
//     return layer.Finish(quant::Relu{}, {x});
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// A layer as its file names it.
struct LayerNames {
  std::string source;                // for messages: "layer 12 'conv1' (Convolution)"
  std::vector<std::string> inputs;   // empty: left out
  std::vector<std::string> outputs;  // empty: nobody reads it
};

class Layer : public Emitter {
 public:
  // `read`: the names that layers and the model's outputs read.
  Layer(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read);

  // Inputs that are left out at the end do not count. Errors: model_malformed.
  absl::Status CheckInputCount(size_t least, size_t most) const;
  size_t num_inputs() const { return num_inputs_; }
  bool HasInput(size_t index) const;
  // Errors: model_malformed, when the input is left out or unknown; model_shape, when it is an empty
  // constant; model_unsupported_type, when it holds codes, unless PassCodes was told of them.
  absl::StatusOr<Operand> Input(size_t index) const;
  // All of them. Errors: those of Input.
  absl::StatusOr<std::vector<Operand>> Inputs() const;
  // The input of a layer that has one. Errors: also model_malformed for another number of inputs.
  absl::StatusOr<Operand> OnlyInput() const;
  // As Input, with the least float for negative infinities of a constant: of masks, which are added or chosen
  // in front of a softmax, they mean the same.
  absl::StatusOr<Operand> SaturatedInput(size_t index) const;
  // The same as Input, where an empty constant has a meaning.
  absl::StatusOr<Operand> InputOrEmpty(size_t index) const;
  // Codes too.
  absl::StatusOr<Operand> CodesInput(size_t index) const;
  // Integers, also of 16 bits or less where nothing dequantizes them: constants and graph inputs. Errors:
  // those of Input.
  absl::StatusOr<Operand> IntegerInput(size_t index);
  // The operator moves or chooses elements, and so does with what codes mean as it would with the codes: its
  // outputs have them.
  void PassCodes(Codes codes) { passed_ = std::move(codes); }
  // The codes of the first input that has some: a layer whose inputs differ is refused where it reads the
  // others.
  absl::StatusOr<std::optional<Codes>> CodesOfInputs() const;
  absl::Status PinInput(quant::ValueId input, const quant::QuantizedType& grid) {
    return scope().PinInput(input, grid);
  }
  // The data of an input that must be a constant; valid as long as the scope.
  // Errors: also model_unsupported_operand, model_unsupported_type.
  absl::StatusOr<const quant::FloatTensor*> FloatConstant(size_t index) const;
  absl::StatusOr<const quant::Int64Tensor*> IntConstant(size_t index) const;
  // The one number that an input must be, of floats or of integers. Errors: as FloatConstant.
  absl::StatusOr<double> NumberConstant(size_t index) const;
  // Whether `operand` is an input of the graph as it comes in.
  bool IsGraphInput(const Operand& operand) const { return scope().IsInput(operand); }
  // Whether all that the layer reads are constants, and it reads something.
  bool ReadsConstants() const;

  // Number of named outputs. An output without a name has no reader.
  size_t num_named_outputs() const;
  size_t num_outputs() const { return is_finished_.size(); }
  // True if output `index` is read. Importers skip costly outputs that are not.
  bool IsRead(size_t index) const;

  // The node that yields output 0.
  absl::Status Finish(quant::Op op, const std::vector<Operand>& operands);
  // The same for a node of two inputs, which are the operands.
  absl::Status FinishPair(quant::Op op);
  // Output 0 is `operand` itself, or the error that there is in its place.
  absl::Status FinishAs(const absl::StatusOr<Operand>& operand);
  // The same for any output; one without a name has no reader and gets no node, and only operators that look
  // at IsRead let output 0 be without. What an importer does not finish is refused where it is read.
  absl::Status FinishOutput(size_t index, quant::Op op, const std::vector<Operand>& operands);
  absl::Status FinishOutputAs(size_t index, const absl::StatusOr<Operand>& operand);
  // The outputs are the parts of x along an axis. Errors: model_malformed for another number of outputs,
  // model_shape where a part is empty or the sizes are not those of the axis.
  absl::Status FinishParts(const Operand& x, size_t axis, const std::vector<int64_t>& sizes);
  // Output 0 is a new constant.
  absl::Status FinishAsConstant(quant::Tensor tensor);
  // The same of one number over and over. Errors: those of Scope::FilledConstant.
  absl::Status FinishFilled(const quant::Shape& shape, const quant::Tensor& number);
  // Not all entries of output 0 along `axis` are meant, but as many as `count` says, which becomes an output
  // of the graph, called as the value is.
  absl::Status CountRows(const Operand& count, size_t axis = 0);
  // A reader of an output that is not finished gets an error that says so.
  absl::Status RefuseTheRest();

 private:
  absl::Status Bind(size_t index, absl::StatusOr<Operand> operand);

  LayerNames names_;
  const std::unordered_set<std::string_view>& read_;
  size_t num_inputs_;
  std::optional<Codes> passed_;
  std::vector<bool> is_finished_;  // by output
};

}  // namespace tally::frontend
