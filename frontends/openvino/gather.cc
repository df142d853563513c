// Operations that choose or replace elements by indices, and sums of rows that they choose.
#include "frontends/graph/compositions/gather.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/resize.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using List = std::vector<int64_t>;

// The first `batch_dims` axes are those of both: places along them are counted, not given.
absl::StatusOr<Operand> GatherInBatches(IrNode& node, const Operand& x, const Operand& indices, int64_t axis,
                                        int64_t batch_dims) {
  const int64_t rank = std::ssize(x.shape()), new_axes = std::ssize(indices.shape()) - batch_dims;
  List to_front;  // the axis next to those of the batch
  for (int64_t i = 0; i < rank; ++i) {
    if (i == batch_dims) to_front.push_back(axis);
    if (i != axis) to_front.push_back(i);
  }
  if (std::ssize(to_front) < rank) to_front.push_back(axis);
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{to_front}, {x}, "moved"));
  List tuples = indices.shape();
  tuples.push_back(1);
  ASSIGN_OR_RETURN(const Operand each, node.Emit(quant::Reshape{std::move(tuples)}, {indices}, "tuples"));
  ASSIGN_OR_RETURN(const Operand chosen, GatherTuples(node, moved, each, batch_dims));
  List back;  // the new axes after those in front of `axis`
  for (int64_t i = 0; i < batch_dims; ++i) back.push_back(i);
  for (int64_t i = batch_dims; i < axis; ++i) back.push_back(i + new_axes);
  for (int64_t i = 0; i < new_axes; ++i) back.push_back(batch_dims + i);
  for (int64_t i = axis + new_axes; i < rank - 1 + new_axes; ++i) back.push_back(i);
  if (std::ranges::is_sorted(back)) return chosen;
  return node.Emit(quant::Transpose{back}, {chosen}, "back");
}

struct ScatterReduction {
  ScatterKind kind = ScatterKind::kUpdate;
  bool is_mean = false;          // for floats: the sum over the number of its terms
  bool from_first_value = true;  // else an element that has updates begins with them
};

// ScatterElementsUpdate has a reduction from opset 12 on, ScatterNDUpdate from opset 15 on.
absl::StatusOr<ScatterReduction> ReadReduction(IrNode& node) {
  ScatterReduction read;
  ASSIGN_OR_RETURN(const std::string reduction, node.Word("reduction", "none"));
  ASSIGN_OR_RETURN(read.from_first_value, node.Flag("use_init_val", true));
  if (reduction == "none") return read;
  read.is_mean = reduction == "mean";
  const std::string name = reduction == "sum" || read.is_mean ? "add"
                           : reduction == "prod"              ? "mul"
                                                              : reduction;
  ASSIGN_OR_RETURN(read.kind, ByName<ScatterKind>(kScatterKindNames, name));
  return read;
}

// x scattered into, where each of its elements that has updates is the sum, product or extreme of them, with
// or without what it was.
absl::StatusOr<Operand> Reduced(IrNode& node, const Operand& x, const Operand& indices,
                                const Operand& updates, quant::Scatter scatter,
                                const ScatterReduction& reduction) {
  scatter.kind = reduction.kind;
  Operand first = x;
  const auto number = [&](const Operand& like, int64_t value) -> absl::StatusOr<Operand> {
    ASSIGN_OR_RETURN(const Operand one, like.is_integer()
                                            ? node.NewConstant(value, "number")
                                            : node.NewConstant(static_cast<float>(value), "number"));
    return node.Emit(quant::Expand{like.shape()}, {one}, "numbers");
  };
  if (!reduction.from_first_value && reduction.kind != ScatterKind::kUpdate) {
    // An extreme may begin with any of its updates, as it is one of them.
    quant::Scatter replace = scatter;
    replace.kind = ScatterKind::kUpdate;
    Operand neutral = updates;
    if (reduction.kind == ScatterKind::kAdd || reduction.kind == ScatterKind::kMul) {
      ASSIGN_OR_RETURN(neutral, number(updates, reduction.kind == ScatterKind::kMul ? 1 : 0));
    }
    ASSIGN_OR_RETURN(first, Scattered(node, x, indices, neutral, replace));
  }
  ASSIGN_OR_RETURN(const Operand reduced, Scattered(node, first, indices, updates, scatter));
  if (!reduction.is_mean) return reduced;
  if (x.is_integer()) return Unsupported("reduction mean of integers");
  ASSIGN_OR_RETURN(const Operand start, number(x, 1));
  ASSIGN_OR_RETURN(const Operand ones, number(updates, 1));
  ASSIGN_OR_RETURN(Operand terms, Scattered(node, start, indices, ones, scatter));
  if (!reduction.from_first_value) {  // the first value is no term, but where nothing else is
    ASSIGN_OR_RETURN(terms, node.Emit(quant::Sub{}, {terms, start}, "updates"));
    ASSIGN_OR_RETURN(terms, node.Emit(quant::Max{}, {terms, start}, "terms"));
  }
  return Quotient(node, reduced, terms);
}

