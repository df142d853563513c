#include "frontends/cvm/operators.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/attribute_text.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {
namespace {

enum class Kind { kInt, kBool, kTuple, kOptionalInt };

enum class Meaning {
  kField,       // an attribute of the opcode
  kChannels,    // channels of the weight
  kKernelSize,  // height and width of the weight
  kHasBias,     // a third operand
  kOneOf,       // text
  kOnly,        // the fallback
  kIgnored,
};

struct AttributeRow {
  Kind kind;
  Meaning meaning;
  std::string_view name;
  std::string_view fallback;  // empty: required
  std::string_view detail;    // the opcode's field; the choices of kOneOf, apart by '|'
};

constexpr AttributeRow Int(std::string_view name, std::string_view field, std::string_view fallback = "") {
  return {Kind::kInt, Meaning::kField, name, fallback, field};
}
constexpr AttributeRow Bool(std::string_view name, std::string_view field, std::string_view fallback) {
  return {Kind::kBool, Meaning::kField, name, fallback, field};
}
constexpr AttributeRow Tuple(std::string_view name, std::string_view field, std::string_view fallback = "") {
  return {Kind::kTuple, Meaning::kField, name, fallback, field};
}
constexpr AttributeRow OptionalInt(std::string_view name, std::string_view field, std::string_view fallback) {
  return {Kind::kOptionalInt, Meaning::kField, name, fallback, field};
}
constexpr AttributeRow Channels(std::string_view name) {
  return {Kind::kInt, Meaning::kChannels, name, "", ""};
}
constexpr AttributeRow KernelSize(std::string_view name) {
  return {Kind::kTuple, Meaning::kKernelSize, name, "", ""};
}
constexpr AttributeRow HasBias(std::string_view name, std::string_view fallback) {
  return {Kind::kBool, Meaning::kHasBias, name, fallback, ""};
}
constexpr AttributeRow OneOf(std::string_view name, std::string_view choices) {
  return {Kind::kInt, Meaning::kOneOf, name, choices.substr(0, choices.find('|')), choices};
}
constexpr AttributeRow Only(std::string_view name, std::string_view number) {
  return {Kind::kInt, Meaning::kOnly, name, number, ""};
}
constexpr AttributeRow OnlyBool(std::string_view name, std::string_view value) {
  return {Kind::kBool, Meaning::kOnly, name, value, ""};
}
constexpr AttributeRow Ignored(std::string_view name, std::string_view fallback) {
  return {Kind::kBool, Meaning::kIgnored, name, fallback, ""};
}

template <typename... Rows>
constexpr std::array<AttributeRow, sizeof...(Rows)> RowsOf(const Rows&... rows) {
  return {rows...};
}

#define TALLY_CVM_OPERATOR(Name, ...) constexpr auto k##Name##Rows = RowsOf(__VA_ARGS__);
#include "frontends/cvm/operators.inc"
#undef TALLY_CVM_OPERATOR

struct OperatorRow {
  Opcode op;
  std::span<const AttributeRow> attributes;
};

#define TALLY_CVM_OPERATOR(Name, ...) {Opcode::k##Name, k##Name##Rows},
constexpr OperatorRow kOperators[] = {
#include "frontends/cvm/operators.inc"
};
#undef TALLY_CVM_OPERATOR

std::span<const AttributeRow> AttributesOf(Opcode op) {
  return std::find_if(std::begin(kOperators), std::end(kOperators),
                      [&](const auto& row) { return row.op == op; })
      ->attributes;
}

size_t FieldIndex(Opcode op, std::string_view field) {
  const auto specs = InfoOf(op).attributes;
  return std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == field; }) -
         specs.begin();
}

absl::StatusOr<AttrValue> Parse(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::kTuple: return ParseTuple(text);
    case Kind::kOptionalInt: return ParseOptionalInt(text);
    case Kind::kBool: {
      ASSIGN_OR_RETURN(const bool value, ParseBool(text));
      return AttrValue{value};
    }
    case Kind::kInt: break;
  }
  ASSIGN_OR_RETURN(const int64_t value, ParseInt(text));
  return AttrValue{value};
}

std::string Print(Kind kind, const AttrValue& value) {
  switch (kind) {
    case Kind::kTuple: return PrintTuple(value);
    case Kind::kOptionalInt: return PrintOptionalInt(value);
    case Kind::kBool: return PrintBool(value[0] != 0);
    case Kind::kInt: break;
  }
  return absl::StrCat(value[0]);
}

// The sizes that operands of conv2d and dense give; empty where a weight has too few axes to say it.
AttrValue Derive(Meaning meaning, std::span<const Shape> operands) {
  if (meaning == Meaning::kHasBias) return {operands.size() == 3};
  const std::span<const int64_t> weight = operands[1].dims();
  if (meaning == Meaning::kChannels)
    return AttrValue(weight.begin(), weight.begin() + std::min<size_t>(weight.size(), 1));
  return AttrValue(weight.begin() + std::min<size_t>(weight.size(), 2), weight.end());
}

