#include "frontends/onnx/exact/operators.h"

#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/opsets.h"

namespace tally::onnx {
namespace {

struct Row {
  std::string_view name;
  int64_t first_opset;
  int64_t last_opset;
  ExactOperator import;
};

constexpr Row kRows[] = {
#define ONNX_EXACT(name, first_opset, last_opset, importer) {#name, first_opset, last_opset, importer},
#include "frontends/onnx/exact/operators.inc"
#undef ONNX_EXACT
};

struct MlRow {
  std::string_view name;
  ExactOperator import;
};

constexpr MlRow kMlRows[] = {
#define ONNX_EXACT_ML(name, importer) {#name, importer},
#include "frontends/onnx/exact/ml_operators.inc"
#undef ONNX_EXACT_ML
};

}  // namespace

absl::StatusOr<ExactOperator> FindExactOperator(std::string_view domain, std::string_view name,
                                                int64_t opset) {
  if (!domain.empty() && domain != "ai.onnx") {
    for (const MlRow& row : kMlRows) {
      if (domain == "ai.onnx.ml" && row.name == name) return row.import;
    }
    return MakeError(label::model_unsupported_operator,
                     "no such operator of this domain has an exact lowering");
  }
  const Row* nearest = nullptr;
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    if (row.first_opset <= opset && opset <= row.last_opset) return row.import;
    nearest = &row;
  }
  const std::string what = PrintableStart(name);
  if (nearest == nullptr)
    return MakeError(label::model_unsupported_operator, what + " has no exact lowering");
  return MakeError(label::model_unsupported_operator,
                   what + " of opset " + std::to_string(opset) + " has no exact lowering" +
                       NotAt(opset, nearest->first_opset, nearest->last_opset));
}

}  // namespace tally::onnx
