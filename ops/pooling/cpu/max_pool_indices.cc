#include <limits>

#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/pooling/cpu/planes.h"

namespace tally {
namespace {

// The elements written at once: a row of places, or the channels of one place.
int64_t LengthOf(const Shape& y, Layout layout) {
  return layout == Layout::kChannelsLast ? y[1] : y[y.rank() - 1];
}

struct MaxPoolIndicesParams {
  Planes planes;
  int64_t length;
};

// Scratch: values and positions.
std::optional<Prepared<MaxPoolIndicesParams>> PrepareMaxPoolIndices(const KernelFacts& facts) {
  if (!HasPlanes(facts)) return std::nullopt;
  const int64_t length = LengthOf(facts.results[0].shape, facts.layout);
  return Prepared<MaxPoolIndicesParams>{{PlanesOf(facts, facts.attrs<PoolAttrs>()), length}, 2 * 8 * length};
}

// Taps in row-major order, so that the first of equals stays.
template <Isa isa, Layout layout>
void MaxPoolIndices(const MaxPoolIndicesParams& params, const KernelCall& call) noexcept {
  constexpr bool kChannels = layout == Layout::kChannelsLast;
  const Planes planes = params.planes;  // a copy stays in registers
  const KernelOperand& x = call.operands[0];
  const int code = CodeOf(x.storage);
  const auto lead = GetPoolingLoops<isa>().lead[code];
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t n = params.length;
  auto* best = reinterpret_cast<int64_t*>(call.scratch);
  int64_t* positions = best + n;
  const int64_t columns = kChannels ? planes.y[2] : 1;
  const int64_t size = SizeBytes(x.storage) * planes.channels;
  const Share share = call.ShareOf(planes.count * planes.y[0] * planes.y[1] * columns);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const int64_t q = item % columns, p = item / columns % planes.y[1],
                  o = item / columns / planes.y[1] % planes.y[0],
                  plane = item / columns / planes.y[1] / planes.y[0];
    convert.fill[CodeOf(Storage::kI64)](best, n, std::numeric_limits<int64_t>::min());
    const TapRange outer = planes.Inside(0, o), middle = planes.Inside(1, p), inner = planes.Inside(2, q);
    const auto position_of = [&](int axis, int64_t place, int64_t tap) {
      return planes.windows[axis].start(place) + tap * planes.windows[axis].dilation;
    };
    for (int64_t i = outer.first; i < outer.end; ++i) {
      for (int64_t j = middle.first; j < middle.end; ++j) {
        const int64_t row = (position_of(0, o, i) * planes.x[1] + position_of(1, p, j)) * planes.x[2];
        const uint8_t* from = x.bytes + (plane * planes.positions() + row) * size;
        const int64_t first = plane * planes.channels * planes.positions() + row;
        if constexpr (kChannels) {
          for (int64_t k = inner.first; k < inner.end; ++k) {
            const int64_t column = position_of(2, q, k);
            lead(from + column * size, 1, best, positions, n, first + column, planes.positions());
          }
        } else {
          ForEachColumn(planes, [&](int64_t column, int64_t place, int64_t places) {
            const int64_t stride = planes.windows[2].stride;
            lead(from + column * size, stride, best + place, positions + place, places, first + column,
                 stride);
          });
        }
      }
    }
    for (size_t r = 0; r < 2; ++r) {
      const KernelResult& y = call.results[r];
      convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](r == 0 ? best : positions,
                                                                y.bytes + item * n * SizeBytes(y.storage), n);
    }
  }
}

constexpr auto kMaxPoolIndicesKernels = EveryIsaAndLayout<"max_pool_indices">(
    {.op = Opcode::kMaxPoolIndices},
    []<Isa isa, Layout layout>() { return kKernel<PrepareMaxPoolIndices, MaxPoolIndices<isa, layout>>; });

}  // namespace

KernelTable MaxPoolIndicesKernels() { return kMaxPoolIndicesKernels; }

}  // namespace tally
