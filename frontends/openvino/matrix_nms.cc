// MatrixNms: the score of a box decays with its overlap with better boxes of its class, all at once.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Shape;
using quant::TopK;
using quant::TopKResult;

struct Rules {
  int64_t most_of_class = -1, most_of_image = -1, background = -1;  // -1: all, all, none
  bool is_gaussian = false, sorts_by_class = false;
  float sigma = 2, score_threshold = 0, post_threshold = 0;
  float side_offset = 0;  // 1 where boxes end with their last pixel
};

absl::StatusOr<Rules> ReadRules(IrNode& node) {
  Rules rules;
  ASSIGN_OR_RETURN(rules.most_of_class, node.Int("nms_top_k", -1));
  ASSIGN_OR_RETURN(rules.most_of_image, node.Int("keep_top_k", -1));
  ASSIGN_OR_RETURN(rules.background, node.Int("background_class", -1));
  ASSIGN_OR_RETURN(rules.sigma, node.Float("gaussian_sigma", 2));
  ASSIGN_OR_RETURN(rules.score_threshold, node.Float("score_threshold", 0));
  ASSIGN_OR_RETURN(rules.post_threshold, node.Float("post_threshold", 0));
  ASSIGN_OR_RETURN(const bool is_normalized, node.Flag("normalized", true));
  rules.side_offset = is_normalized ? 0.0f : 1.0f;
  ASSIGN_OR_RETURN(const std::string decay, node.Word("decay_function", "linear"));
  ASSIGN_OR_RETURN(const std::string order, node.Word("sort_result_type", "none"));
  ASSIGN_OR_RETURN(const bool across, node.Flag("sort_result_across_batch", false));
  rules.is_gaussian = decay == "gaussian";
  rules.sorts_by_class = order == "classid";
  RETURN_IF_ERROR(node.Word("output_type", "i64").status());
  if (decay != "linear" && !rules.is_gaussian)
    return Malformed("decay_function is " + PrintableStart(decay) + "; known are linear and gaussian");
  if (order != "none" && order != "score" && !rules.sorts_by_class)
    return Malformed("sort_result_type is " + PrintableStart(order) +
                     "; known are \"none\", score and classid");
  if (across) return Unsupported("boxes of several images sorted together (sort_result_across_batch)");
  return rules;
}

// Flags of two, both.
absl::StatusOr<Operand> Both(IrNode& node, const Operand& a, const Operand& b) { return Product(node, a, b); }

absl::StatusOr<Operand> IsAbove(IrNode& node, const Operand& x, float bound) {
  ASSIGN_OR_RETURN(const Operand threshold, node.NewConstant(bound, "threshold"));
  return node.Emit(quant::Compare{Comparison::kGreater}, {x, threshold}, "is_above");
}

// x [.., K, 1] as [.., 1, K].
absl::StatusOr<Operand> AsRow(IrNode& node, const Operand& x) {
  Shape shape = x.shape();
  std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  return node.Emit(quant::Reshape{std::move(shape)}, {x}, "row");
}

// The parts of their union that two boxes of [.., K, 4] have in common, [.., K, K].
absl::StatusOr<Operand> Overlaps(IrNode& node, const Operand& boxes, float side_offset) {
  constexpr float kLeast = 1e-10f, kInfinity = std::numeric_limits<float>::infinity();
  const size_t last = boxes.shape().size() - 1;
  std::optional<Operand> common, area;
  for (int64_t axis = 0; axis < 2; ++axis) {
    ASSIGN_OR_RETURN(const Operand begin, Part(node, boxes, last, axis, axis + 1, "begin"));
    ASSIGN_OR_RETURN(const Operand end, Part(node, boxes, last, axis + 2, axis + 3, "end"));
    ASSIGN_OR_RETURN(const Operand begins, AsRow(node, begin));
    ASSIGN_OR_RETURN(const Operand ends, AsRow(node, end));
    ASSIGN_OR_RETURN(const Operand first, Larger(node, begin, begins));
    ASSIGN_OR_RETURN(const Operand past, Smaller(node, end, ends));
    ASSIGN_OR_RETURN(Operand shared, Difference(node, past, first));
    ASSIGN_OR_RETURN(shared, Affine(node, shared, 1, side_offset));
    ASSIGN_OR_RETURN(shared, Clip(node, shared, 0, kInfinity));
    ASSIGN_OR_RETURN(Operand side, Difference(node, end, begin));
    ASSIGN_OR_RETURN(side, Affine(node, side, 1, side_offset));
    ASSIGN_OR_RETURN(common, common.has_value() ? Product(node, *common, shared) : shared);
    ASSIGN_OR_RETURN(area, area.has_value() ? Product(node, *area, side) : side);
  }
  ASSIGN_OR_RETURN(const Operand areas, AsRow(node, *area));
  ASSIGN_OR_RETURN(const Operand sum, Sum(node, *area, areas));
  ASSIGN_OR_RETURN(Operand both, Difference(node, sum, *common));
  ASSIGN_OR_RETURN(both, Clip(node, both, kLeast, kInfinity));
  return Quotient(node, *common, both);
}