absl::Status FinishScattered(IrNode& node, quant::Scatter scatter, bool has_axis,
                             const ScatterReduction& reduction = {}) {
  RETURN_IF_ERROR(node.CheckInputCount(has_axis ? 4 : 3, has_axis ? 4 : 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const Operand updates, node.Input(2));
  if (has_axis) {
    ASSIGN_OR_RETURN(const size_t axis, node.AxisInput(3, x.shape().size()));
    scatter.axis = static_cast<int64_t>(axis);
  }
  return node.FinishAs(Reduced(node, x, indices, updates, scatter, reduction));
}

// Rows of a table, and how often each sum has each of them: at most one bag has a row.
struct Bags {
  List bag_of;  // by index
  int64_t count = 0;
};

// table [V, ..], indices [I] -> [bags, ..]. An empty bag is row `fallback` of the table, or 0.
absl::Status FinishBags(IrNode& node, const Bags& bags, size_t fallback_input, size_t weights_input) {
  ASSIGN_OR_RETURN(const Operand table, node.Input(0));
  ASSIGN_OR_RETURN(Operand indices, node.Input(1));
  const auto entries = static_cast<int64_t>(bags.bag_of.size());
  if (table.shape().size() < 2 || indices.shape() != quant::Shape{entries})
    return MakeError(label::model_shape, "its indices are not those of its bags");
  if (bags.count < 1 || bags.count > quant::kMaxAttribute)
    return Malformed("has " + std::to_string(bags.count) + " bags, not 1 to " +
                     std::to_string(quant::kMaxAttribute));
  RETURN_IF_ERROR(node.Charge(bags.count));
  int64_t fallback = -1;
  if (node.HasInput(fallback_input)) {
    ASSIGN_OR_RETURN(fallback, node.Number(fallback_input));
  }
  std::vector<bool> is_filled(static_cast<size_t>(bags.count), false);
  for (const int64_t bag : bags.bag_of) {
    if (bag < 0 || bag >= bags.count) return Malformed("a bag is out of range");
    is_filled[static_cast<size_t>(bag)] = true;
  }
  const bool falls_back = fallback >= 0 && std::ranges::count(is_filled, false) > 0;
  const int64_t columns = entries + (falls_back ? 1 : 0);
  RETURN_IF_ERROR(
      node.Charge(bags.count > (int64_t{1} << 40) / columns ? int64_t{1} << 40 : bags.count * columns));
  quant::FloatTensor sums{{bags.count, columns}, {}};
  sums.data.resize(static_cast<size_t>(bags.count * columns));
  for (size_t i = 0; i < bags.bag_of.size(); ++i)
    sums.data[static_cast<size_t>(bags.bag_of[i] * columns) + i] = 1;
  for (int64_t bag = 0; falls_back && bag < bags.count; ++bag) {
    if (!is_filled[static_cast<size_t>(bag)]) sums.data[static_cast<size_t>((bag + 1) * columns - 1)] = 1;
  }
  if (falls_back) {
    ASSIGN_OR_RETURN(const Operand last, node.NewConstant(quant::Int64Tensor{{1}, {fallback}}, "fallback"));
    ASSIGN_OR_RETURN(indices, node.Emit(quant::Concat{0}, {indices, last}, "indices"));
  }
  ASSIGN_OR_RETURN(Operand rows, GatherSlices(node, table, indices, 0));
  const quant::Shape shape = rows.shape();
  const int64_t width = quant::NumElements(shape) / columns;
  ASSIGN_OR_RETURN(rows, node.Emit(quant::Reshape{{columns, width}}, {rows}, "rows"));
  if (node.HasInput(weights_input)) {
    ASSIGN_OR_RETURN(Operand weights, node.Input(weights_input));
    if (falls_back) {
      ASSIGN_OR_RETURN(const Operand one, node.NewConstant(quant::FloatTensor{{1}, {1}}, "one"));
      ASSIGN_OR_RETURN(weights, node.Emit(quant::Concat{0}, {weights, one}, "weights"));
    }
    ASSIGN_OR_RETURN(weights, node.Emit(quant::Reshape{{columns, 1}}, {weights}, "column"));
    ASSIGN_OR_RETURN(rows, node.Emit(quant::Mul{}, {rows, weights}, "weighted"));
  }
  ASSIGN_OR_RETURN(const Operand which, node.NewConstant(std::move(sums), "bags"));
  ASSIGN_OR_RETURN(const Operand summed, node.Emit(quant::MatMul{}, {which, rows}, "sums"));
  quant::Shape result = shape;
  result[0] = bags.count;
  return node.Finish(quant::Reshape{std::move(result)}, {summed});
}

}  // namespace

