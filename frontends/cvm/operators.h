// The operators of CVM (operators.inc), and their attributes both ways: one table reads and writes them.
//
//   ReadAttributes(Opcode::kTranspose, {{"axes", "(0, 2, 1)"}}, operands)   -> {{0, 2, 1}}
//   WriteAttributes(Opcode::kTranspose, {{0, 2, 1}}, operands)              -> {{"axes", "(0, 2, 1)"}}
//
// `operands` are the shapes of an instruction's operands.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "ops/op_table.h"

namespace tally::cvm {

using AttributeTexts = std::map<std::string, std::string>;  // name to value

// In the order of the table.
std::vector<Opcode> AllOperators();

// The operator that a file names `name`; a suffix such as `_12` only distinguishes nodes.
std::optional<Opcode> FindOperator(std::string_view name);

// The attributes as InfoOf(op) lists them, not yet within its ranges; names such as `__shape__` are hidden
// and mean nothing. The shape of a reshape may still hold codes (reshape_target.h). Errors: cvm_attribute
// a name is unknown, a required one is missing, or a value has no meaning
//         cvm_operands     the attributes contradict the operands: a weight's shape, or whether there is a bias

absl::StatusOr<Attributes> ReadAttributes(Opcode op, const AttributeTexts& texts,
                                          std::span<const Shape> operands);

// Every attribute of the row.
AttributeTexts WriteAttributes(Opcode op, const Attributes& attributes, std::span<const Shape> operands);

}  // namespace tally::cvm
