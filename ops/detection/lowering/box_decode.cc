#include "ops/detection/lowering/compose.h"

namespace tally {
namespace {

using detection::Concat;
using detection::Lincomb;
using detection::Require;
using detection::Slice;

class Decoder {
 public:
  Decoder(Composition& c, std::span<const Value> operands, const BoxDecodeAttrs& attrs)
      : c_(c), operands_(operands), attrs_(attrs) {}

  absl::Status Check() const {
    const Shape &deltas = c_.shape(operands_[0]), &priors = c_.shape(operands_[1]);
    const Shape& variances = c_.shape(operands_[2]);
    const bool center = attrs_.code == BoxCode::kCenterSize;
    RETURN_IF_ERROR(Require(center ? operands_.size() > 3 : operands_.size() == 3,
                            "center_size has one or two tables of exp, corner has none"));
    RETURN_IF_ERROR(Require(deltas.rank() >= 2 && deltas[deltas.rank() - 1] == 4, "deltas are [.., P, 4]"));
    const int64_t P = deltas[deltas.rank() - 2];
    RETURN_IF_ERROR(
        Require(priors == *Shape::Create({P, 4}) || priors == deltas, "priors are [P, 4] or as deltas"));
    return Require(
        variances.rank() == 2 && (variances[0] == 1 || variances[0] == P) && variances[1] == (center ? 2 : 4),
        "variances are [1 or P, 4], or [1 or P, 2] of centers");
  }

  absl::StatusOr<Value> Decode() {
    std::vector<Value> lo, hi;
    for (int64_t axis = 0; axis < 2; ++axis) {
      if (attrs_.code == BoxCode::kCenterSize) {
        RETURN_IF_ERROR(DecodeCenter(axis, &lo, &hi));
      } else {
        RETURN_IF_ERROR(DecodeCorner(axis, &lo));
        RETURN_IF_ERROR(DecodeCorner(axis + 2, &hi));
      }
    }
    ASSIGN_OR_RETURN(const Value boxes, Concat(c_, {lo[0], lo[1], hi[0], hi[1]}, -1));
    return detection::ClipCorners(c_, boxes, attrs_.limits);
  }

 private:
  absl::StatusOr<Value> Column(int operand, int64_t k) {
    const Value x = operands_[operand];
    return Slice(c_, x, c_.shape(x).rank() - 1, k, k + 1);
  }
  absl::StatusOr<Value> Mul(Value a, Value b) { return c_.Apply(Opcode::kBroadcastMul, {a, b}); }
  absl::StatusOr<Value> Add(Value a, Value b) { return c_.Apply(Opcode::kBroadcastAdd, {a, b}); }
  Value Scalar(int64_t value) { return c_.Constant({}, {value}); }

  // Twice the corners over 2^fraction: 2 * middle -+ side * exp, with middle = (lo + hi + offset) / 2 + delta
  // * side.
  absl::Status DecodeCenter(int64_t axis, std::vector<Value>* lo, std::vector<Value>* hi) {
    ASSIGN_OR_RETURN(const Value first, Column(1, axis));
    ASSIGN_OR_RETURN(const Value last, Column(1, axis + 2));
    ASSIGN_OR_RETURN(const Value side, Lincomb(c_, {first, last}, {-1, 1}, attrs_.side_offset, 0));
    ASSIGN_OR_RETURN(const Value twice, Lincomb(c_, {first, last}, {1, 1}, attrs_.side_offset, 0));
    ASSIGN_OR_RETURN(const Value origin, Mul(twice, Scalar(int64_t{1} << (attrs_.fraction - 1))));

    ASSIGN_OR_RETURN(const Value variance, Column(2, axis));
    ASSIGN_OR_RETURN(const Value factor, Mul(variance, side));
    ASSIGN_OR_RETURN(const Value delta, Column(0, axis));
    ASSIGN_OR_RETURN(const Value shift, Mul(delta, factor));
    ASSIGN_OR_RETURN(const Value middle, Add(shift, origin));

    const Value table = operands_[operands_.size() == 5 && axis == 1 ? 4 : 3];
    ASSIGN_OR_RETURN(const Value growth, Column(0, axis + 2));
    ASSIGN_OR_RETURN(const Value exp,
                     c_.Apply(Opcode::kTable, {growth, table}, TableAttrs{.offset = attrs_.table_offset}));
    ASSIGN_OR_RETURN(const Value length, Mul(exp, side));
    ASSIGN_OR_RETURN(const Value begin, Lincomb(c_, {middle, length}, {2, -1}, 0, attrs_.fraction + 1));
    ASSIGN_OR_RETURN(const Value end, Lincomb(c_, {middle, length}, {2, 1}, 0, attrs_.fraction + 1));
    lo->push_back(begin);
    hi->push_back(end);
    return absl::OkStatus();
  }

  absl::Status DecodeCorner(int64_t k, std::vector<Value>* corners) {
    ASSIGN_OR_RETURN(const Value prior, Column(1, k));
    ASSIGN_OR_RETURN(const Value origin, Mul(prior, Scalar(int64_t{1} << attrs_.fraction)));
    ASSIGN_OR_RETURN(const Value variance, Column(2, k));
    ASSIGN_OR_RETURN(const Value delta, Column(0, k));
    ASSIGN_OR_RETURN(const Value shift, Mul(delta, variance));
    ASSIGN_OR_RETURN(const Value sum, Add(shift, origin));
    ASSIGN_OR_RETURN(const Value corner, Lincomb(c_, {sum}, {1}, 0, attrs_.fraction));
    corners->push_back(corner);
    return absl::OkStatus();
  }

  Composition& c_;
  std::span<const Value> operands_;
  const BoxDecodeAttrs& attrs_;
};

}  // namespace

absl::StatusOr<std::vector<Value>> LowerBoxDecode(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto attrs = Unpack<BoxDecodeAttrs>(attributes);
  Decoder decoder(c, operands, attrs);
  RETURN_IF_ERROR(decoder.Check());
  ASSIGN_OR_RETURN(const Value boxes, decoder.Decode());
  return std::vector<Value>{boxes};
}

}  // namespace tally
