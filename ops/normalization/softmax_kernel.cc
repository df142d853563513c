#include "ops/normalization/attrs.h"
#include "ops/normalization/kernels.h"
#include "ops/normalization/normalization_loops.h"
#include "ops/normalization/octave.h"
#include "ops/simd/map_chunks.h"

namespace tally {
namespace {

// Rows along an axis: `inner` of them are interleaved.
struct AxisRows {
  int64_t outer, length, inner;

  AxisRows(const Shape& x, int64_t axis, Layout layout) {
    if (axis < 0) axis += x.rank();
    length = x[static_cast<int>(axis)];
    inner = StridesOf(x, layout)[axis];
    outer = x.num_elements() / (length * inner);
  }
};

// Calls row(x, y) for the rows of this part, as i32; what it leaves in y becomes the result.
template <Isa isa, Layout layout, typename Row>
void ForEachAxisRow(const KernelCall& call, int64_t axis, int32_t* x_row, int32_t* y_row, Row row) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const AxisRows rows(x.type->shape, axis, layout);
  const Share share = call.ShareOf(rows.outer * rows.inner);
  for (int64_t r = share.begin; r < share.end; ++r) {
    const int64_t first = r / rows.inner * rows.length * rows.inner + r % rows.inner;
    const uint8_t* from = x.bytes + first * SizeBytes(x.storage);
    uint8_t* to = y.bytes + first * SizeBytes(y.storage);
    if (rows.inner == 1) {
      convert.convert[CodeOf(x.storage)][2](from, x_row, rows.length);
    } else {
      convert.stride[CodeOf(x.storage)][2](from, rows.inner, x_row, 1, rows.length);
    }
    row(x_row, y_row, rows.length);
    if (rows.inner == 1) {
      convert.convert[2][CodeOf(y.storage)](y_row, to, rows.length);
    } else {
      convert.stride[2][CodeOf(y.storage)](y_row, 1, to, rows.inner, rows.length);
    }
  }
}

int64_t RoomOf(int64_t length) { return (length + 15) / 16 * 16; }

// The table of logarithms as octave.h reads it.
struct Entries {
  const KernelOperand& table;
  int64_t operator[](int64_t i) const { return LoadElement(table.storage, table.bytes, i); }
};

}  // namespace

bool AcceptsSoftmax(const KernelFacts& facts) {
  if (facts.layout == Layout::kChannelsLast && facts.constants[0] != nullptr) return false;
  return facts.storages[0] <= Storage::kI32 && facts.storages[1] <= Storage::kI32 &&
         facts.results[0].storage() <= Storage::kI32;
}

int64_t SoftmaxScratchBytes(const KernelFacts& facts) {
  int64_t axis = (*facts.attributes)[0][0];  // the first field of both operators
  const Shape& x = facts.operands[0].shape;
  if (axis < 0) axis += x.rank();
  return 3 * 4 * RoomOf(x[static_cast<int>(axis)]);
}

namespace {

// Whether loops for whole rows have done the call.
template <Isa isa, Layout layout>
bool ComputeDenseRows(const KernelCall& call, const SoftmaxAttrs& attrs, int32_t* e) {
  const KernelOperand &x = call.operands[0], &table = call.operands[1];
  const KernelResult& y = call.results[0];
  const int64_t lo = attrs.lo - attrs.zero_out, hi = attrs.hi - attrs.zero_out;
  const AxisRows rows(x.type->shape, attrs.axis, layout);
  if (rows.inner != 1 || x.storage > Storage::kI16 || y.storage > Storage::kI16 ||
      table.storage != Storage::kI32 || table.as<int32_t>()[0] <= 1 << 29 || attrs.bits > 29 ||
      lo > RangeOf(Storage::kI32).hi || hi < RangeOf(Storage::kI32).lo) {
    return false;
  }
  const auto run = GetNormalizationLoops<isa>().softmax_rows[CodeOf(x.storage)][CodeOf(y.storage)];
  if (run == nullptr) return false;
  const Share share = call.ShareOf(rows.outer);
  const int64_t first = share.begin * rows.length;
  run({.x = x.bytes + first * SizeBytes(x.storage),
       .y = y.bytes + first * SizeBytes(y.storage),
       .rows = share.end - share.begin,
       .length = rows.length,
       .table = table.as<int32_t>(),
       .entries = table.type->shape.num_elements(),
       .e = e,
       .shift = 61 - attrs.bits,
       .lo = lo,
       .hi = hi,
       .zero_out = attrs.zero_out});
  return true;
}

}  // namespace

// e * r < 2^62 as in the reference; S above 2^29 makes r a number of 32 bits.
template <Isa isa, Layout layout>
void SoftmaxKernel(const KernelCall& call) noexcept {
  const NormalizationLoops& loops = GetNormalizationLoops<isa>();
  const auto attrs = call.attrs<SoftmaxAttrs>();
  const KernelOperand& table = call.operands[1];
  const Shape& shape = call.operands[0].type->shape;
  const int64_t room = RoomOf(AxisRows(shape, attrs.axis, layout).length);
  auto* x_row = reinterpret_cast<int32_t*>(call.scratch);
  int32_t *y_row = x_row + room, *e = y_row + room;
  if (ComputeDenseRows<isa, layout>(call, attrs, e)) return;
  ForEachAxisRow<isa, layout>(call, attrs.axis, x_row, y_row, [&](const int32_t* x, int32_t* y, int64_t n) {
    const int64_t sum = loops.exponentials[CodeOf(table.storage)](x, n, loops.max(x, n), table.bytes,
                                                                  table.type->shape.num_elements(), e);
    const uint64_t r = ((uint64_t{1} << 61) + static_cast<uint64_t>(sum >> 1)) / static_cast<uint64_t>(sum);
    loops.scale[r <= UINT32_MAX](e, y, n, r, 61 - attrs.bits, attrs.lo - attrs.zero_out,
                                 attrs.hi - attrs.zero_out, attrs.zero_out);
  });
}

template <Isa isa, Layout layout>
void LogSoftmaxKernel(const KernelCall& call) noexcept {
  const NormalizationLoops& loops = GetNormalizationLoops<isa>();
  const auto attrs = call.attrs<LogSoftmaxAttrs>();
  const KernelOperand& table = call.operands[1];
  const Entries logarithms = {call.operands[2]};
  const Shape& shape = call.operands[0].type->shape;
  const int64_t room = RoomOf(AxisRows(shape, attrs.axis, layout).length);
  const int64_t half = attrs.shift == 0 ? 0 : int64_t{1} << (attrs.shift - 1);
  auto* x_row = reinterpret_cast<int32_t*>(call.scratch);
  int32_t *y_row = x_row + room, *e = y_row + room;
  ForEachAxisRow<isa, layout>(call, attrs.axis, x_row, y_row, [&](const int32_t* x, int32_t* y, int64_t n) {
    const int32_t max = loops.max(x, n);
    const Octave<int64_t> octave(loops.exponentials[CodeOf(table.storage)](
        x, n, max, table.bytes, table.type->shape.num_elements(), e));
    const int64_t log =
        (octave.exponent - 30) * logarithms[kOctaveEntries - 1] + octave.Interpolate(logarithms);
    loops.logarithms(x, y, n, max, attrs.multiplier, half - log, attrs.shift, attrs.lo - attrs.zero_out,
                     attrs.hi - attrs.zero_out, attrs.zero_out);
  });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(SoftmaxKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(LogSoftmaxKernel);

}  // namespace tally
