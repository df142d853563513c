// Operators of domain ai.onnx.ml over integers and fixed point: trees, and what is around them.
//
// All trees are walked at once: the places of a row, one for each tree, go from the roots to the leaves in as
// many steps as the deepest tree has. Thresholds are rounded down to the fixed point of the features, which
// changes no comparison. Weights keep as many fraction bits as their sum has room for; where a file's have
// more, they are rounded to the nearest.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/exact/probabilities.h"
#include "frontends/onnx/exact/tree_ensemble.h"
#include "frontends/onnx/model/labels.h"
#include "ops/comparison/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/sort/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

constexpr double kLargest = 0x1p47 - 1;  // the range of a tensor

// The largest integer whose real is at most `threshold`, or less where it is strict.
int64_t BoundOf(const TreeNode& node, int fraction_bits) {
  const double scaled = std::ldexp(node.threshold, fraction_bits);
  const double bound = node.is_strict ? std::ceil(scaled) - 1 : std::floor(scaled);
  return static_cast<int64_t>(std::clamp(bound, -kLargest, kLargest));
}

// A list of reals in fixed point.
struct FixedList {
  std::vector<int64_t> integers;
  int fraction_bits = 0;
};

// As many fraction bits as all need, or as leave `sum` below 2^46.
FixedList ToFixed(const std::vector<double>& reals, double sum) {
  constexpr int kMostBits = 60;
  int room = 0;
  std::frexp(std::max(sum, 1.0), &room);
  FixedList fixed;
  const int most = std::min(46 - room, kMostBits);
  const auto is_exact = [&](int bits) {
    return std::ranges::all_of(
        reals, [&](double x) { return std::trunc(std::ldexp(x, bits)) == std::ldexp(x, bits); });
  };
  while (fixed.fraction_bits < most && !is_exact(fixed.fraction_bits)) ++fixed.fraction_bits;
  for (const double real : reals)
    fixed.integers.push_back(static_cast<int64_t>(std::nearbyint(std::ldexp(real, fixed.fraction_bits))));
  return fixed;
}

Value ListOf(Composition& c, const std::vector<int64_t>& values) {
  return c.Constant({std::ssize(values)}, values);
}

// The places of the leaves that x [B, F] reaches, [B, trees].
absl::StatusOr<Value> Leaves(ExactNode& node, const ExactValue& x, const TreeEnsemble& trees) {
  Composition& c = node.c();
  const int64_t batch = c.shape(x.value)[0], num_trees = std::ssize(trees.roots);
  RETURN_IF_ERROR(node.host().Spend(batch * num_trees * (trees.depth + 1)));
  std::vector<int64_t> features, bounds, yes, no, starts;
  for (const TreeNode& read : trees.nodes) {
    features.push_back(read.feature);
    bounds.push_back(BoundOf(read, x.fraction_bits));
    yes.push_back(read.if_so);
    no.push_back(read.if_not);
  }
  for (int64_t row = 0; row < batch; ++row)
    starts.insert(starts.end(), trees.roots.begin(), trees.roots.end());
  const Value feature_list = ListOf(c, features), bound_list = ListOf(c, bounds);
  const Value yes_list = ListOf(c, yes), no_list = ListOf(c, no);
  Value places = c.Constant({batch, num_trees}, starts);
  const auto look_up = [&](Value list) { return c.Apply(Opcode::kGather, {list, places}, GatherAttrs{0}); };
  for (int64_t step = 0; step < trees.depth; ++step) {
    ASSIGN_OR_RETURN(const Value feature, look_up(feature_list));
    ASSIGN_OR_RETURN(const Value bound, look_up(bound_list));
    ASSIGN_OR_RETURN(const Value if_so, look_up(yes_list));
    ASSIGN_OR_RETURN(const Value if_not, look_up(no_list));
    ASSIGN_OR_RETURN(const Value asked, c.Apply(Opcode::kGatherElements, {x.value, feature}, GatherAttrs{1}));
    ASSIGN_OR_RETURN(const Value holds,
                     c.Apply(Opcode::kCompare, {asked, bound}, CompareAttrs{Comparison::kLessEqual}));
    ASSIGN_OR_RETURN(places, c.Apply(Opcode::kSelect, {holds, if_so, if_not}));
  }
  return places;
}

