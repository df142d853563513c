#include "base/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/labels.h"

namespace tally {

absl::StatusOr<Shape> Shape::Create(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return MakeError(label::shape_rank, absl::StrCat("rank ", dims.size(), " exceeds ", kMaxRank));
  }
  Shape shape;
  shape.rank_ = static_cast<int>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = dims[i];
    if (dim < 1 || dim > kMaxDim) {
      return MakeError(label::shape_dim,
                       absl::StrCat("dimension ", i, " is ", dim, ", outside [1, ", kMaxDim, "]"));
    }
    // Both factors are at most 2^36 here, so the test divides instead of multiplying.
    if (shape.num_elements_ > kMaxElements / dim) {
      return MakeError(label::shape_elements, absl::StrCat("more than ", kMaxElements, " elements"));
    }
    shape.dims_[i] = dim;
    shape.num_elements_ *= dim;
  }
  return shape;
}

int64_t Shape::stride(int axis) const {
  int64_t stride = 1;
  for (int i = rank_ - 1; i > axis; --i) stride *= dims_[i];
  return stride;
}

std::string Shape::ToString() const {
  const auto d = dims();
  return absl::StrCat("[", absl::StrJoin(d.begin(), d.end(), ","), "]");
}

}  // namespace tally
