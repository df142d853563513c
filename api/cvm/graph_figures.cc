#include "api/cvm/graph_figures.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "api/cvm/labels.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/cvm_gas.h"

namespace tally::cvm {

absl::StatusOr<int64_t> GasOfGraph(const Graph& graph) {
  CvmBill bill;
  for (const Node& node : graph.nodes) {
    if (!node.op) {
      RETURN_IF_ERROR(bill.AddVariable(graph.entry_of(node).shape).status());
      continue;
    }
    std::vector<Shape> operands, results;
    for (const size_t input : node.inputs) operands.push_back(graph.entries[input].shape);
    for (int r = 0; r < InfoOf(*node.op).results; ++r) {
      results.push_back(graph.entries[node.first_entry + static_cast<size_t>(r)].shape);
    }
    RETURN_IF_ERROR(bill.AddOperator(*node.op, node.attributes, operands, results).status());
  }
  return bill.total();
}

absl::StatusOr<int64_t> StorageOfGraph(const Graph& graph) {
  std::unordered_map<int64_t, int64_t> buffers;  // bytes by storage id
  int64_t total = 0;
  for (const Entry& entry : graph.entries) {
    const int64_t bytes = 4 * entry.shape.num_elements();
    int64_t& buffer = buffers[entry.storage_id];
    total += std::max<int64_t>(bytes - buffer, 0);
    buffer = std::max(buffer, bytes);
    if (total > kMaxStorageBytes) {
      return MakeError(label::cvm_storage_limit,
                       absl::StrCat("the buffers take more than ", kMaxStorageBytes, " bytes"));
    }
  }
  return total;
}

}  // namespace tally::cvm
