#include "frontends/cvm/import_cvm.h"

#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"
#include "frontends/cvm/params.h"
#include "frontends/cvm/postprocess.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::cvm {
namespace {

Interval RangeOfPrecision(int precision) {
  const int64_t magnitude = (int64_t{1} << (precision - 1)) - 1;
  return {-magnitude, magnitude};
}

// The array of each variable but `data`, by node.
absl::StatusOr<std::map<size_t, TensorView>> MatchParams(const Graph& graph,
                                                         const std::vector<Param>& params) {
  std::map<std::string_view, TensorView> arrays;
  for (const Param& param : params) arrays[param.name] = param.array;
  std::map<size_t, TensorView> weights;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op || i == graph.data) continue;
    const auto found = arrays.find(node.name);
    if (found == arrays.end()) {
      return MakeError(label::cvm_param_name,
                       absl::StrCat("the params have no '", PrintableStart(node.name), "'"));
    }
    const Entry& entry = graph.entry_of(node);
    if (found->second.shape != entry.shape) {
      return MakeError(label::cvm_param_shape,
                       absl::StrCat("'", PrintableStart(node.name), "' is ", found->second.shape.ToString(),
                                    " in the params, ", entry.shape.ToString(), " in the graph"));
    }
    const Interval bounds = found->second.Bounds();
    if (!RangeOfPrecision(entry.precision).Contains(bounds)) {
      return MakeError(label::cvm_param_value,
                       absl::StrCat("'", PrintableStart(node.name), "' in ", bounds.ToString(),
                                    " exceeds its precision ", entry.precision));
    }
    weights[i] = found->second;
    arrays.erase(found);
  }
  if (arrays.empty()) return weights;
  return MakeError(label::cvm_param_name, absl::StrCat("'", PrintableStart(arrays.begin()->first),
                                                       "' is not a weight of the graph"));
}

// Weights that nothing reads are left out: a module has no constants without a use.
std::vector<bool> UsedEntries(const Graph& graph) {
  std::vector<bool> used(graph.entries.size(), false);
  for (const Node& node : graph.nodes) {
    for (const size_t input : node.inputs) used[input] = true;
  }
  for (const size_t head : graph.heads) used[head] = true;
  return used;
}

absl::StatusOr<Module> BuildModule(const Graph& graph, const std::map<size_t, TensorView>& weights) {
  ModuleBuilder module(Profile::kCvm);
  const std::vector<bool> used = UsedEntries(graph);
  std::vector<ValueId> values(graph.entries.size());
  const Node& data = graph.nodes[graph.data];
  const Entry& input = graph.entry_of(data);
  values[data.first_entry] = module.Param("data", {input.shape, RangeOfPrecision(input.precision)});
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op) {
      std::vector<ValueId> operands;
      for (const size_t entry : node.inputs) operands.push_back(values[entry]);
      const ValueId first = module.Emit(*node.op, std::move(operands), node.attributes);
      for (int r = 0; r < InfoOf(*node.op).results; ++r) values[node.first_entry + r] = first + r;
    } else if (i != graph.data && used[node.first_entry]) {
      const TensorView& weight = weights.at(i);
      values[node.first_entry] = module.Constant(Tensor::Copy(weight, weight.storage));
    }
  }
  std::vector<ValueId> heads;
  for (const size_t head : graph.heads) heads.push_back(values[head]);
  ASSIGN_OR_RETURN(const ValueId output, AddPostprocess(graph, heads, module));
  module.Result("output", output);
  return std::move(module).Build();
}

}  // namespace

absl::StatusOr<ImportedModel> ImportCvm(std::string_view json, std::span<const uint8_t> params) {
  ASSIGN_OR_RETURN(Graph graph, ParseGraph(json));
  ASSIGN_OR_RETURN(const std::vector<Param> arrays, ReadParams(params));
  ASSIGN_OR_RETURN(const auto weights, MatchParams(graph, arrays));
  ASSIGN_OR_RETURN(Module module, BuildModule(graph, weights));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  const int input_precision = graph.entry_of(graph.nodes[graph.data]).precision;
  const int output_precision = OutputPrecision(graph);
  return ImportedModel{std::move(valid), std::move(graph), input_precision, output_precision};
}

}  // namespace tally::cvm
