#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/pooling/cpu/planes.h"
#include "ops/pooling/cpu/transposed_planes.h"

namespace tally {
namespace {

Planes PlanesOf(const KernelFacts& facts, const MaxPool2dAttrs& attrs) {
  Planes planes(facts.operands[0].shape, facts.results[0].shape, facts.layout, 2);
  for (int i = 0; i < 2; ++i) {
    planes.window(2, i) = {.size = attrs.pool_size[i],
                           .stride = attrs.strides[i],
                           .pad_begin = attrs.padding_of(i),
                           .pad_end = attrs.padding_of(i)};
  }
  return planes;
}

struct MaxPoolParams {
  Planes planes;
  int64_t at_once;  // that are transposed; 0: as they are
};

// Scratch: a row of x, or what is transposed. Of the operator's interval x and y have one storage.
template <typename Attrs>
std::optional<Prepared<MaxPoolParams>> PrepareMaxPool(const KernelFacts& facts) {
  if (!HasPlanes(facts)) return std::nullopt;
  const Planes planes = PlanesOf(facts, facts.attrs<Attrs>());
  const Storage storage = facts.storages[0];
  const int64_t at_once = PlanesAtOnce(planes, storage, storage);
  const int64_t scratch =
      at_once > 0 ? TransposeBuffers(planes, at_once, storage, storage, 0, nullptr).scratch.bytes()
                  : planes.x[2] * SizeBytes(storage);
  return Prepared<MaxPoolParams>{{planes, at_once}, scratch};
}

// Places whose windows are inside x along the last axis go together, the others one by one.
template <Isa isa>
void MaxOfChannels(const KernelCall& call, const Planes& planes) {
  const PoolingLoops& loops = GetPoolingLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int code = CodeOf(x.storage);
  const int64_t bytes_of_position = planes.channels * SizeBytes(x.storage);
  const Window& w = planes.windows[2];
  const Share full = planes.FullPlaces();
  const Share share = call.ShareOf(planes.count * planes.places());
  for (int64_t at = share.begin; at < share.end;) {
    const int64_t plane = at / planes.places(), q = at % planes.y[2], p = at / planes.y[2] % planes.y[1],
                  o = at / (planes.y[2] * planes.y[1]) % planes.y[0];
    const bool inside = q >= full.begin && q < full.end;
    const int64_t places = inside ? std::min(full.end - q, share.end - at) : 1;
    const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), planes.Inside(2, q)};
    const uint8_t* first_of_plane = x.bytes + plane * planes.positions() * bytes_of_position;
    uint8_t* to = y.bytes + at * bytes_of_position;
    const int64_t rows = ranges[0].count() * ranges[1].count();
    at += places;
    if (!inside || rows == 0 || rows > kMaxRows) {
      for (int64_t i = 0; i < places; ++i, to += bytes_of_position) {
        const std::array place_ranges = {ranges[0], ranges[1], planes.Inside(2, q + i)};
        ForEachRow(planes, place_ranges, {o, p, q + i}, first_of_plane, bytes_of_position, true,
                   [&](const void* const* taps, int count, bool first) {
                     loops.max_rows[code](taps, count, to, planes.channels, first);
                   });
      }
      continue;
    }
    const int64_t corner = w.start(q) * bytes_of_position;
    ForEachRow(planes, ranges, {o, p, q}, first_of_plane + corner, bytes_of_position, false,
               [&](const void* const* starts, int count, bool) {
                 std::array<const uint8_t*, kMaxRows> bytes;
                 for (int k = 0; k < count; ++k) bytes[k] = static_cast<const uint8_t*>(starts[k]);
                 loops.max_positions[code]({.rows = bytes.data(),
                                            .count = count,
                                            .columns = w.size,
                                            .column_step = w.dilation * bytes_of_position,
                                            .position_step = w.stride * bytes_of_position,
                                            .places = places,
                                            .channels = planes.channels},
                                           to);
               });
  }
}

template <Isa isa>
void MaxOfRows(const KernelCall& call, const Planes& planes) {
  const PoolingLoops& loops = GetPoolingLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int code = CodeOf(x.storage);
  const int64_t size = SizeBytes(x.storage);
  const Share share = call.ShareOf(planes.count * planes.y[0] * planes.y[1]);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t p = row % planes.y[1], o = row / planes.y[1] % planes.y[0],
                  plane = row / (planes.y[1] * planes.y[0]);
    const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), TapRange{0, 1}};
    uint8_t* to = y.bytes + row * planes.y[2] * size;
    GetConvertLoops<isa>().fill[code](to, planes.y[2], RangeOf(x.storage).lo);
    ForEachRow(planes, ranges, {o, p, 0}, x.bytes + plane * planes.positions() * size, size, false,
               [&](const void* const* rows, int count, bool first) {
                 loops.max_rows[code](rows, count, call.scratch, planes.x[2], first);
               });
    ForEachColumn(planes, [&](int64_t from, int64_t place, int64_t places) {
      loops.max_columns[code](call.scratch + from * size, planes.windows[2].stride, to + place * size,
                              places);
    });
  }
}

template <Isa isa, Layout layout>
void MaxPool(const MaxPoolParams& p, const KernelCall& call) noexcept {
  if (p.at_once > 0) return TransposePlanes<isa>(call, p.planes, p.at_once, MaxOfChannels<isa>);
  layout == Layout::kChannelsLast ? MaxOfChannels<isa>(call, p.planes) : MaxOfRows<isa>(call, p.planes);
}

constexpr auto kMaxPoolKernels = JoinKernels(
    EveryIsaAndLayout<"max_pool2d">({.op = Opcode::kMaxPool2d},
                                    []<Isa isa, Layout layout>() {
                                      return kKernel<PrepareMaxPool<MaxPool2dAttrs>, MaxPool<isa, layout>>;
                                    }),
    EveryIsaAndLayout<"max_pool">({.op = Opcode::kMaxPool}, []<Isa isa, Layout layout>() {
      return kKernel<PrepareMaxPool<PoolAttrs>, MaxPool<isa, layout>>;
    }));

}  // namespace

KernelTable MaxPoolKernels() { return kMaxPoolKernels; }

}  // namespace tally
