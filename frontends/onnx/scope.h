// The names of an ONNX graph and what they stand for, over the graph that is being built.
//
//   RETURN_IF_ERROR(scope.Bind("w", Scope::FileConstant("w", tensor)));
//   ASSIGN_OR_RETURN(const Operand w, scope.Lookup("w"));
//   ASSIGN_OR_RETURN(const Operand y, scope.Emit(quant::Relu{}, {w}, "y", source));
//
// A constant enters the graph when a node that stays needs it, and once; so attributes in disguise (a
// shape, the bounds of a Clip) and weights that an importer transforms leave nothing behind.
//
// A small file must not make the importer compute large constants by naming one tensor many times, so the
// elements of all of them together are limited.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quant/graph/graph.h"
#include "quant/graph/graph_builder.h"

namespace tally::onnx {

// The codes of a tensor of 4, 8 or 16 bits (code_grid.h): a constant is the codes themselves, of all else the
// graph's value is what they stand for.
struct Codes {
  int data_type = 0;  // TensorProto's
  std::optional<quant::QuantizedType>
      grid;  // for what is computed at run time; the value is on GridHeld of it
  // A graph input, and what only moves its elements, has no grid: the first to dequantize it says which.
  std::optional<quant::ValueId> input = {};
  bool operator==(const Codes&) const = default;
};

// A value of the graph, or a constant that need not be in it yet.
struct Operand {
  std::string name;
  quant::ValueType type;
  std::optional<quant::ValueId> value;
  std::shared_ptr<const quant::Tensor> constant;  // null for what is computed at run time
  std::optional<Codes> codes = {};
  // For floats that the file has as codes.
  std::shared_ptr<const quant::ConstantCodes> constant_codes = nullptr;

  const quant::Shape& shape() const { return type.shape; }
  bool is_constant() const { return constant != nullptr; }
};

// A result that has room for more rows than are meant, and how many are, which becomes an output of its own.
struct CountedRows {
  Operand rows, count;
};

class Scope {
 public:
  // `max_computed` limits the elements of all computed constants together.
  Scope(std::string_view graph_name, int64_t max_computed)
      : builder_(graph_name), num_computable_(max_computed) {}

  // Errors: onnx_malformed, when the name is empty or taken.
  absl::Status Bind(const std::string& name, Operand operand);
  // Whatever reads `name` gets `error`.
  absl::Status BindError(const std::string& name, absl::Status error);
  // Errors: onnx_malformed, when nothing before has that name; what BindError was told.
  absl::StatusOr<Operand> Lookup(const std::string& name) const;

  absl::StatusOr<Operand> AddInput(const quant::Value& input);
  // A constant that the file holds.
  static Operand FileConstant(const std::string& name, quant::Tensor tensor);
  // A constant that an importer has computed. Errors: onnx_too_large.
  absl::StatusOr<Operand> ComputedConstant(const std::string& name, quant::Tensor tensor);

  // The result of an operator; computed here and now when its operands are constants, if it is cheap.
  absl::StatusOr<Operand> Emit(quant::Op op, const std::vector<Operand>& operands, const std::string& name,
                               const std::string& source);
  // Not all rows of `rows` are meant, but as many as `count` says.
  void AddCount(Operand rows, Operand count) { counts_.push_back({std::move(rows), std::move(count)}); }
  const std::vector<CountedRows>& counts() const { return counts_; }
  // What has no codes.
  absl::Status AddOutput(const Operand& operand, const std::string& name);

  // The codes of a graph input are on `grid`. Errors: onnx_unsupported_operand, where they are on another one
  // already.
  absl::Status PinInput(quant::ValueId input, const quant::QuantizedType& grid);

  absl::StatusOr<quant::Graph> Build() && { return std::move(builder_).Build(); }

 private:
  absl::Status Charge(int64_t num_elements);
  absl::StatusOr<quant::ValueId> ValueOf(const Operand& operand);
  Operand OperandOf(quant::ValueId value) const;

  quant::GraphBuilder builder_;
  int64_t num_computable_;  // elements of computed constants that are still allowed
  std::unordered_map<std::string, absl::StatusOr<Operand>> bindings_;
  std::unordered_map<const quant::Tensor*, quant::ValueId> constants_;  // those that the graph has
  std::unordered_map<quant::ValueId, quant::QuantizedType> pinned_inputs_;
  std::vector<CountedRows> counts_;
};

}  // namespace tally::onnx
