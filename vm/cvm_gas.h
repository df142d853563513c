// The price of cvm-runtime: what its nodes charge for a graph, to the unit (docs/spec/gas.md#schedule-cvm).
//
//   ASSIGN_OR_RETURN(const CvmGas gas, CvmGasOf(valid));
//   gas.total;  // 349'208'896 for a 3x3 convolution of [1,64,56,56] to as many channels, padded, with a bias
//
// It depends on shapes and attributes alone, so a graph has this price with or without its weights. The
// price that bounds the work of a run is Tally's own, ValidModule::gas().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/op_table.h"
#include "vm/valid_module.h"

namespace tally {

// Limits of cvm-runtime.
inline constexpr int64_t kMaxCvmGasPerElement = int64_t{1} << 30;
inline constexpr int64_t kMaxCvmGasOfOperators = int64_t{1} << 40;
inline constexpr int64_t kMaxCvmGasOfMemory = int64_t{1} << 40;

// Adds up a graph, node by node. What is added obeys the rules of profile cvm: its type rules accepted it.
class CvmBill {
 public:
  // Each returns what it adds. Error cvm_gas_limit: cvm-runtime refuses to price the graph.
  absl::StatusOr<int64_t> AddVariable(const Shape& shape);
  absl::StatusOr<int64_t> AddOperator(Opcode op, const Attributes& attributes,
                                      std::span<const Shape> operands, std::span<const Shape> results);

  int64_t total() const { return operators_ + memory_; }

 private:
  int64_t operators_ = 0;
  int64_t memory_ = 0;
};

struct CvmGas {
  int64_t total = 0;
  // By value id; the price of an instruction with several results is at the first of them.
  std::vector<int64_t> values;
};

// A constant is a variable as a parameter is. Errors: cvm_gas_profile, the module is not of profile cvm;
// cvm_gas_limit.
absl::StatusOr<CvmGas> CvmGasOf(const ValidModule& module);

}  // namespace tally
