#include <array>
#include <type_traits>

#include "ops/cpu/kernel_attrs.h"
#include "ops/linear/attrs.h"
#include "ops/linear/cpu/gemm_over_pixels.h"
#include "ops/linear/cpu/kernels.h"

namespace tally {
namespace {

// A spatial axis. A transposed convolution is a convolution over an x whose elements are `stretch` apart, its kernel
// flipped.
struct Axis {
  int64_t size = 1, kernel = 1, out = 1;
  int64_t stride = 1, dilation = 1, pad_begin = 0, input_dilation = 1;

  // Where a tap of a result lies in x, or -1.
  int64_t Find(int64_t result, int64_t tap) const {
    const int64_t position = result * stride + tap * dilation - pad_begin;
    if (position < 0) return -1;
    if (input_dilation == 1) return position < size ? position : -1;
    return position % input_dilation == 0 && position / input_dilation < size ? position / input_dilation
                                                                              : -1;
  }
};

template <Isa isa, typename Attrs>
class ConvolutionTerms {
 public:
  static constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;

  explicit ConvolutionTerms(const KernelCall& call)
      : x_(call.operands[0]),
        w_(call.operands[1]),
        zero_x_(AttrOf<Attrs>(call, &Attrs::zero_x)),
        zero_w_(AttrOf<Attrs>(call, &Attrs::zero_w)) {
    const Shape &x = x_.type->shape, &w = w_.type->shape, &y = call.results[0].type->shape;
    groups_ = AttrOf<Attrs>(call, &Attrs::groups);
    group_channels_ = x[1] / groups_;
    group_results_ = y[1] / groups_;
    const auto stride = AttrList<Attrs>(call, &Attrs::stride),
               dilation = AttrList<Attrs>(call, &Attrs::dilation),
               pad_begin = AttrList<Attrs>(call, &Attrs::pad_begin);
    const int missing = 5 - x.rank();
    for (int i = missing; i < 3; ++i) {
      Axis& axis = axes_[i];
      axis.size = x[2 + i - missing];
      axis.kernel = w[2 + i - missing];
      axis.out = y[2 + i - missing];
      axis.dilation = dilation[i - missing];
      axis.stride = kTransposed ? 1 : stride[i - missing];
      axis.input_dilation = kTransposed ? stride[i - missing] : 1;
      axis.pad_begin =
          kTransposed ? axis.dilation * (axis.kernel - 1) - pad_begin[i - missing] : pad_begin[i - missing];
    }
  }

  int64_t groups() const { return groups_; }
  int64_t depth() const { return group_channels_ * taps(); }
  bool narrow() const { return FitsI32(x_.type->interval, zero_x_) && FitsI32(w_.type->interval, zero_w_); }

  void Begin(const PixelBlock& block) { block_ = block; }

  void Columns(int64_t begin, int64_t end, int64_t* to) const {
    const Axis &slices = axes_[0], &lines = axes_[1], &columns = axes_[2];
    for (int64_t p = 0; p < block_.pixels;) {  // stretches of one line of y
      int64_t rest = block_.pixel + p;
      const int64_t column = rest % columns.out;
      rest /= columns.out;
      const int64_t line = rest % lines.out;
      rest /= lines.out;
      const int64_t slice = rest % slices.out, n = rest / slices.out;
      const int64_t count = std::min(block_.pixels - p, columns.out - column);
      int64_t c = begin / taps(), tap_slice = begin / (lines.kernel * columns.kernel) % slices.kernel;
      int64_t tap_line = begin / columns.kernel % lines.kernel, tap_column = begin % columns.kernel;
      int64_t h = lines.Find(line, tap_line), d = slices.Find(slice, tap_slice);
      for (int64_t k = begin; k < end; ++k) {
        int64_t* const at = to + (k - begin) * kBlockColumns + p;
        std::fill_n(at, count, 0);
        if (h >= 0 && d >= 0) {
          const int64_t channel = n * groups_ * group_channels_ + block_.group * group_channels_ + c;
          const int64_t first = ((channel * slices.size + d) * lines.size + h) * columns.size;
          Line(first, column, tap_column, count, at);
        }
        if (++tap_column < columns.kernel) continue;
        tap_column = 0;
        if (++tap_line == lines.kernel) {
          tap_line = 0;
          if (++tap_slice == slices.kernel) {
            tap_slice = 0;
            ++c;
          }
          d = slices.Find(slice, tap_slice);
        }
        h = lines.Find(line, tap_line);
      }
      p += count;
    }
  }

