// Places within blocks as batches, and back.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using List = std::vector<int64_t>;

// Three lists with a number for each axis of x: sizes of blocks, and what is added or cut at both ends.
struct Blocks {
  Operand x;
  List size, begin, end;
};

absl::StatusOr<Blocks> ReadBlocks(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 4));
  Blocks read;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(read.size, node.List(1));
  ASSIGN_OR_RETURN(read.begin, node.List(2));
  ASSIGN_OR_RETURN(read.end, node.List(3));
  const size_t rank = read.x.shape().size();
  for (const List* list : {&read.size, &read.begin, &read.end}) {
    if (list->size() != rank) return Malformed("its lists are not those of the axes");
    if (std::ranges::any_of(*list, [](int64_t v) { return v < 0 || v > quant::kMaxAttribute; }))
      return Malformed("a size is out of range");
  }
  if (rank < 2 || read.size[0] != 1 || std::ranges::count(read.size, 0) > 0)
    return Malformed("its first block is not 1, or one is 0");
  return read;
}

}  // namespace

// [B, D1, ..] -> [B b1 .., D1 / b1, ..], after pads of zeros.
absl::Status ImportSpaceToBatch(IrNode& node) {
  ASSIGN_OR_RETURN(const Blocks read, ReadBlocks(node));
  Operand x = read.x;
  if (std::ranges::count(read.begin, 0) + std::ranges::count(read.end, 0) < 2 * std::ssize(read.size)) {
    ASSIGN_OR_RETURN(x, node.Emit(quant::Pad{quant::Pad::Mode::kZero, read.begin, read.end}, {x}, "padded"));
  }
  const quant::Shape shape = x.shape();
  const auto rank = std::ssize(shape);
  quant::Shape split = {shape[0]}, result = {shape[0]};
  List places, order;
  for (int64_t i = 1; i < rank; ++i) {
    const int64_t size = read.size[static_cast<size_t>(i)], length = shape[static_cast<size_t>(i)];
    if (length % size != 0) return MakeError(label::model_shape, "an axis is not made of whole blocks");
    split.push_back(length / size);
    split.push_back(size);
    result.push_back(length / size);
    result[0] *= size;
    order.push_back(2 * i);  // the places within blocks come first
    places.push_back(2 * i - 1);
  }
  order.push_back(0);
  order.insert(order.end(), places.begin(), places.end());
  ASSIGN_OR_RETURN(const Operand blocks, node.Emit(quant::Reshape{std::move(split)}, {x}, "blocks"));
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{std::move(order)}, {blocks}, "places"));
  return node.Finish(quant::Reshape{std::move(result)}, {moved});
}

// [B b1 .., D1, ..] -> [B, D1 b1, ..], less what is cut.
absl::Status ImportBatchToSpace(IrNode& node) {
  ASSIGN_OR_RETURN(const Blocks read, ReadBlocks(node));
  const quant::Shape shape = read.x.shape();
  const auto rank = std::ssize(shape);
  int64_t batch = shape[0];
  quant::Shape split(read.size.begin() + 1, read.size.end()), result = {1};
  List order = {rank - 1};
  for (int64_t i = 1; i < rank; ++i) {
    const int64_t size = read.size[static_cast<size_t>(i)];
    if (batch % size != 0) return MakeError(label::model_shape, "the batch is not made of whole blocks");
    batch /= size;
    result.push_back(shape[static_cast<size_t>(i)] * size);
    order.push_back(rank - 1 + i);
    order.push_back(i - 1);
  }
  result[0] = batch;
  split.push_back(batch);
  split.insert(split.end(), shape.begin() + 1, shape.end());
  ASSIGN_OR_RETURN(const Operand places, node.Emit(quant::Reshape{std::move(split)}, {read.x}, "places"));
  ASSIGN_OR_RETURN(const Operand moved, node.Emit(quant::Transpose{std::move(order)}, {places}, "blocks"));
  ASSIGN_OR_RETURN(const Operand whole, node.Emit(quant::Reshape{result}, {moved}, "whole"));
  quant::Slice slice = All(result);
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t begin = read.begin[i], end = result[i] - read.end[i];
    if (begin >= end || Narrow(slice, i, result[i], begin, end, 1) == 0)
      return MakeError(label::model_shape, "nothing is left of an axis");
  }
  if (slice == All(result)) return node.FinishAs(whole);
  return node.Finish(slice, {whole});
}

}  // namespace tally::openvino