// The sums of the weights of all trees, [B, targets], and the base.
absl::StatusOr<ExactValue> Sums(ExactNode& node, const ExactValue& x, const TreeEnsemble& trees,
                                int64_t targets) {
  Composition& c = node.c();
  const int64_t num_nodes = std::ssize(trees.nodes);
  if (targets < 1 || targets > (int64_t{1} << 24) / num_nodes)
    return MakeError(label::model_too_large, "it has more weights than 2^24, or no target");
  if (!trees.base.empty() && std::ssize(trees.base) != targets)
    return MakeError(label::model_malformed, "base_values are not as many as targets");
  RETURN_IF_ERROR(node.host().Spend(num_nodes * targets));
  std::vector<double> reals = trees.base;
  double largest = 0;
  for (const LeafWeight& leaf : trees.weights) {
    if (leaf.target < 0 || leaf.target >= targets)
      return MakeError(label::model_malformed, "a leaf adds to a target that is not there");
    reals.push_back(leaf.weight);
    largest = std::max(largest, std::abs(leaf.weight));
  }
  double sum = largest * static_cast<double>(trees.roots.size()) + 1;
  for (const double base : trees.base) sum = std::max(sum, sum + std::abs(base));
  if (sum > kLargest) return MakeError(label::model_inexact, "its weights are too large for 47 bits");
  const FixedList fixed = ToFixed(reals, sum);
  const size_t num_base = trees.base.size();
  std::vector<int64_t> table(static_cast<size_t>(num_nodes * targets));
  for (size_t i = 0; i < trees.weights.size(); ++i) {
    const LeafWeight& leaf = trees.weights[i];
    table[static_cast<size_t>(leaf.node * targets + leaf.target)] += fixed.integers[num_base + i];
  }
  ASSIGN_OR_RETURN(const Value leaves, Leaves(node, x, trees));
  ASSIGN_OR_RETURN(
      const Value weights,
      c.Apply(Opcode::kGather, {c.Constant({num_nodes, targets}, table), leaves}, GatherAttrs{0}));
  ASSIGN_OR_RETURN(Value total,
                   c.Apply(Opcode::kReduce, {weights}, ReduceAttrs{ReduceKind::kSum, {1}, false}));
  if (num_base > 0) {
    const std::vector<int64_t> base(fixed.integers.begin(),
                                    fixed.integers.begin() + static_cast<ptrdiff_t>(num_base));
    ASSIGN_OR_RETURN(total, c.Apply(Opcode::kBroadcastAdd, {total, c.Constant({1, targets}, base)}));
  }
  return ExactValue{total, fixed.fraction_bits, TensorProto::FLOAT};
}

// Rows of features.
absl::StatusOr<ExactValue> Features(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  const Shape& shape = node.c().shape(x.value);
  if (shape.rank() == 2) return x;
  if (shape.rank() != 1) return MakeError(label::model_shape, "its features are not rows");
  ASSIGN_OR_RETURN(const Value row,
                   node.c().Apply(Opcode::kReshape, {x.value}, ReshapeAttrs{{1, shape.num_elements()}}));
  return x.With(row);
}

// The labels of a classifier: integers, or how many there are where they are text, of which a label is its
// place.
struct ClassLabels {
  std::vector<int64_t> integers;
  bool are_text = false;
};
absl::StatusOr<ClassLabels> ReadClassLabels(ExactNode& node) {
  ClassLabels labels;
  ASSIGN_OR_RETURN(labels.integers, ReadInts(node, "classlabels_int64s"));
  ASSIGN_OR_RETURN(const auto text, node.attributes().Strings("classlabels_strings"));
  labels.are_text = labels.integers.empty() && text.has_value();
  for (int64_t i = 0; labels.are_text && i < std::ssize(*text); ++i) labels.integers.push_back(i);
  if (labels.integers.empty()) return MakeError(label::model_malformed, "it has no labels of classes");
  return labels;
}

// A constant column of what a list of labels has at `places`.
absl::StatusOr<ExactValue> LabelsAt(ExactNode& node, const ClassLabels& labels, Value places) {
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kGather, {ListOf(node.c(), labels.integers), places},
                                                 GatherAttrs{0}));
  return ExactValue{y, 0, labels.are_text ? TensorProto::STRING : TensorProto::INT64};
}

}  // namespace

absl::StatusOr<ExactResults> ExactTreeEnsembleRegressor(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, Features(node));
  ASSIGN_OR_RETURN(const std::string aggregate, node.attributes().String("aggregate_function", "SUM"));
  ASSIGN_OR_RETURN(const std::string transform, node.attributes().String("post_transform", "NONE"));
  ASSIGN_OR_RETURN(const int64_t targets, node.attributes().Int("n_targets", 1));
  ASSIGN_OR_RETURN(TreeEnsemble trees, ReadTrees(node, {"target", node.c().shape(x.value)[1]}));
  if (transform != "NONE" && transform != "LOGISTIC")
    return MakeError(label::model_inexact,
                     "post_transform is " + PrintableStart(transform) + "; NONE and LOGISTIC are imported");
  const auto num_trees = static_cast<double>(trees.roots.size());
  if (aggregate == "AVERAGE") {
    for (LeafWeight& leaf : trees.weights) leaf.weight /= num_trees;
  } else if (aggregate != "SUM") {
    return UnsupportedAttribute("aggregate_function is imported as SUM and AVERAGE");
  }
  ASSIGN_OR_RETURN(const ExactValue sums, Sums(node, x, trees, targets));
  ASSIGN_OR_RETURN(const ExactValue shown, Probabilities(node, sums, transform));
  return ExactResults{shown};
}

