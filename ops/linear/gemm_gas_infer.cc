#include <algorithm>

#include "ops/linear/rules.h"

namespace tally {
namespace {

constexpr int64_t kGasPerGroup = 512, kGasPerSum = 16, kGasPerGatheredTerm = 64, kLeastColumns = 16,
                  kGasPerPackedByte = 16, kGasPerProduct = 20;

}  // namespace

WideGas GasOfGemm(const GasContext& c, const GemmWork& work) {
  const int64_t columns = work.columns / work.groups;
  const bool depthwise = work.depthwise && columns == 1 && work.groups > 1;
  const WideGas of_row = SatMul(depthwise ? 2 : std::max(columns, kLeastColumns), work.terms + kGasPerSum);
  const WideGas sums = SatMul(SatMul(work.rows, kGasPerProduct), of_row);
  const WideGas gathered = SatMul(SatMul(work.lines, work.terms), kGasPerGatheredTerm);
  const WideGas of_group = SatAdd(SatAdd(sums, gathered), depthwise ? 0 : kGasPerGroup);
  const WideGas packed = SatMul(kGasPerPackedByte, c.operands[1].size_bytes());
  return SatAdd(SatAdd(SatMul(work.groups, of_group), packed), c.operands[0].size_bytes());
}

}  // namespace tally
