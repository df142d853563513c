#include "frontends/formats.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/import_ncnn.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/onnx/import_onnx.h"
#include "frontends/openvino/exact/import_exact_ir.h"
#include "frontends/openvino/import_openvino.h"

namespace tally::frontend {
namespace {

onnx::ImportOptions OnnxOptions(const ImportOptions& options) {
  return {.shapes = options.inputs,
          .folder = options.folder,
          .dialect = options.dialect == "nhwc" ? onnx::Dialect::kNhwc : onnx::Dialect::kStandard};
}

// The bytes of a .param and of its .bin: of "net.param" and of "net.param.bin" both "net.bin".
struct NcnnBytes {
  std::span<const uint8_t> param;
  std::vector<uint8_t> weights;
  ncnn::NcnnFiles files() const { return {param, weights}; }
};

absl::StatusOr<NcnnBytes> WithWeights(std::span<const uint8_t> param, const ImportOptions& options) {
  if (!options.dialect.empty()) {
    return MakeError(label::model_format, "--dialect is for ONNX files, and this is an ncnn model");
  }
  std::string path = options.weights;
  if (path.empty()) {
    std::filesystem::path beside = options.path;
    if (beside.extension() == ".bin") beside.replace_extension();
    path = beside.replace_extension(".bin").string();
  }
  NcnnBytes bytes = {.param = param};
  ASSIGN_OR_RETURN(bytes.weights, ReadFile(path));
  return bytes;
}

// The .bin beside an .xml, or none: a model without constants has none.
absl::StatusOr<std::vector<uint8_t>> WeightsOfIr(const ImportOptions& options) {
  if (!options.dialect.empty()) {
    return MakeError(label::model_format, "--dialect is for ONNX files, and this is an OpenVINO model");
  }
  if (!options.weights.empty()) return ReadFile(options.weights);
  std::filesystem::path beside = options.path;
  beside.replace_extension(".bin");
  std::error_code error;
  if (!std::filesystem::exists(beside, error)) return std::vector<uint8_t>();
  return ReadFile(beside.string());
}

constexpr Format kFormats[] = {
    {.name = "ONNX",
     .recognizes = onnx::IsOnnx,
     .import = [](std::span<const uint8_t> file,
                  const ImportOptions& options) { return onnx::ImportOnnx(file, OnnxOptions(options)); },
     .check = [](std::span<const uint8_t> file,
                 const ImportOptions& options) { return onnx::CheckOnnx(file, OnnxOptions(options)); },
     .import_exactly = [](std::span<const uint8_t> file, const ImportOptions& options,
                          const std::vector<InputRange>& ranges) -> absl::StatusOr<Module> {
       if (!options.dialect.empty()) {
         return MakeError(label::model_unsupported_type,
                          "models of the NHWC dialect are of floats: `tally quantize` makes a module");
       }
       return onnx::ImportExactModel(file,
                                     {.shapes = options.inputs, .folder = options.folder, .ranges = ranges});
     }},
    {.name = "ncnn",
     .recognizes = ncnn::IsNcnn,
     .import = [](std::span<const uint8_t> file,
                  const ImportOptions& options) -> absl::StatusOr<quant::Graph> {
       ASSIGN_OR_RETURN(const NcnnBytes bytes, WithWeights(file, options));
       return ncnn::ImportNcnn(bytes.files(), options.inputs);
     },
     .check = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<ModelReport> {
       ASSIGN_OR_RETURN(const NcnnBytes bytes, WithWeights(file, options));
       return ncnn::CheckNcnn(bytes.files(), options.inputs);
     },
     .import_exactly = [](std::span<const uint8_t>, const ImportOptions&,
                          const std::vector<InputRange>&) -> absl::StatusOr<Module> {
       return MakeError(label::model_unsupported_type,
                        "blobs of ncnn are floats: `tally quantize` makes a module");
     }},
    {.name = "OpenVINO",
     .recognizes = openvino::IsIr,
     .import = [](std::span<const uint8_t> file,
                  const ImportOptions& options) -> absl::StatusOr<quant::Graph> {
       ASSIGN_OR_RETURN(const std::vector<uint8_t> weights, WeightsOfIr(options));
       return openvino::ImportOpenVino({file, weights}, options.inputs);
     },
     .check = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<ModelReport> {
       ASSIGN_OR_RETURN(const std::vector<uint8_t> weights, WeightsOfIr(options));
       return openvino::CheckOpenVino({file, weights}, options.inputs);
     },
     .import_exactly = [](std::span<const uint8_t> file, const ImportOptions& options,
                          const std::vector<InputRange>& ranges) -> absl::StatusOr<Module> {
       ASSIGN_OR_RETURN(const std::vector<uint8_t> weights, WeightsOfIr(options));
       return openvino::ImportExactIr({file, weights}, options.inputs, ranges);
     }},
};

}  // namespace

std::span<const Format> AllFormats() { return kFormats; }

absl::StatusOr<const Format*> FormatOf(std::span<const uint8_t> file) {
  const auto format =
      std::ranges::find_if(kFormats, [&](const Format& candidate) { return candidate.recognizes(file); });
  if (format != std::end(kFormats)) return format;
  std::string names;
  for (const Format& known : kFormats) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return MakeError(label::model_format, "the file is of no format that is imported: " + names);
}

}  // namespace tally::frontend
