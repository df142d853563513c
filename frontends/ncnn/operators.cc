#include "frontends/ncnn/operators.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "frontends/graph/labels.h"

namespace tally::ncnn {
namespace {

struct Row {
  std::string_view type;
  LayerImporter import;
};

constexpr Row kRows[] = {
#define NCNN_LAYER(name, importer) {#name, importer},
#include "frontends/ncnn/operators.inc"
#undef NCNN_LAYER
};

}  // namespace

absl::StatusOr<LayerImporter> FindImporter(std::string_view type) {
  const auto row = std::ranges::find(kRows, type, &Row::type);
  if (row != std::end(kRows)) return row->import;
  return MakeError(label::model_unsupported_operator,
                   "layers of type " + PrintableStart(type) + " are not imported");
}

}  // namespace tally::ncnn
