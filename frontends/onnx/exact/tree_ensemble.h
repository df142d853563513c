// The trees of TreeEnsembleClassifier and TreeEnsembleRegressor of domain ai.onnx.ml, as tables.
//
//   ASSIGN_OR_RETURN(const TreeEnsemble trees, ReadTrees(node, {.prefix = "class", .features = 4}));
//
// A file lists nodes with the numbers of their trees. Here they have places, from 0 on. Each inner node asks
// whether a feature is at most a threshold, and says where to go if so and if not; a leaf goes to itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

struct TreeNode {
  int64_t feature = 0;
  double threshold = 0;
  bool is_strict = false;         // below the threshold, not at most
  int64_t if_so = 0, if_not = 0;  // places
};

// The addend of a leaf for a target.
struct LeafWeight {
  int64_t node = 0, target = 0;
  double weight = 0;
};

struct TreeEnsemble {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> roots;  // by tree
  std::vector<LeafWeight> weights;
  std::vector<double> base;  // by target, or none
  int64_t depth = 0;         // steps from a root to its furthest leaf
};

struct TreeForm {
  std::string prefix;    // "class" or "target": how the attributes of leaves begin
  int64_t features = 0;  // in a row
};

// Errors: model_malformed, where lists differ in length, a node is missing, named twice, or reached twice;
// model_unsupported_attribute, for modes other than LEAF and the six comparisons.
absl::StatusOr<TreeEnsemble> ReadTrees(ExactNode& node, const TreeForm& form);

// The floats of an attribute, or of the tensor NAME_as_tensor; none where there is neither. Errors:
// model_malformed, for others than finite floats.
absl::StatusOr<std::vector<double>> ReadFloats(ExactNode& node, const std::string& name);
// The integers of an attribute. Errors: model_malformed.
absl::StatusOr<std::vector<int64_t>> ReadInts(ExactNode& node, const std::string& name);

}  // namespace tally::onnx
