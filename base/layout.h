// The order of the elements of a value in memory, and of those that are hashed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/shape.h"

namespace tally {

// The order of the elements of a value of rank 3 to 5. Everything else is kRowMajor.
enum class Layout : uint8_t {
  kRowMajor,      // as the shape says: [N, C, spatial..]
  kChannelsLast,  // [N, spatial.., C], while the shape still says [N, C, spatial..]
};

// Whether the two layouts differ for values of this shape's rank.
inline bool HasChannels(const Shape& shape) { return shape.rank() >= 3 && shape.rank() <= 5; }

// The axes of a value in the order of its elements, outermost first.
std::vector<int64_t> OrderOfAxes(const Shape& shape, Layout layout);

// The shape of the elements in order: [N, spatial.., C] for a value that is channels last.
Shape PhysicalShape(const Shape& shape, Layout layout);

}  // namespace tally
