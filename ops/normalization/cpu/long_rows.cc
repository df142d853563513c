// Softmax and norms of rows along any axes and of operands of any width, in 64 bits: what the loops over
// 16-bit lanes leave.
#include "ops/common/binade.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_row.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/indexing.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/cpu/kernel_tables.h"
#include "ops/normalization/normalizer.h"
#include "ops/reduction/reduction_slices.h"

namespace tally {
namespace {

// Both kinds of attributes as sets of axes.
template <typename Attrs>
AxisSet RowAxes(const Attrs& attrs, int rank) {
  AxisSet axes = 0;
  const auto add = [&](int64_t axis) { axes |= AxisSet{1} << (axis < 0 ? axis + rank : axis); };
  if constexpr (requires { &Attrs::axis; }) {
    add(attrs.axis);
  } else {
    for (const int64_t axis : attrs.axes) add(axis);
  }
  return axes;
}

struct LongRowsBuffers {
  ScratchLayout scratch;
  // For the elements of a row: their places in x and in the operands that broadcast, and their values.
  int64_t *places, *given, *x;

  LongRowsBuffers(int64_t length, uint8_t* first)
      : scratch(first),
        places(scratch.Take<int64_t>(length)),
        given(scratch.Take<int64_t>(length)),
        x(scratch.Take<int64_t>(length)) {}
};

template <typename Attrs>
struct LongRowsParams {
  Attrs attrs;
  Reduction rows;
  Requantization requantization;
};

template <typename Attrs>
std::optional<Prepared<LongRowsParams<Attrs>>> PrepareLongRows(const KernelFacts& facts) {
  auto attrs = facts.attrs<Attrs>();
  const Shape& x = facts.operands[0].shape;
  const Reduction rows = ReduceOver(x, RowAxes(attrs, x.rank()));
  Requantization requantization = {.zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi};
  if constexpr (requires { &Attrs::shift; }) requantization.shift = attrs.shift;
  return Prepared<LongRowsParams<Attrs>>{{std::move(attrs), rows, requantization},
                                         LongRowsBuffers(rows.inner.num_elements(), nullptr).scratch.bytes()};
}

// The rows of this part, one at a time: ForEach calls row(set), where set(i, y) stores a result; `given(i)`
// is where the operands that broadcast have element i.
template <typename Attrs>
class LongRows {
 public:
  LongRows(const LongRowsParams<Attrs>& p, const KernelCall& call)
      : call_(call),
        shape_(call.operands[0].type->shape),
        broadcast_(BroadcastView(Broadcasts() ? call.operands[1].type->shape : Shape(), shape_)),
        rows_(p.rows),
        length_(rows_.inner.num_elements()),
        at_(length_, call.scratch) {
    for (int64_t i = 0; i < length_; ++i) {
      const Index d = Unflatten(i, rows_.inner);
      at_.places[i] = Flatten(d, shape_);
      at_.given[i] = broadcast_.At(d);
    }
  }

  int64_t length() const { return length_; }
  const int64_t* x() const { return at_.x; }
  int64_t given(int64_t i) const { return given_ + at_.given[i]; }

  template <typename Row>
  void ForEach(Row row) {
    const Elements x(call_.operands[0]);
    const KernelResult& y = call_.results[0];
    const Share share = call_.ShareOf(rows_.kept.num_elements());
    for (int64_t r = share.begin; r < share.end; ++r) {
      const Index d = Unflatten(r, rows_.kept);
      const int64_t first = Flatten(d, shape_);
      given_ = broadcast_.At(d);
      for (int64_t i = 0; i < length_; ++i) at_.x[i] = x[first + at_.places[i]];
      row([&](int64_t i, int64_t v) { StoreElement(y.storage, y.bytes, first + at_.places[i], v); });
    }
  }

 private:
  // A table has an axis of its own.
  static constexpr bool Broadcasts() {
    return requires { &Attrs::axes; };
  }

