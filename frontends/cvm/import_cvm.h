// CVM models, graph JSON and params, as modules of profile cvm.
//
//   ASSIGN_OR_RETURN(cvm::ImportedModel model, cvm::ImportCvm(json, params_bytes));
//   const auto module = std::make_shared<const ValidModule>(std::move(model.module));
//
// The module has one parameter, `data`, and one result, `output`: what CVM's inference returns, postprocess
// included (docs/formats/cvm.md). Every operator of the graph becomes one instruction, in order; weights
// become constants in the narrowest storage. What the numbers mean is what the operators' pages say; where
// cvm-runtime's implementations differ is listed in docs/compatibility_cvm.md.
//
// Files are untrusted: whatever they hold, the outcome is a valid module or an error.
//
// Errors: those of ParseGraph (graph.h) and ReadParams (params.h)
//         cvm_param_name    an array is no weight of the graph, or a weight has no array
//         cvm_param_shape   an array has not the shape that the graph declares
//         cvm_param_value   an element exceeds the declared precision
//         cvm_postprocess   the heads do not suit the postprocess
//         those of Validate, which sees the elements of the weights
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/cvm/graph.h"
#include "vm/valid_module.h"

namespace tally::cvm {

struct ImportedModel {
  ValidModule module;
  Graph graph;               // as in the files, heads and all
  int input_precision = 1;   // `data`'s, 1..32; its parameter holds |v| <= 2^(p-1) - 1
  int output_precision = 1;  // the largest of the heads'; 32 after argmax and detection
};

absl::StatusOr<ImportedModel> ImportCvm(std::string_view json, std::span<const uint8_t> params);

}  // namespace tally::cvm
