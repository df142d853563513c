// A CVM model without its weights: the graph JSON, checked, with the shape and the precision of every value.
//
//   ASSIGN_OR_RETURN(const Graph graph, ParseGraph(json));
//   for (const Node& node : graph.nodes) {
//     if (!node.op) continue;                                          // a variable: `data` or a weight
//     const Entry& y = graph.entries[node.first_entry];
//     const Shape& x = graph.entries[node.inputs[0]].shape;            // e.g. for a price
//   }
//
// Reads cvm_1.0.0 and cvm_1.1.0 (docs/formats/cvm.md). Values are numbered as CVM numbers its entries: node
// by node, the results of a node in order. Precisions are the published ones
// (docs/spec/validation.md#profile-cvm), from the declared precisions of the variables. What only the
// elements of weights can decide is left to ImportCvm.
//
// A file is untrusted: whatever it holds, the outcome is a graph that keeps these promises, or an error. The
// message names the node. Time and memory grow with the text.
//
// Errors: cvm_json                 strict_json.h
//         cvm_key                  a field is missing, unknown or has another type
//         cvm_version              neither cvm_1.0.0 nor cvm_1.1.0
//         cvm_count                a list has not one item for each node or value, or there are too many
//         cvm_entry                a node reads a value that no earlier node has, or a head one that nobody has
//         cvm_index                arg_nodes or node_row_ptr contradict the nodes
//         cvm_name                 a variable's name is empty or occurs twice, or none is `data`
//         cvm_operator             an operator that CVM does not have
//         cvm_operands             a node has too few or too many inputs, or they contradict its attributes
//         cvm_attribute            operators.h
//         cvm_reshape              reshape_target.h
//         cvm_declared_precision   a variable's precision is not 1 to 32, or an operator's neither that nor -1
//         cvm_declared_shape       a declared shape is not the inferred one
//         cvm_storage              storage.h
//         cvm_postprocess          the name of the postprocess is longer than 32 bytes
//         cvm_shape, cvm_precision, attribute_length, attribute_range, shape_*, and the operators' constraints:
//                                  as the validator says them (docs/spec/errors.md)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "ops/op_table.h"

namespace tally::cvm {

// One value.
struct Entry {
  Shape shape;
  int precision = 1;       // 1..32: |v| <= 2^(precision - 1) - 1
  int64_t storage_id = 0;  // the buffer that cvm-runtime keeps it in; Tally places values by itself
};

struct Node {
  std::string name;            // as the file has it
  std::optional<Opcode> op;    // nothing: a variable
  Attributes attributes;       // as InfoOf(*op) lists them; the shape of a reshape without codes
  std::vector<size_t> inputs;  // entries
  size_t first_entry = 0;
};

// The values of Graph::postprocess that have a meaning (docs/formats/cvm.md#postprocess).
inline constexpr std::string_view kArgmax = "argmax", kDetection = "detection";

struct Graph {
  std::vector<Node> nodes;  // every node reads entries of earlier ones
  std::vector<Entry> entries;
  std::vector<size_t> heads;  // entries; at least one
  size_t data = 0;            // the node of the input
  std::string version;        // as the file has it; cvm_1.0.0 where it has none
  std::string postprocess;    // as the file has it

  const Entry& entry_of(const Node& variable) const { return entries[variable.first_entry]; }
};

absl::StatusOr<Graph> ParseGraph(std::string_view json);

}  // namespace tally::cvm
