// Non-maximum suppression as a layer.
#include "base/status_macros.h"
#include "frontends/coreml/operators.h"
#include "frontends/coreml/suppression.h"

namespace tally::coreml {

// Inputs: boxes, scores, [the overlap], [the least score], [how many]; the last three are in the file
// otherwise.
absl::Status ImportNonMaximumSuppression(CoremlLayer& layer) {
  const schema::SuppressionLayer& params = layer.file().non_maximum_suppression();
  RETURN_IF_ERROR(layer.CheckInputCount(2, 5));
  ASSIGN_OR_RETURN(const Operand boxes, layer.Real(0));
  ASSIGN_OR_RETURN(const Operand scores, layer.Real(1));
  SuppressionForm how = {.iou_threshold = params.iou_threshold(),
                         .score_threshold = params.score_threshold(),
                         .per_class = params.per_class_suppression(),
                         .keeps_one = true};
  if (layer.num_inputs() > 2) {
    ASSIGN_OR_RETURN(const double overlap, layer.NumberConstant(2));
    how.iou_threshold = static_cast<float>(overlap);
  }
  if (layer.num_inputs() > 3) {
    ASSIGN_OR_RETURN(const double least, layer.NumberConstant(3));
    how.score_threshold = static_cast<float>(least);
  }
  if (layer.num_inputs() > 4) {
    ASSIGN_OR_RETURN(how.max_boxes, layer.Number(4));
  } else {
    ASSIGN_OR_RETURN(how.max_boxes, SizeOf(params.max_boxes()));
  }
  if (how.max_boxes < 1 || how.max_boxes > quant::kMaxAttribute) return Malformed("maxBoxes is out of range");
  if (!(how.iou_threshold >= 0 && how.iou_threshold <= 1))
    return Malformed("iouThreshold is not from 0 to 1");
  ASSIGN_OR_RETURN(const Suppressed suppressed, Suppress(layer, boxes, scores, how));
  const Operand* const results[] = {&suppressed.boxes, &suppressed.scores, &suppressed.places,
                                    &suppressed.counts};
  for (size_t i = 0; i < std::min<size_t>(layer.num_outputs(), 4); ++i)
    RETURN_IF_ERROR(layer.FinishOutputAs(i, *results[i]));
  return absl::OkStatus();
}

}  // namespace tally::coreml
