// Elementwise kernels: a loop over one type, whatever the storages and however the operands are broadcast.
//
// The elements of a call are taken in chunks that stay in the first-level cache. An operand that is not
// stored as the loop wants it is converted there, which costs a fraction of reading it from further away.
#pragma once

#include <algorithm>
#include <array>

#include "ops/common/folded.h"
#include "ops/cpu/convert_loops.h"
#include "ops/cpu/kernel_table.h"

namespace tally {

inline constexpr int64_t kChunk = 1024;  // elements

constexpr int CodeOf(Storage storage) { return static_cast<int>(storage); }

struct alignas(64) ChunkBuffer {
  uint8_t bytes[kChunk * 8];
};

inline constexpr int64_t kGatheredRow = 64;  // elements up to which rows are brought together

// Makes one loop of the last two where rows are short, that of both is not, and each operand is dense in
// both, the same in all rows, or one element: the operands that are the same are to be repeated every
// `period` elements.
template <size_t kOperands>
std::array<bool, kOperands> MergeShortRows(Folded& f, int64_t* period) {
  std::array<bool, kOperands> repeated = {};
  if (f.rank < 2 || f.inner() > kChunk / 4 || f.inner() * f.dims[f.rank - 2] <= kGatheredRow) return repeated;
  for (size_t k = 0; k < kOperands; ++k) {
    const int64_t step = f.strides[k][f.rank - 2], stride = f.strides[k][f.rank - 1];
    repeated[k] = stride == 1 && step == 0;
    const bool dense = stride == 1 && step == f.inner(), single = stride == 0 && step == 0;
    if (!repeated[k] && !dense && !single) return {};
  }
  *period = f.inner();
  f.MergeInner();
  return repeated;
}

// The loops of an elementwise call: those of its result, with the operands that are broadcast to it.
template <size_t kOperands>
struct MapLoops {
  Folded f;
  int64_t period = 1;
  std::array<bool, kOperands> repeated;

  explicit MapLoops(const KernelFacts& facts) : f(facts.results[0].shape, facts.layout) {
    for (size_t k = 0; k < kOperands; ++k) f.AddBroadcast(facts.operands[k].shape, facts.layout);
    f.Fold();
    repeated = MergeShortRows<kOperands>(f, &period);
  }
};

// MapChunks where rows are short: as many of them as a chunk holds are brought together, so that a row costs
// a few instructions and not a call for each operand. A line is the last two loops of `f`; whole lines at
// even distances go together.
template <Isa isa, size_t kOperands, typename Loop>
void MapShortRows(const KernelCall& call, const Folded& f, const std::array<Storage, kOperands>& types,
                  Storage result_type, Loop loop) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelResult& y = call.results[0];
  const int64_t inner = f.inner(), line = f.dims[f.rank - 2], most = kChunk / inner;
  const Share share = call.ShareOf(f.outer());
  Folded lines = f;
  --lines.rank;
  StridedIterator it(lines, share.begin / line);
  int64_t at = share.begin % line;  // rows of the line that are done
  std::array<ChunkBuffer, kOperands> buffers;
  ChunkBuffer result_buffer;
  std::array<const void*, kOperands> operands;
  for (size_t k = 0; k < kOperands; ++k) operands[k] = buffers[k].bytes;
  for (int64_t row = share.begin; row < share.end;) {
    const int64_t rows = std::min(most, share.end - row);
    for (int64_t taken, done = 0; done < rows; done += taken) {
      const int64_t n = std::min(line - at, rows - done);
      const int64_t planes = n == line ? std::min(it.left(), (rows - done) / line) : 1;
      taken = planes * n;
      for (size_t k = 0; k < kOperands; ++k) {
        const KernelOperand& x = call.operands[k];
        const auto& strides = f.strides[k];
        const BlockShape block = {
            planes, n, inner, f.rank > 2 ? strides[f.rank - 3] : 0, strides[f.rank - 2], strides[f.rank - 1]};
        const int64_t first = it.offset(static_cast<int>(k)) + at * block.step;
        convert.block[CodeOf(x.storage)][CodeOf(types[k])](
            x.bytes + first * SizeBytes(x.storage), block,
            buffers[k].bytes + done * inner * SizeBytes(types[k]));
      }
      at += n;
      if (at < line) continue;
      at = 0;
      it.Next(planes);
    }
    uint8_t* const to = y.bytes + row * inner * SizeBytes(y.storage);
    if (y.storage == result_type) {
      loop(operands, static_cast<void*>(to), rows * inner);
    } else {
      loop(operands, static_cast<void*>(result_buffer.bytes), rows * inner);
      convert.convert[CodeOf(result_type)][CodeOf(y.storage)](result_buffer.bytes, to, rows * inner);
    }
    row += rows;
  }
}

