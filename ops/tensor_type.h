// The type of a value: a shape and the proven interval of its elements, and how wide that interval may be
// (docs/spec/types.md).
#pragma once

#include <string>

#include "base/interval.h"
#include "base/shape.h"
#include "base/storage.h"
#include "ops/profile.h"

namespace tally {

// Elements of a tensor are in [-2^47, 2^47) in profile core and in [-(2^31 - 1), 2^31 - 1] in profile cvm.
constexpr Interval TensorLimit(Profile profile) {
  if (profile == Profile::kCvm) return {-((int64_t{1} << 31) - 1), (int64_t{1} << 31) - 1};
  return {-(int64_t{1} << 47), (int64_t{1} << 47) - 1};
}

struct TensorType {
  Shape shape;
  Interval interval;

  // The narrowest storage of the interval, and the bytes of a dense tensor in it.
  Storage storage() const { return NarrowestStorage(interval); }
  int64_t size_bytes() const { return shape.num_elements() * SizeBytes(storage()); }

  // "[1,64,56,56] in [-128, 127]"
  std::string ToString() const { return shape.ToString() + " in " + interval.ToString(); }

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

}  // namespace tally
