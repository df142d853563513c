#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernel_tables.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

// The lists of a chunk that starts at any of the channels and has at most `elements`.
int64_t EntriesOf(int64_t channels, int64_t elements) {
  return channels == 1 ? 1 : channels + std::min(kChunk, elements);
}

constexpr int64_t kBytesOfEntry = 16;  // a multiplier, a bias and a shift

// The parameters from channel `first` on, around and around.
struct ScaleLists {
  int64_t* biases;
  int32_t* multipliers;
  int32_t* shifts;

  ScaleLists(uint8_t* bytes, int64_t entries)
      : biases(reinterpret_cast<int64_t*>(bytes)),
        multipliers(reinterpret_cast<int32_t*>(biases + entries)),
        shifts(multipliers + entries) {}
  Scales From(int64_t entry) const { return {multipliers + entry, biases + entry, shifts + entry}; }
};

struct RescaleParams {
  RescaleAttrs attrs;
  OutputClamp output;
  int64_t channels;
  Folded f;          // x, and the channel of each element
  bool per_element;  // channels are innermost: all rows are one, in which they come again and again
  int64_t rows, inner, entries;
  bool narrow;
};

std::optional<Prepared<RescaleParams>> PrepareRescale(const KernelFacts& facts) {
  if (facts.layout == Layout::kChannelsLast &&
      (facts.constants[0] != nullptr || facts.operands[0].shape.rank() > 5)) {
    return std::nullopt;
  }
  const Shape& x = facts.operands[0].shape;
  const int64_t channels = facts.operands[1].shape[0];
  RescaleParams p = {
      .attrs = facts.attrs<RescaleAttrs>(), .channels = channels, .f = Folded(x, facts.layout)};
  p.output = OutputClampOf(p.attrs);
  std::array<int64_t, kMaxRank> channel_strides = {};
  if (channels > 1) channel_strides[p.attrs.axis < 0 ? p.attrs.axis + x.rank() : p.attrs.axis] = 1;
  p.f.AddStrided(StridesOf(x, facts.layout));
  p.f.AddStrided(channel_strides);
  p.f.Fold();
  p.per_element = channels > 1 && p.f.inner_stride(1) == 1;
  p.rows = p.per_element ? 1 : p.f.outer();
  p.inner = p.per_element ? x.num_elements() : p.f.inner();
  p.entries = EntriesOf(channels, x.num_elements());
  p.narrow = p.attrs.rounding == Rounding::kHalfUp && facts.storages[0] <= Storage::kI32 &&
             facts.results[0].storage() <= Storage::kI32 && BoundsMeetI32(p.output);
  return Prepared<RescaleParams>{p, p.entries * kBytesOfEntry};
}

// Those of the channels, as the call has them.
class Scaling {
 public:
  Scaling(const KernelCall& call, const RescaleParams& p)
      : call_(call), zero_in_(p.attrs.zero_in), narrow_(p.narrow) {}

  // The data that the narrow loops read: zero_in is part of the bias, which wraps as the sum does, and so is
  // half a unit.
  void Load(int64_t channel, const ScaleLists& lists, int64_t entry) const {
    const auto at = [&](int i) {
      return LoadElement(call_.operands[i].storage, call_.operands[i].bytes, channel);
    };
    const int64_t m = at(1), b = at(2), s = at(3);
    lists.multipliers[entry] = static_cast<int32_t>(m);
    lists.shifts[entry] = static_cast<int32_t>(s);
    lists.biases[entry] = narrow_ ? WrapMulAdd(-zero_in_, m, b + HalfOf(s)) : b;
  }
  bool AllShiftsReachHighWord(int64_t channels) const {
    for (int64_t c = 0; c < channels; ++c) {
      if (LoadElement(call_.operands[3].storage, call_.operands[3].bytes, c) < 32) return false;
    }
    return true;
  }

 private:
  const KernelCall& call_;
  int64_t zero_in_;
  bool narrow_;
};

template <Isa isa>
void Rescale(const RescaleParams& p, const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int64_t rows = p.rows, inner = p.inner, channels = p.channels;
  const bool per_element = p.per_element, narrow = p.narrow;
  const Storage type = narrow ? Storage::kI32 : Storage::kI64;
  const Scaling scaling(call, p);
  const bool high = narrow && scaling.AllShiftsReachHighWord(channels);
  const bool by_row = rows >= call.parts && rows > 1;
  const Share row_share = by_row ? call.ShareOf(rows) : Share{0, rows};
  const Share share = by_row ? Share{0, inner} : call.ShareOf(inner, 64);

  const ScaleLists lists(call.scratch, p.entries);
  if (per_element) {
    for (int64_t i = 0; i < p.entries; ++i) scaling.Load(i % channels, lists, i);
  }
  ChunkBuffer x_buffer, y_buffer;
  for (int64_t row = row_share.begin; row < row_share.end; ++row) {
    if (!per_element) scaling.Load(channels == 1 ? 0 : p.f.Offset(1, row), lists, 0);
    for (int64_t at = share.begin; at < share.end; at += kChunk) {
      const int64_t n = std::min(kChunk, share.end - at);
      const uint8_t* from = x.bytes + (row * inner + at) * SizeBytes(x.storage);
      uint8_t* to = y.bytes + (row * inner + at) * SizeBytes(y.storage);
      const void* source = from;
      if (x.storage != type) {
        convert.convert[CodeOf(x.storage)][CodeOf(type)](from, x_buffer.bytes, n);
        source = x_buffer.bytes;
      }
      void* target = y.storage == type ? static_cast<void*>(to) : y_buffer.bytes;
      const Scales scales = lists.From(per_element ? at % channels : 0);
      if (narrow) {
        (high ? loops.half_up_high : loops.half_up)[per_element](
            static_cast<const int32_t*>(source), static_cast<int32_t*>(target), n, scales, p.output);
      } else {
        loops.wide[static_cast<int>(p.attrs.rounding)][per_element](static_cast<const int64_t*>(source),
                                                                    static_cast<int64_t*>(target), n,
                                                                    p.attrs.zero_in, scales, p.output);
      }
      if (target != to) convert.convert[CodeOf(type)][CodeOf(y.storage)](target, to, n);
    }
  }
}

constexpr auto kRescaleKernels =
    EveryIsaAndLayout<"rescale">({.op = Opcode::kRescale, .in_place = true},
                                 []<Isa isa, Layout>() { return kKernel<PrepareRescale, Rescale<isa>>; });

}  // namespace

KernelTable RescaleKernels() { return kRescaleKernels; }

}  // namespace tally