absl::Status ImportGather(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const size_t place, node.AxisInput(2, x.shape().size()));
  const auto axis = static_cast<int64_t>(place);
  ASSIGN_OR_RETURN(int64_t batch_dims, node.Int("batch_dims", 0));
  if (batch_dims < 0) batch_dims += std::ssize(indices.shape());
  if (batch_dims < 0 || batch_dims > axis || batch_dims > std::ssize(indices.shape()))
    return Malformed("batch_dims is out of range");
  if (batch_dims == 0) return node.FinishAs(GatherSlices(node, x, indices, axis));
  return node.FinishAs(GatherInBatches(node, x, indices, axis, batch_dims));
}

absl::Status ImportGatherElements(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis"));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  return node.FinishAs(GatherFromLines(node, x, indices, axis));
}

// Before opset 8 the axes of the batch become one.
absl::Status ImportGatherND(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.Int("batch_dims", 0));
  ASSIGN_OR_RETURN(const Operand chosen, GatherTuples(node, x, indices, batch_dims));
  if (node.opset() >= 8 || batch_dims < 2) return node.FinishAs(chosen);
  quant::Shape shape = chosen.shape();
  for (int64_t i = 1; i < batch_dims; ++i) {
    shape[0] *= shape[1];
    shape.erase(shape.begin() + 1);
  }
  return node.Finish(quant::Reshape{std::move(shape)}, {chosen});
}

absl::Status ImportScatterElementsUpdate(IrNode& node) {
  ASSIGN_OR_RETURN(const ScatterReduction reduction, ReadReduction(node));
  return FinishScattered(node, {.form = quant::Scatter::Form::kElements}, true, reduction);
}
absl::Status ImportScatterUpdate(IrNode& node) {
  return FinishScattered(node, {.form = quant::Scatter::Form::kSlices}, true);
}
// By constants, each element comes from x or from the updates, and stays on its grid.
absl::Status ImportScatterNDUpdate(IrNode& node) {
  ASSIGN_OR_RETURN(const ScatterReduction reduction, ReadReduction(node));
  const auto indices = node.IntConstant(1);
  if (!indices.ok() || reduction.kind != ScatterKind::kUpdate)
    return FinishScattered(node, {.form = quant::Scatter::Form::kTuples}, false, reduction);
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand updates, node.Input(2));
  return node.FinishAs(ReplaceTuples(node, x, **indices, updates));
}

absl::Status ImportNonZero(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  RETURN_IF_ERROR(node.Word("output_type", "i64").status());
  ASSIGN_OR_RETURN(const Found found, NonZeroPlaces(node, x, quant::NumElements(x.shape())));
  RETURN_IF_ERROR(node.Finish(quant::Transpose{{1, 0}}, {found.places}));
  return found.count.has_value() ? node.CountRows(*found.count, /*axis=*/1) : absl::OkStatus();
}

// Bag i has the indices from offset i up to the next.
absl::Status ImportEmbeddingBagOffsetsSum(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 5));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const List offsets, node.List(2));
  const int64_t entries = quant::NumElements(indices.shape());
  Bags bags = {.count = std::ssize(offsets)};
  RETURN_IF_ERROR(node.Charge(entries));
  for (size_t bag = 0; bag < offsets.size(); ++bag) {
    const int64_t end = bag + 1 < offsets.size() ? offsets[bag + 1] : entries;
    if (offsets[bag] != std::ssize(bags.bag_of) || end < offsets[bag] || end > entries)
      return Malformed("its offsets do not ascend from 0");
    bags.bag_of.resize(static_cast<size_t>(end), static_cast<int64_t>(bag));
  }
  return FinishBags(node, bags, 3, 4);
}

absl::Status ImportEmbeddingSegmentsSum(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 6));
  Bags bags;
  ASSIGN_OR_RETURN(bags.bag_of, node.List(2));
  ASSIGN_OR_RETURN(bags.count, node.Number(3));
  return FinishBags(node, bags, 4, 5);
}

// table [V, ..], indices [B, n] -> the sums of n rows.
absl::Status ImportEmbeddingBagPackedSum(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const Operand table, node.Input(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  if (indices.shape().size() != 2) return MakeError(label::model_shape, "its indices are not a matrix");
  ASSIGN_OR_RETURN(Operand rows, GatherSlices(node, table, indices, 0));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(Operand weights, node.Input(2));
    quant::Shape shape = weights.shape();
    shape.resize(rows.shape().size(), 1);
    ASSIGN_OR_RETURN(weights, node.Emit(quant::Reshape{std::move(shape)}, {weights}, "weights"));
    ASSIGN_OR_RETURN(rows, node.Emit(quant::Mul{}, {rows, weights}, "weighted"));
  }
  return node.Finish(quant::ReduceSum{{1}, false}, {rows});
}

}  // namespace tally::openvino
