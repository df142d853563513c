// The postprocess of a CVM model as instructions: the module's one result is what an application of CVM gets.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "frontends/cvm/graph.h"
#include "vm/module_builder.h"

namespace tally::cvm {

// The result, from the values of graph.heads.
//   argmax       for each row of the last axis, the position of its first maximum; shape: that of the head without its
//                last axis, [1] where that leaves none
//   detection, or several heads: their rows, one head after the other on the last axis; shape [rows, sum of the last
//                dims], or with the heads' own leading dims where all are alike
//   otherwise    the head
// Errors: cvm_postprocess   argmax of several heads, or heads of different numbers of rows
absl::StatusOr<ValueId> AddPostprocess(const Graph& graph, std::span<const ValueId> heads,
                                       ModuleBuilder& module);

// The bits of an element of the result: 32 after argmax and detection, else the largest precision of the
// heads.
int OutputPrecision(const Graph& graph);

}  // namespace tally::cvm
