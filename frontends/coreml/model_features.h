// Inputs and outputs as a model file describes them, and the shapes that they have in a module.
//
//   ASSIGN_OR_RETURN(const InputForm form, FormOf(feature, {.is_exact = true}, given));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/coreml/schema/coreml.pb.h"
#include "frontends/graph/import_run.h"
#include "frontends/graph/interface.h"
#include "quant/tensor/tensor.h"

namespace tally::coreml {

// How a network takes the shapes of its inputs.
struct RankRule {
  bool is_exact = false;          // values have the ranks that the file says, else five: S, B, C, H, W
  bool images_have_five = false;  // images have five where ranks are exact, else four
};

struct InputForm {
  frontend::InputType type;
  quant::Shape served;  // as a module takes it
  quant::Shape held;    // as layers read it (coreml_layer.h)
  int64_t sequence = 1;
  bool is_image = false;
};

// Errors: model_unsupported_type for what is neither an image nor an array; model_shape for a rank that the
// rule does not allow, and for a shape that is given but not one of those that the file allows;
// model_open_dimension.
absl::StatusOr<InputForm> FormOf(const coreml_schema::Feature& input, const RankRule& rule,
                                 const frontend::GivenInputs& given);

// Whether an output is declared as an array of integers.
bool IsOfIntegers(const coreml_schema::Feature& output);

// Labels of a classifier, in the order of its scores; none where it is no classifier.
std::vector<std::string> LabelsOf(const coreml_schema::NeuralNetwork& network);

}  // namespace tally::coreml
