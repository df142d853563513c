#include <algorithm>

#include "ops/common/requantize.h"
#include "ops/indexing.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/response_power.h"
#include "ops/reference.h"

namespace tally {
namespace {

// The part of the window around `centre` that is inside x, as a first index and dims.
struct Window {
  Index first;
  Shape dims;

  Window(const Shape& x, const Index& centre, const LocalResponseNormAttrs& attrs) : first(centre) {
    std::array<int64_t, kMaxRank> size;
    size.fill(1);
    for (size_t k = 0; k < attrs.axes.size(); ++k) {
      const int64_t axis = attrs.axes[k] < 0 ? attrs.axes[k] + x.rank() : attrs.axes[k];
      first[axis] = std::max<int64_t>(centre[axis] - attrs.before[k], 0);
      size[axis] = std::min(centre[axis] + attrs.after[k], x[static_cast<int>(axis)] - 1) - first[axis] + 1;
    }
    dims = *Shape::Create(std::span<const int64_t>(size.data(), x.rank()));
  }
};

}  // namespace

// u = bias + alpha * the sum of (x - zero_in)^2 over the window, P = M(mantissa of u) * X[exponent of u] /
// 2^31, y = clamp(round((x - zero_in) * P / 2^shift) + zero_out).
template <typename Int>
void ReferenceLocalResponseNorm(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<LocalResponseNormAttrs>();
  const Operand<Int>&x = c.operands[0], &mantissas = c.operands[1], &exponents = c.operands[2];
  const Int zero(attrs.zero_in);
  for (const int64_t at : c.elements()) {
    const Window window(x.shape(), Unflatten(at, x.shape()), attrs);
    const int64_t first = Flatten(window.first, x.shape());
    Int squares(int64_t{0});
    for (int64_t i = 0; i < window.dims.num_elements(); ++i) {
      const Int v = Int(x[first + Flatten(Unflatten(i, window.dims), x.shape())] - zero);
      squares = Int(squares + v * v);
    }
    const Int u(Int(attrs.bias) + Int(attrs.alpha) * squares);
    const Int power = ResponsePower<Int>(u, mantissas, exponents);
    c.results[0].Set(at, Requantize<Int>(Int(Int(x[at] - zero) * power), attrs));
  }
}

TALLY_REFERENCE(LocalResponseNorm);

}  // namespace tally