// Labels and scores. Of two classes a file may have the weights of one alone.
absl::StatusOr<ExactResults> ExactTreeEnsembleClassifier(ExactNode& node) {
  Composition& c = node.c();
  ASSIGN_OR_RETURN(const ExactValue x, Features(node));
  ASSIGN_OR_RETURN(const ClassLabels labels, ReadClassLabels(node));
  ASSIGN_OR_RETURN(const std::string transform, node.attributes().String("post_transform", "NONE"));
  ASSIGN_OR_RETURN(TreeEnsemble trees, ReadTrees(node, {"class", c.shape(x.value)[1]}));
  const bool has_one_class = labels.integers.size() == 2 && !trees.weights.empty() && trees.base.size() < 2 &&
                             std::ranges::all_of(trees.weights, [&](const LeafWeight& leaf) {
                               return leaf.target == trees.weights[0].target;
                             });
  const bool wants_scores = node.num_outputs() > 1;
  if (!has_one_class) {
    ASSIGN_OR_RETURN(const ExactValue scores, Sums(node, x, trees, std::ssize(labels.integers)));
    ASSIGN_OR_RETURN(
        const Value best,
        c.Apply(Opcode::kArgExtreme, {scores.value},
                ArgExtremeAttrs{.kind = Extreme::kMax, .ties = Ties::kLowest, .axis = 1, .keepdims = false}));
    ASSIGN_OR_RETURN(const ExactValue y, LabelsAt(node, labels, best));
    if (!wants_scores) return ExactResults{y};  // every transform keeps the order
    ASSIGN_OR_RETURN(const ExactValue shown, Probabilities(node, scores, transform));
    return ExactResults{y, shown};
  }
  // A score of the second class: probabilities, where all weights are positive, are compared with one half.
  const bool are_shares =
      std::ranges::all_of(trees.weights, [](const LeafWeight& leaf) { return leaf.weight >= 0; });
  for (LeafWeight& leaf : trees.weights) leaf.target = 0;
  ASSIGN_OR_RETURN(ExactValue score, Sums(node, x, trees, 1));
  if (are_shares && score.fraction_bits == 0) {
    ASSIGN_OR_RETURN(score, node.WithFractionBits(score, 1));  // a half
  }
  const int64_t one = int64_t{1} << score.fraction_bits;
  const Value bound = c.Constant({}, {are_shares ? one / 2 : 0});
  ASSIGN_OR_RETURN(const Value is_second,
                   c.Apply(Opcode::kCompare, {score.value, bound}, CompareAttrs{Comparison::kGreater}));
  ASSIGN_OR_RETURN(const Value places,
                   c.Apply(Opcode::kReshape, {is_second}, ReshapeAttrs{{c.shape(x.value)[0]}}));
  ASSIGN_OR_RETURN(const ExactValue y, LabelsAt(node, labels, places));
  if (!wants_scores) return ExactResults{y};
  ASSIGN_OR_RETURN(const ExactValue shown, ProbabilitiesOfTwo(node, score, are_shares, transform));
  return ExactResults{y, shown};
}

// (x - offset) * scale, of each feature or of all.
absl::StatusOr<ExactResults> ExactScaler(ExactNode& node) {
  Composition& c = node.c();
  ASSIGN_OR_RETURN(const ExactValue x, Features(node));
  const int64_t features = c.shape(x.value)[1];
  const auto list = [&](const char* name) -> absl::StatusOr<std::optional<ExactValue>> {
    ASSIGN_OR_RETURN(const std::vector<double> reals, ReadFloats(node, name));
    if (reals.empty()) return std::optional<ExactValue>();
    if (reals.size() != 1 && std::ssize(reals) != features)
      return MakeError(label::model_shape,
                       absl::StrCat(name, " has ", reals.size(), " numbers for ", features, " features"));
    double largest = 0;
    for (const double real : reals) largest = std::max(largest, std::abs(real));
    if (largest > kLargest)
      return MakeError(label::model_inexact, absl::StrCat(name, " is too large for 47 bits"));
    const FixedList fixed = ToFixed(reals, largest);
    const bool is_exact = [&] {
      for (size_t i = 0; i < reals.size(); ++i) {
        if (std::ldexp(static_cast<double>(fixed.integers[i]), -fixed.fraction_bits) != reals[i])
          return false;
      }
      return true;
    }();
    if (!is_exact) return MakeError(label::model_inexact, absl::StrCat(name, " does not fit 47 bits"));
    return std::optional(ExactValue{c.Constant({1, std::ssize(reals)}, fixed.integers), fixed.fraction_bits,
                                    TensorProto::FLOAT});
  };
  ExactValue y = x;
  ASSIGN_OR_RETURN(const auto offset, list("offset"));
  if (offset.has_value()) {
    ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, *offset}));
    ASSIGN_OR_RETURN(const Value less, c.Apply(Opcode::kBroadcastSub, {aligned[0].value, aligned[1].value}));
    y = aligned[0].With(less);
  }
  ASSIGN_OR_RETURN(const auto scale, list("scale"));
  if (scale.has_value()) {
    ASSIGN_OR_RETURN(const Value product, c.Apply(Opcode::kBroadcastMul, {y.value, scale->value}));
    y = {product, y.fraction_bits + scale->fraction_bits, TensorProto::FLOAT};
  }
  y.data_type = TensorProto::FLOAT;
  return ExactResults{y};
}

