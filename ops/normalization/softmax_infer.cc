#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/binade.h"
#include "ops/common/half_up_bounds.h"
#include "ops/infer.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/labels.h"
#include "ops/normalization/rules.h"

namespace tally {
namespace {

constexpr int64_t kMaxExponentials = 65536;  // for every difference of two values of 16 bits
constexpr int64_t kMaxExponential = int64_t{1} << 30;
constexpr int64_t kMaxLogarithm = int64_t{1} << 32;

}  // namespace

absl::Status CheckExponentialTable(const InferContext& c, int i, Label c_list, Label c_entry) {
  if (!c.is_constant(i) || c.shape(i).rank() != 1 || c.shape(i)[0] > kMaxExponentials) {
    return MakeError(
        c_list, absl::StrCat("operand ", i, " ", c.shape(i).ToString(), " is not a constant list of at most ",
                             kMaxExponentials, " entries"));
  }
  const TensorView* table = c.constant(i);
  const int64_t first = table != nullptr ? table->at(0) : 1;
  if (EntriesWithin(c, i, 0, kMaxExponential) && first >= 1) return absl::OkStatus();
  return MakeError(
      c_entry, absl::StrCat("operand ", i, " starts with ", first, " and is in ", c.entries(i).ToString()));
}

absl::Status InferSoftmax(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<SoftmaxAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::softmax_c1));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, c.shape(0).rank(), label::softmax_c2));
  RETURN_IF_ERROR(CheckExponentialTable(c, 1, label::softmax_c3, label::softmax_c4));
  RETURN_IF_ERROR(CheckClamp(attrs, label::softmax_c5));
  // At most 2^31 terms of at most 2^30: with 2^61 the sum stays below 2^63.
  RETURN_IF_ERROR(out->SetAccumulator(c, {0, SatMul(c.shape(0)[axis], c.entries(1).hi)}));
  return AddPlaced(c, WideInterval(0, int64_t{1} << attrs.bits), attrs, out);
}

absl::Status InferLogSoftmax(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LogSoftmaxAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::log_softmax_c1));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, c.shape(0).rank(), label::log_softmax_c2));
  RETURN_IF_ERROR(CheckExponentialTable(c, 1, label::log_softmax_c3, label::log_softmax_c4));
  if (!c.is_constant(2) || c.shape(2) != *Shape::Create({kBinadeEntries})) {
    return MakeError(label::log_softmax_c5, absl::StrCat("operand 2 ", c.shape(2).ToString(),
                                                         " is not a constant list of 1025 entries"));
  }
  if (!EntriesWithin(c, 2, 0, kMaxLogarithm)) {
    return MakeError(label::log_softmax_c6, absl::StrCat("operand 2 is in ", c.entries(2).ToString()));
  }
  RETURN_IF_ERROR(CheckClamp(attrs, label::log_softmax_c7));
  const TensorView* logarithms = c.constant(2);
  if (logarithms == nullptr) return AddClamped(c, attrs, out);
  const Int128 least = c.constant(1)->at(0), sum = SatMul(c.shape(0)[axis], c.entries(1).hi);
  RETURN_IF_ERROR(out->SetAccumulator(c, {0, sum}));
  const WideInterval binade = {FloorLog2Of(least) - 30, FloorLog2Of(sum) - 30};
  const WideInterval log =
      binade * Point(logarithms->at(kBinadeEntries - 1)) + WideInterval(logarithms->Bounds());
  const WideInterval distance = {Int128{c.interval(0).lo} - c.interval(0).hi, 0};
  const WideInterval exact = distance * Point(attrs.multiplier) - log;
  if (!CanBeRounded(SatAdd(SatMul(-distance.lo, attrs.multiplier), log.Magnitude()), attrs.shift)) {
    return MakeError(label::log_softmax_c8, absl::StrCat("before the shift the result lies in [",
                                                         ToString(exact.lo), ", ", ToString(exact.hi), "]"));
  }
  return AddPlaced(c, HalfUp(exact, attrs.shift), attrs, out);
}

WideGas GasSoftmax(const GasContext& c) {
  const Shape& x = c.operands[0].shape;
  const int64_t axis = (*c.attributes)[0][0];  // the first attribute of both operators
  const int64_t length = x[static_cast<int>(axis < 0 ? axis + x.rank() : axis)];
  return SatAdd(SatMul(88, c.elements_out(0)), SatMul(448, c.elements_out(0) / length));
}

}  // namespace tally
