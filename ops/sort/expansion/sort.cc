// One element of a long sorted line.
#include "ops/common/selection_steps.h"
#include "ops/sort/attrs.h"

namespace tally {
namespace {

// The number of the element in its line.
template <typename Int>
int64_t RankOf(const Expansion<Int>& e, int64_t axis) {
  const Index d = e.context().place();
  return d[axis < 0 ? axis + e.context().shape(0).rank() : axis];
}

template <typename Int>
Keys KeysOf(Expansion<Int>& e, bool descending) {
  return {e.Part(0), descending, e.context().operands[0].interval};
}

}  // namespace

template <typename Int>
void ExpandSort(Expansion<Int>& e) {
  const auto attrs = e.template attrs<SortAttrs>();
  const Keys keys = KeysOf(e, attrs.descending);
  const Column key = SelectKey(e, keys, Rank<Int>(RankOf(e, attrs.axis)));
  e.One([=](const StepReads<Int>& r) { return keys.Element(r(key)); });
}
TALLY_EXPAND(Sort);

template <typename Int>
void ExpandArgSort(Expansion<Int>& e) {
  const auto attrs = e.template attrs<SortAttrs>();
  Select(e, KeysOf(e, attrs.descending), Rank<Int>(RankOf(e, attrs.axis)));
}
TALLY_EXPAND(ArgSort);

template <typename Int>
void ExpandTopK(Expansion<Int>& e) {
  const auto attrs = e.template attrs<TopKAttrs>();
  const Keys keys = KeysOf(e, attrs.largest);
  const auto rank = Rank<Int>(RankOf(e, attrs.axis));
  Column position;
  if (attrs.order == TopKOrder::kValue) {
    position = Select(e, keys, rank).position;
  } else {
    const Selected last = Select(e, keys, Rank<Int>(attrs.k - 1));
    const auto is_before = [=](const StepReads<Int>& r, int64_t i, const Int& t) {
      return Int(i) < t && last.Reaches(r, keys, i);
    };
    position = e.Bisect(keys.x.length, 0, keys.x.length - 1, rank, is_before);
  }
  if (e.context().result == 1) return;
  e.One([=](const StepReads<Int>& r) { return r(keys.x, r.Position(position, 0, keys.x.length)); });
}
TALLY_EXPAND(TopK);

}  // namespace tally
