#include <bit>

#include "base/division.h"
#include "base/wide.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/kernels.h"
#include "ops/pooling/planes_kernel.h"

namespace tally {
namespace {

Int128 Magnitude(const Interval& x, int64_t zero) {
  const Int128 lo = Int128{x.lo} - zero, hi = Int128{x.hi} - zero;
  return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
}

// Taps of the largest window.
int64_t MostTaps(const Planes& planes) {
  int64_t taps = 1;
  for (int axis = 0; axis < kPlaneAxes; ++axis) taps *= MostTapsInside(planes.windows[axis], planes.x[axis]);
  return taps;
}

// Calls finish(sums, n, first element of y, taps inside x, taps that count) for runs of windows with the same counts.
// The sums are of x alone, i32 or i64 as `wide` says.
template <Isa isa, Layout layout, typename Finish>
void ForEachSum(const KernelCall& call, const Planes& planes, bool wide, bool include_padding,
                Finish finish) {
  const PoolingLoops& loops = GetPoolingLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const int64_t size = SizeBytes(x.storage), sum_size = wide ? 8 : 4;
  const auto sum_rows = loops.sum_rows[CodeOf(x.storage)][wide];
  const auto counted = [&](int axis, int64_t place) {
    return include_padding ? planes.CountPadded(axis, place) : planes.Inside(axis, place).count();
  };
  if constexpr (layout == Layout::kChannelsLast) {
    ChunkBuffer sums;
    const int64_t bytes_of_position = planes.channels * size;
    const Share share = call.ShareOf(planes.count * planes.places());
    for (int64_t at = share.begin; at < share.end; ++at) {
      const int64_t plane = at / planes.places(), q = at % planes.y[2], p = at / planes.y[2] % planes.y[1],
                    o = at / (planes.y[2] * planes.y[1]) % planes.y[0];
      const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), planes.Inside(2, q)};
      const int64_t inside = ranges[0].count() * ranges[1].count() * ranges[2].count();
      for (int64_t channel = 0; channel < planes.channels; channel += kChunk) {
        const int64_t n = std::min(kChunk, planes.channels - channel);
        if (inside == 0) GetConvertLoops<isa>().fill[2 + wide](sums.bytes, n, 0);
        ForEachRow(planes, ranges, {o, p, q},
                   x.bytes + plane * planes.positions() * bytes_of_position + channel * size,
                   bytes_of_position, true, [&](const void* const* rows, int count, bool first) {
                     sum_rows(rows, count, sums.bytes, n, first);
                   });
        finish(sums.bytes, n, at * planes.channels + channel, inside,
               counted(0, o) * counted(1, p) * counted(2, q));
      }
    }
  } else {
    uint8_t *columns = call.scratch, *sums = call.scratch + (planes.x[2] * sum_size + 63) / 64 * 64;
    const Share full = planes.FullPlaces();
    const Share share = call.ShareOf(planes.count * planes.y[0] * planes.y[1]);
    for (int64_t row = share.begin; row < share.end; ++row) {
      const int64_t p = row % planes.y[1], o = row / planes.y[1] % planes.y[0],
                    plane = row / (planes.y[1] * planes.y[0]);
      const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), TapRange{0, 1}};
      const int64_t inside = ranges[0].count() * ranges[1].count();
      const int64_t counts = counted(0, o) * counted(1, p);
      GetConvertLoops<isa>().fill[2 + wide](sums, planes.y[2], 0);
      ForEachRow(planes, ranges, {o, p, 0}, x.bytes + plane * planes.positions() * size, size, false,
                 [&](const void* const* rows, int count, bool first) {
                   sum_rows(rows, count, columns, planes.x[2], first);
                 });
      if (inside > 0) {
        ForEachColumn(planes, [&](int64_t from, int64_t place, int64_t places) {
          loops.sum_columns[wide](columns + from * sum_size, planes.windows[2].stride,
                                  sums + place * sum_size, places);
        });
      }
      for (int64_t q = 0; q < planes.y[2];) {
        const bool is_full = q >= full.begin && q < full.end;
        const int64_t end = is_full ? full.end : q + 1;
        const int64_t taps = is_full ? planes.windows[2].size : planes.Inside(2, q).count(),
                      count = is_full ? taps : counted(2, q);
        finish(sums + q * sum_size, end - q, row * planes.y[2] + q, inside * taps, counts * count);
        q = end;
      }
    }
  }
}

// How one count of taps divides; nothing when 31 bits are not enough, or for a rounding that asks for more than a
// floor.
struct Divider {
  AverageArgs args;
  bool exact;
  int64_t inside = 0, count = 0;