  const KernelCall& call_;
  const Shape& shape_;
  const StridedView broadcast_;  // for operand 1, and for operand 2
  const Reduction& rows_;
  const int64_t length_;
  const LongRowsBuffers at_;
  int64_t given_ = 0;
};

Operand<int64_t> TableOf(const KernelCall& call, int i) {
  const KernelOperand& table = call.operands[i];
  return {*table.type, table.storage, table.bytes, nullptr};
}

// n(i) = N times the distance of element i from the centre of its row: from its mean, or from zero_in. As the
// definition has it, a mean is measured from the first element.
template <typename Attrs>
void LongNorm(const LongRowsParams<Attrs>& p, const KernelCall& call) noexcept {
  constexpr bool kMean = !std::is_same_v<Attrs, RmsNormAttrs>;
  const Attrs& attrs = p.attrs;
  const Elements m(call.operands[1]), b(call.operands[2]);
  LongRows<Attrs> rows(p, call);
  rows.ForEach([&](auto set) {
    const int64_t* x = rows.x();
    const int64_t length = rows.length();
    int64_t origin = x[0], sum = 0, variance = 0;
    if constexpr (!kMean) origin = attrs.zero_in;
    for (int64_t i = 0; kMean && i < length; ++i) sum += x[i] - origin;
    const auto n = [&](int64_t i) { return length * (x[i] - origin) - sum; };
    for (int64_t i = 0; i < length; ++i) variance += n(i) * (x[i] - origin);
    const Normalizer<int64_t> normalize(variance, attrs.guard, attrs.epsilon, attrs.epsilon_mode);
    for (int64_t i = 0; i < length; ++i) {
      const int64_t at = rows.given(i);
      set(i, Requantize<int64_t>(normalize(n(i)) * m[at] + b[at], p.requantization));
    }
  });
}

void LongSoftmax(const LongRowsParams<SoftmaxAttrs>& p, const KernelCall& call) noexcept {
  const Operand<int64_t> table = TableOf(call, 1);
  LongRows<SoftmaxAttrs> rows(p, call);
  rows.ForEach([&](auto set) {
    const int64_t* x = rows.x();
    const SoftmaxRow<int64_t> softmax(table, rows.length(), p.attrs.bits, [&](int64_t i) { return x[i]; });
    for (int64_t i = 0; i < rows.length(); ++i)
      set(i, OffsetAndClamp<int64_t>(softmax(x[i]), p.requantization));
  });
}

void LongLogSoftmax(const LongRowsParams<LogSoftmaxAttrs>& p, const KernelCall& call) noexcept {
  const Operand<int64_t> table = TableOf(call, 1), logarithms = TableOf(call, 2);
  LongRows<LogSoftmaxAttrs> rows(p, call);
  rows.ForEach([&](auto set) {
    const int64_t* x = rows.x();
    const ExponentialSum<int64_t> sum(table, rows.length(), [&](int64_t i) { return x[i]; });
    const Binade<int64_t> binade(sum.sum);
    const int64_t log =
        (binade.exponent - 30) * logarithms[kBinadeEntries - 1] + binade.Interpolate(logarithms);
    for (int64_t i = 0; i < rows.length(); ++i) {
      set(i, Requantize<int64_t>((x[i] - sum.max) * p.attrs.multiplier - log, p.requantization));
    }
  });
}

// These are scalar: one entry serves every machine.
template <auto prepare, auto run>
constexpr auto EveryMachine(std::string_view name, Opcode op) {
  return OneKernel(name, {.op = op}, kNoFlags, Layout::kRowMajor, kKernel<prepare, run>);
}

constexpr auto kLongRowsKernels = JoinKernels(
    EveryMachine<PrepareLongRows<SoftmaxAttrs>, LongSoftmax>("softmax_long", Opcode::kSoftmax),
    EveryMachine<PrepareLongRows<LogSoftmaxAttrs>, LongLogSoftmax>("log_softmax_long", Opcode::kLogSoftmax),
    EveryMachine<PrepareLongRows<LayerNormAttrs>, LongNorm<LayerNormAttrs>>("layer_norm_long",
                                                                            Opcode::kLayerNorm),
    EveryMachine<PrepareLongRows<RmsNormAttrs>, LongNorm<RmsNormAttrs>>("rms_norm_long", Opcode::kRmsNorm));

}  // namespace

KernelTable LongRowsKernels() { return kLongRowsKernels; }

}  // namespace tally
