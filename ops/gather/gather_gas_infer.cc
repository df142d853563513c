#include "ops/gather/rules.h"

namespace tally {

WideGas GasGather(const GasContext& c) {
  WideGas gas = SatAdd(512, GasPerResult<10>(c));
  for (size_t i = 1; i < c.operands.size(); ++i) {
    gas = SatAdd(gas, SatMul(32, c.operands[i].shape.num_elements()));
  }
  return gas;
}

WideGas GasScatter(const GasContext& c) { return GasGather(c); }

WideGas GasCompact(const GasContext& c) { return GasGather(c); }

}  // namespace tally
