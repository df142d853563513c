#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/gather/attrs.h"
#include "ops/gather/labels.h"
#include "ops/gather/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

std::vector<int64_t> DimsOf(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

}  // namespace

absl::Status InferGather(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(1);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c.attrs<GatherAttrs>().axis, x.rank(), label::gather_c1));
  std::vector<int64_t> dims = DimsOf(x);
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, indices.dims().begin(), indices.dims().end());
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferGatherNd(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(1);
  const int64_t batch = c.attrs<GatherNdAttrs>().batch_dims;
  if (indices.rank() <= batch) {
    return MakeError(label::gather_nd_c1, absl::StrCat("indices ", indices.ToString(),
                                                       " hold no tuples behind ", batch, " batch axes"));
  }
  const int64_t depth = indices[indices.rank() - 1];
  if (batch + depth > x.rank()) {
    return MakeError(label::gather_nd_c2, absl::StrCat("tuples of ", depth, " behind ", batch,
                                                       " batch axes go into ", x.ToString()));
  }
  for (int axis = 0; axis < batch; ++axis) {
    if (x[axis] != indices[axis]) {
      return MakeError(label::gather_nd_c3, absl::StrCat("batch axis ", axis, " differs: ", x.ToString(),
                                                         " and ", indices.ToString()));
    }
  }
  std::vector<int64_t> dims = DimsOf(indices);
  dims.pop_back();
  for (int64_t axis = batch + depth; axis < x.rank(); ++axis) dims.push_back(x[static_cast<int>(axis)]);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferGatherElements(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(1);
  ASSIGN_OR_RETURN(const int axis,
                   NormalizeAxis(c.attrs<GatherAttrs>().axis, x.rank(), label::gather_elements_c1));
  if (indices.rank() != x.rank()) {
    return MakeError(label::gather_elements_c2,
                     absl::StrCat("indices ", indices.ToString(), " for ", x.ToString()));
  }
  for (int j = 0; j < x.rank(); ++j) {
    if (j != axis && indices[j] > x[j]) {
      return MakeError(label::gather_elements_c3, absl::StrCat("axis ", j, " of indices ", indices.ToString(),
                                                               " is longer than that of ", x.ToString()));
    }
  }
  return out->AddResult(c, indices, c.interval(0));
}

absl::Status InferGatherTree(const InferContext& c, Inferred* out) {
  const Shape& steps = c.shape(0);
  if (steps.rank() != 3 || c.shape(1) != steps) {
    return MakeError(label::gather_tree_c1,
                     absl::StrCat("steps ", steps.ToString(), " and parents ", c.shape(1).ToString(),
                                  " are not [time, batch, beam]"));
  }
  if (c.shape(2).rank() != 1 || c.shape(2)[0] != steps[1]) {
    return MakeError(label::gather_tree_c2,
                     absl::StrCat("lengths is ", c.shape(2).ToString(), " for a batch of ", steps[1]));
  }
  if (c.shape(3).num_elements() != 1) {
    return MakeError(label::gather_tree_c3, absl::StrCat("end is ", c.shape(3).ToString()));
  }
  out->scratch_bytes = steps[0] * 8;  // one sequence, before its end is known
  return out->AddResult(c, steps, c.interval(0).Hull(c.interval(3)));
}

}  // namespace tally
