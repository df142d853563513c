#include "ops/gas.h"

#include <algorithm>

namespace tally {
namespace {

constexpr int64_t kGasPerRun = 8;

int64_t Runs(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return 1;
  const int64_t length = rank < 3 ? shape[rank - 1] : std::min(shape[1], shape[rank - 1]);
  return shape.num_elements() / length;
}

}  // namespace

WideGas GasOfResults(std::span<const TensorType> results) {
  WideGas gas = 0;
  for (const TensorType& result : results) {
    gas = SatAdd(gas, SatAdd(result.size_bytes(), SatMul(kGasPerRun, Runs(result.shape))));
  }
  return gas;
}

WideGas GasPerResult(const GasContext& c) {
  WideGas gas = 0;
  for (const TensorType& result : c.results) gas = SatAdd(gas, result.shape.num_elements());
  return gas;
}

WideGas GasFourPerResult(const GasContext& c) { return SatMul(4, GasPerResult(c)); }

WideGas GasSixteenPerResult(const GasContext& c) { return SatMul(16, GasPerResult(c)); }

WideGas GasReduction(const GasContext& c) {
  return SatAdd(SatMul(4, c.elements_in(0)), SatMul(16, c.elements_out(0)));
}

WideGas GasMove(const GasContext& c) { return SatMul(2, GasPerResult(c)); }

WideGas GasNone(const GasContext&) { return 0; }

}  // namespace tally