bool IsChoice(const AttributeRow& row, std::string_view text) {
  for (const absl::string_view choice : absl::StrSplit(ToAbsl(row.detail), '|')) {
    if (choice == ToAbsl(text)) return true;
  }
  return false;
}

// The check of a value that becomes no field.
absl::Status CheckValue(const AttributeRow& row, std::string_view text, std::span<const Shape> operands) {
  if (row.meaning == Meaning::kOneOf) {
    if (IsChoice(row, text)) return absl::OkStatus();
    return MakeError(label::cvm_attribute,
                     absl::StrCat("'", PrintableStart(text), "' is not one of ", ToAbsl(row.detail)));
  }
  ASSIGN_OR_RETURN(const AttrValue value, Parse(row.kind, text));
  if (row.meaning == Meaning::kIgnored) return absl::OkStatus();
  if (row.meaning == Meaning::kOnly) {
    if (value == *Parse(row.kind, row.fallback)) return absl::OkStatus();
    return MakeError(label::cvm_attribute,
                     absl::StrCat("'", PrintableStart(text), "' is not ", ToAbsl(row.fallback)));
  }
  const AttrValue said = Derive(row.meaning, operands);
  if (value == said) return absl::OkStatus();
  return MakeError(label::cvm_operands, absl::StrCat(Print(row.kind, value), " where the operands say ",
                                                     said.empty() ? "nothing" : Print(row.kind, said)));
}

bool IsKnown(std::span<const AttributeRow> rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(), [&](const AttributeRow& row) { return row.name == name; });
}

bool IsHidden(std::string_view name) {
  return name.size() > 4 && name.starts_with("__") && name.ends_with("__");
}

}  // namespace

std::vector<Opcode> AllOperators() {
  std::vector<Opcode> all;
  for (const OperatorRow& row : kOperators) all.push_back(row.op);
  return all;
}

std::optional<Opcode> FindOperator(std::string_view name) {
  const auto find = [](std::string_view exact) -> std::optional<Opcode> {
    for (const OperatorRow& row : kOperators) {
      if (InfoOf(row.op).name == exact) return row.op;
    }
    return std::nullopt;
  };
  const size_t stem = name.find_last_not_of("0123456789");
  const bool numbered = stem != std::string_view::npos && stem + 1 < name.size() && name[stem] == '_';
  return find(numbered ? name.substr(0, stem) : name);
}

absl::StatusOr<Attributes> ReadAttributes(Opcode op, const AttributeTexts& texts,
                                          std::span<const Shape> operands) {
  const std::span<const AttributeRow> rows = AttributesOf(op);
  for (const auto& [name, text] : texts) {
    if (!IsKnown(rows, name) && !IsHidden(name)) {
      return MakeError(label::cvm_attribute,
                       absl::StrCat("there is no attribute '", PrintableStart(name), "'"));
    }
  }
  Attributes attributes(InfoOf(op).attributes.size());
  for (const AttributeRow& row : rows) {
    const auto found = texts.find(std::string(row.name));
    if (found == texts.end() && row.fallback.empty()) {
      return MakeError(label::cvm_attribute, absl::StrCat("the attribute ", ToAbsl(row.name), " is missing"));
    }
    const std::string_view text = found == texts.end() ? row.fallback : std::string_view(found->second);
    absl::Status status;
    if (row.meaning != Meaning::kField) {
      status = CheckValue(row, text, operands);
    } else if (absl::StatusOr<AttrValue> value = Parse(row.kind, text); value.ok()) {
      attributes[FieldIndex(op, row.detail)] = *std::move(value);
    } else {
      status = value.status();
    }
    if (!status.ok()) {
      return WithMessage(status, absl::StrCat(ToAbsl(row.name), ": ", status.message()));
    }
  }
  return attributes;
}

AttributeTexts WriteAttributes(Opcode op, const Attributes& attributes, std::span<const Shape> operands) {
  AttributeTexts texts;
  for (const AttributeRow& row : AttributesOf(op)) {
    std::string& text = texts[std::string(row.name)];
    switch (row.meaning) {
      case Meaning::kField: text = Print(row.kind, attributes[FieldIndex(op, row.detail)]); break;
      case Meaning::kOneOf:
      case Meaning::kOnly:
      case Meaning::kIgnored: text = row.fallback; break;
      case Meaning::kChannels:
      case Meaning::kKernelSize:
      case Meaning::kHasBias: text = Print(row.kind, Derive(row.meaning, operands)); break;
    }
  }
  return texts;
}

}  // namespace tally::cvm
