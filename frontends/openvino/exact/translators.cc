#include "frontends/openvino/exact/translators.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::openvino {
namespace {

struct Row {
  std::string_view type;
  std::string_view same;  // the operator, or
  TranslateLayer translate;
};

constexpr Row kRows[] = {
#define OPENVINO_SAME(name, op) {#name, #op, nullptr},
#define OPENVINO_EXACT(name, translate) {#name, "", translate},
#include "frontends/openvino/exact/operators.inc"
#undef OPENVINO_EXACT
#undef OPENVINO_SAME
};

// Operands that broadcast in another way than those of ONNX do.
absl::Status CheckBroadcast(IrNode& node) {
  ASSIGN_OR_RETURN(const std::string how, node.Word("auto_broadcast", "numpy"));
  if (how == "numpy" || how == "none") return absl::OkStatus();
  return Unsupported("auto_broadcast " + PrintableStart(how));
}

}  // namespace

absl::Status Translate(Translator& t) {
  const std::string_view type = t.file().type;
  const auto row = std::ranges::find_if(kRows, [&](const Row& r) { return IsSameType(r.type, type); });
  if (row == std::end(kRows)) {
    return MakeError(
        label::model_unsupported_operator,
        "operations of type " + PrintableStart(type) +
            " are not imported among integers: make a module with calibration (`tally quantize`)");
  }
  if (t.file().outputs.empty()) return Malformed("it has no output");
  if (row->translate != nullptr) return row->translate(t);
  RETURN_IF_ERROR(CheckBroadcast(t.node()));
  t.Add(row->same, t.file().inputs, t.Out(0));
  return absl::OkStatus();
}

}  // namespace tally::openvino
