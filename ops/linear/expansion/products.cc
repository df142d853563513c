// Long sums of products: the read sets of both operands name the factors in one order.
#include "ops/expansion.h"
#include "ops/linear/attrs.h"

namespace tally {
namespace {

// The sum of (x_i - zero_x) * (w_i - zero_w), and the bias of the element's channel where there is one.
template <typename Int>
void SumProducts(Expansion<Int>& e, int64_t zero_x = 0, int64_t zero_w = 0) {
  const Column x = e.Part(0), w = e.Part(1);
  const Column sum = e.SumOf(x.length, [=](const StepReads<Int>& r, int64_t i) {
    return Int(Int(r(x, i) - Int(zero_x)) * Int(r(w, i) - Int(zero_w)));
  });
  if (e.context().operands.size() < 3) return;
  const int64_t channel = e.context().place()[1];
  e.One([=](const StepReads<Int>& r) { return Int(r(sum) + r.operand(2)[channel]); });
}

}  // namespace

template <typename Int>
void ExpandConv2d(Expansion<Int>& e) {
  SumProducts(e);
}
TALLY_EXPAND(Conv2d);

template <typename Int>
void ExpandDense(Expansion<Int>& e) {
  SumProducts(e);
}
TALLY_EXPAND(Dense);

template <typename Int>
void ExpandMatmul(Expansion<Int>& e) {
  const auto attrs = e.template attrs<MatmulAttrs>();
  SumProducts(e, attrs.zero_a, attrs.zero_b);
}
TALLY_EXPAND(Matmul);

template <typename Int>
void ExpandConvolution(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ConvolutionAttrs>();
  SumProducts(e, attrs.zero_x, attrs.zero_w);
}
TALLY_EXPAND(Convolution);

template <typename Int>
void ExpandConvTranspose(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ConvTransposeAttrs>();
  SumProducts(e, attrs.zero_x, attrs.zero_w);
}
TALLY_EXPAND(ConvTranspose);

}  // namespace tally
