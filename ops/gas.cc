#include "ops/gas.h"

#include <algorithm>

namespace tally {
namespace {

constexpr int64_t kGasPerRun = 8;

WideGas ElementsOf(std::span<const TensorType> types) {
  WideGas elements = 0;
  for (const TensorType& type : types) elements = SatAdd(elements, type.shape.num_elements());
  return elements;
}

}  // namespace

int64_t RunsOf(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return 1;
  const int64_t length = rank < 3 ? shape[rank - 1] : std::min(shape[1], shape[rank - 1]);
  return shape.num_elements() / length;
}

WideGas GasOfResults(std::span<const TensorType> results) {
  WideGas gas = 0;
  for (const TensorType& result : results) {
    gas = SatAdd(gas, SatAdd(result.size_bytes(), SatMul(kGasPerRun, RunsOf(result.shape))));
  }
  return gas;
}

WideGas ElementsOfOperands(const GasContext& c) { return ElementsOf(c.operands); }

WideGas ElementsOfResults(const GasContext& c) { return ElementsOf(c.results); }

WideGas GasBroadcast(const GasContext& c) { return SatAdd(320, GasPerResult<14>(c)); }

WideGas GasNone(const GasContext&) { return 0; }

}  // namespace tally
