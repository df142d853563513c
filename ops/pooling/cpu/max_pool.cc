#include <type_traits>

#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernels.h"
#include "ops/pooling/cpu/planes.h"
#include "ops/pooling/cpu/transposed_planes.h"

namespace tally {
namespace {

// Of max_pool and of max_pool2d. `call` is a KernelCall or KernelFacts.
template <typename Attrs, typename Call>
Planes PlanesOfMax(const Call& call, const Shape& x, const Shape& y, Layout layout) {
  if constexpr (std::is_same_v<Attrs, PoolAttrs>) {
    return PlanesOf<PoolAttrs>(call, x, y, layout);
  } else {
    Planes planes(x, y, layout, 2);
    const auto padding = AttrList<Attrs>(call, &Attrs::padding);
    for (int i = 0; i < 2; ++i) {
      const int64_t pad = padding[padding.size() == 1 ? 0 : i];
      planes.window(2, i) = {.size = AttrList<Attrs>(call, &Attrs::pool_size)[i],
                             .stride = AttrList<Attrs>(call, &Attrs::strides)[i],
                             .pad_begin = pad,
                             .pad_end = pad};
    }
    return planes;
  }
}

}  // namespace

bool AcceptsPool(const KernelFacts& facts) {
  // The storage of a result is that of its interval, and a constant's that of its values.
  const Shape& x = facts.operands[0].shape;
  if (facts.layout == Layout::kChannelsLast)
    return facts.constants[0] == nullptr && x.rank() >= 3 && x.rank() <= 5;
  return true;
}

template <typename Attrs>
int64_t MaxPoolScratchBytes(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  if (x.rank() == 0) return 16;
  const Planes planes = PlanesOfMax<Attrs>(facts, x, y, facts.layout);
  const Storage storage = facts.storages[0];
  const int64_t at_once = PlanesAtOnce(planes, storage, storage);
  if (at_once > 0) return TransposeBuffers(planes, at_once, storage, storage, 0, nullptr).scratch.bytes();
  return planes.x[2] * SizeBytes(storage);
}
template int64_t MaxPoolScratchBytes<PoolAttrs>(const KernelFacts&);
template int64_t MaxPoolScratchBytes<MaxPool2dAttrs>(const KernelFacts&);

namespace {

// Places whose windows lie inside x along the last axis go together, the others one by one.
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

template <Isa isa, Layout layout, typename Attrs>
void Max(const KernelCall& call) {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Planes planes = PlanesOfMax<Attrs>(call, x.type->shape, y.type->shape, layout);
  if (const int64_t at_once = PlanesAtOnce(planes, x.storage, y.storage); at_once > 0) {
    TransposePlanes<isa>(call, planes, at_once, MaxOfChannels<isa>);
  } else {
    layout == Layout::kChannelsLast ? MaxOfChannels<isa>(call, planes) : MaxOfRows<isa>(call, planes);
  }
}

}  // namespace

template <Isa isa, Layout layout>
void MaxPool2dKernel(const KernelCall& call) noexcept {
  Max<isa, layout, MaxPool2dAttrs>(call);
}

template <Isa isa, Layout layout>
void MaxPoolKernel(const KernelCall& call) noexcept {
  Max<isa, layout, PoolAttrs>(call);
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(MaxPool2dKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(MaxPoolKernel);

}  // namespace tally
