// The post_transform of the scores of a classifier. These are functions of reals: probabilities are
// rounded to multiples of 2^-15, of scores that are rounded to multiples of 2^-11.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

// Scores [N, C] -> [N, C]: NONE, LOGISTIC (each score by itself) or SOFTMAX. Errors: model_inexact for
// others, those of compositions.
absl::StatusOr<ExactValue> Probabilities(ExactNode& node, const ExactValue& scores,
                                         std::string_view transform);

// The same of the score [N, 1] of the second of two classes, as ONNX Runtime does it: [N, 2]. Scores that are
// shares already are 1 - s and s, whatever the transform.
absl::StatusOr<ExactValue> ProbabilitiesOfTwo(ExactNode& node, const ExactValue& score, bool is_share,
                                              std::string_view transform);

}  // namespace tally::onnx
