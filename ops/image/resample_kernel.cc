#include "ops/image/attrs.h"
#include "ops/image/kernels.h"
#include "ops/image/resample_loops.h"
#include "ops/simd/elements.h"
#include "ops/simd/map_chunks.h"
#include "ops/simd/scratch.h"

namespace tally {
namespace {

// x as [outer, n, inner] in memory, y as [outer, m, inner].
struct Resampling {
  int64_t n, m, inner, outer, taps;

  Resampling(const Shape& x, const Shape& index, int64_t axis, Layout layout) {
    const int a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    n = x[a];
    m = index[0];
    taps = index[1];
    inner = StridesOf(x, layout)[a];
    outer = x.num_elements() / (n * inner);
  }
  // Whether elements are gathered, line by line: rows of `inner` elements are too short for loops of their own.
  bool by_line() const { return inner <= 16 && m * inner * taps <= (1 << 20) && n < (1 << 27); }
  int64_t line() const { return m * inner; }
};

// The taps of every element of a line.
struct LineTaps {
  ScratchLayout scratch;
  int32_t* places;
  uint8_t* weights;
  uint8_t* sums;

  LineTaps(const Resampling& r, uint8_t* first)
      : scratch(first),
        places(scratch.Take<int32_t>(r.line() * r.taps)),
        weights(scratch.Take<uint8_t>(r.line() * r.taps * 8)),
        sums(scratch.Take<uint8_t>(r.line() * 8)) {}
};

template <Isa isa>
void ResampleLines(const KernelCall& call, const Resampling& r, Storage sum) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Elements index(call.operands[1]), weight(call.operands[2]);
  const LineTaps at(r, call.scratch);
  const auto compute = GetResampleLoops<isa>().line[CodeOf(x.storage)][sum == Storage::kI64];
  for (int64_t t = 0; t < r.taps; ++t) {
    for (int64_t i = 0; i < r.line(); ++i) {
      const int64_t tap = i / r.inner * r.taps + t, to = t * r.line() + i;
      at.places[to] = static_cast<int32_t>(index[tap] * r.inner + i % r.inner);
      StoreElement(sum, at.weights, to, weight[tap]);
    }
  }
  const Share share = call.ShareOf(r.outer);
  for (int64_t line = share.begin; line < share.end; ++line) {
    uint8_t* to = y.bytes + line * r.line() * SizeBytes(y.storage);
    compute({x.bytes + line * r.n * r.inner * SizeBytes(x.storage), at.places, at.weights, r.taps, r.line()},
            y.storage == sum ? to : at.sums);
    if (y.storage != sum) convert.convert[CodeOf(sum)][CodeOf(y.storage)](at.sums, to, r.line());
  }
}

template <Isa isa>
void ResampleRows(const KernelCall& call, const Resampling& r, Storage sum) {
  constexpr int64_t kMost = 16;  // taps of a call
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Elements index(call.operands[1]), weight(call.operands[2]);
  const auto add = GetResampleLoops<isa>().rows[CodeOf(x.storage)][sum == Storage::kI64];
  std::array<const void*, kMost> rows;
  std::array<int64_t, kMost> weights;
  ChunkBuffer buffer;
  const Share share = call.ShareOf(r.outer * r.m);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t first_tap = row % r.m * r.taps, plane = row / r.m * r.n;
    for (int64_t at = 0; at < r.inner; at += kChunk) {
      const int64_t n = std::min(kChunk, r.inner - at);
      uint8_t* to = y.bytes + (row * r.inner + at) * SizeBytes(y.storage);
      void* sums = y.storage == sum ? to : buffer.bytes;
      for (int64_t t = 0; t < r.taps; t += kMost) {
        const int64_t count = std::min(kMost, r.taps - t);
        for (int64_t k = 0; k < count; ++k) {
          const int64_t place = (plane + index[first_tap + t + k]) * r.inner + at;
          rows[k] = x.bytes + place * SizeBytes(x.storage);
          weights[k] = weight[first_tap + t + k];
        }
        add(rows.data(), weights.data(), static_cast<int>(count), sums, n, t == 0);
      }
      if (y.storage != sum) convert.convert[CodeOf(sum)][CodeOf(y.storage)](buffer.bytes, to, n);
    }
  }
}

}  // namespace

int64_t ResampleScratchBytes(const KernelFacts& facts) {
  const Resampling r(facts.operands[0].shape, facts.operands[1].shape, facts.attrs<ResampleAttrs>().axis,
                     facts.layout);
  return r.by_line() ? LineTaps(r, nullptr).scratch.bytes() : 0;
}

template <Isa isa, Layout layout>
void ResampleKernel(const KernelCall& call) noexcept {
  const Resampling r(call.operands[0].type->shape, call.operands[1].type->shape,
                     call.attrs<ResampleAttrs>().axis, layout);
  const Storage sum = call.results[0].storage == Storage::kI64 ? Storage::kI64 : Storage::kI32;
  r.by_line() ? ResampleLines<isa>(call, r, sum) : ResampleRows<isa>(call, r, sum);
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(ResampleKernel);

}  // namespace tally
