// unique by a sorting network: which slices are equal is known where equals are neighbours.
#include <bit>

#include "ops/common/selection_steps.h"
#include "ops/sort/attrs.h"

namespace tally {
namespace sorting {

// The slices of x one after the other, each as it is compared.
struct SliceList {
  Column elements;
  int64_t n, size;

  // Whether slice p is before slice q: less, or equal and at a lower position.
  template <typename Int>
  bool Before(const StepReads<Int>& r, int64_t p, int64_t q) const {
    const int order = Compare(r, p, q);
    return order < 0 || (order == 0 && p < q);
  }
  template <typename Int>
  int Compare(const StepReads<Int>& r, int64_t p, int64_t q) const {
    for (int64_t e = 0; e < size; ++e) {
      const Int a = r(elements, p * size + e), b = r(elements, q * size + e);
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }
};

template <typename Int>
SliceList SlicesOf(Expansion<Int>& e, const std::vector<int64_t>& axis) {
  const Shape x = e.context().shape(0);
  int64_t n = x.num_elements(), inner = 1;
  if (!axis.empty()) {
    const int a = static_cast<int>(axis[0] < 0 ? axis[0] + x.rank() : axis[0]);
    n = x[a];
    inner = x.stride(a);
  }
  const int64_t size = x.num_elements() / n;
  const auto at = [=](const StepReads<Int>& r, int64_t i) {
    const int64_t k = i / size, element = i % size;
    return r.operand(0)[(element / inner * n + k) * inner + element % inner];
  };
  return {e.Map(x.num_elements(), at, e.context().operands[0].storage()), n, size};
}

// The numbers of the slices in order, by the odd-even merge sort of Batcher (Knuth, The Art of Computer
// Programming, volume 3, 5.2.2M): each stage compares pairs that are `apart` from each other. Numbers from n
// on belong to no slice and come last.
template <typename Int>
Column OrderOf(Expansion<Int>& e, const SliceList& slices) {
  const auto before = [slices](const StepReads<Int>& r, int64_t p, int64_t q) {
    return p < slices.n && q < slices.n ? slices.Before(r, p, q) : p < q;
  };
  const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(slices.n)));
  Column order = e.Map(length, [](const StepReads<Int>&, int64_t i) { return Int(i); });
  for (int64_t merged = 1; merged < length; merged *= 2) {
    for (int64_t apart = merged; apart >= 1; apart /= 2) {
      const int64_t first = apart % merged;  // where the pairs of a merge begin
      order = e.Map(length, [=, last = order](const StepReads<Int>& r, int64_t i) {
        const int64_t from = i - first;
        if (from < 0) return r(last, i);
        const bool is_lower = from % (2 * apart) < apart;
        const int64_t lower = is_lower ? i : i - apart, upper = lower + apart;
        // Pairs stay inside two runs that are merged together.
        if (upper >= length || lower / (2 * merged) != upper / (2 * merged)) return r(last, i);
        const int64_t a = r.Position(last, lower, length), b = r.Position(last, upper, length);
        return Int(before(r, b, a) == is_lower ? b : a);
      });
    }
  }
  return order;
}

// The sums of the first i + 1 of `marks`, zeros and ones.
template <typename Int>
Column SumsUpTo(Expansion<Int>& e, Column marks) {
  const int64_t chunks = CeilDiv(marks.length, kTermsAtOnce);
  const Column sums = e.Map(chunks, [=](const StepReads<Int>& r, int64_t k) {
    Int sum(int64_t{0});
    for (int64_t i = k * kTermsAtOnce; i < std::min(marks.length, (k + 1) * kTermsAtOnce); ++i)
      sum = Int(sum + r(marks, i));
    return sum;
  });
  const Column before = chunks == 1 ? sums : SumsUpTo(e, sums);
  return e.Map(marks.length, [=](const StepReads<Int>& r, int64_t i) {
    const int64_t k = i / kTermsAtOnce;
    Int sum = k == 0 ? Int(int64_t{0}) : r(before, k - 1);
    for (int64_t j = k * kTermsAtOnce; j <= i; ++j) sum = Int(sum + r(marks, j));
    return sum;
  });
}

}  // namespace sorting

