#include "vm/text/printer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "base/wide.h"
#include "ops/op_table.h"
#include "vm/text/quoted.h"
#include "vm/text/recipe_fields.h"

namespace tally {
namespace {

constexpr int64_t kMaxListedElements = 64;  // longer constants are hexadecimal
constexpr size_t kHexBytesPerLine = 32;

std::string Join(const AttrValue& values) { return absl::StrJoin(values, ", "); }

std::string AttributeText(const AttrSpec& spec, const AttrValue& value) {
  switch (spec.kind) {
    case AttrKind::kInt:
    case AttrKind::kFunction: return std::to_string(value[0]);
    case AttrKind::kBool: return value[0] != 0 ? "true" : "false";
    case AttrKind::kEnum: return std::string(spec.names[static_cast<size_t>(value[0])]);
    case AttrKind::kList: break;
  }
  return absl::StrCat("[", Join(value), "]");
}

std::string AttributesText(const Instruction& instruction) {
  const auto schema = InfoOf(instruction.op).attributes;
  if (schema.empty()) return "";
  std::string text;
  for (size_t i = 0; i < schema.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " {" : ", ", ToAbsl(schema[i].name), " = ",
                    AttributeText(schema[i], instruction.attributes[i]));
  }
  return text + "}";
}

// i8 [2,3] {1, -2, 3, 4, 5, 6}
std::string ConstantText(const TensorView& constant, const PrintOptions& options) {
  std::string text = absl::StrCat(ToAbsl(StorageName(constant.storage)), " ", constant.shape.ToString());
  const int64_t count = constant.shape.num_elements();
  if (count > kMaxListedElements) {
    if (!options.long_constants) return text + " {...}";
    text += " hex {\n";
    for (size_t i = 0; i < constant.bytes.size(); i += kHexBytesPerLine) {
      const size_t length = std::min(kHexBytesPerLine, constant.bytes.size() - i);
      const absl::string_view bytes(reinterpret_cast<const char*>(constant.bytes.data()) + i, length);
      absl::StrAppend(&text, "  ", absl::BytesToHexString(bytes), "\n");
    }
    return text + "}";
  }
  for (int64_t i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? " {" : ", ", constant.at(i));
  return text + "}";
}

// i8 [256] recipe exp {alpha = [0, 1], ..., clamp = [-128, 127]} "9f86..."
std::string RecipeText(const TensorView& constant, const RecipeConstant& r) {
  std::string text = absl::StrCat(ToAbsl(StorageName(constant.storage)), " ", constant.shape.ToString(),
                                  " recipe ", ToAbsl(InfoOf(r.recipe.function).name));
  const auto fields = RecipeFields(r.recipe);
  size_t next = 0;
  for (const RecipeTextField& field : kRecipeTextFields) {
    absl::StrAppend(&text, next == 0 ? " {" : ", ", ToAbsl(field.name), " = ");
    if (field.integers == 1) {
      absl::StrAppend(&text, *fields[next]);
    } else {
      absl::StrAppend(&text, "[", *fields[next], ", ", *fields[next + 1], "]");
    }
    next += field.integers;
  }
  return absl::StrCat(text, "} \"", ToHex(r.sha256), "\"");
}

// "image" ... scale 1*2^-4 zero 0
std::string QuantizationText(const ValueInfo& info) {
  if (!info.quantization.has_value()) return "";
  return absl::StrCat(" scale ", info.quantization->multiplier, "*2^",
                      ToString(-Int128{info.quantization->shift}), " zero ", info.quantization->zero_point);
}

class Printer {
 public:
  // `valid` may be null.
  Printer(const Module& module, const ValidModule* valid, const PrintOptions& options)
      : module_(module), valid_(valid), options_(options) {}

