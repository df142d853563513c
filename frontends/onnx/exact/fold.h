// The elements of values that depend on constants alone: what a graph computes its axes, sizes and trip
// counts with.
//
//   const auto tensors = Evaluate(c, {y});
//   if (tensors) return c.Constant(tensors->front());
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/composition.h"

namespace tally::onnx {

// No value of a composition that is evaluated may have more elements, nor the whole of it cost more gas.
inline constexpr int64_t kMaxFoldedElements = 64;
inline constexpr int64_t kMaxFoldedGas = int64_t{1} << 16;

// Whether the value is a constant of at most so many elements.
bool IsSmallConstant(const Composition& c, Value value);

// The tensors of `results`, by the references of the operators; nothing when that exceeds a bound above. `c`
// has no inputs.
std::optional<std::vector<Tensor>> Evaluate(const Composition& c, std::span<const Value> results);

}  // namespace tally::onnx
