// sort, arg_sort and top_k put each line of x in order and differ in what they write of it.
#include "ops/reference.h"
#include "ops/sort/attrs.h"
#include "ops/sort/order_shape.h"

namespace tally {
namespace {

// For each line of x along the axis: write(line, order), where line[i] is its element i, and order its
// positions, the first in order first.
template <typename Int, typename Write>
void ForEachLine(const ReferenceContext<Int>& c, int64_t axis, bool descending, const Write& write) {
  const Operand<Int>& x = c.operands[0];
  const int a = static_cast<int>(axis < 0 ? axis + x.shape().rank() : axis);
  const int64_t n = x.shape()[a], inner = x.shape().stride(a);
  std::vector<Int> line(n);
  const int64_t m = c.results[0].shape()[a];  // elements of a line of a result
  const auto line_of = [&](int64_t e) { return e / (m * inner) * inner + e % inner; };
  for (const int64_t number : c.GroupsBy(x.size() / n, line_of)) {
    const int64_t o = number / inner, i = number % inner;
    for (int64_t k = 0; k < n; ++k) line[k] = x[(o * n + k) * inner + i];
    const std::vector<int64_t> order =
        OrderOf(n, [&](int64_t p, int64_t q) { return descending ? line[q] < line[p] : line[p] < line[q]; });
    write(line, order, [&](int64_t k) { return (o * m + k) * inner + i; });
  }
}

}  // namespace

// y[.., k, ..] = the element of its line that has k elements before it in order.
template <typename Int>
void ReferenceSort(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<SortAttrs>();
  ForEachLine(c, attrs.axis, attrs.descending, [&](const auto& line, const auto& order, const auto& at) {
    const int64_t n = std::ssize(order);
    for (int64_t k = 0; k < n; ++k) c.results[0].Set(at(k), line[order[k]]);
  });
}

// y[.., k, ..] = the position of that element.
template <typename Int>
void ReferenceArgSort(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<SortAttrs>();
  ForEachLine(c, attrs.axis, attrs.descending, [&](const auto&, const auto& order, const auto& at) {
    const int64_t n = std::ssize(order);
    for (int64_t k = 0; k < n; ++k) c.results[0].Set(at(k), Int(order[k]));
  });
}

// The first k elements of the order and their positions, in that order or by position.
template <typename Int>
void ReferenceTopK(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<TopKAttrs>();
  ForEachLine(c, attrs.axis, attrs.largest,
              [&](const auto& line, std::vector<int64_t> order, const auto& at) {
                order.resize(attrs.k);
                if (attrs.order == TopKOrder::kIndex) std::sort(order.begin(), order.end());
                for (int64_t k = 0; k < attrs.k; ++k) {
                  c.results[0].Set(at(k), line[order[k]]);
                  c.results[1].Set(at(k), Int(order[k]));
                }
              });
}

TALLY_REFERENCE(Sort);
TALLY_REFERENCE(ArgSort);
TALLY_REFERENCE(TopK);

}  // namespace tally
