// local_response_norm with windows over several axes, a line along the last one at a time.
#include <tuple>
#include <utility>

#include "ops/cpu/map_chunks.h"
#include "ops/normalization/cpu/kernel_tables.h"
#include "ops/normalization/cpu/response.h"
#include "ops/window.h"

namespace tally {
namespace {

struct ResponseLinesBuffers {
  ScratchLayout scratch;
  int64_t *x, *columns, *squares, *y;
  ResponseTables tables;

  ResponseLinesBuffers(int64_t length, uint8_t* first)
      : scratch(first),
        x(scratch.Take<int64_t>(length)),
        columns(scratch.Take<int64_t>(length)),
        squares(scratch.Take<int64_t>(length)),
        y(scratch.Take<int64_t>(length)),
        tables(scratch) {}
};

int64_t LengthOf(const Shape& x) { return x.rank() == 0 ? 1 : x[x.rank() - 1]; }

struct ResponseLinesParams {
  LocalResponseNormAttrs attrs;
  Windows windows;  // for the axes but the last
  Window along;     // the last
};

// Windows along any axes, around each element: that of place p begins `before` elements ahead of it.
std::optional<Prepared<ResponseLinesParams>> PrepareResponseLines(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  ResponseLinesParams p = {.attrs = facts.attrs<LocalResponseNormAttrs>(), .windows = {}, .along = {}};
  const auto& [axes, before, after] = std::tie(p.attrs.axes, p.attrs.before, p.attrs.after);
  for (size_t k = 0; k < axes.size(); ++k) {
    p.windows[axes[k] < 0 ? axes[k] + x.rank() : axes[k]] = {
        .size = before[k] + 1 + after[k], .pad_begin = before[k], .pad_end = after[k]};
  }
  if (x.rank() > 0) p.along = std::exchange(p.windows[x.rank() - 1], {});
  return Prepared<ResponseLinesParams>{std::move(p),
                                       ResponseLinesBuffers(LengthOf(x), nullptr).scratch.bytes()};
}

// sums[i] = columns[i - before] + .. + columns[i + after], of those that exist.
void Slide(const int64_t* columns, int64_t n, const Window& w, int64_t* sums) {
  int64_t sum = 0;
  for (int64_t i = 0; i < std::min(w.pad_end, n); ++i) sum += columns[i];
  for (int64_t i = 0; i < n; ++i) {
    if (i + w.pad_end < n) sum += columns[i + w.pad_end];
    if (i > w.pad_begin) sum -= columns[i - w.pad_begin - 1];
    sums[i] = sum;
  }
}

template <Isa isa>
void ResponseLines(const ResponseLinesParams& p, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Shape& shape = x.type->shape;
  const int64_t length = LengthOf(shape), zero = p.attrs.zero_in;
  const ResponseLinesBuffers at(length, call.scratch);
  at.tables.Fill(call);
  const ResponseArgs args = ResponseArgsOf(p.attrs, at.tables, at.x, length);
  const auto load = [&](int64_t first) {
    convert.convert[CodeOf(x.storage)][CodeOf(Storage::kI64)](x.bytes + first * SizeBytes(x.storage), at.x,
                                                              length);
    for (int64_t i = 0; i < length; ++i) at.x[i] -= zero;
  };
  const Share share = call.ShareOf(shape.num_elements() / length);
  for (int64_t line = share.begin; line < share.end; ++line) {
    std::fill_n(at.columns, length, 0);
    ForEachTap(p.windows, Unflatten(line * length, shape), shape, [&](const Index&, const Index& position) {
      load(Flatten(position, shape));
      for (int64_t i = 0; i < length; ++i) at.columns[i] += at.x[i] * at.x[i];
    });
    Slide(at.columns, length, p.along, at.squares);
    load(line * length);
    GetNormalizationLoops<isa>().respond_to(args, at.squares, at.y);
    convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        at.y, y.bytes + line * length * SizeBytes(y.storage), length);
  }
}

constexpr auto kResponseLinesKernels = EveryIsa<"local_response_norm_lines">(
    {.op = Opcode::kLocalResponseNorm},
    []<Isa isa>() { return kKernel<PrepareResponseLines, ResponseLines<isa>>; });

}  // namespace

KernelTable ResponseLinesKernels() { return kResponseLinesKernels; }

}  // namespace tally