// Calls loop(operands, y, n) for each chunk of this part: operand k of type types[k], y of type result_type.
template <Isa isa, size_t kOperands, typename Loop>
void MapChunks(const KernelCall& call, const MapLoops<kOperands>& loops,
               const std::array<Storage, kOperands>& types, Storage result_type, Loop loop) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelResult& y = call.results[0];
  const auto& [f, period, repeated] = loops;
  if (period == 1 && f.rank > 1 && f.inner() <= kGatheredRow && f.outer() >= call.parts) {
    return MapShortRows<isa, kOperands>(call, f, types, result_type, loop);
  }
  const int64_t rows = f.outer(), inner = f.inner(), chunk = kChunk / period * period;
  // Threads share the rows, or the elements where there are fewer rows than threads.
  const bool by_row = rows >= call.parts && rows > 1;
  const Share row_share = by_row ? call.ShareOf(rows) : Share{0, rows};
  const Share share = by_row ? Share{0, inner} : call.ShareOf(inner, period > 1 ? period : 64);
  if (share.begin == share.end) return;

  std::array<ChunkBuffer, kOperands> buffers;
  ChunkBuffer result_buffer;
  StridedIterator it(f, row_share.begin);
  for (int64_t row = row_share.begin; row < row_share.end; ++row, it.Next()) {
    std::array<const uint8_t*, kOperands> first;
    for (size_t k = 0; k < kOperands; ++k) {
      const KernelOperand& x = call.operands[k];
      first[k] = x.bytes + it.offset(static_cast<int>(k)) * SizeBytes(x.storage);
      const int code = CodeOf(types[k]);
      const int64_t most = std::min(chunk, share.end - share.begin);
      if (repeated[k]) {
        convert.convert[CodeOf(x.storage)][code](first[k], buffers[k].bytes, period);
        for (int64_t n = period; n < most; n *= 2) {
          convert.convert[code][code](buffers[k].bytes, buffers[k].bytes + n * SizeBytes(types[k]),
                                      std::min(n, most - n));
        }
      } else if (f.inner_stride(static_cast<int>(k)) == 0) {
        convert.fill[code](buffers[k].bytes, most, LoadElement(x.storage, first[k], 0));
      }
    }
    for (int64_t at = share.begin; at < share.end; at += chunk) {
      const int64_t n = std::min(chunk, share.end - at);
      std::array<const void*, kOperands> operands;
      for (size_t k = 0; k < kOperands; ++k) {
        const Storage storage = call.operands[k].storage;
        const int64_t stride = f.inner_stride(static_cast<int>(k));
        const uint8_t* from = first[k] + at * stride * SizeBytes(storage);
        operands[k] = buffers[k].bytes;
        if (repeated[k]) continue;
        if (stride == 1 && storage == types[k]) {
          operands[k] = from;
        } else if (stride == 1) {
          convert.convert[CodeOf(storage)][CodeOf(types[k])](from, buffers[k].bytes, n);
        } else if (stride != 0) {
          convert.stride[CodeOf(storage)][CodeOf(types[k])](from, stride, buffers[k].bytes, 1, n);
        }
      }
      uint8_t* to = y.bytes + (row * inner + at) * SizeBytes(y.storage);
      if (y.storage == result_type) {
        loop(operands, static_cast<void*>(to), n);
      } else {
        loop(operands, static_cast<void*>(result_buffer.bytes), n);
        convert.convert[CodeOf(result_type)][CodeOf(y.storage)](result_buffer.bytes, to, n);
      }
    }
  }
}

// The widest of the storages of the operands and of the result: an operator whose result fits its interval
// has no intermediate that leaves it.
template <size_t kOperands>
Storage WidestStorage(const KernelFacts& facts) {
  Storage widest = facts.results[0].storage();
  for (size_t k = 0; k < kOperands; ++k) widest = std::max(widest, facts.storages[k]);
  return widest;
}

// Whether elementwise kernels can read the operands in this layout: constants are row-major.
inline bool OperandsLieIn(const KernelFacts& facts) {
  if (facts.layout == Layout::kRowMajor) return true;
  if (facts.results[0].shape.rank() > 5) return false;
  for (size_t i = 0; i < facts.operands.size(); ++i) {
    if (facts.constants[i] != nullptr && !LayoutsAgree(facts.operands[i].shape)) return false;
  }
  return true;
}

// The parameters of an elementwise kernel: the loops, and what is its own.
template <size_t kOperands, typename Own>
struct MapParams {
  MapLoops<kOperands> loops;
  Own own;
};

inline NoParams Nothing(const KernelFacts&) { return {}; }

// Prepares MapChunks, and own(facts).
template <size_t kOperands, auto own = Nothing>
auto PrepareMap(const KernelFacts& facts) {
  using Params = MapParams<kOperands, decltype(own(facts))>;
  if (!OperandsLieIn(facts)) return std::optional<Prepared<Params>>();
  return std::optional(Prepared<Params>{{MapLoops<kOperands>(facts), own(facts)}});
}

}  // namespace tally
