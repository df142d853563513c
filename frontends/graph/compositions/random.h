// Random draws of several distributions, by the generator of ops/sampling/spec.md: the same on every machine,
// and other ones than those of the framework that a file is from, whose generators are not defined.
//
//   ASSIGN_OR_RETURN(const Operand y, RandomUniform(emitter, {2, 3}, {.seed = 7}, 0, 1));
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

struct RandomSource {
  int64_t seed = 0;  // below 2^32
};

// Floats between `low` and `high`, of 65,536 that are equally likely and as far from each other.
absl::StatusOr<Operand> RandomUniform(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                      float low, float high);
// The quantiles of 65,536 equally likely parts.
absl::StatusOr<Operand> RandomNormal(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                     float mean, float deviation);
// Flags: 1 with `probability`, to 2^-32.
absl::StatusOr<Operand> RandomFlags(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                    double probability);
// The same with a probability for each flag, to 2^-16.
absl::StatusOr<Operand> RandomFlags(Emitter& emitter, const Operand& probabilities,
                                    const RandomSource& source);
// Places in proportion to weights [.., K], or to exp(weights) where they are logarithms.
absl::StatusOr<Operand> RandomPlaces(Emitter& emitter, const Operand& weights, const RandomSource& source,
                                     int64_t samples, bool are_logarithms);

}  // namespace tally::frontend
