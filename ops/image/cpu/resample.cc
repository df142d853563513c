#include "ops/cpu/elements.h"
#include "ops/cpu/scratch.h"
#include "ops/cpu/strided_copy.h"
#include "ops/image/attrs.h"
#include "ops/image/cpu/kernel_tables.h"
#include "ops/image/cpu/resample_loops.h"

namespace tally {
namespace {

constexpr int64_t kMostTaps = 4096;                // for the pixels that go together
constexpr int64_t kMostTransposedBytes = 1 << 20;  // for x and y of a group of lines
constexpr int64_t kShortRow = 16;                  // elements

// x as [outer, n, inner] in memory, y as [outer, m, inner].
struct Resampling {
  int64_t n, m, inner, outer, taps;
  int64_t x_size, y_size;  // bytes of an element

  Resampling(const Shape& x, const Shape& index, int64_t axis, Layout layout, Storage x_storage,
             Storage y_storage) {
    const int a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    n = x[a];
    m = index[0];
    taps = index[1];
    inner = StridesOf(x, layout)[a];
    outer = x.num_elements() / (n * inner);
    x_size = SizeBytes(x_storage);
    y_size = SizeBytes(y_storage);
  }
  // Lines that are transposed together, so that rows of as many elements take the place of short ones; 0
  // where rows are long enough, or lines few or large, or most of x is not read.
  int64_t lines_at_once() const {
    if (inner >= kShortRow || n > 2 * m * taps) return 0;
    for (int64_t lines = 64; lines >= kShortRow; lines /= 2) {
      if (lines <= outer && lines * inner * (n * x_size + m * y_size) <= kMostTransposedBytes) return lines;
    }
    return 0;
  }
};

struct ResampleBuffers {
  ScratchLayout scratch;
  int64_t *places, *weights;
  uint8_t *x, *y;  // transposed

  ResampleBuffers(const Resampling& r, uint8_t* first)
      : scratch(first),
        places(scratch.Take<int64_t>(MostPixels(r) * r.taps)),
        weights(scratch.Take<int64_t>(MostPixels(r) * r.taps)),
        x(scratch.Take<uint8_t>(r.lines_at_once() * r.inner * r.n * r.x_size)),
        y(scratch.Take<uint8_t>(r.lines_at_once() * r.inner * r.m * r.y_size)) {}
  static int64_t MostPixels(const Resampling& r) { return std::clamp<int64_t>(kMostTaps / r.taps, 1, r.m); }
};

// The taps of pixels, as many at a time as there is room for.
template <Isa isa>
class Pixels {
 public:
  Pixels(const KernelCall& call, const Resampling& r, const ResampleBuffers& at)
      : call_(call), taps_(r.taps), at_(at), index_(call.operands[1]), weight_(call.operands[2]) {}

  // Pixels [begin, end) of y, in rows of n elements; `step` is where the next place of x begins.
  void Take(int64_t begin, int64_t end, int64_t n, int64_t step) {
    args_ = {nullptr, at_.places, at_.weights, taps_, end - begin, n};
    copies_ = taps_ == 1;
    for (int64_t i = 0; i < args_.count * taps_; ++i) {
      at_.places[i] = index_[begin * taps_ + i] * step;
      at_.weights[i] = weight_[begin * taps_ + i];
      copies_ = copies_ && at_.weights[i] == 1;
    }
  }

  // Those from `first` on, `count` of them, moved by `offset` elements of x.
  void Run(const uint8_t* x, int64_t first, int64_t count, uint8_t* y) const {
    const ResampleLoops& loops = GetResampleLoops<isa>();
    PixelArgs args = args_;
    args.x = x;
    args.places += first * taps_;
    args.weights += first * taps_;
    args.count = count;
    const int s = CodeOf(call_.operands[0].storage), t = CodeOf(call_.results[0].storage);
    (copies_ ? loops.copies : loops.pixels)[s][t](args, y);
  }

 private:
  const KernelCall& call_;
  int64_t taps_;
  const ResampleBuffers& at_;
  Elements index_, weight_;
  PixelArgs args_ = {};
  bool copies_ = false;
};

// Rows of `inner` elements, as they are.
template <Isa isa>
void ResampleRows(const KernelCall& call, const Resampling& r, const ResampleBuffers& at) {
  const Share share = call.ShareOf(r.outer * r.m);
  if (share.begin == share.end) return;
  const int64_t most = ResampleBuffers::MostPixels(r);
  Pixels<isa> pixels(call, r, at);
  for (int64_t first = 0; first < r.m; first += most) {
    const int64_t last = std::min(first + most, r.m);
    pixels.Take(first, last, r.inner, r.inner);
    for (int64_t o = share.begin / r.m; o * r.m < share.end; ++o) {
      const int64_t begin = std::max(first, share.begin - o * r.m), end = std::min(last, share.end - o * r.m);
      if (begin >= end) continue;
      pixels.Run(call.operands[0].bytes + o * r.n * r.inner * r.x_size, begin - first, end - begin,
                 call.results[0].bytes + (o * r.m + begin) * r.inner * r.y_size);
    }
  }
}

// Lines of short rows, transposed: element i of every line of a group is a row.
template <Isa isa>
void ResampleTransposed(const KernelCall& call, const Resampling& r, const ResampleBuffers& at,
                        int64_t at_once) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int64_t x_line = r.n * r.inner, y_line = r.m * r.inner, most = ResampleBuffers::MostPixels(r);
  const Share share = call.ShareOf(r.outer);
  Pixels<isa> pixels(call, r, at);
  for (int64_t first = share.begin; first < share.end; first += at_once) {
    // A group at the end begins among the lines before it.
    const int64_t lines = std::min(at_once, share.end - share.begin),
                  from = std::min(first, share.end - lines), row = r.inner * lines;
    convert.transpose[CodeOf(x.storage)](x.bytes + from * x_line * r.x_size, x_line, at.x, lines, x_line,
                                         lines);
    for (int64_t pixel = 0; pixel < r.m; pixel += most) {
      const int64_t end = std::min(pixel + most, r.m);
      if (most < r.m || first == share.begin) pixels.Take(pixel, end, row, row);
      pixels.Run(at.x, 0, end - pixel, at.y + pixel * row * r.y_size);
    }
    convert.transpose[CodeOf(y.storage)](at.y, lines, y.bytes + from * y_line * r.y_size, y_line, lines,
                                         y_line);
  }
}

std::optional<Prepared<Resampling>> PrepareResample(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Resampling r(facts.operands[0].shape, facts.operands[1].shape, facts.attrs<ResampleAttrs>().axis,
                     facts.layout, facts.storages[0], facts.results[0].storage());
  return Prepared<Resampling>{r, ResampleBuffers(r, nullptr).scratch.bytes()};
}

template <Isa isa>
void Resample(const Resampling& r, const KernelCall& call) noexcept {
  const ResampleBuffers at(r, call.scratch);
  const int64_t at_once = r.lines_at_once();
  at_once > 0 ? ResampleTransposed<isa>(call, r, at, at_once) : ResampleRows<isa>(call, r, at);
}

constexpr auto kResampleKernels = EveryIsaAndLayout<"resample">(
    {.op = Opcode::kResample}, []<Isa isa, Layout>() { return kKernel<PrepareResample, Resample<isa>>; });

}  // namespace

KernelTable ResampleKernels() { return kResampleKernels; }

}  // namespace tally