// The least factor by which a better box has a score decay, [B, C, K]. Boxes [B, C, K, 4]: the best first.
absl::StatusOr<Operand> Decay(IrNode& node, const Operand& boxes, const Rules& rules) {
  constexpr float kLeast = 1e-6f, kInfinity = std::numeric_limits<float>::infinity();
  const int64_t count = boxes.shape()[2];
  ASSIGN_OR_RETURN(const Operand overlaps, Overlaps(node, boxes, rules.side_offset));
  RETURN_IF_ERROR(quant::CheckShape(Shape{count, count}));
  RETURN_IF_ERROR(node.Charge(count * count));
  quant::Int64Tensor better{{count, count}, {}};
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < count; ++j) better.data.push_back(j < i ? 1 : 0);
  }
  ASSIGN_OR_RETURN(const Operand is_better, node.NewConstant(std::move(better), "is_better"));
  ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(0.0f, "zero"));
  ASSIGN_OR_RETURN(const Operand one, node.NewConstant(1.0f, "one"));
  ASSIGN_OR_RETURN(const Operand with_better,
                   node.Emit(quant::Where{}, {is_better, overlaps, zero}, "with_better"));
  ASSIGN_OR_RETURN(const Operand largest,
                   node.Emit(quant::ReduceExtreme{{3}, true}, {with_better}, "largest"));
  ASSIGN_OR_RETURN(const Operand of_better, AsRow(node, largest));
  Operand factor;
  if (rules.is_gaussian) {
    ASSIGN_OR_RETURN(const Operand own, Product(node, overlaps, overlaps));
    ASSIGN_OR_RETURN(const Operand other, Product(node, of_better, of_better));
    ASSIGN_OR_RETURN(Operand power, Difference(node, other, own));
    ASSIGN_OR_RETURN(power, Affine(node, power, rules.sigma, 0));
    ASSIGN_OR_RETURN(factor, node.Emit(quant::Unary{RecipeFunction::kExp}, {power}, "factor"));
  } else {
    ASSIGN_OR_RETURN(const Operand own, Difference(node, one, overlaps));
    ASSIGN_OR_RETURN(Operand other, Difference(node, one, of_better));
    ASSIGN_OR_RETURN(other, Clip(node, other, kLeast, kInfinity));
    ASSIGN_OR_RETURN(factor, Quotient(node, own, other));
  }
  ASSIGN_OR_RETURN(factor, node.Emit(quant::Where{}, {is_better, factor, one}, "decay"));
  return node.Emit(quant::ReduceExtreme{{3}, false, /*is_min=*/true}, {factor}, "least");
}

// x without the slices of axis 1 of the class that is the background.
absl::StatusOr<Operand> WithoutBackground(IrNode& node, const Operand& scores, int64_t background) {
  const int64_t classes = scores.shape()[1];
  if (background < 0 || background >= classes) return scores;
  std::vector<Operand> parts;
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>(0, background), {background + 1, classes}}) {
    if (begin == end) continue;
    ASSIGN_OR_RETURN(parts.emplace_back(), Part(node, scores, 1, begin, end, "classes"));
  }
  if (parts.empty()) return MakeError(label::model_shape, "its only class is the background");
  if (parts.size() == 1) return parts[0];
  return node.Emit(quant::Concat{1}, parts, "classes");
}

// Rows of images that each place [B, M] names, of x [B, P, ..].
absl::StatusOr<Operand> At(IrNode& node, const Operand& x, const Operand& places) {
  Shape tuples = places.shape();
  tuples.push_back(1);
  ASSIGN_OR_RETURN(const Operand each, node.Emit(quant::Reshape{std::move(tuples)}, {places}, "tuples"));
  return GatherTuples(node, x, each, 1);
}

absl::StatusOr<Operand> Best(IrNode& node, const Operand& x, const TopK& how, TopKResult result) {
  TopK top = how;
  top.result = result;
  return node.Emit(top, {x}, result == TopKResult::kValues ? "best" : "places");
}