  Divider() = default;
  Divider(const AveragePoolAttrs& attrs, int64_t inside_in, int64_t count_in, Int128 most)
      : inside(inside_in), count(count_in) {
    const bool floor = attrs.rounding == Rounding::kFloor;
    const bool half = attrs.rounding == Rounding::kHalfUp || attrs.rounding == Rounding::kHalfAway;
    args.bias = -attrs.zero_in * inside;
    args.multiplier = attrs.multiplier * (floor ? 1 : 2);
    args.half = floor ? 0 : count << attrs.shift;
    args.away = attrs.rounding == Rounding::kHalfAway;
    args.shift = attrs.shift + (floor ? 0 : 1);
    constexpr int64_t kHalfRange = int64_t{1} << 30;
    const int64_t quotient = count < kHalfRange / 2 ? kHalfRange / 2 / count : 0;
    args.offset = quotient * count;
    args.magic_shift = 31 + std::bit_width(static_cast<uint64_t>(count - 1));
    args.magic = args.magic_shift < 62 ? (int64_t{1} << args.magic_shift) / count + 1 : 0;
    args.quotient_offset = attrs.zero_out - quotient;
    args.lo = attrs.lo;
    args.hi = attrs.hi;
    // `most` bounds |S|; every dividend then lies within 2^28 of 0, and the offset within count of 2^29.
    const Int128 dividend = ((most * args.multiplier + args.half + 1) >> args.shift) + 1;
    constexpr Int128 kWords = Int128{1} << 31;
    args.words =
        most < kWords && args.multiplier < kWords && Magnitude({0, 0}, attrs.zero_in) * inside < kWords;
    exact = (floor || half) && dividend < (Int128{1} << 28) && count < (int64_t{1} << 28);
  }
};

}  // namespace

bool AcceptsWindowSum(const KernelFacts& facts) {
  if (!AcceptsPool(facts)) return false;
  const Shape& x = facts.operands[0].shape;
  const int rank = x.rank();
  const int spatial = facts.layout == Layout::kChannelsLast ? rank - 2 : std::min(kPlaneAxes, rank);
  const auto all = [&](std::vector<int64_t> WindowSumAttrs::*member, int64_t trivial) {
    const auto list = AttrList<WindowSumAttrs>(facts, member);
    return std::all_of(list.begin(), list.end() - spatial, [&](int64_t v) { return v == trivial; });
  };
  return all(&WindowSumAttrs::kernel, 1) && all(&WindowSumAttrs::stride, 1) &&
         all(&WindowSumAttrs::pad_begin, 0) && all(&WindowSumAttrs::pad_end, 0);
}

template <Isa isa, Layout layout>
void WindowSumKernel(const KernelCall& call) noexcept {
  const Planes planes = PlanesOf<WindowSumAttrs>(call, layout);
  const int64_t zero = AttrOf<WindowSumAttrs>(call, &WindowSumAttrs::zero);
  const KernelResult& y = call.results[0];
  const bool wide = Magnitude(call.operands[0].type->interval, 0) * MostTaps(planes) >= (Int128{1} << 31);
  ForEachSum<isa, layout>(call, planes, wide, false,
                          [&](const uint8_t* sums, int64_t n, int64_t first, int64_t inside, int64_t) {
                            const Storage from = wide ? Storage::kI64 : Storage::kI32;
                            uint8_t* to = y.bytes + first * SizeBytes(y.storage);
                            if (zero == 0) {
                              GetConvertLoops<isa>().convert[CodeOf(from)][CodeOf(y.storage)](sums, to, n);
                              return;
                            }
                            for (int64_t i = 0; i < n; ++i) {
                              StoreElement(y.storage, to, i, LoadElement(from, sums, i) - zero * inside);
                            }
                          });
}

template <Isa isa, Layout layout>
void AveragePoolKernel(const KernelCall& call) noexcept {
  const Planes planes = PlanesOf<AveragePoolAttrs>(call, layout);
  AveragePoolAttrs attrs;
  const auto read = [&](auto member) { attrs.*member = AttrOf<AveragePoolAttrs>(call, member); };
  read(&AveragePoolAttrs::zero_in);
  read(&AveragePoolAttrs::multiplier);
  read(&AveragePoolAttrs::shift);
  read(&AveragePoolAttrs::rounding);
  read(&AveragePoolAttrs::zero_out);
  read(&AveragePoolAttrs::lo);
  read(&AveragePoolAttrs::hi);
  read(&AveragePoolAttrs::count_include_pad);
  const KernelResult& y = call.results[0];
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const Interval& x = call.operands[0].type->interval;
  const int64_t most_taps = MostTaps(planes);
  const bool wide = Magnitude(x, 0) * most_taps >= (Int128{1} << 31);
  const Int128 most = Magnitude(x, attrs.zero_in) * most_taps;
  const Storage from = wide ? Storage::kI64 : Storage::kI32;
  ChunkBuffer quotients;
  std::array<Divider, 8> dividers;  // windows at the edges and between them have few counts
  ForEachSum<isa, layout>(
      call, planes, wide, attrs.count_include_pad,
      [&](const uint8_t* sums, int64_t n, int64_t first, int64_t inside, int64_t count) {
        Divider& divider = dividers[inside % 8];
        if (divider.inside != inside || divider.count != count) divider = Divider(attrs, inside, count, most);
        for (int64_t at = 0; at < n; at += kChunk) {
          const int64_t part = std::min(kChunk, n - at);
          uint8_t* to = y.bytes + (first + at) * SizeBytes(y.storage);
          const uint8_t* source = sums + at * SizeBytes(from);
          if (divider.exact) {
            GetPoolingLoops<isa>().average[wide](source, reinterpret_cast<int64_t*>(quotients.bytes), part,
                                                 divider.args);
            convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](quotients.bytes, to, part);
            continue;
          }
          for (int64_t i = 0; i < part; ++i) {
            const int64_t product =
                (LoadElement(from, source, i) - attrs.zero_in * inside) * attrs.multiplier;
            const int64_t q = RoundDiv<int64_t>(attrs.rounding, product, count * (int64_t{1} << attrs.shift));
            StoreElement(y.storage, to, i, std::clamp(q + attrs.zero_out, attrs.lo, attrs.hi));
          }
        }
      });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(WindowSumKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(AveragePoolKernel);

}  // namespace tally
