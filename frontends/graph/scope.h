// The names of a model file and what they mean, over the graph that is being built.
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
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/operand.h"
#include "quant/graph/graph_builder.h"

namespace tally::frontend {

class Scope {
 public:
  // `max_computed` limits the elements of all computed constants together.
  Scope(std::string_view graph_name, int64_t max_computed)
      : builder_(graph_name), num_computable_(max_computed) {}

  // Errors: model_malformed, when the name is empty or taken.
  absl::Status Bind(const std::string& name, Operand operand);
  // Later readers of `name` get `operand`. Errors: model_malformed, when nothing before has that name.
  absl::Status Rebind(const std::string& name, Operand operand);
  // Whatever reads `name` gets `error`.
  absl::Status BindError(const std::string& name, absl::Status error);
  // Errors: model_malformed, when nothing before has that name; what BindError was told.
  absl::StatusOr<Operand> Lookup(const std::string& name) const;
  // Nothing looks `name` up any more: a constant that no value of the graph is leaves memory.
  void Release(const std::string& name);

  absl::StatusOr<Operand> AddInput(const quant::Value& input);
  // A constant that the file holds.
  static Operand FileConstant(const std::string& name, quant::Tensor tensor);
  // A constant that an importer has computed. Errors: model_too_large.
  absl::StatusOr<Operand> ComputedConstant(const std::string& name, quant::Tensor tensor);

  // One number over and over. What such weights are computed to is in proportion to them, not to the file.
  // Errors: those of CheckShape; model_too_large beyond kMostFilled elements of all such constants.
  static constexpr int64_t kMostFilled = int64_t{1} << 28;
  absl::StatusOr<Operand> FilledConstant(const std::string& name, const quant::Shape& shape,
                                         const quant::Tensor& number);

  // Called before that many elements are computed. Errors: model_too_large.
  absl::Status Charge(int64_t num_elements);

  // The result of an operator; computed here and now when its operands are constants, if it is cheap.
  absl::StatusOr<Operand> Emit(quant::Op op, const std::vector<Operand>& operands, const std::string& name,
                               const std::string& source);
  // Not all rows are meant, but as many as the count says.
  void AddCount(CountedRows counted) { counts_.push_back(std::move(counted)); }
  const std::vector<CountedRows>& counts() const { return counts_; }
  // `operand`, which the graph calls `name` from here on, unless a name is bound to it already.
  Operand Named(Operand operand, const std::string& name);
  // The choices that the file leaves open, and how they were made.
  void AddNote(std::string note) {
    if (noted_.insert(note).second) notes_.push_back(std::move(note));
  }
  const std::vector<std::string>& notes() const { return notes_; }
  // A number for each layer that draws at random, so that no two draw alike.
  int64_t NextRandomLayer() { return num_random_layers_++; }
  // Whether `operand` is an input of the graph as it comes in.
  bool IsInput(const Operand& operand) const {
    return operand.value.has_value() &&
           builder_.graph().values[static_cast<size_t>(*operand.value)].producer == quant::kGraphInput;
  }
  // How many values the graph has so far.
  quant::ValueId num_values() const { return static_cast<quant::ValueId>(builder_.graph().values.size()); }
  // Values without codes.
  absl::Status AddOutput(const Operand& operand, const std::string& name);

  // The codes of a graph input are on `grid`. Errors: model_unsupported_operand, where they are on another
  // one already.
  absl::Status PinInput(quant::ValueId input, const quant::QuantizedType& grid);

  absl::StatusOr<quant::Graph> Build() && { return std::move(builder_).Build(); }

 private:
  absl::StatusOr<quant::ValueId> ValueOf(const Operand& operand);
  Operand OperandOf(quant::ValueId value) const;

  quant::GraphBuilder builder_;
  int64_t num_computable_;  // elements of computed constants that are still allowed
  int64_t num_fillable_ = kMostFilled;
  std::unordered_map<std::string, absl::StatusOr<Operand>> bindings_;
  std::unordered_set<quant::ValueId> bound_;                            // the meaning of these
  std::unordered_map<const quant::Tensor*, quant::ValueId> constants_;  // those that the graph has
  std::unordered_map<quant::ValueId, quant::QuantizedType> pinned_inputs_;
  std::vector<CountedRows> counts_;
  std::vector<std::string> notes_;
  std::unordered_set<std::string> noted_;  // each once, though a layer may be imported again
  int64_t num_random_layers_ = 0;
};

}  // namespace tally::frontend
