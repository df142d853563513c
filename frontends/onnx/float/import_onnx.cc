#include "frontends/onnx/float/import_onnx.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/float/importer.h"
#include "frontends/onnx/model/fix_inputs.h"
#include "frontends/onnx/model/open_model.h"

namespace tally::onnx {
namespace {

// Enough to transpose or scale every weight several times.
int64_t MostComputed(uint64_t bytes_of_model) { return 65536 + 4 * static_cast<int64_t>(bytes_of_model); }

}  // namespace

// Numbers (wire type 0) and messages or strings (2), by the numbers of ModelProto's fields.
bool IsOnnx(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return false;
  constexpr std::pair<int, int> kFields[] = {{1, 0}, {2, 2}, {3, 2}, {4, 2}, {5, 0},
                                             {6, 2}, {7, 2}, {8, 2}, {14, 2}};
  return std::ranges::any_of(
      kFields, [&](const auto& field) { return bytes[0] == (field.first << 3 | field.second); });
}

absl::StatusOr<quant::Graph> ImportOnnx(std::span<const uint8_t> bytes, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model,
                   OpenModel(bytes, options.folder, options.dialect));
  if (options.files_read != nullptr) *options.files_read = model->files;
  RETURN_IF_ERROR(FixInputs(options.shapes, *model->proto.mutable_graph()));
  Importer importer(*model->proto.mutable_graph(), model->opset, MostComputed(model->bytes), options,
                    nullptr);
  RETURN_IF_ERROR(importer.Run());
  return std::move(importer).Build();
}

absl::StatusOr<frontend::ModelReport> CheckOnnx(std::span<const uint8_t> bytes,
                                                const ImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model,
                   OpenModel(bytes, options.folder, options.dialect));
  RETURN_IF_ERROR(FixInputs(options.shapes, *model->proto.mutable_graph()));
  frontend::ModelReport report = {.format = options.dialect == Dialect::kNhwc
                                                ? "ONNX, NHWC dialect"
                                                : absl::StrCat("ONNX, opset ", model->opset)};
  Importer importer(*model->proto.mutable_graph(), model->opset, MostComputed(model->bytes), options,
                    &report);
  RETURN_IF_ERROR(importer.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(importer).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::onnx
