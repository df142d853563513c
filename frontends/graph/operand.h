// The meaning of a name of a model file while it is imported.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontends/graph/code_grid.h"
#include "quant/graph/graph.h"

namespace tally::frontend {

// The codes of a tensor of 16 bits or less (code_grid.h): a constant is the codes themselves; of all else the
// graph's value is what they mean.
struct Codes {
  CodeType type;
  // For what is computed at run time; the value is on GridHeld of it.
  std::optional<quant::QuantizedType> grid;
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
  bool is_integer() const { return type.element == quant::ElementType::kInt64; }
};

// A result that has room for more rows than are meant, and how many are, which becomes an output of its own.
struct CountedRows {
  Operand rows, count;
  size_t axis = 0;  // along it they are counted
};

}  // namespace tally::frontend