  void Factors(int64_t row, int64_t begin, int64_t end, int64_t* to) const {
    const int64_t channel = block_.channel + row;
    if constexpr (!kTransposed) {
      return GatherLess<isa>(w_, channel * depth() + begin, 1, zero_w_, end - begin, to, 1);
    }
    while (begin < end) {  // taps of one channel of x, from the last to the first
      const int64_t c = block_.group * group_channels_ + begin / taps(), tap = begin % taps();
      const int64_t count = std::min(end - begin, taps() - tap);
      const int64_t kernel = (c * group_results_ + channel % group_results_) * taps();
      GatherLess<isa>(w_, kernel + taps() - 1 - tap, -1, zero_w_, count, to, 1);
      begin += count;
      to += count;
    }
  }

 private:
  int64_t taps() const { return axes_[0].kernel * axes_[1].kernel * axes_[2].kernel; }

  // What tap `tap` reads of the line of x from element `first` on, for `count` results from `column` on.
  void Line(int64_t first, int64_t column, int64_t tap, int64_t count, int64_t* to) const {
    const Axis& a = axes_[2];
    const int64_t start = column * a.stride + tap * a.dilation - a.pad_begin;  // of the dilated line
    if (count == 1) {
      const int64_t x = a.Find(column, tap);
      if (x >= 0) *to = LoadElement(x_.storage, x_.bytes, first + x) - zero_x_;
      return;
    }
    // Results `step` apart read neighbours that are `x_step` apart: one of both is 1.
    const int64_t step = a.input_dilation, x_step = a.stride;
    int64_t i = start < 0 ? CeilDiv(-start, a.stride) : 0;
    i += (a.input_dilation - (start + i * a.stride) % a.input_dilation) % a.input_dilation;
    const int64_t x = (start + i * a.stride) / a.input_dilation;
    if (i >= count || x >= a.size) return;
    const int64_t inside = std::min(CeilDiv(count - i, step), CeilDiv(a.size - x, x_step));
    GatherLess<isa>(x_, first + x, x_step, zero_x_, inside, to + i, step);
  }

  const KernelOperand &x_, &w_;
  const int64_t zero_x_, zero_w_;
  int64_t groups_, group_channels_, group_results_;
  std::array<Axis, 3> axes_;
  PixelBlock block_ = {};
};

template <Isa isa, typename Attrs>
void Run(const KernelCall& call) {
  ConvolutionTerms<isa, Attrs> terms(call);
  const KernelOperand* bias = call.operands.size() > 2 ? &call.operands[2] : nullptr;
  GemmOverPixels<isa>(call, terms.groups(), terms.depth(), bias, terms.narrow(), terms,
                      [](int64_t*, int64_t) {});
}

}  // namespace

int64_t GemmScratchBytes(const KernelFacts&) { return GemmBuffers(nullptr).scratch.bytes(); }

template <Isa isa>
void ConvolutionKernel(const KernelCall& call) noexcept {
  Run<isa, ConvolutionAttrs>(call);
}
TALLY_INSTANTIATE_KERNEL(ConvolutionKernel);

template <Isa isa>
void ConvTransposeKernel(const KernelCall& call) noexcept {
  Run<isa, ConvTransposeAttrs>(call);
}
TALLY_INSTANTIATE_KERNEL(ConvTransposeKernel);

}  // namespace tally
