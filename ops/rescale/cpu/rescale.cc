#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernels.h"
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

class Parameters {
 public:
  Parameters(const KernelCall& call, const RescaleAttrs& attrs, bool narrow)
      : call_(call), attrs_(attrs), narrow_(narrow) {}

  // What the narrow loops read: zero_in is part of the bias, which wraps as the sum does, and so is half a unit.
  void Load(int64_t channel, const ScaleLists& lists, int64_t entry) const {
    const auto at = [&](int i) {
      return LoadElement(call_.operands[i].storage, call_.operands[i].bytes, channel);
    };
    const int64_t m = at(1), b = at(2), s = at(3);
    lists.multipliers[entry] = static_cast<int32_t>(m);
    lists.shifts[entry] = static_cast<int32_t>(s);
    lists.biases[entry] = narrow_ ? WrapMulAdd(-attrs_.zero_in, m, b + HalfOf(s)) : b;
  }
  bool AllShiftsReachHighWord(int64_t channels) const {
    for (int64_t c = 0; c < channels; ++c) {
      if (LoadElement(call_.operands[3].storage, call_.operands[3].bytes, c) < 32) return false;
    }
    return true;
  }

 private:
  const KernelCall& call_;
  const RescaleAttrs& attrs_;
  bool narrow_;
};

}  // namespace

bool AcceptsRescale(const KernelFacts& facts) {
  return facts.layout == Layout::kRowMajor ||
         (facts.constants[0] == nullptr && facts.operands[0].shape.rank() <= 5);
}

int64_t RescaleScratchBytes(const KernelFacts& facts) {
  return EntriesOf(facts.operands[1].shape[0], facts.operands[0].shape.num_elements()) * kBytesOfEntry;
}

template <Isa isa, Layout layout>
void RescaleKernel(const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const auto attrs = call.attrs<RescaleAttrs>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const OutputClamp output = OutputClampOf(attrs);
  const int64_t channels = call.operands[1].type->shape[0];
  const bool narrow = attrs.rounding == Rounding::kHalfUp && x.storage <= Storage::kI32 &&
                      y.storage <= Storage::kI32 && BoundsMeetI32(output);
  const Storage type = narrow ? Storage::kI32 : Storage::kI64;
  const Parameters parameters(call, attrs, narrow);
  const bool high = narrow && parameters.AllShiftsReachHighWord(channels);

  Folded f(x.type->shape, layout);
  std::array<int64_t, kMaxRank> channel_strides = {};
  if (channels > 1) channel_strides[attrs.axis < 0 ? attrs.axis + x.type->shape.rank() : attrs.axis] = 1;
  f.AddStrided(StridesOf(x.type->shape, layout));
  f.AddStrided(channel_strides);
  f.Fold();
  // Where channels are innermost all rows are one, in which the channels come again and again.
  const bool per_element = channels > 1 && f.inner_stride(1) == 1;
  const int64_t rows = per_element ? 1 : f.outer();
  const int64_t inner = per_element ? x.type->shape.num_elements() : f.inner();
  const bool by_row = rows >= call.parts && rows > 1;
  const Share row_share = by_row ? call.ShareOf(rows) : Share{0, rows};
  const Share share = by_row ? Share{0, inner} : call.ShareOf(inner, 64);

  const int64_t entries = EntriesOf(channels, x.type->shape.num_elements());
  const ScaleLists lists(call.scratch, entries);
  if (per_element) {
    for (int64_t i = 0; i < entries; ++i) parameters.Load(i % channels, lists, i);
  }
  ChunkBuffer x_buffer, y_buffer;
  for (int64_t row = row_share.begin; row < row_share.end; ++row) {
    if (!per_element) parameters.Load(channels == 1 ? 0 : f.Offset(1, row), lists, 0);
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
            static_cast<const int32_t*>(source), static_cast<int32_t*>(target), n, scales, output);
      } else {
        loops.wide[static_cast<int>(attrs.rounding)][per_element](static_cast<const int64_t*>(source),
                                                                  static_cast<int64_t*>(target), n,
                                                                  attrs.zero_in, scales, output);
      }
      if (target != to) convert.convert[CodeOf(type)][CodeOf(y.storage)](target, to, n);
    }
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(RescaleKernel);

}  // namespace tally
