#include "ops/cpu/strided_copy.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernel_tables.h"

namespace tally {
namespace {

int64_t FloorMod(int64_t a, int64_t b) { return (a % b + b) % b; }

// The index in [0, n) of the element at index i of a padded axis; -1 for the constant.
int64_t Source(PadMode mode, int64_t i, int64_t n) {
  if (0 <= i && i < n) return i;
  switch (mode) {
    case PadMode::kConstant: return -1;
    case PadMode::kEdge: return i < 0 ? 0 : n - 1;
    case PadMode::kReflect: {
      if (n == 1) return 0;
      const int64_t k = FloorMod(i, 2 * (n - 1));
      return std::min(k, 2 * (n - 1) - k);
    }
    case PadMode::kSymmetric: {
      const int64_t k = FloorMod(i, 2 * n);
      return std::min(k, 2 * n - 1 - k);
    }
    case PadMode::kWrap: return FloorMod(i, n);
  }
  __builtin_unreachable();  // the decoder admits no other mode
}

// Rows along the innermost axis that is padded; what is inside it is a unit that moves whole.
struct PadParams {
  struct Axis {
    int64_t n, padded, before;
  };
  PadMode mode;
  int64_t value;
  int outer;  // axes of `axes` ahead of that one: -1 where none is padded
  int64_t unit;
  std::array<Axis, kMaxRank> axes;  // as they are in memory
};

std::optional<Prepared<PadParams>> PreparePad(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const auto attrs = facts.attrs<PadAttrs>();
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const auto order = MemoryOrder(y.rank(), facts.layout);
  PadParams p = {.mode = attrs.mode, .value = attrs.value, .outer = y.rank() - 1, .unit = 1, .axes = {}};
  for (int i = 0; i < y.rank(); ++i) p.axes[i] = {x[order[i]], y[order[i]], attrs.before[order[i]]};
  while (p.outer >= 0 && p.axes[p.outer].n == p.axes[p.outer].padded) p.unit *= p.axes[p.outer--].n;
  return Prepared<PadParams>{p};
}

// The rows of y one after the other, with those of x that they come from: an axis that does not move is not
// looked up again.
class SourceRows {
 public:
  // From `row` on.
  SourceRows(const PadParams& p, int64_t row) : outer_(p.outer), mode_(p.mode) {
    int64_t stride = 1;
    for (int i = outer_ - 1; i >= 0; --i) {
      axes_[i] = {p.axes[i], stride};
      axes_[i].MoveTo(row % axes_[i].padded, mode_);
      row /= axes_[i].padded;
      stride *= axes_[i].n;
    }
  }
  // The row of x, or -1 when the constant is all there is.
  int64_t source() const {
    int64_t row = 0;
    for (int i = 0; i < outer_; ++i) {
      if (axes_[i].source < 0) return -1;
      row += axes_[i].source * axes_[i].stride;
    }
    return row;
  }
  void Next() {
    for (int i = outer_ - 1; i >= 0; --i) {
      const bool wraps = axes_[i].at + 1 == axes_[i].padded;
      axes_[i].MoveTo(wraps ? 0 : axes_[i].at + 1, mode_);
      if (!wraps) return;
    }
  }

 private:
  struct Axis : PadParams::Axis {
    int64_t stride;              // in rows of x
    int64_t at = 0, source = 0;  // in y and in x
    void MoveTo(int64_t index, PadMode mode) {
      at = index;
      source = Source(mode, index - before, n);
    }
  };
  int outer_;
  PadMode mode_;
  std::array<Axis, kMaxRank> axes_;
};

template <Isa isa>
void Pad(const PadParams& p, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int64_t unit = p.unit;
  const PadMode mode = p.mode;
  const auto move = convert.convert[CodeOf(x.storage)][CodeOf(y.storage)];
  if (p.outer < 0) {
    const Share share = call.ShareOf(unit, 64);
    return move(x.bytes + share.begin * SizeBytes(x.storage), y.bytes + share.begin * SizeBytes(y.storage),
                share.end - share.begin);
  }
  const auto& [n, padded, first] = p.axes[p.outer];
  const Share share = call.ShareOf(y.type->shape.num_elements() / (padded * unit));
  // Constants that follow each other are filled in at once, also from row to row.
  int64_t filled = share.begin * padded;
  const auto fill_until = [&](int64_t end) {
    const int64_t count = (end - filled) * unit;
    if (count > 0)
      convert.fill[CodeOf(y.storage)](y.bytes + filled * unit * SizeBytes(y.storage), count, p.value);
  };
  SourceRows rows(p, share.begin);
  for (int64_t row = share.begin; row < share.end; ++row, rows.Next()) {
    const int64_t source = rows.source();
    if (source < 0) continue;
    uint8_t* to = y.bytes + row * padded * unit * SizeBytes(y.storage);
    const uint8_t* from = x.bytes + source * n * unit * SizeBytes(x.storage);
    move(from, to + first * unit * SizeBytes(y.storage), n * unit);
    if (mode == PadMode::kConstant) {
      fill_until(row * padded + first);
      filled = row * padded + first + n;
      continue;
    }
    for (int64_t i = 0; i < padded; ++i) {
      if (i == first) i += n;  // those are there
      if (i == padded) break;
      move(from + Source(mode, i - first, n) * unit * SizeBytes(x.storage),
           to + i * unit * SizeBytes(y.storage), unit);
    }
  }
  if (mode == PadMode::kConstant) fill_until(share.end * padded);
}

constexpr auto kPadKernels = EveryIsaAndLayout<"pad">(
    {.op = Opcode::kPad}, []<Isa isa, Layout>() { return kKernel<PreparePad, Pad<isa>>; });

}  // namespace

KernelTable PadKernels() { return kPadKernels; }

}  // namespace tally
