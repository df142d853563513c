// Activations, as a layer and within recurrent ones.
#pragma once

#include "absl/status/statusor.h"
#include "frontends/coreml/coreml_layer.h"

namespace tally::coreml {

struct ActivationFunction {
  schema::Activation::TypeCase type = schema::Activation::TYPE_NOT_SET;
  float alpha = 0, beta = 0;
  bool operator==(const ActivationFunction&) const = default;
};

// The words of the file, literally: numbers that it leaves out are 0.
ActivationFunction FunctionOf(const schema::Activation& activation);

// Errors: model_malformed for functions of lists, and for none.
absl::StatusOr<Operand> Activate(Emitter& emitter, const Operand& x, const ActivationFunction& f);

}  // namespace tally::coreml
