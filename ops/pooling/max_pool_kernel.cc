#include "ops/pooling/attrs.h"
#include "ops/pooling/kernels.h"
#include "ops/pooling/planes_kernel.h"

namespace tally {

Planes PlanesOfMaxPool2d(const KernelCall& call, Layout layout) {
  Planes planes(call.operands[0].type->shape, call.results[0].type->shape, layout, 2);
  const auto padding = AttrList<MaxPool2dAttrs>(call, &MaxPool2dAttrs::padding);
  for (int i = 0; i < 2; ++i) {
    const int64_t pad = padding[padding.size() == 1 ? 0 : i];
    planes.window(2, i) = {.size = AttrList<MaxPool2dAttrs>(call, &MaxPool2dAttrs::pool_size)[i],
                           .stride = AttrList<MaxPool2dAttrs>(call, &MaxPool2dAttrs::strides)[i],
                           .pad_begin = pad,
                           .pad_end = pad};
  }
  return planes;
}

bool AcceptsPool(const KernelFacts& facts) {
  // The storage of a result is that of its interval, and a constant's that of its values.
  const Shape& x = facts.operands[0].shape;
  if (facts.layout == Layout::kChannelsLast)
    return facts.constants[0] == nullptr && x.rank() >= 3 && x.rank() <= 5;
  return true;
}

int64_t PoolScratchBytes(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  if (x.rank() == 0) return 16;
  return (x[x.rank() - 1] + y[y.rank() - 1]) * 8 + 64;
}

namespace {

template <Isa isa>
void MaxOfChannels(const KernelCall& call, const Planes& planes) {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const auto max_rows = GetPoolingLoops<isa>().max_rows[CodeOf(x.storage)];
  const int64_t bytes_of_position = planes.channels * SizeBytes(x.storage);
  const Share share = call.ShareOf(planes.count * planes.places());
  for (int64_t at = share.begin; at < share.end; ++at) {
    const int64_t plane = at / planes.places(), q = at % planes.y[2], p = at / planes.y[2] % planes.y[1],
                  o = at / (planes.y[2] * planes.y[1]) % planes.y[0];
    const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), planes.Inside(2, q)};
    ForEachRow(planes, ranges, {o, p, q}, x.bytes + plane * planes.positions() * bytes_of_position,
               bytes_of_position, true, [&](const void* const* rows, int count, bool first) {
                 max_rows(rows, count, y.bytes + at * bytes_of_position, planes.channels, first);
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
void Max(const KernelCall& call, const Planes& planes) {
  layout == Layout::kChannelsLast ? MaxOfChannels<isa>(call, planes) : MaxOfRows<isa>(call, planes);
}

}  // namespace

template <Isa isa, Layout layout>
void MaxPool2dKernel(const KernelCall& call) noexcept {
  Max<isa, layout>(call, PlanesOfMaxPool2d(call, layout));
}

template <Isa isa, Layout layout>
void MaxPoolKernel(const KernelCall& call) noexcept {
  Max<isa, layout>(call, PlanesOf<PoolAttrs>(call, layout));
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(MaxPool2dKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(MaxPoolKernel);

}  // namespace tally
