// gen_opcodes md | json: prints docs/spec/opcodes.md, from the tables of operators and lowerings, or
// opcodes.json.
#include <bit>
#include <cstdio>
#include <iostream>
#include <string>

#include "ops/lowerings.h"
#include "ops/op_table.h"
#include "ops/op_table_json.h"

namespace tally {
namespace {

// Large bounds as people say them: "2^31 - 1", "-2^47"; "-(2^31 - 1)".
std::string Bound(int64_t value) {
  const uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude < (uint64_t{1} << 20)) return std::to_string(value);
  const std::string sign = value < 0 ? "-" : "";
  if (std::has_single_bit(magnitude)) return sign + "2^" + std::to_string(std::countr_zero(magnitude));
  if (std::has_single_bit(magnitude + 1)) {
    const std::string power = "2^" + std::to_string(std::countr_zero(magnitude + 1)) + " - 1";
    return value < 0 ? "-(" + power + ")" : power;
  }
  return std::to_string(value);
}

// A bar would end the table's cell.
std::string InCell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

std::string Count(int64_t min, int64_t max) {
  return min == max ? std::to_string(min) : std::to_string(min) + ".." + std::to_string(max);
}

// "padding: 2 of [0, 4096]"
std::string Describe(const AttrSpec& spec) {
  std::string text = "`" + std::string(spec.name) + "`: ";
  const std::string range = "[" + Bound(spec.lo) + ", " + Bound(spec.hi) + "]";
  switch (spec.kind) {
    case AttrKind::kInt: return text + range;
    case AttrKind::kFunction: return text + "function in " + range;
    case AttrKind::kBool: return text + "bool";
    case AttrKind::kList: return text + Count(spec.min_length, spec.max_length) + " of " + range;
    case AttrKind::kEnum: break;
  }
  for (const std::string_view name : spec.names) text += (text.back() == ' ' ? "" : ", ") + std::string(name);
  return text;
}

std::string DescribeAll(std::span<const AttrSpec> specs) {
  std::string text;
  for (const AttrSpec& spec : specs) text += (text.empty() ? "" : "<br>") + Describe(spec);
  return text;
}

std::string Results(const OpInfo& op) {
  return op.results == kResultsOfFunction ? "the function's" : std::to_string(op.results);
}

void PrintRow(const OpInfo& op) {
  char code[8];
  std::snprintf(code, sizeof code, "0x%04x", static_cast<unsigned>(op.code));
  std::cout << "| " << code << " | [" << op.name << "](../../ops/" << op.family << "/spec.md#" << op.name
            << ") | " << ProfileName(op.profile) << " | " << Count(op.min_operands, op.max_operands) << " | "
            << Results(op) << " | " << DescribeAll(op.attributes) << " | " << op.since << " | "
            << (op.status == OpStatus::kDraft ? "draft" : "permanent") << " | " << InCell(op.summary)
            << " |\n";
}

void PrintTable() {
  std::cout << R"(# Operators

The operator table, from `ops/*/ops.inc` by `./dev docs`; do not edit. [opcodes.json](opcodes.json) says the same to
programs. Codes and names are append-only: a permanent row keeps its meaning for ever, a draft may still change. An
operator of profile cvm stands in both profiles. Attributes are encoded in the order given, each with its closed range;
`2 of [0, 4096]` is a list of two.

| code | name | profile | operands | results | attributes | since | status | summary |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
  for (const OpInfo& op : AllOps()) PrintRow(op);
}

void PrintRow(const LoweringInfo& lowering) {
  std::cout << "| [" << lowering.name << "](../../ops/" << lowering.family << "/lowerings.md#"
            << lowering.name << ") | " << (FindOp(lowering.name) != nullptr ? "yes" : "") << " | "
            << Count(lowering.min_operands, lowering.max_operands) << " | "
            << DescribeAll(lowering.attributes) << " | " << InCell(lowering.summary) << " |\n";
}

void PrintLowerings() {
  std::cout << R"(
# Lowerings

Named compositions of operators, from `ops/*/lowering/lowerings.inc`. Producers write them with `Lower` (ops/lowerings.h); a
module holds only what they are made of. An opcode exists where no composition gives the same integers, or where one
final rounding, speed or a proof needs it; everything else is a lowering. Where the second column says yes, the name is
an operator of its own too: its reference defines it, engines run the lowering, and the tests prove the two equal.

| name | operator too | operands | attributes | written as |
| --- | --- | --- | --- | --- |
)";
  for (const LoweringInfo& lowering : AllLowerings()) PrintRow(lowering);
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "json") {
    std::cout << tally::OpTableJson();
    return 0;
  }
  tally::PrintTable();
  tally::PrintLowerings();
}
