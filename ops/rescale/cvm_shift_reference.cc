#include "ops/reference.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cvm_shift.h"

namespace tally {

template <typename Int>
void ReferenceCvmClip(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmClipAttrs>();
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, CvmSaturate<Int>(c.operands[0][i], attrs.precision));
  }
}

TALLY_REFERENCE(CvmClip);

template <typename Int>
void ReferenceCvmRightShift(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmShiftAttrs>();
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, CvmRightShift<Int>(c.operands[0][i], attrs.precision, attrs.shift_bit));
  }
}

TALLY_REFERENCE(CvmRightShift);

template <typename Int>
void ReferenceCvmLeftShift(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CvmShiftAttrs>();
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, CvmLeftShift<Int>(c.operands[0][i], attrs.precision, attrs.shift_bit));
  }
}

TALLY_REFERENCE(CvmLeftShift);

}  // namespace tally
