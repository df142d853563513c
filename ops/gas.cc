#include "ops/gas.h"

namespace tally {

WideGas GasPerResult(const GasContext& c) {
  WideGas gas = 0;
  for (const TensorType& result : c.results) gas = SatAdd(gas, result.shape.num_elements());
  return gas;
}

WideGas GasPerOperand(const GasContext& c) { return c.elements_in(0); }

WideGas GasPerByte(const GasContext& c) {
  WideGas gas = 0;
  for (const TensorType& result : c.results) gas = SatAdd(gas, result.size_bytes());
  return gas;
}

WideGas GasNone(const GasContext&) { return 0; }

}  // namespace tally
