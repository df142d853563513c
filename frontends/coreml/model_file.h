// The message that a Core ML model file (.mlmodel) is, and the file within a package (.mlpackage).
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<coreml_schema::Model> model, ReadModelFile(bytes));
//   model->neural_network().layers(0);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/coreml/schema/coreml.pb.h"

namespace tally::coreml {

// By the numbers of its first fields, which models of other formats do not have.
bool IsModelFile(std::span<const uint8_t> bytes);

// Fields that the schema does not have are skipped. Errors: model_malformed for what is no message of the
// schema (the message says at which byte); model_too_large for more than 2 GiB, 2^20 fields, or messages in
// messages beyond 64.
absl::StatusOr<std::unique_ptr<coreml_schema::Model>> ReadModelFile(std::span<const uint8_t> bytes);

// The kind of a model, by the name in Apple's schema: "neuralNetworkClassifier", "mlProgram".
std::string KindOf(const coreml_schema::Model& model);

// The files of a folder that is a package.
constexpr std::string_view kManifest = "Manifest.json";

// The path of the model file in a package, by its Manifest.json. Errors: those of files; model_malformed for
// what is no manifest of a model, or one that names a file outside of the package.
absl::StatusOr<std::string> ModelInPackage(const std::string& folder);

}  // namespace tally::coreml
