#include "base/wide.h"
#include "ops/common/binade.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/normalization_loops.h"
#include "ops/cpu/scratch.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/cpu/dense_softmax_loops.h"
#include "ops/normalization/cpu/kernel_tables.h"

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
template <Isa isa, typename Row>
void ForEachAxisRow(const KernelCall& call, const AxisRows& rows, int32_t* x_row, int32_t* y_row, Row row) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
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

struct SoftmaxBuffers {
  ScratchLayout scratch;
  int32_t *x, *y, *e;

  SoftmaxBuffers(int64_t length, uint8_t* bytes)
      : scratch(bytes),
        x(scratch.Take<int32_t>(length)),
        y(scratch.Take<int32_t>(length)),
        e(scratch.Take<int32_t>(std::max(kDenseExponentials, DenseSoftmaxArgs::RoomOf(length)))) {}
};

template <typename Attrs>
struct SoftmaxParams {
  Attrs attrs;
  AxisRows rows;
};

template <typename Attrs>
std::optional<Prepared<SoftmaxParams<Attrs>>> PrepareSoftmax(const KernelFacts& facts) {
  if (facts.layout == Layout::kChannelsLast && facts.constants[0] != nullptr) return std::nullopt;
  if (facts.storages[0] > Storage::kI32 || facts.storages[1] > Storage::kI32 ||
      facts.results[0].storage() > Storage::kI32) {
    return std::nullopt;
  }
  const auto attrs = facts.attrs<Attrs>();
  const AxisRows rows(facts.operands[0].shape, attrs.axis, facts.layout);
  return Prepared<SoftmaxParams<Attrs>>{{attrs, rows}, SoftmaxBuffers(rows.length, nullptr).scratch.bytes()};
}

// Rows of 8 or 16 bits that are dense.
template <Isa isa>
class DenseRows {
 public:
  DenseRows(const KernelCall& call, const AxisRows& rows, int32_t* e) : call_(call), rows_(rows), e_(e) {}

  // Whether there are loops for them, and a 16-bit lane holds what they clamp to.
  bool Accepts(const I16Args& i16) const {
    constexpr Interval kI16 = RangeOf(Storage::kI16);
    return GetDenseSoftmaxLoops<isa>().softmax[0][0] != nullptr && rows_.inner == 1 &&
           x_.storage <= Storage::kI16 && y_.storage <= Storage::kI16 && table_.storage == Storage::kI32 &&
           kI16.Contains(i16.lo) && kI16.Contains(i16.hi) && kI16.Contains(i16.zero_out);
  }

  // The rows of this part; term(sum, greatest) is what the elements of one are finished with.
  template <typename Term>
  void Run(void (*const (&loops)[2][2])(const DenseSoftmaxArgs&), int64_t multiplier, const I16Args& i16,
           const Term& term) const {
    const Share share = call_.ShareOf(rows_.outer);
    if (share.begin == share.end) return;
    loops[CodeOf(x_.storage)][CodeOf(y_.storage)](
        {.x = x_.bytes + share.begin * rows_.length * SizeBytes(x_.storage),
         .y = y_.bytes + share.begin * rows_.length * SizeBytes(y_.storage),
         .rows = share.end - share.begin,
         .length = rows_.length,
         .table = table_.as<int32_t>(),
         .entries = table_.type->shape.num_elements(),
         .e = e_,
         .term = [](const void* context, int64_t sum, int32_t greatest) -> int64_t {
           return (*static_cast<const Term*>(context))(sum, greatest);
         },
         .context = &term,
         .multiplier = static_cast<int32_t>(multiplier),
         .i16 = i16});
  }

 private:
  const KernelCall& call_;
  const KernelOperand &x_ = call_.operands[0], &table_ = call_.operands[1];
  const KernelResult& y_ = call_.results[0];
  const AxisRows& rows_;
  int32_t* e_;
};

// The table of logarithms as binade.h reads it.
struct Entries {
  const KernelOperand& table;
  int64_t operator[](int64_t i) const { return LoadElement(table.storage, table.bytes, i); }
};

