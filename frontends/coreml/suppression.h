// Non-maximum suppression, of a layer and of a model in a pipeline.
#pragma once

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::coreml {

struct SuppressionForm {
  float iou_threshold = 0, score_threshold = 0;
  int64_t max_boxes = 1;
  bool per_class = false;  // a box suppresses those of its class alone
  bool keeps_one = false;  // the best box is kept, whatever its score
};

// Boxes [B, M, 4], scores [B, M, C], the places of these boxes [B, M] and how many there are [B]. Rows that
// are not there hold 0, and places -1.
struct Suppressed {
  frontend::Operand boxes, scores, places, counts;
};

// boxes [B, N, 4] of middle and sides, scores [B, N, C]. Errors: model_shape.
absl::StatusOr<Suppressed> Suppress(frontend::Emitter& emitter, const frontend::Operand& boxes,
                                    const frontend::Operand& scores, const SuppressionForm& how);

}  // namespace tally::coreml
