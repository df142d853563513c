#include "frontends/onnx/exact/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/float_format.h"
#include "frontends/graph/refusals.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/tensor_elements.h"

namespace tally::onnx {
namespace {

using Key = std::pair<int64_t, int64_t>;  // a tree and a node of it

using frontend::Malformed;

// The nodes of a file, by attribute.
struct NodeLists {
  std::vector<int64_t> trees, ids, features, if_true, if_false;
  std::vector<double> values;
  std::vector<std::string> modes;
};

absl::StatusOr<NodeLists> ReadLists(ExactNode& node) {
  NodeLists lists;
  ASSIGN_OR_RETURN(lists.trees, ReadInts(node, "nodes_treeids"));
  ASSIGN_OR_RETURN(lists.ids, ReadInts(node, "nodes_nodeids"));
  ASSIGN_OR_RETURN(lists.features, ReadInts(node, "nodes_featureids"));
  ASSIGN_OR_RETURN(lists.if_true, ReadInts(node, "nodes_truenodeids"));
  ASSIGN_OR_RETURN(lists.if_false, ReadInts(node, "nodes_falsenodeids"));
  ASSIGN_OR_RETURN(lists.values, ReadFloats(node, "nodes_values"));
  ASSIGN_OR_RETURN(const auto modes, node.attributes().Strings("nodes_modes"));
  if (modes.has_value()) lists.modes = *modes;
  // How often a node was reached in training, and where NaN goes: fixed point has none.
  for (const char* unused : {"nodes_hitrates", "nodes_hitrates_as_tensor", "nodes_missing_value_tracks_true"})
    node.attributes().Ignore(unused);
  const size_t count = lists.trees.size();
  for (const size_t other : {lists.ids.size(), lists.features.size(), lists.if_true.size(),
                             lists.if_false.size(), lists.values.size(), lists.modes.size()}) {
    if (other != count || count == 0)
      return Malformed("the lists of its nodes differ in length, or are empty");
  }
  return lists;
}

// As many steps as the furthest leaf is from its root.
int64_t DepthOf(const TreeEnsemble& trees) {
  std::set<int64_t> level(trees.roots.begin(), trees.roots.end());
  for (int64_t depth = 0;; ++depth) {
    std::set<int64_t> next;
    for (const int64_t place : level) {
      const TreeNode& node = trees.nodes[static_cast<size_t>(place)];
      if (node.if_so != place) next.insert({node.if_so, node.if_not});  // a leaf leads to itself
    }
    if (next.empty()) return depth;
    level = std::move(next);
  }
}

// x == t is x <= t but not x < t: a node more for each.
void SplitEqual(const std::vector<bool>& is_equal, TreeEnsemble& trees) {
  for (size_t i = 0; i < is_equal.size(); ++i) {
    if (!is_equal[i]) continue;
    TreeNode below = trees.nodes[i];
    below.is_strict = true;
    std::swap(below.if_so, below.if_not);
    trees.nodes[i].if_so = std::ssize(trees.nodes);
    trees.nodes.push_back(below);
  }
}

// Where trees begin. Each node has to be reached once at most: a tree has no cycle.
absl::Status FindRoots(const std::vector<bool>& is_leaf, const std::vector<Key>& keys, TreeEnsemble& trees) {
  std::vector<int64_t> parents(trees.nodes.size());
  for (size_t i = 0; i < trees.nodes.size(); ++i) {
    if (is_leaf[i]) continue;
    for (const int64_t next : {trees.nodes[i].if_so, trees.nodes[i].if_not})
      ++parents[static_cast<size_t>(next)];
  }
  std::map<int64_t, int64_t> root_of;  // by tree
  for (size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] > 1) return Malformed("two nodes of a tree lead to one");
    if (parents[i] == 0 && !root_of.emplace(keys[i].first, static_cast<int64_t>(i)).second)
      return Malformed("a tree has two roots");
  }
  size_t reached = 0;
  std::vector<int64_t> level;
  for (const auto& [tree, root] : root_of) level.push_back(root);
  trees.roots = level;
  while (!level.empty()) {
    std::vector<int64_t> next;
    for (const int64_t place : level) {
      const TreeNode& node = trees.nodes[static_cast<size_t>(place)];
      if (!is_leaf[static_cast<size_t>(place)]) next.insert(next.end(), {node.if_so, node.if_not});
    }
    reached += level.size();
    level = std::move(next);
  }
  return reached == trees.nodes.size() ? absl::OkStatus() : Malformed("the nodes of a tree lead in a circle");
}

