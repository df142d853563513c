// The parts of control flow that are not imported. An If, and a Loop of which the most trips are known, never
// come here (subgraph.cc).
#include "base/error.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

absl::Status RefuseOpenControl(NodeContext&) {
  return MakeError(label::model_unsupported_operand,
                   "its trips are counted at run time: where they depend on shapes, fix these (--shape, "
                   "--batch), and where on an input, fix that (--fix NAME=VALUE); else export the "
                   "model traced, not scripted");
}

absl::Status RefuseSequence(NodeContext&) {
  return MakeError(label::model_unsupported_operator,
                   "sequences of tensors are not imported: where their length is fixed, export the model "
                   "traced, which writes "
                   "Split, Concat and Gather for them");
}

}  // namespace tally::onnx