// The columns that a list names.
absl::StatusOr<ExactResults> ExactArrayFeatureExtractor(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> columns, node.Ints(1));
  const Shape& shape = node.c().shape(x.value);
  if (shape.rank() < 1 || columns.empty())
    return MakeError(label::model_shape, "it extracts from no columns");
  for (const int64_t column : columns) {
    if (column < 0 || column >= shape[shape.rank() - 1])
      return MakeError(label::model_malformed, "it extracts a column that is not there");
  }
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kGather, {x.value, ListOf(node.c(), columns)},
                                                 GatherAttrs{shape.rank() - 1}));
  return ExactResults{x.With(y)};
}

// Integers to integers or floats, by a table over all from the least key to the largest.
absl::StatusOr<ExactResults> ExactLabelEncoder(ExactNode& node) {
  Composition& c = node.c();
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> keys, ReadInts(node, "keys_int64s"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> integers, ReadInts(node, "values_int64s"));
  ASSIGN_OR_RETURN(const std::vector<double> floats, ReadFloats(node, "values_floats"));
  ASSIGN_OR_RETURN(const int64_t other_integer, node.attributes().Int("default_int64", -1));
  ASSIGN_OR_RETURN(const float other_float, node.attributes().Float("default_float", -0.0f));
  const bool gives_floats = integers.empty();
  if (keys.empty() || keys.size() != (gives_floats ? floats.size() : integers.size()) || x.fraction_bits != 0)
    return UnsupportedAttribute(
        "labels are imported from integers to integers or floats, keys_int64s to values_int64s "
        "or values_floats");
  const auto [least, largest] = std::minmax_element(keys.begin(), keys.end());
  constexpr int64_t kMostPlaces = int64_t{1} << 20;
  int64_t places = 0;
  if (!CheckedSub(*largest, *least, &places) || places > kMostPlaces || *least < -kLargest ||
      *largest > kLargest)
    return MakeError(label::model_too_large, "its keys are further apart than 2^20, or beyond 47 bits");
  std::vector<double> values = floats;
  values.insert(values.end(), integers.begin(), integers.end());
  values.push_back(gives_floats ? other_float : static_cast<double>(other_integer));
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  if (most > kLargest) return MakeError(label::model_inexact, "its values are too large for 47 bits");
  const FixedList fixed = ToFixed(values, most);
  // The first and the last place are those of what is no key.
  std::vector<int64_t> table(static_cast<size_t>(places + 3), fixed.integers.back());
  for (size_t i = keys.size(); i-- > 0;)
    table[static_cast<size_t>(keys[i] - *least + 1)] = fixed.integers[i];  // the first of several keys
  ASSIGN_OR_RETURN(Value place, c.Apply(Opcode::kBroadcastSub, {x.value, c.Constant({}, {*least - 1})}));
  ASSIGN_OR_RETURN(place, c.Apply(Opcode::kBroadcastMax, {place, c.Constant({}, {0})}));
  ASSIGN_OR_RETURN(place, c.Apply(Opcode::kBroadcastMin, {place, c.Constant({}, {places + 2})}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kGather, {ListOf(c, table), place}, GatherAttrs{0}));
  return ExactResults{
      ExactValue{y, fixed.fraction_bits, gives_floats ? TensorProto::FLOAT : TensorProto::INT64}};
}

// Scores under the names of their classes: the scores.
absl::StatusOr<ExactResults> ExactZipMap(ExactNode& node) {
  for (const char* names : {"classlabels_int64s", "classlabels_strings"}) node.attributes().Ignore(names);
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  return ExactResults{x};
}

}  // namespace tally::onnx
