// Sums of windows over planes: what window_sum and average_pool share.
#pragma once

#include "base/wide.h"
#include "ops/cpu/scratch.h"
#include "ops/pooling/cpu/planes.h"
#include "ops/pooling/cpu/transposed_planes.h"

namespace tally::pooling {

inline Int128 Magnitude(const Interval& x, int64_t zero) {
  const Int128 lo = Int128{x.lo} - zero, hi = Int128{x.hi} - zero;
  return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
}

// The narrowest storage of the sums of x, from 16 bits.
inline Storage StorageOfSums(const Interval& x, const Planes& planes) {
  const Int128 most = Magnitude(x, 0) * planes.MostTaps();
  return most < 1 << 15 ? Storage::kI16 : most < Int128{1} << 31 ? Storage::kI32 : Storage::kI64;
}

// Sums over the taps that are above each other, for each position of a row; then those of places beside
// each other.
struct SumBuffers {
  static constexpr int64_t kMostSums = 4096;  // at a place and those after it
  ScratchLayout scratch;
  int64_t most_places;
  uint8_t *columns, *sums;

  SumBuffers(const Planes& planes, Storage storage, uint8_t* bytes)
      : scratch(bytes),
        most_places(std::clamp<int64_t>(kMostSums / planes.channels, 1, planes.y[2])),
        columns(scratch.Take<uint8_t>(planes.x[2] * planes.channels * SizeBytes(storage))),
        sums(scratch.Take<uint8_t>(most_places * planes.channels * SizeBytes(storage))) {}
};

// to[i] = the sum of first[i + k * step] for k < taps, i < n: elements of `storage`.
template <Isa isa>
void SumTaps(const uint8_t* first, int64_t step, int64_t taps, Storage storage, uint8_t* to, int64_t n) {
  const int code = CodeOf(storage);
  std::array<const void*, kMaxRows> rows;
  if (taps == 0) GetConvertLoops<isa>().fill[code](to, n, 0);
  for (int64_t k = 0; k < taps; k += kMaxRows) {
    const auto count = static_cast<int>(std::min<int64_t>(kMaxRows, taps - k));
    for (int i = 0; i < count; ++i) rows[i] = first + (k + i) * step * SizeBytes(storage);
    GetPoolingLoops<isa>().sum_rows[code][code](rows.data(), count, to, n, k == 0);
  }
}

// Calls finish(sums, n, first element of y, taps inside x, taps that count) for runs of windows with the same
// counts. The sums are of x alone.
template <Isa isa, typename Finish>
void ForEachSum(const KernelCall& call, const Planes& planes, Storage storage, bool include_padding,
                Finish finish) {
  const PoolingLoops& loops = GetPoolingLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const int code = CodeOf(storage);
  const int64_t size = SizeBytes(storage), channels = planes.channels;
  const int64_t bytes_of_position = channels * SizeBytes(x.storage);
  const Window& w = planes.windows[2];
  const SumBuffers buffers(planes, storage, call.scratch);
  const Share full = planes.FullPlaces();
  const auto counted = [&](int axis, int64_t place) {
    return include_padding ? planes.CountPadded(axis, place) : planes.Inside(axis, place).count();
  };
  const Share share = call.ShareOf(planes.count * planes.places());
  for (int64_t at = share.begin; at < share.end;) {
    const int64_t row = at / planes.y[2], first_place = at % planes.y[2];
    const int64_t p = row % planes.y[1], o = row / planes.y[1] % planes.y[0],
                  plane = row / (planes.y[1] * planes.y[0]);
    const int64_t end_place = std::min(planes.y[2], first_place + share.end - at);
    at += end_place - first_place;
    // The columns that the windows of these places reach.
    const int64_t first_column = std::clamp<int64_t>(w.start(first_place), 0, planes.x[2]),
                  end_column = std::clamp(w.start(end_place - 1) + w.extent(), first_column, planes.x[2]);
    const std::array ranges = {planes.Inside(0, o), planes.Inside(1, p), TapRange{0, 1}};
    const int64_t inside = ranges[0].count() * ranges[1].count(), counts = counted(0, o) * counted(1, p);
    if (inside == 0) {
      GetConvertLoops<isa>().fill[code](buffers.columns, (end_column - first_column) * channels, 0);
    }
    ForEachRow(planes, ranges, {o, p, 0},
               x.bytes + (plane * planes.positions() + first_column) * bytes_of_position, bytes_of_position,
               false, [&](const void* const* rows, int count, bool first) {
                 loops.sum_rows[CodeOf(x.storage)][code](rows, count, buffers.columns,
                                                         (end_column - first_column) * channels, first);
               });
    const auto column = [&](int64_t position) {
      return buffers.columns + (position - first_column) * channels * size;
    };
    for (int64_t q = first_place; q < end_place;) {
      const bool is_full = q >= full.begin && q < full.end;
      const int64_t places =
          is_full ? std::min({full.end - q, end_place - q, buffers.most_places}) : int64_t{1};
      const TapRange taps = is_full ? TapRange{0, w.size} : planes.Inside(2, q);
      const int64_t first = w.start(q) + taps.first * w.dilation;
      if (w.stride == 1 || places == 1) {
        SumTaps<isa>(column(taps.count() == 0 ? first_column : first), w.dilation * channels, taps.count(),
                     storage, buffers.sums, places * channels);
      } else if (channels == 1) {
        GetConvertLoops<isa>().fill[code](buffers.sums, places, 0);
        for (int64_t k = 0; k < w.size; ++k) {
          loops.sum_columns[code](column(first + k * w.dilation), w.stride, buffers.sums, places);
        }
      } else {
        for (int64_t i = 0; i < places; ++i) {
          SumTaps<isa>(column(first + i * w.stride), w.dilation * channels, w.size, storage,
                       buffers.sums + i * channels * size, channels);
        }
      }
      finish(buffers.sums, places * channels, (row * planes.y[2] + q) * channels, inside * taps.count(),
             counts * (is_full ? w.size : counted(2, q)));
      q += places;
    }
  }
}

struct SumParams {
  Planes planes;
  int64_t at_once;  // that are transposed; 0: as they are
  Storage sums;
};

// Scratch: sums of a row of x and of places, and what is transposed.
inline Prepared<SumParams> PrepareSums(const KernelFacts& facts, const Planes& planes) {
  const Storage x = facts.storages[0], y = facts.results[0].storage();
  const Storage sums = StorageOfSums(facts.operands[0].interval, planes);
  const int64_t at_once = PlanesAtOnce(planes, x, y);
  const auto bytes_of = [&](const Planes& p) { return SumBuffers(p, sums, nullptr).scratch.bytes(); };
  if (at_once == 0) return {{planes, at_once, sums}, bytes_of(planes)};
  const int64_t rest = bytes_of(AsChannels(planes, at_once));
  return {{planes, at_once, sums}, TransposeBuffers(planes, at_once, x, y, rest, nullptr).scratch.bytes()};
}

// run(call, planes) for planes as they are or transposed.
template <Isa isa, typename Run>
void RunPlanes(const KernelCall& call, const SumParams& p, Run run) {
  p.at_once > 0 ? TransposePlanes<isa>(call, p.planes, p.at_once, run) : run(call, p.planes);
}

}  // namespace tally::pooling
