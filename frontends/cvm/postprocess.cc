#include "frontends/cvm/postprocess.h"

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"
#include "ops/layout/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally::cvm {
namespace {

int64_t LastDim(const Shape& shape) { return shape[shape.rank() - 1]; }

// The constant [n] of 0, -1, ..., -(n - 1).
Tensor Descending(int64_t n) {
  Tensor tensor(*Shape::Create({n}), Storage::kI32);
  for (int64_t i = 0; i < n; ++i) StoreElement(Storage::kI32, tensor.mutable_bytes().data(), i, -i);
  return tensor;
}

// Position i of a row counts -i, and n less where its element is not the maximum; the largest of these is the
// first maximum's.
ValueId AddArgmax(const Shape& shape, ValueId x, ModuleBuilder& m) {
  const int64_t n = LastDim(shape);
  const CvmReduceAttrs over_rows = {.axis = {-1}};
  const ValueId maximum = m.Op(Opcode::kMax, {x}, CvmReduceAttrs{.axis = {-1}, .keepdims = true});
  const ValueId less = m.Op(Opcode::kBroadcastGreater, {maximum, x});
  // The published precision of a comparison is that of its operands; 0 and 1 need 2 bits.
  const ValueId less_bit = m.Op(Opcode::kCvmClip, {less}, CvmClipAttrs{.precision = 2});
  const ValueId penalty = m.Constant(*Tensor::FromValues(*Shape::Create({1}), {-n}));
  const ValueId penalties = m.Op(Opcode::kBroadcastMul, {less_bit, penalty});
  const ValueId counted = m.Op(Opcode::kBroadcastAdd, {penalties, m.Constant(Descending(n))});
  return m.Op(Opcode::kNegative, {m.Op(Opcode::kMax, {counted}, over_rows)});
}

absl::StatusOr<ValueId> AddConcatenation(const Graph& graph, std::span<const ValueId> heads,
                                         ModuleBuilder& m) {
  if (heads.size() == 1) return heads[0];
  const auto shape_of = [&](size_t i) -> const Shape& { return graph.entries[graph.heads[i]].shape; };
  const auto rows_of = [&](size_t i) { return shape_of(i).num_elements() / LastDim(shape_of(i)); };
  const auto leading = [&](size_t i) { return shape_of(i).dims().first(shape_of(i).rank() - 1); };
  bool alike = true;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (rows_of(i) != rows_of(0)) {
      return MakeError(label::cvm_postprocess,
                       absl::StrCat("head ", i, " ", shape_of(i).ToString(), ", whose rows are not those of ",
                                    shape_of(0).ToString()));
    }
    alike &= std::ranges::equal(leading(i), leading(0));
  }
  std::vector<ValueId> parts(heads.begin(), heads.end());
  if (!alike) {
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i] = m.Op(Opcode::kReshape, {parts[i]}, ReshapeAttrs{{rows_of(i), LastDim(shape_of(i))}});
    }
  }
  return m.Op(Opcode::kConcatenate, std::move(parts), ConcatenateAttrs{.axis = -1});
}

}  // namespace

absl::StatusOr<ValueId> AddPostprocess(const Graph& graph, std::span<const ValueId> heads,
                                       ModuleBuilder& module) {
  if (graph.postprocess != kArgmax) return AddConcatenation(graph, heads, module);
  if (heads.size() != 1) {
    return MakeError(label::cvm_postprocess,
                     absl::StrCat("argmax of ", heads.size(), " heads; it needs one"));
  }
  return AddArgmax(graph.entries[graph.heads[0]].shape, heads[0], module);
}

int OutputPrecision(const Graph& graph) {
  if (graph.postprocess == kArgmax || graph.postprocess == kDetection) return 32;
  int widest = 1;
  for (const size_t head : graph.heads) widest = std::max(widest, graph.entries[head].precision);
  return widest;
}

}  // namespace tally::cvm
