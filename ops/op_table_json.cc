#include "ops/op_table_json.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "ops/expansion_table.h"
#include "ops/op_rules.h"
#include "ops/op_table.h"
#include "ops/table/recipe/recipe.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

// The name of the rule that the section Gas of the operator's page spells out.
std::string_view GasRuleOf(Opcode code) {
  switch (code) {
#define TALLY_OP(code, Name, text, profile, min_in, max_in, out, Attrs, gas, ...) \
  case Opcode::k##Name:                                                           \
    return #gas;
#include "ops/all_ops.inc"
#undef TALLY_OP
  }
  return "";
}

// The kinds and encodings of docs/spec/binary.md#functions.
Json AttributeJson(const AttrSpec& spec) {
  Json json = {{"name", spec.name}};
  const Json range = {spec.lo, spec.hi};
  switch (spec.kind) {
    case AttrKind::kInt: json.update({{"kind", "integer"}, {"encoding", "signed"}, {"range", range}}); break;
    case AttrKind::kBool: json.update({{"kind", "boolean"}, {"encoding", "flag"}}); break;
    case AttrKind::kEnum:
      json.update({{"kind", "enumeration"}, {"encoding", "varint"}, {"names", spec.names}});
      break;
    case AttrKind::kList:
      json.update({{"kind", "list"},
                   {"encoding", "vec(signed)"},
                   {"length", {spec.min_length, spec.max_length}},
                   {"range", range}});
      break;
    case AttrKind::kFunction:
      json.update({{"kind", "function"}, {"encoding", "signed"}, {"range", range}});
      break;
  }
  return json;
}

// [reach, what] for each operand; the last one is of all others too.
Json ReadsJson(Opcode code) {
  constexpr std::string_view kReach[] = {"nothing", "one", "named", "many"};
  Json json = Json::array();
  for (const OperandReads& reads : RulesOf(code).reads) {
    json.push_back({kReach[static_cast<size_t>(reads.reach)], reads.what});
  }
  return json;
}

// How an element that reads much is computed in steps, or null.
Json ExpansionJson(Opcode code) {
  const ExpansionInfo* expansion = FindExpansion(code);
  return expansion != nullptr ? Json(expansion->summary) : Json();
}

Json OperatorJson(const OpInfo& op) {
  const std::string name(op.name);
  Json attributes = Json::array();
  for (const AttrSpec& spec : op.attributes) attributes.push_back(AttributeJson(spec));
  return {{"code", static_cast<int>(op.code)},
          {"name", name},
          {"family", op.family},
          {"page", "ops/" + std::string(op.family) + "/spec.md#" + name},
          {"profile", ProfileName(op.profile)},
          {"since", op.since},
          {"status", op.status == OpStatus::kDraft ? "draft" : "permanent"},
          {"operands", {op.min_operands, op.max_operands}},
          {"results", op.results == kResultsOfFunction ? Json("of the function") : Json(op.results)},
          {"attributes", attributes},
          {"gas", GasRuleOf(op.code)},
          {"reads", ReadsJson(op.code)},
          {"expansion", ExpansionJson(op.code)},
          {"summary", op.summary}};
}

// {"key": [one element on each line]}
std::string Lines(const std::string& key, const std::vector<Json>& elements) {
  std::string text = "\"" + key + "\": [\n";
  for (size_t i = 0; i < elements.size(); ++i) {
    text += elements[i].dump() + (i + 1 < elements.size() ? ",\n" : "\n");
  }
  return text + "]";
}

}  // namespace

std::string OpTableJson() {
  std::vector<Json> operators, functions;
  for (const OpInfo& op : AllOps()) operators.push_back(OperatorJson(op));
  for (const RecipeFunctionInfo& f : AllRecipeFunctions()) {
    functions.push_back(
        {{"code", functions.size()}, {"name", f.name}, {"parameters", f.parameters}, {"summary", f.summary}});
  }
  const std::string about =
      "The operator table of docs/spec/opcodes.md, by ./dev docs; do not edit. operands, range and length "
      "are [least, "
      "most]; reads is what one element of a result reads of each operand, the last entry for all others; "
      "expansion is how an element that reads much is computed in steps. "
      "Attributes are encoded in this order; none has a default value: all are present. An operator "
      "of profile "
      "cvm stands in both profiles.";
  return "{\"about\": " + Json(about).dump() + ",\n" + Lines("operators", operators) + ",\n" +
         Lines("recipe_functions", functions) + "}\n";
}

}  // namespace tally
