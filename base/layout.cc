#include "base/layout.h"

#include <algorithm>
#include <numeric>

namespace tally {

std::vector<int64_t> OrderOfAxes(const Shape& shape, Layout layout) {
  std::vector<int64_t> axes(static_cast<size_t>(shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (layout == Layout::kChannelsLast && HasChannels(shape)) {
    std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  }
  return axes;
}

Shape PhysicalShape(const Shape& shape, Layout layout) {
  std::vector<int64_t> dims;
  for (const int64_t axis : OrderOfAxes(shape, layout)) dims.push_back(shape[static_cast<int>(axis)]);
  return *Shape::Create(dims);
}

}  // namespace tally
