// The functions of each row, by opcode: type rule, gas formula, published precision, read set.
#pragma once

#include "absl/status/status.h"
#include "ops/gas.h"
#include "ops/infer.h"
#include "ops/op_table.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

struct OpRules {
  absl::Status (*infer)(const InferContext&, Inferred*);
  WideGas (*gas)(const GasContext&);
  PrecisionRule precision;  // null outside profile cvm
  ReadSet reads;
};

const OpRules& RulesOf(Opcode code);

// Whether one element of an instruction with so many operands reads many elements of one of them.
bool ReadsMany(Opcode code, size_t operands);

}  // namespace tally
