#include "frontends/coreml/import_coreml.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/coreml_import.h"
#include "frontends/coreml/model_file.h"

namespace tally::coreml {

namespace {

int64_t ElementsOf(const schema::Weights& weights) {
  const auto bits = static_cast<int64_t>(std::clamp<uint64_t>(weights.quantization().number_of_bits(), 1, 8));
  return weights.float_value_size() + std::ssize(weights.float16_value()) / 2 +
         std::ssize(weights.raw_value()) * 8 / bits + std::ssize(weights.int8_raw_value());
}

// Counts all weights within a message.
void CountWeights(const google::protobuf::Message& message, ModelReport& report) {
  if (message.GetDescriptor() == schema::Weights::descriptor()) {
    const int64_t elements = ElementsOf(static_cast<const schema::Weights&>(message));
    report.weights += elements > 0 ? 1 : 0;
    report.weight_elements += elements;
    return;
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CountWeights(reflection->GetMessage(message, field), report);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i)
      CountWeights(reflection->GetRepeatedMessage(message, field, i), report);
  }
}

}  // namespace

absl::StatusOr<Network> ImportCoreml(std::span<const uint8_t> file, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const std::unique_ptr<schema::Model> model, ReadModelFile(file));
  CoremlImport import(*model, std::ssize(file), given, nullptr);
  RETURN_IF_ERROR(import.Run());
  return std::move(import).Build();
}

absl::StatusOr<ModelReport> CheckCoreml(std::span<const uint8_t> file, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const std::unique_ptr<schema::Model> model, ReadModelFile(file));
  ModelReport report = {.format = absl::StrCat("Core ML, specification ", model->specification_version(),
                                               ", ", KindOf(*model))};
  CountWeights(*model, report);
  CoremlImport import(*model, std::ssize(file), given, &report);
  RETURN_IF_ERROR(import.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(import).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::coreml
