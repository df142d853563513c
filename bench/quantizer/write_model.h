// A float ONNX model from what writes its graph.
#pragma once

#include <string>

#include "bench/peers/onnx_graph.h"

namespace tally::bench {

// The bytes of a ModelProto; Writer(network, graph).Write() writes the graph.
template <typename Writer, typename Network>
std::string WriteModel(const Network& network) {
  onnx::ModelProto model;
  model.set_ir_version(9);
  model.add_opset_import()->set_version(20);
  Writer(network, *model.mutable_graph()).Write();
  return model.SerializeAsString();
}

}  // namespace tally::bench
