// Conformance vectors: ops/<family>/vectors/<operator>.json, written by conformance/oracle/<family>.py.
//
//   {"_info": {"operator": "relu", "source": "conformance/oracle/elementwise.py", "spec_version": 1},
//    "cases": [
//     {"name": "signs", "profile": "core",
//      "operands": [{"shape": [2], "interval": [-9, 9], "values": [-9, 9], "constant": false}],
//      "attributes": {}, "results": [{"shape": [2], "interval": [0, 9], "values": [0, 9]}], "gas": 1036},
//     {"name": ..., "profile": ..., "operands": [...], "attributes": {...}, "error": "relu_c1"}]}
//
// A case of an operator that names functions has "functions" too, which follow the entry:
//
//   {"params": [{"shape": [2], "interval": [-9, 9]}],
//    "body": [{"operator": "relu", "operands": [0], "attributes": {}}], "results": [1]}
//
// gas is the instruction's total: its base, what its results cost and the operator's formula.
//
// The file of a lowering says "lowering" instead of "operator". Its results have values alone ("shape" and
// "values"), because their intervals and their gas are those of its instructions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "ops/attributes.h"
#include "ops/lowerings.h"
#include "ops/op_table.h"
#include "ops/tensor_type.h"
#include "vm/module.h"

namespace tally {

struct VectorTensor {
  TensorType type;
  Tensor tensor;
  bool constant = false;  // operands only
};

struct VectorCase {
  std::string name;
  Profile profile = Profile::kCore;
  std::vector<VectorTensor> operands;
  Attributes attributes;
  std::vector<Function> functions;
  std::string error;  // "" when the case is accepted; then:
  std::vector<VectorTensor> results;
  int64_t gas = 0;
};

struct VectorFile {
  const OpInfo* op = nullptr;              // one of the two is set
  const LoweringInfo* lowering = nullptr;  // (a lowering of an operator is tested with the operator's file)
  std::vector<VectorCase> cases;

  std::string_view name() const { return op != nullptr ? op->name : lowering->name; }
};

// Strict: an unknown or missing key, a name used twice, a value outside its interval, or a file at another
// place than its operator's, is an error that says where.
absl::StatusOr<VectorFile> ReadVectorFile(const std::string& path);

// The paths of all vector files, sorted.
std::vector<std::string> AllVectorFiles();

}  // namespace tally