using sorting::OrderOf;
using sorting::SliceList;
using sorting::SlicesOf;
using sorting::SumsUpTo;

// The results in the terms of the order: a group is a run of equal slices, which begins with the one of the
// lowest position.
template <typename Int>
void ExpandUnique(Expansion<Int>& e) {
  const auto attrs = e.template attrs<UniqueAttrs>();
  const ReadContext& c = e.context();
  const SliceList slices = SlicesOf(e, attrs.axis);
  const int64_t n = slices.n;
  const Column order = OrderOf(e, slices);
  const auto slice = [order, n](const StepReads<Int>& r, int64_t i) { return r.Position(order, i, n); };
  const Column begins = e.Map(n, [=](const StepReads<Int>& r, int64_t i) {
    return Int(int64_t{i == 0 || slices.Compare(r, slice(r, i - 1), slice(r, i)) != 0});
  });
  const Column upto = SumsUpTo(e, begins);
  const auto group = [upto](const StepReads<Int>& r, int64_t i) { return Int(r(upto, i) - Int(int64_t{1})); };
  if (c.result == 4) {
    e.One([=](const StepReads<Int>& r) { return r(upto, n - 1); });
    return;
  }
  // Where the group of the element is in the order, and the slice of its first.
  Column at;
  const auto first_of_group = [&](Column number) {
    return e.FirstOf(n, [=](const StepReads<Int>& r, int64_t i) { return group(r, i) == r(number); });
  };
  if (c.result == 2) {
    const int64_t own = c.element;
    const Column place =
        e.FirstOf(n, [=](const StepReads<Int>& r, int64_t i) { return r(order, i) == Int(own); });
    const Column number = e.One([=](const StepReads<Int>& r) { return group(r, r.Position(place, 0, n)); });
    if (attrs.sorted) return;
    at = first_of_group(number);
    const Column first = e.One([=](const StepReads<Int>& r) { return r(order, r.Position(at, 0, n)); });
    e.SumOf(n, [=](const StepReads<Int>& r, int64_t i) {
      return r(begins, i) == Int(int64_t{1}) && r(order, i) < r(first);
    });
    return;
  }
  // Entry `rank` of the others, and element `within` of its slice.
  int64_t rank = c.element, within = 0;
  if (c.result == 0 && !attrs.axis.empty()) {
    const Shape& x = c.shape(0);
    const int a = static_cast<int>(attrs.axis[0] < 0 ? attrs.axis[0] + x.rank() : attrs.axis[0]);
    const int64_t inner = x.stride(a);
    rank = c.place()[a];
    within = c.element / (inner * attrs.bound) * inner + c.element % inner;
  }
  if (attrs.sorted) {
    at = first_of_group(e.One(Rank<Int>(rank)));
  } else {
    const Column first =
        e.Bisect(n, 0, n - 1, Rank<Int>(rank), [=](const StepReads<Int>& r, int64_t i, const Int& t) {
          return r(begins, i) == Int(int64_t{1}) && r(order, i) < t;
        });
    at = e.FirstOf(n, [=](const StepReads<Int>& r, int64_t i) { return r(order, i) == r(first); });
  }
  const Column count = e.SumOf(n, [=](const StepReads<Int>& r, int64_t i) {
    const int64_t place = r.Position(at, 0, n + 1);
    return place < n && group(r, i) == group(r, place);
  });
  e.One([=, result = c.result](const StepReads<Int>& r) {
    const bool exists = Int(rank) < r(upto, n - 1);
    if (result == 3) return exists ? r(count) : Int(int64_t{0});
    if (!exists) return Int(result == 0 ? attrs.value : int64_t{-1});
    const int64_t first = slice(r, r.Position(at, 0, n));
    return result == 0 ? r(slices.elements, first * slices.size + within) : Int(first);
  });
}
TALLY_EXPAND(Unique);

}  // namespace tally
