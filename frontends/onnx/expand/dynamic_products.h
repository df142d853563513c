// Dynamic quantization as exporters write it: scale and zero point of an activation are found anew for each
// sample, which integers whose ranges are proven before they run cannot do. It is imported as what it
// approximates, a product of floats with quantized weights, and the activation is quantized statically, by
// calibration.
//
//   DynamicQuantizeLinear(x)                      -> q, scale, zero_point
//   MatMulInteger(q, w, zero_point, w_zero)       -> sums          (or ConvInteger)
//   Mul(Cast(sums), Mul(scale, w_scale))          -> y             (or scale alone)
//
// becomes y = MatMul(x, DequantizeLinear(w, w_scale, w_zero)).
#pragma once

#include <map>
#include <vector>

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// By place of a node: the nodes to import in its stead, maybe none.
using NodesInstead = std::map<int, std::vector<::onnx::NodeProto>>;

// The expansions of all nodes that take part in such products; a DynamicQuantizeLinear that something else
// reads too is none of them.
NodesInstead FindDynamicProducts(const ::onnx::GraphProto& graph);

}  // namespace tally::onnx
