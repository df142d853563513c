// Gas: a closed formula over static shapes that bounds the work of an instruction (docs/spec/gas.md).
//
//   WideGas GasResample(const GasContext& c) { return SatMul(c.elements_out(0), 4 * c.operands[1].shape[1] + 16); }
//
// A unit is about the time in which vectors compute an element of 8 bits (docs/spec/gas.md). Formulas saturate at
// kWideMax; the validator refuses a module whose total exceeds kMaxGas, so a saturated figure is never published.
#pragma once

#include <span>

#include "base/wide.h"
#include "ops/attributes.h"
#include "ops/function_signature.h"
#include "ops/tensor_type.h"

namespace tally {

using WideGas = Int128;

struct GasContext {
  const Attributes* attributes = nullptr;
  std::span<const TensorType> operands;
  std::span<const TensorType> results;
  std::span<const FunctionSignature> functions = {};  // as in InferContext

  int64_t elements_in(int i) const { return operands[i].shape.num_elements(); }
  int64_t elements_out(int i) const { return results[i].shape.num_elements(); }
  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// What every instruction pays for its results, beside the work of its operator: their bytes, and kGasPerRun for each run,
// which is as many elements as the shorter of the two axes that engines keep together (the last, and that of channels).
WideGas GasOfResults(std::span<const TensorType> results);

// Of every result.
WideGas ElementsOfResults(const GasContext& c);

// So many units for each element of every result: 2 of what vectors compute in place, 6 where shapes are broadcast and of
// choices, 8 and more of moves, 12 of shifts by each element, 20 of divisions, 64 of what is counted bit by bit.
template <int64_t kUnits>
WideGas GasPerResult(const GasContext& c) {
  return SatMul(kUnits, ElementsOfResults(c));
}

// So many units for each element of the first operand, and sixteen for each of the result: reductions.
template <int64_t kUnits>
WideGas GasReduction(const GasContext& c) {
  return SatAdd(SatMul(kUnits, c.elements_in(0)), SatMul(16, c.elements_out(0)));
}

// No work at run time.
WideGas GasNone(const GasContext& c);

}  // namespace tally
