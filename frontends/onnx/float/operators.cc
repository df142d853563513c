#include "frontends/onnx/float/operators.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/opsets.h"

namespace tally::onnx {
namespace {

struct OperatorRow {
  std::string_view name;
  int64_t first_opset;
  int64_t last_opset;
  OperatorImporter importer;
};

constexpr OperatorRow kOperatorRows[] = {
#define ONNX_OPERATOR(name, first_opset, last_opset, importer) {#name, first_opset, last_opset, importer},
#include "frontends/onnx/float/operators.inc"
#undef ONNX_OPERATOR
};

struct NamedRow {
  std::string_view name;
  OperatorImporter importer;
};

constexpr NamedRow kNhwcRows[] = {
#define ONNX_NHWC(name, importer) {#name, importer},
#include "frontends/onnx/float/nhwc_operators.inc"
#undef ONNX_NHWC
};

struct DomainRow {
  std::string_view domain;
  NamedRow row;
};

constexpr DomainRow kDomainRows[] = {
#define ONNX_CONTRIB(name, importer) {"com.microsoft", {#name, importer}},
#define ONNX_FUSED(name, expansion)
#define ONNX_QONNX(name, importer) {"qonnx.custom_op.general", {#name, importer}},
#define ONNX_ML(name, importer) {"ai.onnx.ml", {#name, importer}},
#include "frontends/onnx/expand/contrib_operators.inc"
#undef ONNX_ML
#undef ONNX_QONNX
#undef ONNX_FUSED
#undef ONNX_CONTRIB
};

// Rows of one operator follow each other without a gap, so that at most one of them covers an opset.
consteval bool RowsAreConsistent() {
  for (size_t i = 0; i < std::size(kOperatorRows); ++i) {
    const OperatorRow& row = kOperatorRows[i];
    if (row.first_opset < kFirstOpset || row.last_opset > kLastOpset || row.first_opset > row.last_opset)
      return false;
    for (size_t j = 0; j < i; ++j) {
      const bool is_next = j + 1 == i && kOperatorRows[j].last_opset + 1 == row.first_opset;
      if (kOperatorRows[j].name == row.name && !is_next) return false;
    }
  }
  return true;
}
static_assert(RowsAreConsistent());

}  // namespace

absl::StatusOr<OperatorImporter> FindOperator(std::string_view domain, std::string_view name, int64_t opset) {
  if (!domain.empty()) {
    for (const DomainRow& of_domain : kDomainRows) {
      if (of_domain.domain == domain && of_domain.row.name == name) return of_domain.row.importer;
    }
    return MakeError(
        label::model_unsupported_operator,
        domain == "ai.onnx.ml"
            ? "trees and encoders of ai.onnx.ml are exact, and imported by `tally import` with --range"
            : "no such operator of this domain is imported");
  }
  const OperatorRow* nearest = nullptr;
  for (const OperatorRow& row : kOperatorRows) {
    if (row.name != name) continue;
    if (opset >= row.first_opset && opset <= row.last_opset) return row.importer;
    nearest = &row;
  }
  const std::string what = "operator " + PrintableStart(name);
  if (nearest == nullptr) {
    const bool is_nhwc = std::ranges::find(kNhwcRows, name, &NamedRow::name) != std::end(kNhwcRows);
    return MakeError(label::model_unsupported_operator,
                     what + (is_nhwc ? " is one of the NHWC dialect: --dialect nhwc" : " is not imported"));
  }
  return MakeError(label::model_unsupported_operator,
                   what + " is not imported in opset " + std::to_string(opset) +
                       NotAt(opset, nearest->first_opset, nearest->last_opset));
}

absl::StatusOr<OperatorImporter> FindNhwcOperator(std::string_view domain, std::string_view name) {
  const auto row = std::ranges::find(kNhwcRows, name, &NamedRow::name);
  if (domain.empty() && row != std::end(kNhwcRows)) return row->importer;
  return MakeError(label::model_unsupported_operator, "the NHWC dialect has no operator " +
                                                          PrintableStart(name) +
                                                          (domain.empty() ? "" : " of another domain"));
}

}  // namespace tally::onnx
