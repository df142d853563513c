#include <array>
#include <type_traits>

#include "ops/linear/attrs.h"
#include "ops/linear/cpu/gemm_over_pixels.h"
#include "ops/linear/cpu/kernel_tables.h"

namespace tally {
namespace {

// A spatial axis. A transposed convolution is a convolution over an x whose elements are `stretch` apart, its
// kernel flipped.
struct Axis {
  int64_t size = 1, kernel = 1, out = 1;
  int64_t stride = 1, dilation = 1, pad_begin = 0, input_dilation = 1;

  // Where a tap of a result is in x, or -1.
  int64_t Find(int64_t result, int64_t tap) const {
    const int64_t position = result * stride + tap * dilation - pad_begin;
    if (position < 0) return -1;
    if (input_dilation == 1) return position < size ? position : -1;
    return position % input_dilation == 0 && position / input_dilation < size ? position / input_dilation
                                                                              : -1;
  }
};

struct ConvolutionParams {
  int64_t zero_x, zero_w;
  int64_t groups, group_channels, group_results;
  std::array<Axis, 3> axes;
  bool narrow;  // products of 32 bits

  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t depth() const { return group_channels * taps(); }
};

template <typename Attrs>
constexpr bool kTransposed = std::is_same_v<Attrs, ConvTransposeAttrs>;

template <typename Attrs>
std::optional<Prepared<ConvolutionParams>> PrepareConvolution(const KernelFacts& facts) {
  const auto attrs = facts.attrs<Attrs>();
  const Shape &x = facts.operands[0].shape, &w = facts.operands[1].shape, &y = facts.results[0].shape;
  ConvolutionParams p = {.zero_x = attrs.zero_x,
                         .zero_w = attrs.zero_w,
                         .groups = attrs.groups,
                         .group_channels = x[1] / attrs.groups,
                         .group_results = y[1] / attrs.groups,
                         .axes = {},
                         .narrow = FitsI32(facts.operands[0].interval, attrs.zero_x) &&
                                   FitsI32(facts.operands[1].interval, attrs.zero_w)};
  const int missing = 5 - x.rank();
  for (int i = missing; i < 3; ++i) {
    Axis& axis = p.axes[i];
    axis.size = x[2 + i - missing];
    axis.kernel = w[2 + i - missing];
    axis.out = y[2 + i - missing];
    const int64_t stride = attrs.stride[i - missing], pad_begin = attrs.pad_begin[i - missing];
    axis.dilation = attrs.dilation[i - missing];
    axis.stride = kTransposed<Attrs> ? 1 : stride;
    axis.input_dilation = kTransposed<Attrs> ? stride : 1;
    axis.pad_begin = kTransposed<Attrs> ? axis.dilation * (axis.kernel - 1) - pad_begin : pad_begin;
  }
  return Prepared<ConvolutionParams>{p, GemmBuffers(nullptr).scratch.bytes()};
}

template <Isa isa, typename Attrs>
class ConvolutionTerms {
 public:
  ConvolutionTerms(const ConvolutionParams& p, const KernelCall& call)
      : p_(p), x_(call.operands[0]), w_(call.operands[1]) {}

  void Begin(const PixelBlock& block) { block_ = block; }

  void Columns(int64_t begin, int64_t end, int64_t* to) const {
    const Axis &slices = p_.axes[0], &lines = p_.axes[1], &columns = p_.axes[2];
    for (int64_t p = 0; p < block_.pixels;) {  // stretches of one line of y
      int64_t rest = block_.pixel + p;
      const int64_t column = rest % columns.out;
      rest /= columns.out;
      const int64_t line = rest % lines.out;
      rest /= lines.out;
      const int64_t slice = rest % slices.out, n = rest / slices.out;
      const int64_t count = std::min(block_.pixels - p, columns.out - column);
      int64_t c = begin / p_.taps(), tap_slice = begin / (lines.kernel * columns.kernel) % slices.kernel;
      int64_t tap_line = begin / columns.kernel % lines.kernel, tap_column = begin % columns.kernel;
      int64_t h = lines.Find(line, tap_line), d = slices.Find(slice, tap_slice);
      for (int64_t k = begin; k < end; ++k) {
        int64_t* const at = to + (k - begin) * kBlockColumns + p;
        std::fill_n(at, count, 0);
        if (h >= 0 && d >= 0) {
          const int64_t channel = (n * p_.groups + block_.group) * p_.group_channels + c;
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
    if constexpr (!kTransposed<Attrs>) {
      return GatherLess<isa>(w_, channel * p_.depth() + begin, 1, p_.zero_w, end - begin, to, 1);
    }
    const int64_t taps = p_.taps();
    while (begin < end) {  // taps of one channel of x, from the last to the first
      const int64_t c = block_.group * p_.group_channels + begin / taps, tap = begin % taps;
      const int64_t count = std::min(end - begin, taps - tap);
      const int64_t kernel = (c * p_.group_results + channel % p_.group_results) * taps;
      GatherLess<isa>(w_, kernel + taps - 1 - tap, -1, p_.zero_w, count, to, 1);
      begin += count;
      to += count;
    }
  }

 private:
  // The elements that tap `tap` reads of the line of x from element `first` on, for `count` results from
  // `column` on.
  void Line(int64_t first, int64_t column, int64_t tap, int64_t count, int64_t* to) const {
    const Axis& a = p_.axes[2];
    const int64_t start = column * a.stride + tap * a.dilation - a.pad_begin;  // for the dilated line
    if (count == 1) {
      const int64_t x = a.Find(column, tap);
      if (x >= 0) *to = LoadElement(x_.storage, x_.bytes, first + x) - p_.zero_x;
      return;
    }
    // Results `step` apart read neighbours that are `x_step` apart: one of both is 1.
    const int64_t step = a.input_dilation, x_step = a.stride;
    int64_t i = start < 0 ? CeilDiv(-start, a.stride) : 0;
    i += (a.input_dilation - (start + i * a.stride) % a.input_dilation) % a.input_dilation;
    const int64_t x = (start + i * a.stride) / a.input_dilation;
    if (i >= count || x >= a.size) return;
    const int64_t inside = std::min(CeilDiv(count - i, step), CeilDiv(a.size - x, x_step));
    GatherLess<isa>(x_, first + x, x_step, p_.zero_x, inside, to + i, step);
  }

  const ConvolutionParams& p_;
  const KernelOperand &x_, &w_;
  PixelBlock block_ = {};
};

template <Isa isa, typename Attrs>
void Convolution(const ConvolutionParams& p, const KernelCall& call) noexcept {
  ConvolutionTerms<isa, Attrs> terms(p, call);
  const KernelOperand* bias = call.operands.size() > 2 ? &call.operands[2] : nullptr;
  GemmOverPixels<isa>(call, p.groups, p.depth(), bias, p.narrow, terms, [](int64_t*, int64_t) {});
}

template <KernelName kName, typename Attrs>
constexpr auto KernelsOf(Opcode op) {
  return EveryIsa<kName>(
      {.op = op}, []<Isa isa>() { return kKernel<PrepareConvolution<Attrs>, Convolution<isa, Attrs>>; });
}

constexpr auto kConvolutionKernels =
    JoinKernels(KernelsOf<"convolution", ConvolutionAttrs>(Opcode::kConvolution),
                KernelsOf<"conv_transpose", ConvTransposeAttrs>(Opcode::kConvTranspose));

}  // namespace

KernelTable ConvolutionKernels() { return kConvolutionKernels; }

}  // namespace tally
