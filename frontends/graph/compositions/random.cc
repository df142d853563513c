#include "frontends/graph/compositions/random.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <utility>

#include "base/status_macros.h"

namespace tally::frontend {
namespace {

constexpr int64_t kParts = 1 << 16;

absl::StatusOr<Operand> Integers(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                 int64_t count) {
  const quant::RandomIntegers draw = {
      .shape = shape, .seed = source.seed, .layer = emitter.NextRandomLayer(), .lo = 0, .hi = count - 1};
  return emitter.Emit(draw, {}, "drawn");
}

// value((i + 1 / 2) / kParts) of each part i.
template <typename Value>
absl::StatusOr<Operand> ByParts(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                Value value) {
  ASSIGN_OR_RETURN(const Operand parts, Integers(emitter, shape, source, kParts));
  quant::FloatTensor values{{kParts}, {}};
  for (int64_t i = 0; i < kParts; ++i) {
    values.data.push_back(static_cast<float>(value((static_cast<double>(i) + 0.5) / kParts)));
  }
  return emitter.Emit(quant::Lookup{std::move(values)}, {parts}, "values");
}

}  // namespace

absl::StatusOr<Operand> RandomUniform(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                      float low, float high) {
  const double width = double{high} - low;
  return ByParts(emitter, shape, source, [&](double p) { return low + width * p; });
}

absl::StatusOr<Operand> RandomNormal(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                     float mean, float deviation) {
  return ByParts(emitter, shape, source, [&](double p) {
    return mean + deviation * std::sqrt(2.0) * boost::math::erf_inv(2 * p - 1);
  });
}

absl::StatusOr<Operand> RandomFlags(Emitter& emitter, const quant::Shape& shape, const RandomSource& source,
                                    double probability) {
  constexpr int64_t kUnits = int64_t{1} << 32;
  ASSIGN_OR_RETURN(const Operand drawn, Integers(emitter, shape, source, kUnits));
  const auto below = static_cast<int64_t>(std::llround(std::clamp(probability, 0.0, 1.0) * kUnits));
  ASSIGN_OR_RETURN(const Operand bound, emitter.NewConstant(below, "bound"));
  return emitter.Emit(quant::Compare{Comparison::kLess}, {drawn, bound}, "flags");
}

absl::StatusOr<Operand> RandomFlags(Emitter& emitter, const Operand& probabilities,
                                    const RandomSource& source) {
  ASSIGN_OR_RETURN(const Operand drawn, RandomUniform(emitter, probabilities.shape(), source, 0, 1));
  return emitter.Emit(quant::Compare{Comparison::kLess}, {drawn, probabilities}, "flags");
}

absl::StatusOr<Operand> RandomPlaces(Emitter& emitter, const Operand& weights, const RandomSource& source,
                                     int64_t samples, bool are_logarithms) {
  Operand shares = weights;
  if (are_logarithms) {
    const auto last = static_cast<int64_t>(weights.shape().size()) - 1;
    ASSIGN_OR_RETURN(shares, emitter.Emit(quant::Softmax{last}, {weights}, "shares"));
  }
  const quant::RandomCategorical draw = {
      .samples = samples, .seed = source.seed, .layer = emitter.NextRandomLayer()};
  return emitter.Emit(draw, {shares}, "places");
}

}  // namespace tally::frontend
