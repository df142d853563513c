#include "ops/reference.h"
#include "ops/sort/attrs.h"
#include "ops/sort/order_shape.h"

namespace tally {
namespace {

// x as n slices of elements, slice k being x[.., k, ..] row-major; without an axis each element is a slice.
template <typename Int>
struct Slices {
  int64_t n = 1, inner = 1, outer = 1;
  std::vector<Int> elements;

  Slices(const Operand<Int>& x, const std::vector<int64_t>& axis) : n(x.size()) {
    if (!axis.empty()) {
      const int a = static_cast<int>(axis[0] < 0 ? axis[0] + x.shape().rank() : axis[0]);
      n = x.shape()[a];
      inner = x.shape().stride(a);
      outer = x.size() / (n * inner);
    }
    for (int64_t i = 0; i < x.size(); ++i) elements.push_back(x[i]);
  }

  int64_t size() const { return outer * inner; }
  // Element e of slice k is here in a tensor whose axis has m slices.
  int64_t At(int64_t k, int64_t e, int64_t m) const { return (e / inner * m + k) * inner + e % inner; }
  const Int& at(int64_t k, int64_t e) const { return elements[At(k, e, n)]; }
  // Lexicographically.
  bool Less(int64_t p, int64_t q) const {
    for (int64_t e = 0; e < size(); ++e) {
      if (at(p, e) != at(q, e)) return at(p, e) < at(q, e);
    }
    return false;
  }
};

}  // namespace

// The distinct slices of x in order, with the position of each one's first appearance, for each slice of x
// its entry, how often each one appears, and how many there are.
template <typename Int>
void ReferenceUnique(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<UniqueAttrs>();
  const Slices<Int> x(c.operands[0], attrs.axis);
  std::vector<int64_t> first, count, group(x.n);  // per group of equal slices; per slice
  const std::vector<int64_t> order = OrderOf(x.n, [&](int64_t p, int64_t q) { return x.Less(p, q); });
  for (const int64_t k : order) {
    if (first.empty() || x.Less(first.back(), k)) {
      first.push_back(k);
      count.push_back(0);
    }
    ++count.back();
    group[k] = std::ssize(first) - 1;
  }
  const int64_t number = std::ssize(first);
  // Entry r is group entries[r], group g is entry rank[g].
  const std::vector<int64_t> entries =
      OrderOf(number, [&](int64_t g, int64_t h) { return attrs.sorted ? g < h : first[g] < first[h]; });
  std::vector<int64_t> rank(number);
  for (int64_t r = 0; r < number; ++r) rank[entries[r]] = r;

  for (int64_t r = 0; r < attrs.bound; ++r) {
    const bool exists = r < number;
    for (int64_t e = 0; e < x.size(); ++e) {
      c.results[0].Set(x.At(r, e, attrs.bound), exists ? x.at(first[entries[r]], e) : Int(attrs.value));
    }
    c.results[1].Set(r, Int(exists ? first[entries[r]] : int64_t{-1}));
    c.results[3].Set(r, Int(exists ? count[entries[r]] : int64_t{0}));
  }
  for (int64_t k = 0; k < x.n; ++k) c.results[2].Set(k, Int(rank[group[k]]));
  c.results[4].Set(0, Int(number));
}

TALLY_REFERENCE(Unique);

}  // namespace tally
