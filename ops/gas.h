// Gas: a closed formula over static shapes that bounds the work of an instruction (docs/spec/gas.md).
//
//   WideGas GasDense(const GasContext& c) { return SatMul(c.elements_out(0), c.operands[1].shape[1]); }
//
// One unit is one elementary integer operation or one byte moved. Formulas saturate at kWideMax; the validator
// refuses a module whose total exceeds kMaxGas, so a saturated figure is never published.
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

// One unit for each element of every result: operators that vectors compute.
WideGas GasPerResult(const GasContext& c);
// Four: shifts by each element, and choices.
WideGas GasFourPerResult(const GasContext& c);
// Sixteen: divisions, and what is counted bit by bit.
WideGas GasSixteenPerResult(const GasContext& c);

// Four units for each element of the first operand and sixteen for each of the result: reductions.
WideGas GasReduction(const GasContext& c);

// Two units for each element of the results: operators that only move data.
WideGas GasMove(const GasContext& c);

// No work at run time.
WideGas GasNone(const GasContext& c);

}  // namespace tally
