#include "engines/compile/layouts.h"

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

bool SameInBothLayouts(const Shape& shape) {
  if (!HasChannels(shape)) return true;
  return shape[1] == 1 || shape.num_elements() == shape[0] * shape[1];
}

}  // namespace tally