  std::string Run() && {
    absl::StrAppend(&text_, "tally ", module_.spec_version, "\nprofile ",
                    ToAbsl(ProfileName(module_.profile)), "\n");
    if (valid_ != nullptr) {
      absl::StrAppend(&text_, "; gas ", valid_->gas(), ", arena of ", valid_->arena_bytes(),
                      " bytes, constants of ", valid_->constant_bytes(), " bytes\n");
    }
    text_ += '\n';
    for (; function_ < module_.functions.size(); ++function_) PrintFunction();
    while (next_constant_ < module_.constants.size()) {
      absl::StrAppend(&text_, "data ", NextConstantText(), "\n");
    }
    return std::move(text_);
  }

 private:
  // The entry needs no heading.
  void PrintFunction() {
    if (function_ > 0) {
      absl::StrAppend(&text_, "\nfunction ", function_);
      if (valid_ != nullptr) {
        const FunctionFacts& facts = valid_->functions()[function_];
        absl::StrAppend(&text_, "  ; gas ", facts.gas, ", arena of ", facts.arena_bytes, " bytes");
      }
      text_ += '\n';
    }
    next_value_ = 0;
    const Function& function = module_.functions[function_];
    for (size_t i = 0; i < function.params.size(); ++i) PrintParam(function.params[i], i);
    for (const Instruction& instruction : function.body) PrintInstruction(instruction);
    for (size_t i = 0; i < function.results.size(); ++i) PrintResult(function.results[i], i);
  }

  // Only what the entry takes and gives has a name.
  void PrintParam(const TensorType& type, size_t i) {
    absl::StrAppend(&text_, "param %", next_value_++, " ");
    if (function_ > 0) {
      absl::StrAppend(&text_, type.ToString(), "\n");
      return;
    }
    const ValueInfo& info = module_.metadata.params[i];
    absl::StrAppend(&text_, Quoted(info.name), " ", type.ToString(), QuantizationText(info), "\n");
  }

  void PrintInstruction(const Instruction& instruction) {
    const OpInfo& info = InfoOf(instruction.op);
    std::string types;
    const int results = NumResults(module_, instruction);
    for (int i = 0; i < results; ++i, ++next_value_) {
      absl::StrAppend(&text_, i == 0 ? "%" : ", %", next_value_);
      if (valid_ != nullptr)
        absl::StrAppend(&types, "  ; ", valid_->functions()[function_].types[next_value_].ToString());
    }
    absl::StrAppend(&text_, " = ", ToAbsl(info.name));
    if (DefinesNextConstant(instruction)) {
      absl::StrAppend(&text_, " ", NextConstantText());
    } else {
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        absl::StrAppend(&text_, i == 0 ? " %" : ", %", instruction.operands[i]);
      }
      text_ += AttributesText(instruction);
    }
    absl::StrAppend(&text_, types, "\n");
  }

  std::string NextConstantText() {
    const size_t index = next_constant_++;
    const RecipeConstant* r = module_.recipe(index);
    return r != nullptr ? RecipeText(module_.constants[index], *r)
                        : ConstantText(module_.constants[index], options_);
  }

  // A constant stands in the instruction that yields it first, if that keeps the constants in order.
  bool DefinesNextConstant(const Instruction& instruction) const {
    return instruction.op == Opcode::kConstant && next_constant_ < module_.constants.size() &&
           instruction.attributes[0][0] == static_cast<int64_t>(next_constant_);
  }

  void PrintResult(ValueId id, size_t i) {
    absl::StrAppend(&text_, "result %", id);
    if (function_ == 0) {
      const ValueInfo& info = module_.metadata.results[i];
      absl::StrAppend(&text_, " ", Quoted(info.name), QuantizationText(info));
    }
    text_ += '\n';
  }

  const Module& module_;
  const ValidModule* valid_;
  const PrintOptions options_;
  std::string text_;
  size_t function_ = 0;     // that is being printed
  ValueId next_value_ = 0;  // the function's
  size_t next_constant_ = 0;
};

}  // namespace

std::string Print(const Module& module, const PrintOptions& options) {
  return Printer(module, nullptr, options).Run();
}

std::string Print(const ValidModule& module, const PrintOptions& options) {
  return Printer(module.module(), &module, options).Run();
}

}  // namespace tally
