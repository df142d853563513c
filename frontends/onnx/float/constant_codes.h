// Constants that a file has as codes: integers with one grid, or one for each entry of an axis.
//
//   const CodeGrids grids = {.grids = {grid}};
//   return FinishConstant(node, codes, grids);  // the reals; the quantizer takes the codes
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "frontends/onnx/float/node_context.h"
#include "quant/grid/quantized_type.h"

namespace tally::onnx {

struct CodeGrids {
  std::vector<quant::QuantizedType> grids;  // one, or by entry of `axis`
  int64_t axis = 0;

  // The grid of element i of a tensor of `shape`.
  const quant::QuantizedType& Of(size_t i, const quant::Shape& shape) const;
};

// The result of `node`: the constant that `codes` stand for. It keeps them.
absl::Status FinishConstant(NodeContext& node, const quant::Int64Tensor& codes, const CodeGrids& grids);

}  // namespace tally::onnx
