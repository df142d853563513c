#include <boost/multiprecision/cpp_int.hpp>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "ops/detection/attrs.h"
#include "ops/detection/boxes.h"
#include "ops/detection/labels.h"
#include "ops/reduction/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using detection::Box;
using detection::BoxOf;
using detection::OverlapOf;
using detection::Suppresses;

using BigInt = boost::multiprecision::cpp_int;

// The only element of a constant input, or nothing when it is left out.
absl::StatusOr<std::optional<int64_t>> OneConstant(ExactNode& node, size_t input, int* fraction_bits) {
  if (!node.HasInput(input)) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(input));
  const TensorView* constant = node.c().constant(x.value);
  if (constant == nullptr || constant->shape.num_elements() != 1) {
    return MakeError(label::model_unsupported_operand, "a limit is not one constant");
  }
  *fraction_bits = x.fraction_bits;
  return std::optional(constant->at(0));
}

// score > threshold as score >= the result, which is in the scale of the scores.
absl::StatusOr<int64_t> LeastScore(ExactNode& node, const ExactValue& scores) {
  const Interval limit = TensorLimit(Profile::kCore);
  int fraction_bits = 0;
  ASSIGN_OR_RETURN(const auto threshold, OneConstant(node, 4, &fraction_bits));
  if (!threshold) return limit.lo;
  BigInt scaled = *threshold;
  const int shift = scores.fraction_bits - fraction_bits;
  if (shift >= 0) {
    scaled <<= shift;
  } else {
    scaled >>= -shift;  // to the floor
  }
  ++scaled;
  if (scaled < limit.lo) return limit.lo;
  if (scaled > limit.hi)
    return MakeError(label::model_shape, "no score is above the threshold: an empty result");
  return static_cast<int64_t>(scaled);
}

// Whether every pair of boxes of an image suppresses each other either in both tensors or in neither.
bool DecideAlike(const TensorView& a, const TensorView& b, const NmsAttrs& attrs) {
  const auto boxes_of = [&](const TensorView& x, int64_t image) {
    std::vector<Box<BigInt>> boxes;
    for (int64_t box = 0; box < x.shape[1]; ++box) {
      std::array<BigInt, 4> elements;
      for (int64_t e = 0; e < 4; ++e) elements[e] = x.at((image * x.shape[1] + box) * 4 + e);
      boxes.push_back(BoxOf(attrs.encoding, elements));
    }
    return boxes;
  };
  const auto suppresses = [&](const Box<BigInt>& p, const Box<BigInt>& q) {
    return Suppresses(OverlapOf(p, q, BigInt(0)), BigInt(attrs.iou_numerator), BigInt(attrs.iou_denominator),
                      attrs.suppress_equal);
  };
  for (int64_t image = 0; image < a.shape[0]; ++image) {
    const auto exact = boxes_of(a, image), coarse = boxes_of(b, image);
    for (size_t p = 0; p < exact.size(); ++p) {
      for (size_t q = 0; q < p; ++q) {
        if (suppresses(exact[p], exact[q]) != suppresses(coarse[p], coarse[q])) return false;
      }
    }
  }
  return true;
}

// Constant boxes whose areas are too wide for the operator, on the finest grid that is not. All pairs are
// tried, so that the result is proven and not merely close.
absl::StatusOr<std::vector<Value>> OnCoarserGrid(ExactNode& node, Value boxes, Value scores,
                                                 const NmsAttrs& attrs) {
  constexpr int kUnitsOfPair = 64;
  const TensorView exact = *node.c().constant(boxes);
  RETURN_IF_ERROR(node.host().Spend(exact.shape[0] * exact.shape[1]));
  if (exact.shape[1] > 4096) return MakeError(label::model_inexact, "too many boxes to prove a grid for");
  RETURN_IF_ERROR(node.host().Spend(exact.shape[0] * exact.shape[1] * exact.shape[1] * kUnitsOfPair));
  for (int shift = 1; shift < 48; ++shift) {
    RETURN_IF_ERROR(node.host().Spend(exact.shape.num_elements()));
    std::vector<int64_t> rounded;
    for (int64_t e = 0; e < exact.shape.num_elements(); ++e) {
      rounded.push_back((exact.at(e) + (int64_t{1} << (shift - 1))) >> shift);
    }
    ASSIGN_OR_RETURN(const Tensor coarse, Tensor::FromValues(exact.shape, rounded));
    auto results = node.c().Emit(Opcode::kNms, {node.c().Constant(coarse), scores}, Pack(attrs));
    if (!results.ok() && HasLabel(results.status(), label::nms_c4)) continue;
    if (results.ok() && !DecideAlike(exact, coarse.view(), attrs)) break;
    return results;
  }
  return MakeError(label::model_inexact, "the areas of the boxes need more than 63 bits");
}

}  // namespace

absl::StatusOr<ExactResults> ExactNonMaxSuppression(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue boxes, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue scores, node.Input(1));
  if (node.c().shape(boxes.value).rank() != 3)
    return MakeError(label::model_shape, "boxes are not [N, B, 4]");
  ASSIGN_OR_RETURN(const bool center, node.attributes().Bool("center_point_box", false));
  NmsAttrs attrs = {.encoding = center ? BoxEncoding::kCenter : BoxEncoding::kCorners,
                    .iou_numerator = 0,
                    .iou_denominator = 1};
  int fraction_bits = 0;
  ASSIGN_OR_RETURN(const auto most, OneConstant(node, 2, &fraction_bits));
  if (most.value_or(0) <= 0) return ExactResults{std::nullopt};
  attrs.max_per_class = std::min(*most, kNoNmsLimit);
  ASSIGN_OR_RETURN(const auto overlap, OneConstant(node, 3, &fraction_bits));
  if (overlap) {
    constexpr int kMostBits = 30;
    if (*overlap < 0 || *overlap > kNoNmsLimit || fraction_bits > kMostBits) {
      return MakeError(label::model_inexact, "a threshold of too many bits");
    }
    attrs.iou_numerator = *overlap;
    attrs.iou_denominator = int64_t{1} << fraction_bits;
  }
  ASSIGN_OR_RETURN(attrs.min_score, LeastScore(node, scores));
  auto kept = node.c().Emit(Opcode::kNms, {boxes.value, scores.value}, Pack(attrs));
  if (!kept.ok() && HasLabel(kept.status(), label::nms_c4) && node.c().constant(boxes.value) != nullptr) {
    kept = OnCoarserGrid(node, boxes.value, scores.value, attrs);
  }
  if (!kept.ok()) return kept.status();
  ASSIGN_OR_RETURN(const Value number,
                   node.c().Apply(Opcode::kReduce, {(*kept)[1]}, ReduceAttrs{ReduceKind::kSum, {}, false}));
  ExactValue selected = {(*kept)[0], 0, ::onnx::TensorProto::INT64};
  selected.count = {.axis = 0, .number = number};
  return ExactResults{selected};
}

}  // namespace tally::onnx