absl::Status ReadWeights(ExactNode& node, const std::string& prefix, const std::map<Key, int64_t>& places,
                         TreeEnsemble& trees) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> tree_ids, ReadInts(node, prefix + "_treeids"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> node_ids, ReadInts(node, prefix + "_nodeids"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> targets, ReadInts(node, prefix + "_ids"));
  ASSIGN_OR_RETURN(const std::vector<double> weights, ReadFloats(node, prefix + "_weights"));
  if (tree_ids.size() != weights.size() || node_ids.size() != weights.size() ||
      targets.size() != weights.size())
    return Malformed("the lists of its leaves differ in length");
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto place = places.find({tree_ids[i], node_ids[i]});
    if (place == places.end())
      return Malformed(absl::StrCat("a weight is of node ", node_ids[i], " of tree ", tree_ids[i],
                                    ", which has no such node"));
    trees.weights.push_back({place->second, targets[i], weights[i]});
  }
  ASSIGN_OR_RETURN(trees.base, ReadFloats(node, "base_values"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadInts(ExactNode& node, const std::string& name) {
  ASSIGN_OR_RETURN(const auto ints, node.attributes().Ints(name));
  return ints.value_or(std::vector<int64_t>());
}

absl::StatusOr<std::vector<double>> ReadFloats(ExactNode& node, const std::string& name) {
  std::vector<double> floats;
  if (const ::onnx::AttributeProto* attribute = node.attributes().Find(name)) {
    floats.assign(attribute->floats().begin(), attribute->floats().end());
    if (attribute->has_f()) floats.push_back(attribute->f());
  } else if (const ::onnx::AttributeProto* tensor = node.attributes().Find(name + "_as_tensor")) {
    if (!tensor->has_t()) return Malformed(name + "_as_tensor is not a tensor");
    const ::onnx::TensorProto& t = tensor->t();
    if (!IsFloat(t.data_type()) || t.dims_size() != 1 || t.dims(0) < 0)
      return Malformed(name + "_as_tensor is not a list of floats");
    const auto count = static_cast<size_t>(t.dims(0));
    ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(t, count));
    for (size_t i = 0; i < count; ++i)
      floats.push_back(DecodeFloat(static_cast<uint64_t>(elements[i]), FormatOf(t.data_type())));
  }
  const bool are_finite = std::ranges::all_of(floats, [](double x) { return std::isfinite(x); });
  if (!are_finite) return Malformed("attribute " + name + " holds NaN or an infinity");
  return floats;
}

absl::StatusOr<TreeEnsemble> ReadTrees(ExactNode& node, const TreeForm& form) {
  ASSIGN_OR_RETURN(const NodeLists lists, ReadLists(node));
  const size_t count = lists.trees.size();
  RETURN_IF_ERROR(node.host().Spend(static_cast<int64_t>(count)));
  std::map<Key, int64_t> places;
  std::vector<Key> keys;
  for (size_t i = 0; i < count; ++i) {
    keys.emplace_back(lists.trees[i], lists.ids[i]);
    if (!places.emplace(keys.back(), static_cast<int64_t>(i)).second)
      return Malformed("two of its nodes have one number");
  }
  TreeEnsemble trees;
  std::vector<bool> is_leaf, is_equal;
  for (size_t i = 0; i < count; ++i) {
    const std::string& mode = lists.modes[i];
    const auto place = static_cast<int64_t>(i);
    is_leaf.push_back(mode == "LEAF");
    is_equal.push_back(mode == "BRANCH_EQ" || mode == "BRANCH_NEQ");
    TreeNode read = {.if_so = place, .if_not = place};
    if (!is_leaf.back()) {
      const auto yes = places.find({lists.trees[i], lists.if_true[i]}),
                 no = places.find({lists.trees[i], lists.if_false[i]});
      if (yes == places.end() || no == places.end())
        return Malformed("a node leads to one that is not there");
      if (lists.features[i] < 0 || lists.features[i] >= form.features)
        return Malformed("a node asks for a feature that is not there");
      // x >= t is not x < t, x > t not x <= t, and x != t not x == t.
      const bool is_reverse = mode == "BRANCH_GTE" || mode == "BRANCH_GT" || mode == "BRANCH_NEQ";
      if (!is_reverse && !is_equal.back() && mode != "BRANCH_LEQ" && mode != "BRANCH_LT")
        return UnsupportedAttribute("mode " + PrintableStart(mode) + " of a node is not imported");
      read = {.feature = lists.features[i],
              .threshold = lists.values[i],
              .is_strict = mode == "BRANCH_LT" || mode == "BRANCH_GTE",
              .if_so = is_reverse ? no->second : yes->second,
              .if_not = is_reverse ? yes->second : no->second};
    }
    trees.nodes.push_back(read);
  }
  RETURN_IF_ERROR(FindRoots(is_leaf, keys, trees));
  SplitEqual(is_equal, trees);
  trees.depth = DepthOf(trees);
  RETURN_IF_ERROR(ReadWeights(node, form.prefix, places, trees));
  return trees;
}

}  // namespace tally::onnx
