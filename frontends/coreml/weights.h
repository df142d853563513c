// Tensors of weights, in any of the encodings that a file may have them in.
//
//   ASSIGN_OR_RETURN(const Operand w, DecodeWeights(params.weights(), {8, 3, 3, 3}, {.name = "conv.weights"}));
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/coreml/schema/coreml.pb.h"
#include "frontends/graph/operand.h"

namespace tally::coreml {

struct WeightPlace {
  std::string name;
  size_t channel_axis = 0;  // along which scales of a linear quantization are
};

// A constant of floats. Linear codes with an integer zero point stay as codes and scales
// (quant::ConstantCodes), and so do tables whose entries are multiples of one number. Errors: those of a
// shape; model_malformed for none or several encodings, for a quantization that is none, and where the shape
// has another number of elements.
absl::StatusOr<frontend::Operand> DecodeWeights(const coreml_schema::Weights& weights,
                                                const quant::Shape& shape, const WeightPlace& place);

// Whether there are any.
bool HasWeights(const coreml_schema::Weights& weights);

}  // namespace tally::coreml