// Columns [B, M] of floats, [B, M, 4] of corners, flags and numbers of boxes, in one order.
struct Rows {
  Operand labels, scores, corners, is_there, ids;
};

// The rows of each image in the order of `keys` [B, M], the least first, and of equal ones as they are.
absl::Status Sort(IrNode& node, const Operand& keys, Rows& rows) {
  const TopK all = {.axis = 1, .k = keys.shape()[1], .is_min = true};
  ASSIGN_OR_RETURN(const Operand order, Best(node, keys, all, TopKResult::kIndices));
  for (Operand* column : {&rows.labels, &rows.scores, &rows.corners, &rows.is_there, &rows.ids}) {
    ASSIGN_OR_RETURN(*column, At(node, *column, order));
  }
  return absl::OkStatus();
}

absl::StatusOr<Rows> RowsOf(IrNode& node, const Operand& boxes, const Operand& given, const Rules& rules) {
  ASSIGN_OR_RETURN(const Operand scores, WithoutBackground(node, given, rules.background));
  const int64_t batch = scores.shape()[0], classes = scores.shape()[1], all = scores.shape()[2];
  const int64_t count = rules.most_of_class < 0 ? all : std::min(all, rules.most_of_class);
  if (count < 1 || rules.most_of_image == 0)
    return MakeError(label::model_shape, "nms_top_k or keep_top_k is 0: an empty result");
  const TopK of_class = {.axis = 2, .k = count};
  ASSIGN_OR_RETURN(const Operand best, Best(node, scores, of_class, TopKResult::kValues));
  ASSIGN_OR_RETURN(const Operand which, Best(node, scores, of_class, TopKResult::kIndices));
  const Shape flat = {batch, classes * count};
  ASSIGN_OR_RETURN(const Operand ids, node.Emit(quant::Reshape{flat}, {which}, "ids"));
  ASSIGN_OR_RETURN(const Operand corners, At(node, boxes, ids));
  ASSIGN_OR_RETURN(const Operand by_class,
                   node.Emit(quant::Reshape{{batch, classes, count, 4}}, {corners}, "by_class"));
  ASSIGN_OR_RETURN(const Operand factor, Decay(node, by_class, rules));
  ASSIGN_OR_RETURN(const Operand decayed, Product(node, best, factor));
  ASSIGN_OR_RETURN(const Operand was_above, IsAbove(node, best, rules.score_threshold));
  ASSIGN_OR_RETURN(const Operand is_above, IsAbove(node, decayed, rules.post_threshold));
  ASSIGN_OR_RETURN(const Operand is_taken, Both(node, was_above, is_above));
  const float none = std::min(rules.post_threshold, 0.0f) - 1;
  ASSIGN_OR_RETURN(const Operand never, node.NewConstant(none, "none"));
  ASSIGN_OR_RETURN(const Operand taken, node.Emit(quant::Where{}, {is_taken, decayed, never}, "taken"));
  ASSIGN_OR_RETURN(const Operand candidates, node.Emit(quant::Reshape{flat}, {taken}, "candidates"));
  const int64_t most = rules.most_of_image < 0 ? flat[1] : std::min(flat[1], rules.most_of_image);
  const TopK of_image = {.axis = 1, .k = most};
  Rows rows;
  ASSIGN_OR_RETURN(rows.scores, Best(node, candidates, of_image, TopKResult::kValues));
  ASSIGN_OR_RETURN(const Operand places, Best(node, candidates, of_image, TopKResult::kIndices));
  ASSIGN_OR_RETURN(rows.is_there, IsAbove(node, rows.scores, none / 2));
  RETURN_IF_ERROR(node.Charge(batch * flat[1]));
  quant::Int64Tensor names{{batch, flat[1]}, {}};
  for (int64_t i = 0; i < batch * flat[1]; ++i) {
    const int64_t index = i % flat[1] / count;
    names.data.push_back(rules.background >= 0 && index >= rules.background ? index + 1 : index);
  }
  ASSIGN_OR_RETURN(const Operand labels, node.NewConstant(std::move(names), "labels"));
  ASSIGN_OR_RETURN(rows.labels, At(node, labels, places));
  ASSIGN_OR_RETURN(rows.corners, At(node, corners, places));
  ASSIGN_OR_RETURN(rows.ids, At(node, ids, places));
  return rows;
}

