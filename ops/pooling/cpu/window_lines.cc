// Sums of windows over any axes, a line along the last one at a time.
#include <utility>

#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/window.h"

namespace tally {
namespace {

struct WindowLinesBuffers {
  ScratchLayout scratch;
  int64_t* x;
  uint64_t *columns, *y;  // modulo 2^64: positions that no window reads are summed too, and may overflow

  WindowLinesBuffers(const Shape& x_shape, const Shape& y_shape, uint8_t* first)
      : scratch(first),
        x(scratch.Take<int64_t>(x_shape[x_shape.rank() - 1])),
        columns(scratch.Take<uint64_t>(x_shape[x_shape.rank() - 1])),
        y(scratch.Take<uint64_t>(y_shape[y_shape.rank() - 1])) {}
};

struct WindowLinesParams {
  Windows windows;  // for the axes but the last
  Window along;     // the last
  int64_t zero;
};

std::optional<Prepared<WindowLinesParams>> PrepareWindowLines(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const auto attrs = facts.attrs<WindowSumAttrs>();
  Windows windows = WindowsOf(attrs, attrs.kernel, x.rank());
  const Window along = std::exchange(windows[x.rank() - 1], {});
  return Prepared<WindowLinesParams>{{windows, along, attrs.zero},
                                     WindowLinesBuffers(x, y, nullptr).scratch.bytes()};
}

// sums[i] += line[start + i * stride] for every tap of the windows of a line and the places where it is
// inside.
void AddColumns(const Window& w, const uint64_t* line, int64_t length, int64_t places, uint64_t* sums) {
  for (int64_t tap = 0; tap < w.size; ++tap) {
    const int64_t start = tap * w.dilation - w.pad_begin;
    const int64_t first = start < 0 ? CeilDiv(-start, w.stride) : 0;
    const int64_t end = start >= length ? 0 : std::min(places, (length - 1 - start) / w.stride + 1);
    for (int64_t i = first; i < end; ++i) sums[i] += line[start + i * w.stride];
  }
}

template <Isa isa>
void WindowLines(const WindowLinesParams& p, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Shape &x_shape = x.type->shape, &y_shape = y.type->shape;
  const int last = x_shape.rank() - 1;
  const int64_t length = x_shape[last], places = y_shape[last];
  const int64_t zero = p.zero;
  const WindowLinesBuffers at(x_shape, y_shape, call.scratch);
  const Share share = call.ShareOf(y_shape.num_elements() / places);
  for (int64_t line = share.begin; line < share.end; ++line) {
    std::fill_n(at.columns, length, 0);
    ForEachTap(p.windows, Unflatten(line * places, y_shape), x_shape,
               [&](const Index&, const Index& position) {
                 const int64_t first = Flatten(position, x_shape);
                 convert.convert[CodeOf(x.storage)][CodeOf(Storage::kI64)](
                     x.bytes + first * SizeBytes(x.storage), at.x, length);
                 for (int64_t i = 0; i < length; ++i) at.columns[i] += static_cast<uint64_t>(at.x[i] - zero);
               });
    std::fill_n(at.y, places, 0);
    AddColumns(p.along, at.columns, length, places, at.y);
    convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        at.y, y.bytes + line * places * SizeBytes(y.storage), places);
  }
}

constexpr auto kWindowLinesKernels = EveryIsa<"window_sum_lines">(
    {.op = Opcode::kWindowSum}, []<Isa isa>() { return kKernel<PrepareWindowLines, WindowLines<isa>>; });

}  // namespace

KernelTable WindowLinesKernels() { return kWindowLinesKernels; }

}  // namespace tally
