#include "frontends/formats.h"

#include <algorithm>

#include "base/error.h"
#include "frontends/graph/labels.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/onnx/import_onnx.h"

namespace tally::frontend {
namespace {

onnx::ImportOptions OnnxOptions(const ImportOptions& options) {
  return {.shapes = options.inputs, .folder = options.folder};
}

constexpr Format kFormats[] = {
    {.name = "ONNX",
     .recognizes = onnx::IsOnnx,
     .import = [](std::span<const uint8_t> file,
                  const ImportOptions& options) { return onnx::ImportOnnx(file, OnnxOptions(options)); },
     .check = [](std::span<const uint8_t> file,
                 const ImportOptions& options) { return onnx::CheckOnnx(file, OnnxOptions(options)); },
     .import_exactly =
         [](std::span<const uint8_t> file, const ImportOptions& options,
            const std::vector<InputRange>& ranges) {
           return onnx::ImportExactModel(
               file, {.shapes = options.inputs, .folder = options.folder, .ranges = ranges});
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
