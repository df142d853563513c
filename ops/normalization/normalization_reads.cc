// The elements that one element of a normalization reads.
#include <algorithm>

#include "ops/normalization/attrs.h"
#include "ops/normalization/rules.h"

namespace tally {
namespace {

// All coordinates along the listed axes, and those of the element along the others.
template <typename Axes>
Region AlongAxes(const ReadContext& c, const Axes& axes) {
  const Shape& x = c.shape(0);
  Region region = SameElement(c, 0);
  for (const int64_t listed : axes) {
    const int axis = static_cast<int>(listed < 0 ? listed + x.rank() : listed);
    region.Set(axis, 0, x[axis]);
  }
  return region;
}

}  // namespace

template <typename Attrs>
Region NormalizedLine(const ReadContext& c, int) {
  return AlongAxes(c, std::array{c.attrs<Attrs>().axis});
}
template Region NormalizedLine<SoftmaxAttrs>(const ReadContext&, int);
template Region NormalizedLine<LogSoftmaxAttrs>(const ReadContext&, int);

template <typename Attrs>
Region NormalizedRow(const ReadContext& c, int) {
  return AlongAxes(c, c.attrs<Attrs>().axes);
}
template Region NormalizedRow<LayerNormAttrs>(const ReadContext&, int);
template Region NormalizedRow<RmsNormAttrs>(const ReadContext&, int);

Region WindowOfResponse(const ReadContext& c, int) {
  const auto attrs = c.attrs<LocalResponseNormAttrs>();
  const Shape& x = c.shape(0);
  Region region = SameElement(c, 0);
  for (size_t k = 0; k < attrs.axes.size(); ++k) {
    const int axis = static_cast<int>(attrs.axes[k] < 0 ? attrs.axes[k] + x.rank() : attrs.axes[k]);
    const int64_t centre = region.begin[axis];
    const int64_t first = std::max<int64_t>(centre - attrs.before[k], 0);
    region.Set(axis, first, std::min(centre + attrs.after[k], x[axis] - 1) - first + 1);
  }
  return region;
}

}  // namespace tally
