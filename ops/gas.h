// Gas: a closed formula over static shapes that bounds the work of an instruction (docs/spec/gas.md).
//
//   WideGas GasResample(const GasContext& c) { return SatMul(c.elements_out(0), 5 * c.operands[1].shape[1] + 20); }
//
// A unit is about the time in which vector code computes an element of 8 bits (docs/spec/gas.md). Formulas
// saturate at kWideMax; the validator refuses a module whose total exceeds kMaxGas, so a saturated figure is
// never published.
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

// The gas of every instruction for its results, in addition to the work of its operator: their bytes, and
// kGasPerRun for each run, which has as many elements as the shorter of the two axes that engines keep
// together (the last, and that of channels).
WideGas GasOfResults(std::span<const TensorType> results);

// How often a loop begins anew that goes over as many elements as the shorter of those two axes has.
int64_t RunsOf(const Shape& shape);

// The positions of [N, C, spatial..], each with all its channels.
inline int64_t PointsOf(const Shape& shape) { return shape.num_elements() / shape[1]; }

// The elements of all operands, and of all results.
WideGas ElementsOfOperands(const GasContext& c);
WideGas ElementsOfResults(const GasContext& c);

// kUnits for each element of every result: 5 for what vector code computes in place, 3 for what does not
// move, 20 to 28 for moves and running sums, 40 for shifts by each element, 60 to 128 for divisions, padding
// and reversals, 280 to 320 for what is counted bit by bit.
template <int64_t kUnits>
WideGas GasPerResult(const GasContext& c) {
  return SatMul(kUnits, ElementsOfResults(c));
}

// 320, and 14 for each element of the result: what broadcasts or transposes.
WideGas GasBroadcast(const GasContext& c);

// 512, kUnits for each element of the first operand and 24 for each of its runs, and 16 for each element of
// the result: reductions.
template <int64_t kUnits>
WideGas GasReduction(const GasContext& c) {
  const WideGas read = SatAdd(SatMul(kUnits, c.elements_in(0)), SatMul(24, RunsOf(c.operands[0].shape)));
  return SatAdd(SatAdd(512, read), SatMul(16, c.elements_out(0)));
}

// No work at run time.
WideGas GasNone(const GasContext& c);

}  // namespace tally
