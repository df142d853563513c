// The operator table: one row per opcode, gathered from ops/<family>/ops.inc.
//
//   const OpInfo* info = FindOp("conv2d");
//   info->attributes[0].name;  // "padding"
//
// Rows are append-only: a permanent row keeps its code, name and meaning forever.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/attributes.h"
#include "ops/profile.h"

namespace tally {

enum class Opcode : uint16_t {
#define TALLY_OP(code, Name, ...) k##Name = code,
#include "ops/all_ops.inc"
#undef TALLY_OP
};

enum class OpStatus : uint8_t { kDraft, kPermanent };

inline constexpr int kMaxOperands = 1024;  // longest operand list (concatenate)

// OpInfo::results of an operator that has the results of the first function that its attributes name. Not a
// limit, hence "auto": docs/spec/limits.md lists the others.
inline constexpr auto kResultsOfFunction = int{-1};

struct OpInfo {
  Opcode code;
  std::string_view name;
  std::string_view family;
  Profile profile;
  int min_operands;
  int max_operands;
  int results;  // or kResultsOfFunction
  std::span<const AttrSpec> attributes;
  int since;  // spec version
  OpStatus status;
  std::string_view summary;
};

// All rows, in ascending order of code.
std::span<const OpInfo> AllOps();

// Null when there is no such row.
const OpInfo* FindOp(uint64_t code);
const OpInfo* FindOp(std::string_view name);

// The row of an opcode of the enum.
const OpInfo& InfoOf(Opcode code);

}  // namespace tally
