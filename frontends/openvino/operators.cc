#include "frontends/openvino/operators.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "frontends/graph/labels.h"

namespace tally::openvino {
namespace {

struct Row {
  std::string_view type;
  OperationImporter import;
};

constexpr Row kRows[] = {
#define OPENVINO_OPERATION(name, importer) {#name, importer},
#include "frontends/openvino/operators.inc"
#undef OPENVINO_OPERATION
};

}  // namespace

absl::StatusOr<OperationImporter> FindImporter(std::string_view type) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& r) { return IsSameType(r.type, type); });
  if (row != std::end(kRows)) return row->import;
  return MakeError(label::model_unsupported_operator,
                   "operations of type " + PrintableStart(type) + " are not imported");
}

}  // namespace tally::openvino
