#include "frontends/cvm/reshape_target.h"

#include <optional>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {
namespace {

class Target {
 public:
  Target(std::span<const int64_t> codes, const Shape& operand) : codes_(codes), operand_(operand) {}

  absl::StatusOr<Shape> Resolve() && {
    while (next_code_ < codes_.size()) RETURN_IF_ERROR(Take(codes_[next_code_++]));
    ASSIGN_OR_RETURN(Shape shape, Shape::Create(dims_));
    if (inferred_) {
      // The inferred dim counts as 1 in `shape`.
      if (operand_.num_elements() % shape.num_elements() != 0) return Mismatch(shape);
      dims_[*inferred_] = operand_.num_elements() / shape.num_elements();
      ASSIGN_OR_RETURN(shape, Shape::Create(dims_));
    }
    if (shape.num_elements() != operand_.num_elements()) return Mismatch(shape);
    return shape;
  }

 private:
  absl::Status Take(int64_t code) {
    if (dims_.size() > static_cast<size_t>(kMaxRank)) return Shape::Create(dims_).status();
    switch (code) {
      case 0: return CopyDim();
      case -1: return InferDim();
      case -2: return CopyRest();
      case -3: return MergeTwo();
      case -4: return Split();
    }
    if (code < 0)
      return MakeError(label::cvm_reshape,
                       absl::StrCat(code, " is not a code of reshape; known are -4 to 0"));
    ++next_dim_;
    dims_.push_back(code);
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> NextDim() {
    if (next_dim_ >= operand_.rank()) {
      return MakeError(label::cvm_reshape,
                       absl::StrCat("a code asks for dim ", next_dim_, " of ", operand_.ToString()));
    }
    return operand_[next_dim_++];
  }

  absl::Status CopyDim() {
    ASSIGN_OR_RETURN(const int64_t dim, NextDim());
    dims_.push_back(dim);
    return absl::OkStatus();
  }

  absl::Status InferDim() {
    if (inferred_) return MakeError(label::cvm_reshape, "-1 stands twice");
    inferred_ = dims_.size();
    ++next_dim_;
    dims_.push_back(1);
    return absl::OkStatus();
  }

  absl::Status CopyRest() {
    while (next_dim_ < operand_.rank()) RETURN_IF_ERROR(CopyDim());
    return absl::OkStatus();
  }

  absl::Status MergeTwo() {
    ASSIGN_OR_RETURN(const int64_t first, NextDim());
    ASSIGN_OR_RETURN(const int64_t second, NextDim());
    dims_.push_back(first * second);  // each at most 2^31 - 1
    return absl::OkStatus();
  }

  absl::Status Split() {
    ASSIGN_OR_RETURN(const int64_t dim, NextDim());
    if (codes_.size() - next_code_ < 2) return MakeError(label::cvm_reshape, "two numbers follow -4");
    int64_t first = codes_[next_code_++], second = codes_[next_code_++];
    if (first == -1 && second > 0) first = dim / second;
    if (second == -1 && first > 0) second = dim / first;
    if (first <= 0 || second <= 0 || first > dim || second > dim || first * second != dim) {
      return MakeError(label::cvm_reshape, absl::StrCat("-4 does not split ", dim));
    }
    dims_.push_back(first);
    dims_.push_back(second);
    return absl::OkStatus();
  }

  absl::Status Mismatch(const Shape& shape) const {
    return MakeError(label::cvm_reshape, absl::StrCat("the elements of ", operand_.ToString(),
                                                      " do not fill ", shape.ToString()));
  }

  std::span<const int64_t> codes_;
  const Shape& operand_;
  size_t next_code_ = 0;
  int next_dim_ = 0;  // the operand's; may run after its last
  std::vector<int64_t> dims_;
  std::optional<size_t> inferred_;
};

}  // namespace

absl::StatusOr<Shape> ReshapeTarget(std::span<const int64_t> codes, const Shape& operand) {
  return Target(codes, operand).Resolve();
}

}  // namespace tally::cvm
