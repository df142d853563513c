// Sums of windows over any axes, a line along the last one at a time.
#include "ops/cpu/kernel_attrs.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernels.h"
#include "ops/window.h"

namespace tally {
namespace {

struct Buffers {
  ScratchLayout scratch;
  int64_t* x;
  uint64_t *columns, *y;  // modulo 2^64: positions that no window reads are summed too, and may overflow

  Buffers(const Shape& x_shape, const Shape& y_shape, uint8_t* first)
      : scratch(first),
        x(scratch.Take<int64_t>(x_shape[x_shape.rank() - 1])),
        columns(scratch.Take<uint64_t>(x_shape[x_shape.rank() - 1])),
        y(scratch.Take<uint64_t>(y_shape[y_shape.rank() - 1])) {}
};

Windows WindowsIn(const KernelCall& call) {
  using A = WindowSumAttrs;
  const auto list = [&](auto member) { return AttrList<A>(call, member); };
  const struct {
    std::span<const int64_t> stride, dilation, pad_begin, pad_end;
  } lists = {list(&A::stride), list(&A::dilation), list(&A::pad_begin), list(&A::pad_end)};
  return WindowsOf(lists, list(&A::kernel), call.operands[0].type->shape.rank());
}

// sums[i] += line[start + i * stride] for every tap of the windows of a line and the places where it is inside.
void AddColumns(const Window& w, const uint64_t* line, int64_t length, int64_t places, uint64_t* sums) {
  for (int64_t tap = 0; tap < w.size; ++tap) {
    const int64_t start = tap * w.dilation - w.pad_begin;
    const int64_t first = start < 0 ? CeilDiv(-start, w.stride) : 0;
    const int64_t end = start >= length ? 0 : std::min(places, (length - 1 - start) / w.stride + 1);
    for (int64_t i = first; i < end; ++i) sums[i] += line[start + i * w.stride];
  }
}

}  // namespace

bool AcceptsWindowLines(const KernelFacts&) { return true; }

int64_t WindowLinesScratchBytes(const KernelFacts& facts) {
  return Buffers(facts.operands[0].shape, facts.results[0].shape, nullptr).scratch.bytes();
}

template <Isa isa>
void WindowLinesKernel(const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Shape &x_shape = x.type->shape, &y_shape = y.type->shape;
  const int last = x_shape.rank() - 1;
  const int64_t length = x_shape[last], places = y_shape[last];
  const int64_t zero = AttrOf<WindowSumAttrs>(call, &WindowSumAttrs::zero);
  const Buffers at(x_shape, y_shape, call.scratch);
  Windows windows = WindowsIn(call);
  const Window along = windows[last];
  windows[last] = {};
  const Share share = call.ShareOf(y_shape.num_elements() / places);
  for (int64_t line = share.begin; line < share.end; ++line) {
    std::fill_n(at.columns, length, 0);
    ForEachTap(windows, Unflatten(line * places, y_shape), x_shape, [&](const Index&, const Index& position) {
      const int64_t first = Flatten(position, x_shape);
      convert.convert[CodeOf(x.storage)][CodeOf(Storage::kI64)](x.bytes + first * SizeBytes(x.storage), at.x,
                                                                length);
      for (int64_t i = 0; i < length; ++i) at.columns[i] += static_cast<uint64_t>(at.x[i] - zero);
    });
    std::fill_n(at.y, places, 0);
    AddColumns(along, at.columns, length, places, at.y);
    convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        at.y, y.bytes + line * places * SizeBytes(y.storage), places);
  }
}
TALLY_INSTANTIATE_KERNEL(WindowLinesKernel);

}  // namespace tally
