#include <utility>

#include "ops/cpu/map_chunks.h"
#include "ops/normalization/cpu/kernel_tables.h"
#include "ops/normalization/cpu/response.h"

namespace tally {
namespace {

// The one axis along which windows have more than their centre; of several none is accepted.
struct WindowAxis {
  int axis = 0, count = 0;
  int64_t before = 0, after = 0;

  WindowAxis(const LocalResponseNormAttrs& attrs, const Shape& x) {
    const auto &axes = attrs.axes, &befores = attrs.before, &afters = attrs.after;
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

// The elements computed at once: as many of `stride` lines side by side as stay in the second-level cache.
struct LocalResponseNormBuffers {
  int64_t width;
  ScratchLayout scratch;
  int64_t *x, *squares, *y;
  ResponseTables tables;

  LocalResponseNormBuffers(int64_t n, int64_t stride, uint8_t* first)
      : width(std::clamp<int64_t>(8192 / n, 1, std::min<int64_t>(stride, 64))),
        scratch(first),
        x(scratch.Take<int64_t>(n * width)),
        squares(scratch.Take<int64_t>(n * width)),
        y(scratch.Take<int64_t>(n * width)),
        tables(scratch) {}
};

struct ResponseParams {
  LocalResponseNormAttrs attrs;
  WindowAxis window;
  Lines lines;
};

// A window along one axis.
std::optional<Prepared<ResponseParams>> PrepareLocalResponseNorm(const KernelFacts& facts) {
  auto attrs = facts.attrs<LocalResponseNormAttrs>();
  const Shape& x = facts.operands[0].shape;
  const WindowAxis window(attrs, x);
  if (!OperandsLieIn(facts) || window.count > 1) return std::nullopt;
  const Lines lines(x, window.axis, facts.layout);
  return Prepared<ResponseParams>{{std::move(attrs), window, lines},
                                  LocalResponseNormBuffers(lines.n, lines.stride, nullptr).scratch.bytes()};
}

template <Isa isa>
void LocalResponseNorm(const ResponseParams& p, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Lines& lines = p.lines;
  const LocalResponseNormBuffers at(lines.n, lines.stride, call.scratch);
  at.tables.Fill(call);
  const int64_t zero = p.attrs.zero_in;
  ResponseArgs args = ResponseArgsOf(p.attrs, at.tables, at.x, lines.n);
  args.before = p.window.before;
  args.after = p.window.after;
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

constexpr auto kLocalResponseNormKernels = EveryIsaAndLayout<"local_response_norm">(
    {.op = Opcode::kLocalResponseNorm, .in_place = true},
    []<Isa isa, Layout>() { return kKernel<PrepareLocalResponseNorm, LocalResponseNorm<isa>>; });

}  // namespace

KernelTable LocalResponseNormKernels() { return kLocalResponseNormKernels; }

}  // namespace tally
