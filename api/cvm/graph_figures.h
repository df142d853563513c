// The figures that cvm-runtime would report about a graph: its price and the bytes of its buffers. Chains and
// nodes account with both.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/cvm/graph.h"

namespace tally::cvm {

// Gas of schedule cvm (vm/cvm_gas.h). Error cvm_gas_limit.
absl::StatusOr<int64_t> GasOfGraph(const Graph& graph);

inline constexpr int64_t kMaxStorageBytes = int64_t{1} << 32;

// Bytes of all buffers that the graph names; each holds the largest of its values, 4 bytes an element.
// Error cvm_storage_limit: more than kMaxStorageBytes.
absl::StatusOr<int64_t> StorageOfGraph(const Graph& graph);

}  // namespace tally::cvm
