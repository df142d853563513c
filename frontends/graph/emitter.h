// Nodes on the way from what a layer reads to what it yields: all that a composition (frontends/graph/
// compositions) has of the layer that it is part of.
//
//   ASSIGN_OR_RETURN(const Operand sum, emitter.Emit(quant::Add{}, {a, b}, "sum"));  // called "y.sum"
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operand.h"
#include "frontends/graph/scope.h"

namespace tally::frontend {

class Emitter {
 public:
  // `name` begins the names of all that is emitted; `source` is what messages call the layer. `scope`
  // outlives this.
  Emitter(Scope& scope, std::string name, std::string source)
      : scope_(scope), name_(std::move(name)), source_(std::move(source)), first_value_(scope.num_values()) {}

  // The result of an operator; `step` makes its name. A constant where its operands are.
  absl::StatusOr<Operand> Emit(quant::Op op, const std::vector<Operand>& operands, std::string_view step) {
    return scope_.Emit(std::move(op), operands, NameOf(step), source_);
  }
  // A constant that is computed while importing. Errors: model_too_large.
  absl::StatusOr<Operand> NewConstant(quant::Tensor tensor, std::string_view step) {
    return scope_.ComputedConstant(NameOf(step), std::move(tensor));
  }
  absl::StatusOr<Operand> NewConstant(float number, std::string_view step) {
    return NewConstant(quant::FloatTensor{{}, {number}}, step);
  }
  absl::StatusOr<Operand> NewConstant(int64_t number, std::string_view step) {
    return NewConstant(quant::Int64Tensor{{}, {number}}, step);
  }

  // Called before a constant of that many elements is computed. Errors: model_too_large.
  absl::Status Charge(int64_t num_elements) { return scope_.Charge(num_elements); }

  // The choices that the file leaves open for this layer, and how they were made: `tally check` shows it.
  void Note(std::string_view what) { scope_.AddNote(source_ + ": " + std::string(what)); }

  int64_t NextRandomLayer() { return scope_.NextRandomLayer(); }

  const std::string& source() const { return source_; }

 protected:
  Scope& scope() const { return scope_; }
  // Whether `operand` came of this layer, as the result of a node or as a constant.
  bool Emitted(const Operand& operand) const {
    return operand.value.has_value() ? *operand.value >= first_value_ : operand.name.starts_with(name_ + ".");
  }

 private:
  std::string NameOf(std::string_view step) const { return name_ + "." + std::string(step); }

  Scope& scope_;
  std::string name_;
  std::string source_;
  quant::ValueId first_value_;
};

}  // namespace tally::frontend