// e * r < 2^62 as in the reference; S above 2^29 makes r a number of 32 bits.
template <Isa isa>
void Softmax(const SoftmaxParams<SoftmaxAttrs>& p, const KernelCall& call) noexcept {
  const NormalizationLoops& loops = GetNormalizationLoops<isa>();
  const SoftmaxAttrs& attrs = p.attrs;
  const KernelOperand& table = call.operands[1];
  const SoftmaxBuffers buffers(p.rows.length, call.scratch);
  const int64_t lo = attrs.lo - attrs.zero_out, hi = attrs.hi - attrs.zero_out;
  const auto reciprocal = [](int64_t sum) {
    return ((uint64_t{1} << 61) + static_cast<uint64_t>(sum >> 1)) / static_cast<uint64_t>(sum);
  };
  // No quotient is below 0 or above 2^bits.
  const I16Args i16 = {.shift = 61 - attrs.bits,
                       .lo = std::max<int64_t>(lo, -1),
                       .hi = attrs.bits < 15 ? std::min(hi, RangeOf(Storage::kI16).hi) : hi,
                       .zero_out = attrs.zero_out};
  const DenseRows<isa> dense(call, p.rows, buffers.e);
  if (dense.Accepts(i16) && LoadElement(table.storage, table.bytes, 0) > 1 << 29) {
    return dense.Run(GetDenseSoftmaxLoops<isa>().softmax, 0, i16,
                     [&](int64_t sum, int32_t) { return static_cast<int64_t>(reciprocal(sum)); });
  }
  ForEachAxisRow<isa>(call, p.rows, buffers.x, buffers.y, [&](const int32_t* from, int32_t* to, int64_t n) {
    const int64_t sum = loops.exponentials[CodeOf(table.storage)](
        from, n, loops.max(from, n), table.bytes, table.type->shape.num_elements(), buffers.e);
    const uint64_t r = reciprocal(sum);
    loops.scale[r <= UINT32_MAX](buffers.e, to, n, r, 61 - attrs.bits, lo, hi, attrs.zero_out);
  });
}

template <Isa isa>
void LogSoftmax(const SoftmaxParams<LogSoftmaxAttrs>& p, const KernelCall& call) noexcept {
  const NormalizationLoops& loops = GetNormalizationLoops<isa>();
  const LogSoftmaxAttrs& attrs = p.attrs;
  const KernelOperand& table = call.operands[1];
  const Entries logarithms = {call.operands[2]};
  const SoftmaxBuffers buffers(p.rows.length, call.scratch);
  const int64_t lo = attrs.lo - attrs.zero_out, hi = attrs.hi - attrs.zero_out;
  const int64_t half = attrs.shift == 0 ? 0 : int64_t{1} << (attrs.shift - 1);
  // half - log, to which (x - max) * multiplier is added
  const auto addend = [&](int64_t sum) {
    const Binade<int64_t> binade(sum);
    return half - (binade.exponent - 30) * logarithms[kBinadeEntries - 1] - binade.Interpolate(logarithms);
  };
  // Behind a shift by 32 at least the result is a high dword, where 64 bits hold what is shifted: `reach`
  // bounds it for x of 16 bits.
  const int64_t widened = std::max<int64_t>(32 - attrs.shift, 0);
  const I16Args i16 = {.shift = attrs.shift + widened, .lo = lo, .hi = hi, .zero_out = attrs.zero_out};
  const DenseRows<isa> dense(call, p.rows, buffers.e);
  const Int128 reach = (Int128{attrs.multiplier} << 17) + (Int128{1} << 40) +
                       34 * Int128{logarithms[kBinadeEntries - 1]} + half;
  if (dense.Accepts(i16) && Int128{attrs.multiplier} << widened < Int128{1} << 31 &&
      reach << widened < Int128{1} << 62) {
    return dense.Run(
        GetDenseSoftmaxLoops<isa>().log_softmax, attrs.multiplier << widened, i16,
        [&](int64_t sum, int32_t max) { return (addend(sum) - max * attrs.multiplier) << widened; });
  }
  ForEachAxisRow<isa>(call, p.rows, buffers.x, buffers.y, [&](const int32_t* from, int32_t* to, int64_t n) {
    const int32_t max = loops.max(from, n);
    const int64_t sum = loops.exponentials[CodeOf(table.storage)](
        from, n, max, table.bytes, table.type->shape.num_elements(), buffers.e);
    loops.logarithms(from, to, n, max, attrs.multiplier, addend(sum), attrs.shift, lo, hi, attrs.zero_out);
  });
}

constexpr auto kSoftmaxKernels = JoinKernels(
    EveryIsaAndLayout<"softmax">(
        {.op = Opcode::kSoftmax, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareSoftmax<SoftmaxAttrs>, Softmax<isa>>; }),
    EveryIsaAndLayout<"log_softmax">({.op = Opcode::kLogSoftmax, .in_place = true}, []<Isa isa, Layout>() {
      return kKernel<PrepareSoftmax<LogSoftmaxAttrs>, LogSoftmax<isa>>;
    }));

}  // namespace

KernelTable SoftmaxKernels() { return kSoftmaxKernels; }

}  // namespace tally
