#include "frontends/onnx/float/constant_codes.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"

namespace tally::onnx {

using quant::FloatTensor;
using quant::QuantizedType;

const QuantizedType& CodeGrids::Of(size_t i, const quant::Shape& shape) const {
  if (grids.size() == 1) return grids[0];
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  return grids[static_cast<size_t>(static_cast<int64_t>(i) / inner) % grids.size()];
}

absl::Status FinishConstant(NodeContext& node, const quant::Int64Tensor& codes, const CodeGrids& grids) {
  FloatTensor floats{codes.shape, {}};
  auto kept = std::make_shared<quant::ConstantCodes>();
  floats.data.reserve(codes.data.size());
  kept->codes.reserve(codes.data.size());
  kept->axis = grids.axis;
  for (const QuantizedType& grid : grids.grids) kept->scales.push_back(grid.scale);
  for (size_t i = 0; i < codes.data.size(); ++i) {
    const QuantizedType& grid = grids.Of(i, codes.shape);
    const int64_t code = codes.data[i] - grid.zero_point;
    floats.data.push_back(static_cast<float>(code) * static_cast<float>(grid.scale));
    kept->codes.push_back(static_cast<int32_t>(code));
  }
  ASSIGN_OR_RETURN(Operand constant, node.NewConstant(std::move(floats), "reals"));
  constant.constant_codes = std::move(kept);
  return node.FinishAs(constant);
}

}  // namespace tally::onnx
