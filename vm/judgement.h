// How a judgement ends that cannot be finished.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/strings.h"
#include "vm/labels.h"

namespace tally {

// Ends it from inside a reference.
struct Refusal {
  absl::Status status;
};

template <typename T>
T OrRefuse(absl::StatusOr<T> value) {
  if (!value.ok()) throw Refusal{value.status()};
  return *std::move(value);
}

// The results of judge(), or why it ended: a refusal; element_overflow, where an integer does not fit; or
// step_order, where a step reads what is not there; or expansion_size, where it has too many columns.
template <typename F>
auto EndOf(F judge) -> absl::StatusOr<decltype(judge())> {
  try {
    return judge();
  } catch (const Refusal& refusal) {
    return refusal.status;
  } catch (const std::overflow_error& overflow) {
    return MakeError(label::element_overflow, overflow.what());
  } catch (const std::length_error& length) {
    return MakeError(label::expansion_size, length.what());
  } catch (const std::out_of_range& range) {
    return MakeError(label::step_order, range.what());
  }
}

// An integer of a referee as one of 64 bits.
template <typename Int>
int64_t As64Bits(const Int& value) {
  using Limits = std::numeric_limits<int64_t>;
  if (value < Int(Limits::min()) || Int(Limits::max()) < value) throw std::overflow_error("64 bits");
  return static_cast<int64_t>(value);
}

}  // namespace tally
