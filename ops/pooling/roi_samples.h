// Where operators over regions of interest sample between pixels, along one axis.
#pragma once

#include "ops/pooling/roi.h"

namespace tally::pooling {

// The spatial scale of roi_align is multiplier / 2^shift, the fraction of the regions included.
struct RoiAlignScale {
  int64_t multiplier, shift;
  bool half_pixel;
  int64_t sampling_ratio;
};

// A region of roi_align, in halves of 2^-shift pixels, and its samples in each bin.
template <typename Int>
struct AlignedBins {
  constexpr AlignedBins(const RoiAlignScale& scale, const RoiEnds<Int>& ends, int64_t bins_in, int64_t n_in)
      : n(n_in), bins(bins_in), unit(int64_t{2} << scale.shift) {
    const Int twice(scale.multiplier * 2);
    start = Int(ends.first * twice - Int(scale.half_pixel ? unit / 2 : 0));
    side = Int(Int(ends.last - ends.first) * twice);
    if (!scale.half_pixel && side < Int(unit)) side = Int(unit);
    samples = scale.sampling_ratio;
    if (samples == 0 && side > Int(int64_t{0})) {
      samples = static_cast<int64_t>(CeilDiv<Int>(side, Int(unit * bins)));
    }
  }

  constexpr int64_t steps() const { return 2 * bins * samples; }  // a unit's
  constexpr Int whole() const { return Int(Int(unit) * Int(steps())); }

  // Sample s of bin p: the middle of its part of the bin. False when it is more than a pixel outside; what
  // is less outside moves to the border.
  constexpr bool PositionOfSample(int64_t p, int64_t s, Position<Int>* position) const {
    const Int point(start * Int(steps()) + side * Int(2 * (p * samples + s) + 1));
    if (point < Int(Int(int64_t{-1}) * whole()) || point > Int(whole() * Int(n))) return false;
    *position = PositionOf<Int>(Clamped<Int>(point, Int(int64_t{0}), Int(whole() * Int(n - 1))), whole());
    return true;
  }

  int64_t n;
  int64_t bins;
  int64_t unit;
  Int start;
  Int side;
  int64_t samples;
};

// Regions of psroi_pool in mode bilinear: in units of size - 1, with `parts` parts of `points` points from
// end to end, where a lone point is in the middle. The scale is as in RoiAlignScale.
struct RegionParts {
  int64_t multiplier, shift, points, parts;

  constexpr int64_t gaps() const { return points == 1 ? 2 : points - 1; }
  constexpr int64_t whole() const { return (int64_t{1} << shift) * parts * gaps(); }  // a position's

  // The position of point p in part s, or false outside [0, size).
  template <typename Int>
  constexpr bool PositionOfPoint(const RoiEnds<Int>& ends, int64_t s, int64_t p, int64_t size,
                                 Position<Int>* position) const {
    const int64_t gap = points == 1 ? 1 : p;
    const Int whole(this->whole());
    const Int extent(Int(multiplier) * Int(size - 1));
    const Int first(ends.first * extent), side(Int(ends.last - ends.first) * extent);
    const Int point(first * Int(parts * gaps()) + side * Int(s * gaps() + gap));
    if (point < Int(int64_t{0}) || point >= Int(whole * Int(size))) return false;
    *position = PositionOf<Int>(Clamped<Int>(point, Int(int64_t{0}), Int(whole * Int(size - 1))), whole);
    return true;
  }
};

// The scale of deformable_psroi_pool, as its attributes have them.
struct MovedScale {
  int64_t multiplier, fraction, shift, offset_fraction, position_fraction;
};

// A region of deformable_psroi_pool, over `unit`: a tenth of half of 2^-shift pixels, so that half a pixel
// and the least side of a tenth of a pixel are integers.
template <typename Int>
struct MovedBins {
  constexpr MovedBins(const MovedScale& scale_in, const RoiEnds<Int>& ends, int64_t bins_in,
                      int64_t samples_in)
      : scale(scale_in), unit(int64_t{20} << scale.shift), bins(bins_in), samples(samples_in) {
    const Int pixel(scale.multiplier * 20);
    const Int first = NearestAway<Int>(ends.first, scale.fraction);
    const Int end(NearestAway<Int>(ends.last, scale.fraction) + Int(int64_t{1}));
    start = Int(first * pixel - Int(unit / 2));
    side = Int(Int(end - first) * pixel);
    if (side < Int(unit / 10)) side = Int(unit / 10);
  }

  // Sample s of bin p, moved by `offset` sides over 2^offset_fraction, at the nearest position of
  // position_fraction bits. False when it is more than half a pixel outside; what is less outside moves
  // to the border.
  constexpr bool PositionOfSample(int64_t p, int64_t s, const Int& offset, int64_t n,
                                  Position<Int>* position) const {
    const Int one(int64_t{1} << scale.offset_fraction), parts(bins * samples);
    const Int whole(Int(unit) * parts * one);
    const Int place(Int(p * samples + s) * one + offset * parts);
    const Int point(start * parts * one + side * place);
    const Int doubled(point * Int(int64_t{2}));
    if (doubled < Int(Int(int64_t{-1}) * whole) || doubled > Int(whole * Int(2 * n - 1))) return false;
    const Int inside = Clamped<Int>(point, Int(int64_t{0}), Int(whole * Int(n - 1)));
    const Int rounded = RoundedQuotient<Int>(inside, whole, scale.position_fraction);
    *position = PositionOf<Int>(rounded, Int(int64_t{1} << scale.position_fraction));
    return true;
  }

  MovedScale scale;
  int64_t unit;
  int64_t bins;
  int64_t samples;
  Int start;
  Int side;
};

}  // namespace tally::pooling
