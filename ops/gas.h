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

// One unit for each element of every result: elementwise operators.
WideGas GasPerResult(const GasContext& c);

// One unit for each element of the first operand: reductions.
WideGas GasPerOperand(const GasContext& c);

// The bytes of every result: operators that only move data.
WideGas GasPerByte(const GasContext& c);

// No work at run time.
WideGas GasNone(const GasContext& c);

}  // namespace tally
