#include "ops/gather/rules.h"

namespace tally {
namespace {

WideGas GasOfMoves(const GasContext& c, int64_t per_index) {
  WideGas gas = GasTake(c);
  for (size_t i = 1; i < c.operands.size(); ++i) {
    gas = SatAdd(gas, SatMul(per_index, c.operands[i].shape.num_elements()));
  }
  return gas;
}

}  // namespace

WideGas GasTake(const GasContext& c) {
  return SatAdd(512, SatAdd(GasPerResult<40>(c), SatMul(48, RunsOf(c.results[0].shape))));
}

WideGas GasGather(const GasContext& c) { return GasOfMoves(c, 80); }

WideGas GasScatter(const GasContext& c) { return GasOfMoves(c, 96); }

WideGas GasCompact(const GasContext& c) { return SatAdd(GasGather(c), GasPerResult<13>(c)); }

}  // namespace tally
