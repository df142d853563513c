#include "vm/compile/layouts.h"

#include <numeric>

namespace tally {

std::vector<int64_t> AxesInto(Layout to, int rank) {
  std::vector<int64_t> axes = {0};
  if (to == Layout::kRowMajor) axes.push_back(rank - 1);
  for (int64_t axis = to == Layout::kRowMajor ? 1 : 2; static_cast<int>(axes.size()) < rank && axis < rank;
       ++axis) {
    axes.push_back(axis);
  }
  if (to == Layout::kChannelsLast) axes.push_back(1);
  return axes;
}

std::vector<int64_t> OrderOfAxes(const Shape& shape, Layout layout) {
  if (layout == Layout::kChannelsLast && HasChannels(shape)) return AxesInto(layout, shape.rank());
  std::vector<int64_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Shape PhysicalShape(const Shape& shape, Layout layout) {
  std::vector<int64_t> dims;
  for (const int64_t axis : OrderOfAxes(shape, layout)) dims.push_back(shape[static_cast<int>(axis)]);
  return *Shape::Create(dims);
}

bool SameInBothLayouts(const Shape& shape) {
  if (!HasChannels(shape)) return true;
  return shape[1] == 1 || shape.num_elements() == shape[0] * shape[1];
}

}  // namespace tally
