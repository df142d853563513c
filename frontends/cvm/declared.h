// The declarations of a graph about its values and nodes, in lists beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "frontends/cvm/strict_json.h"

namespace tally::cvm {

struct Declared {
  std::vector<Shape> shapes;          // by entry
  std::vector<int64_t> precisions;    // by entry
  std::vector<int64_t> storage_ids;   // by entry
  std::vector<std::string> op_attrs;  // by node
};

// Error cvm_count unless `length` is `expected`.
absl::Status CheckLength(std::string_view what, size_t length, size_t expected);

// From the graph's field `attrs`. The lists by entry are equally long. `types_required`: cvm_1.0.0 says that
// everything is int32.
// Errors: cvm_key, cvm_count, shape_rank, shape_dim, shape_elements
absl::StatusOr<Declared> ReadDeclared(const Json& attrs, bool types_required);

}  // namespace tally::cvm