// x in rows that are there, else -1.
absl::StatusOr<Operand> Filled(IrNode& node, const Operand& is_there, const Operand& x) {
  ASSIGN_OR_RETURN(const Operand none,
                   x.is_integer() ? node.NewConstant(int64_t{-1}, "none") : node.NewConstant(-1.0f, "none"));
  return node.Emit(quant::Where{}, {is_there, x, none}, "filled");
}

}  // namespace

// Rows (class, score, x1, y1, x2, y2), their numbers among all boxes, and how many each image has. Rows that
// are not there follow the others and are -1.
absl::Status ImportMatrixNms(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand boxes, node.Input(0));
  ASSIGN_OR_RETURN(const Operand scores, node.Input(1));
  ASSIGN_OR_RETURN(const Rules rules, ReadRules(node));
  const Shape &b = boxes.shape(), &s = scores.shape();
  if (b.size() != 3 || s.size() != 3 || b[0] != s[0] || b[1] != s[2] || b[2] != 4) {
    return MakeError(label::model_shape,
                     "its boxes are " + quant::ToString(b) + ", and its scores " + quant::ToString(s));
  }
  ASSIGN_OR_RETURN(Rows rows, RowsOf(node, boxes, scores, rules));
  const int64_t batch = s[0], most = rows.scores.shape()[1], all = batch * most;
  if (rules.sorts_by_class) {
    ASSIGN_OR_RETURN(const Operand last, node.NewConstant(s[1], "last"));
    ASSIGN_OR_RETURN(const Operand keys,
                     node.Emit(quant::Where{}, {rows.is_there, rows.labels, last}, "keys"));
    RETURN_IF_ERROR(Sort(node, keys, rows));
  }
  ASSIGN_OR_RETURN(const Operand counts, node.Emit(quant::ReduceSum{{1}, false}, {rows.is_there}, "counts"));
  quant::Int64Tensor first{{batch, 1}, {}};
  for (int64_t i = 0; i < batch; ++i) first.data.push_back(i * s[2]);
  ASSIGN_OR_RETURN(const Operand firsts, node.NewConstant(std::move(first), "first_boxes"));
  ASSIGN_OR_RETURN(rows.ids, Sum(node, rows.ids, firsts));
  const std::pair<Operand*, Shape> columns[] = {{&rows.labels, {1, all}},
                                                {&rows.scores, {1, all}},
                                                {&rows.corners, {1, all, 4}},
                                                {&rows.is_there, {1, all}},
                                                {&rows.ids, {1, all}}};
  for (const auto& [column, shape] : columns) {
    ASSIGN_OR_RETURN(*column, node.Emit(quant::Reshape{shape}, {*column}, "of_all_images"));
  }
  if (batch > 1) {  // those of an image follow those of the image before
    ASSIGN_OR_RETURN(const Operand one, node.NewConstant(int64_t{1}, "one"));
    ASSIGN_OR_RETURN(const Operand keys, Difference(node, one, rows.is_there));
    RETURN_IF_ERROR(Sort(node, keys, rows));
  }
  ASSIGN_OR_RETURN(const Operand is_there, node.Emit(quant::Reshape{{all, 1}}, {rows.is_there}, "is_there"));
  ASSIGN_OR_RETURN(Operand labels, node.Emit(quant::ToFloat{}, {rows.labels}, "labels"));
  ASSIGN_OR_RETURN(labels, node.Emit(quant::Reshape{{all, 1}}, {labels}, "labels"));
  ASSIGN_OR_RETURN(const Operand marks, node.Emit(quant::Reshape{{all, 1}}, {rows.scores}, "scores"));
  ASSIGN_OR_RETURN(const Operand corners, node.Emit(quant::Reshape{{all, 4}}, {rows.corners}, "corners"));
  ASSIGN_OR_RETURN(const Operand joined, node.Emit(quant::Concat{1}, {labels, marks, corners}, "rows"));
  RETURN_IF_ERROR(node.FinishAs(Filled(node, is_there, joined)));
  if (node.num_outputs() == 1) return node.CountRows(counts);
  ASSIGN_OR_RETURN(const Operand numbers, node.Emit(quant::Reshape{{all, 1}}, {rows.ids}, "numbers"));
  if (node.IsRead(1)) RETURN_IF_ERROR(node.FinishOutputAs(1, Filled(node, is_there, numbers)));
  if (node.num_outputs() > 2) RETURN_IF_ERROR(node.FinishOutputAs(2, counts));
  return absl::OkStatus();
}

}  // namespace tally::openvino
