// ONNX asks that each node comes after those that it reads. Some writers and editors break that, and runtimes
// sort.
//
//   SortNodes(*model.mutable_graph());
#pragma once

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Moves nodes, in the graphs within nodes too, after those that they read, as little as that asks for.
// Nodes of a cycle, and what reads them, stay in their order at the end, where an importer refuses them.
void SortNodes(::onnx::GraphProto& graph);

}  // namespace tally::onnx
