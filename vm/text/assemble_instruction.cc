#include "vm/text/assemble_instruction.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/op_table.h"
#include "vm/limits.h"
#include "vm/text/assemble_constant.h"
#include "vm/text/labels.h"

namespace tally {
namespace {

// %7, %8 =
absl::StatusOr<int> TakeDefinitions(TokenReader& reader, ValueId first) {
  RETURN_IF_ERROR(TakeDefinition(reader, first));
  int count = 1;
  while (reader.AtSymbol(",")) {
    RETURN_IF_ERROR(reader.TakeSymbol(","));
    RETURN_IF_ERROR(TakeDefinition(reader, first + static_cast<ValueId>(count)));
    ++count;
  }
  RETURN_IF_ERROR(reader.TakeSymbol("="));
  return count;
}

absl::StatusOr<std::vector<ValueId>> TakeOperands(TokenReader& reader) {
  std::vector<ValueId> operands;
  if (!reader.At(TokenKind::kValue)) return operands;
  while (true) {
    if (operands.size() == kMaxOperands)
      return reader.Error(label::text_limit, "an instruction has at most 1024 operands");
    ASSIGN_OR_RETURN(const ValueId operand, reader.TakeValue());
    operands.push_back(operand);
    if (!reader.AtSymbol(",")) return operands;
    RETURN_IF_ERROR(reader.TakeSymbol(","));
  }
}

absl::StatusOr<int64_t> TakeNamedValue(TokenReader& reader, std::span<const std::string_view> names) {
  const Token at = reader.current();
  ASSIGN_OR_RETURN(const std::string_view word, reader.TakeAnyWord("a word"));
  const auto it = std::find(names.begin(), names.end(), word);
  if (it == names.end())
    return reader.ErrorAt(at, label::text_attribute_value, "the attribute has no such value");
  return it - names.begin();
}

absl::StatusOr<AttrValue> TakeAttributeValue(TokenReader& reader, const AttrSpec& spec) {
  static constexpr std::string_view kFlagNames[] = {"false", "true"};
  int64_t scalar = 0;
  switch (spec.kind) {
    case AttrKind::kList: return reader.TakeList(kAnyInt64, kMaxAttributeList);
    case AttrKind::kInt:
    case AttrKind::kFunction: {
      ASSIGN_OR_RETURN(scalar, reader.TakeInteger(kAnyInt64));
      break;
    }
    case AttrKind::kBool: {
      ASSIGN_OR_RETURN(scalar, TakeNamedValue(reader, kFlagNames));
      break;
    }
    case AttrKind::kEnum: {
      ASSIGN_OR_RETURN(scalar, TakeNamedValue(reader, spec.names));
      break;
    }
  }
  return AttrValue{scalar};
}

// {stride = [2, 2], groups = 1} in any order, each attribute of the row once; nothing at all if the row has
// none.
absl::StatusOr<Attributes> TakeAttributes(TokenReader& reader, std::span<const AttrSpec> schema) {
  std::vector<std::optional<AttrValue>> given(schema.size());
  const Token open = reader.current();
  if (reader.AtSymbol("{")) {
    RETURN_IF_ERROR(reader.TakeSymbol("{"));
    for (bool first = true; !reader.AtSymbol("}"); first = false) {
      if (!first) RETURN_IF_ERROR(reader.TakeSymbol(","));
      const Token at = reader.current();
      ASSIGN_OR_RETURN(const std::string_view name, reader.TakeAnyWord("the name of an attribute"));
      const auto spec =
          std::find_if(schema.begin(), schema.end(), [&](const AttrSpec& s) { return s.name == name; });
      if (spec == schema.end())
        return reader.ErrorAt(at, label::text_attribute, "the operator has no such attribute");
      std::optional<AttrValue>& value = given[static_cast<size_t>(spec - schema.begin())];
      if (value.has_value())
        return reader.ErrorAt(at, label::text_attribute_repeated, "the attribute is given twice");
      RETURN_IF_ERROR(reader.TakeSymbol("="));
      ASSIGN_OR_RETURN(value, TakeAttributeValue(reader, *spec));
    }
    RETURN_IF_ERROR(reader.TakeSymbol("}"));
  }
  Attributes attributes;
  for (size_t i = 0; i < schema.size(); ++i) {
    if (!given[i].has_value()) {
      return reader.ErrorAt(open, label::text_attribute_missing,
                            absl::StrCat("no value for ", ToAbsl(schema[i].name)));
    }
    attributes.push_back(*std::move(given[i]));
  }
  return attributes;
}

}  // namespace

absl::Status TakeDefinition(TokenReader& reader, ValueId expected) {
  const Token at = reader.current();
  ASSIGN_OR_RETURN(const ValueId id, reader.TakeValue());
  if (id == expected) return absl::OkStatus();
  return reader.ErrorAt(at, label::text_value_id,
                        absl::StrCat("the value that is defined here is %", expected));
}

absl::StatusOr<AssembledInstruction> AssembleInstruction(TokenReader& reader, ValueId first_result,
                                                         AssembledConstants& constants) {
  const Token start = reader.current();
  ASSIGN_OR_RETURN(const int definitions, TakeDefinitions(reader, first_result));
  const Token at = reader.current();
  ASSIGN_OR_RETURN(const std::string_view name, reader.TakeAnyWord("the name of an operator"));
  const OpInfo* info = FindOp(name);
  if (info == nullptr)
    return reader.ErrorAt(at, label::text_operator, absl::StrCat("no operator '", ToAbsl(name), "'"));
  if (info->results != kResultsOfFunction && definitions != info->results) {
    return reader.ErrorAt(start, label::text_result_count,
                          absl::StrCat(ToAbsl(name), " has ", info->results, " results"));
  }
  AssembledInstruction assembled{{info->code, {}, {}}, definitions, start};
  Instruction& instruction = assembled.instruction;
  if (info->code == Opcode::kConstant && reader.At(TokenKind::kWord)) {
    RETURN_IF_ERROR(AssembleConstant(reader, constants));
    instruction.attributes = Pack(ConstantAttrs{.index = static_cast<int64_t>(constants.views.size()) - 1});
    return assembled;
  }
  ASSIGN_OR_RETURN(instruction.operands, TakeOperands(reader));
  const int count = static_cast<int>(instruction.operands.size());
  if (info->min_operands == info->max_operands && count != info->min_operands) {
    return reader.ErrorAt(at, label::text_operand_count,
                          absl::StrCat(ToAbsl(name), " has ", info->min_operands, " operands, not ", count));
  }
  ASSIGN_OR_RETURN(instruction.attributes, TakeAttributes(reader, info->attributes));
  return assembled;
}

}  // namespace tally
