#include "ops/cpu/map_chunks.h"
#include "ops/normalization/cpu/kernels.h"
#include "ops/normalization/cpu/response.h"

namespace tally {
namespace {

// The one axis along which windows have more than their centre; of several none is accepted.
struct WindowAxis {
  int axis = 0, count = 0;
  int64_t before = 0, after = 0;

  template <typename Facts>
  WindowAxis(const Facts& facts, const Shape& x) {
    const auto list = [&](auto member) { return AttrList<LocalResponseNormAttrs>(facts, member); };
    const auto axes = list(&LocalResponseNormAttrs::axes), befores = list(&LocalResponseNormAttrs::before),
               afters = list(&LocalResponseNormAttrs::after);
    for (size_t k = 0; k < axes.size(); ++k) {
      const int a = static_cast<int>(axes[k] < 0 ? axes[k] + x.rank() : axes[k]);
      if (befores[k] + afters[k] == 0 || x[a] == 1) continue;
      axis = a;
      before = befores[k];
      after = afters[k];
      ++count;
    }
  }
};

// x as [outer, n, stride] in memory.
struct Lines {
  int64_t n = 1, stride = 1, outer = 1;

  Lines(const Shape& x, int axis, Layout layout) {
    if (x.rank() == 0) return;
    n = x[axis];
    stride = StridesOf(x, layout)[axis];
    outer = x.num_elements() / (n * stride);
  }
};

// What is computed at once: as many of `stride` lines side by side as stay in the second-level cache.
struct Buffers {
  int64_t width;
  ScratchLayout scratch;
  int64_t *x, *squares, *y;
  ResponseTables tables;

  Buffers(int64_t n, int64_t stride, uint8_t* first)
      : width(std::clamp<int64_t>(8192 / n, 1, std::min<int64_t>(stride, 64))),
        scratch(first),
        x(scratch.Take<int64_t>(n * width)),
        squares(scratch.Take<int64_t>(n * width)),
        y(scratch.Take<int64_t>(n * width)),
        tables(scratch) {}
};

}  // namespace

bool AcceptsLocalResponseNorm(const KernelFacts& facts) {
  return OperandsLieIn(facts) && WindowAxis(facts, facts.operands[0].shape).count <= 1;
}

int64_t LocalResponseNormScratchBytes(const KernelFacts& facts) {
  const Lines lines(facts.operands[0].shape, WindowAxis(facts, facts.operands[0].shape).axis, facts.layout);
  return Buffers(lines.n, lines.stride, nullptr).scratch.bytes();
}

template <Isa isa, Layout layout>
void LocalResponseNormKernel(const KernelCall& call) noexcept {
  using A = LocalResponseNormAttrs;
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Shape& shape = x.type->shape;
  const WindowAxis window(call, shape);
  const Lines lines(shape, window.axis, layout);
  const Buffers at(lines.n, lines.stride, call.scratch);
  at.tables.Fill(call);
  const int64_t zero = AttrOf<A>(call, &A::zero_in);
  ResponseArgs args = ResponseArgsOf(call, at.tables, at.x, lines.n);
  args.before = window.before;
  args.after = window.after;
  const int from = CodeOf(x.storage), to = CodeOf(y.storage), wide = CodeOf(Storage::kI64);
  const int64_t blocks = (lines.stride + at.width - 1) / at.width;
  const Share share = call.ShareOf(lines.outer * blocks);
  for (int64_t block = share.begin; block < share.end; ++block) {
    const int64_t column = block % blocks * at.width;
    const int64_t first = block / blocks * lines.n * lines.stride + column;
    args.width = std::min(at.width, lines.stride - column);
    const int64_t elements = lines.n * args.width;
    // Neighbours along the line are neighbours in memory where the stride is 1: then all of it is one row.
    const int64_t length = lines.stride == 1 ? elements : args.width;
    for (int64_t i = 0; i < elements; i += length) {
      const int64_t place = first + i / args.width * lines.stride;
      convert.convert[from][wide](x.bytes + place * SizeBytes(x.storage), at.x + i, length);
    }
    for (int64_t i = 0; i < elements; ++i) at.x[i] -= zero;
    GetNormalizationLoops<isa>().respond(args, at.squares, at.y);
    for (int64_t i = 0; i < elements; i += length) {
      const int64_t place = first + i / args.width * lines.stride;
      convert.convert[wide][to](at.y + i, y.bytes + place * SizeBytes(y.storage), length);
    }
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(LocalResponseNormKernel);

}  // namespace tally
