// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {clamp, floorDiv, HALF_AWAY, HALF_EVEN, HALF_UP, roundDiv, roundShift} from "../Rounding.sol";
import {axisOf, coordinatesOf, elementAt} from "../Shapes.sol";
import {Walks} from "../Walks.sol";

// Rows that sample between pixels: the family image, the pooling of regions, and deformable_conv2d.
contract Images is Walks {
    // index + part / whole
    struct Position {
        int256 index;
        int256 part;
        int256 whole;
    }

    // A plane of operand 0.
    struct Plane {
        uint256 first; // its first element
        int256 rows;
        int256 columns;
    }

    function number() internal pure override returns (uint256) {
        return 6;
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[k].dims;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            region = wholeOf(dims);
            uint256 code = j.code;
            if (code == OP_RESAMPLE) {
                uint256 along = axisOf(j.attributes[0], j.types[0].dims.length);
                if (k != 0) only(region, 0, d[along]);
                for (uint256 axis = 0; k == 0 && axis < dims.length; ++axis) if (axis != along) only(region, axis, d[axis]);
            } else if (code == OP_DEFORMABLE_CONV2D) {
                uint256[] memory w = j.types[1].dims;
                if (k == 0) {
                    only(region, 0, d[0]);
                    (region.begin[1], region.count[1]) = ((d[1] / (w[0] / uint256(j.attributes[3]))) * w[1], w[1]);
                } else if (k == 1) {
                    only(region, 0, d[1]);
                } else {
                    only(region, 0, d[0]);
                    only(region, 2, d[2]);
                    only(region, 3, d[3]);
                }
            } else if (k == 0) {
                planesOf(j, d, region);
            }
        }
    }

    // All images, and the channels of the element's bin.
    function planesOf(Judged memory j, uint256[] memory d, Region memory region) private pure {
        unchecked {
            int256[] memory a = j.attributes;
            if (j.code == OP_ROI_MAX_POOL || j.code == OP_ROI_ALIGN) return only(region, 1, d[1]);
            int256[] memory bins = listOf(j, 0);
            if (j.code == OP_DEFORMABLE_PSROI_POOL || a[4] == 0) {
                return only(region, 1, (d[1] * uint256(bins[0]) + d[2]) * uint256(bins[1]) + d[3]);
            }
            int256[] memory parts = listOf(j, 5);
            region.begin[1] = d[1];
            region.count[1] = uint256(parts[0] * parts[1]);
            region.step[1] = int256(j.results[0].dims[1]);
        }
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        unchecked {
            uint256 code = j.code;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            if (code == OP_UPSAMPLING) {
                (d[2], d[3]) = (d[2] / uint256(j.attributes[0]), d[3] / uint256(j.attributes[0]));
                return x(c, j, 0, elementAt(d, j.types[0].dims));
            }
            if (code == OP_RESAMPLE) return resampled(c, j, d);
            if (code == OP_GRID_SAMPLE) return ofGrid(c, j, d);
            if (code == OP_DEFORMABLE_CONV2D) return deformed(c, j, d);
            // The image of the box or the region.
            uint256 image = uint256(clamp(x(c, j, 2, d[0]), 0, int256(j.types[0].dims[0]) - 1));
            if (code == OP_CROP_RESIZE) return cropped(c, j, d, image);
            if (code == OP_ROI_MAX_POOL) return greatestOfBin(c, j, d, image);
            if (code == OP_ROI_ALIGN) return aligned(c, j, d, image);
            if (code == OP_DEFORMABLE_PSROI_POOL) return ofMoved(c, j, d, image);
            return j.attributes[4] == 0 ? averageOfBin(c, j, d, image) : averageOfParts(c, j, d, image);
        }
    }

    // Sampling.

    function positionOf(int256 numerator, int256 whole) private pure returns (Position memory p) {
        unchecked {
            p.index = floorDiv(numerator, whole);
            p.part = numerator - p.index * whole;
            p.whole = whole;
        }
    }

    function roundedQuotient(int256 sum, int256 divisor, int256 fraction) private pure returns (int256) {
        return roundDiv(HALF_UP, fit(sum << uint256(fraction)), fit(divisor));
    }

    function planeOf(Judged memory j, uint256 image, uint256 channel) private pure returns (Plane memory plane) {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            plane.first = (image * dims[1] + channel) * dims[2] * dims[3];
            (plane.rows, plane.columns) = (int256(dims[2]), int256(dims[3]));
        }
    }

    function pixel(Case memory c, Judged memory j, Plane memory plane, int256 row, int256 column) private view returns (int256) {
        unchecked {
            return x(c, j, 0, plane.first + uint256(row * plane.columns + column));
        }
    }

    // The terms of the four taps at a position; those without weight are 0 and are not read.
    function taps(Case memory c, Judged memory j, Plane memory plane, Position memory y, Position memory z)
        private
        view
        returns (int256[4] memory terms)
    {
        unchecked {
            for (uint256 i = 0; i < 4; ++i) {
                int256 weight = (i < 2 ? y.whole - y.part : y.part) * (i & 1 == 0 ? z.whole - z.part : z.part);
                if (weight == 0) continue;
                terms[i] = fit(weight * pixel(c, j, plane, y.index + int256(i >> 1), z.index + int256(i & 1)));
            }
        }
    }

    function bilinear(Case memory c, Judged memory j, Plane memory plane, Position memory y, Position memory z)
        private
        view
        returns (int256 sum)
    {
        unchecked {
            int256[4] memory terms = taps(c, j, plane, y, z);
            for (uint256 i = 0; i < 4; ++i) sum = fit(sum + terms[i]);
        }
    }

    // The family image.

    function resampled(Case memory c, Judged memory j, uint256[] memory d) private view returns (int256 sum) {
        unchecked {
            uint256 axis = axisOf(j.attributes[0], d.length);
            uint256 n = j.types[1].dims[1];
            uint256 row = d[axis] * n;
            for (uint256 t = 0; t < n; ++t) {
                d[axis] = uint256(x(c, j, 1, row + t));
                sum = fit(sum + fit(x(c, j, 2, row + t) * x(c, j, 0, elementAt(d, j.types[0].dims))));
            }
        }
    }

    // Attributes: size, grid, boxes, normalized, fraction, multiplier, zero_outside, result_fraction.
    function cropped(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256) {
        unchecked {
            Position[2] memory along;
            bool outside = false;
            int256 unit = int256(2 << uint256(j.attributes[4]));
            for (uint256 i = 0; i < 2; ++i) {
                int256 extent = int256(j.types[0].dims[2 + i]) - 1;
                int256 n = listOf(j, 0)[i];
                (int256 start, int256 length) = spanOf(c, j, d[0], i, extent);
                (int256 pos, int256 steps) = cropPoint(uint256(j.attributes[1]), start, length, unit, int256(d[2 + i]), n);
                int256 inside_ = clamp(pos, 0, fit(unit * steps * extent));
                if (inside_ != pos) outside = true;
                along[i] = positionOf(inside_, unit * steps);
            }
            if (outside && j.attributes[6] != 0) return 0;
            int256 sum = bilinear(c, j, planeOf(j, image, d[1]), along[0], along[1]);
            return roundedQuotient(sum, along[0].whole * along[1].whole, j.attributes[7]);
        }
    }

    // Where an axis of a box starts and how long it is.
    function spanOf(Case memory c, Judged memory j, uint256 box, uint256 i, int256 extent)
        private
        view
        returns (int256 start, int256 length)
    {
        unchecked {
            uint256 form = uint256(j.attributes[2]);
            int256 scale = j.attributes[5] * (j.attributes[3] != 0 ? extent : int256(1));
            uint256 pos = box * 4 + (form & 1 == 1 ? 1 - i : i);
            int256 a = x(c, j, 1, pos) * scale;
            int256 b = x(c, j, 1, pos + 2) * scale;
            return form >= 2 ? (2 * a - b, 2 * b) : (2 * a, 2 * (b - a));
        }
    }

    // Point i of n of [start, start + length], and the steps of a unit that it counts.
    function cropPoint(uint256 grid, int256 start, int256 length, int256 unit, int256 i, int256 n)
        private
        pure
        returns (int256 point, int256 steps)
    {
        unchecked {
            if (grid == 0) steps = n > 1 ? n - 1 : int256(1);
            else if (grid == 1) steps = n == 1 ? int256(2) : n - 1;
            else steps = grid == 2 ? n : 2 * n;
            int256 first = start * steps;
            if (grid == 0) return (fit(first + length * i), steps);
            if (grid == 1) return (fit(first + length * (n == 1 ? int256(1) : i)), steps);
            int256 last = length * steps;
            point = grid == 2 ? (length + unit) * i : (length < unit ? unit : length) * (2 * i + 1);
            return (fit(first + (point < last ? point : last)), steps);
        }
    }

    // Attributes: mode (nearest, bilinear, cubic), padding, align_corners, fraction, result_fraction.
    function ofGrid(Case memory c, Judged memory j, uint256[] memory d) private view returns (int256) {
        unchecked {
            uint256[] memory grid = j.types[1].dims;
            uint256 pos = ((d[0] * grid[1] + d[2]) * grid[2] + d[3]) * 2;
            Plane memory plane = planeOf(j, d[0], d[1]);
            int256 v = gridNumerator(j, x(c, j, 1, pos + 1), plane.rows);
            int256 u = gridNumerator(j, x(c, j, 1, pos), plane.columns);
            uint256 mode = uint256(j.attributes[0]);
            if (mode == 0) {
                uint256 shift = uint256(j.attributes[3]) + 1;
                int256 near =
                    gridTap(c, j, plane, roundShift(HALF_EVEN, v, shift, false), roundShift(HALF_EVEN, u, shift, false));
                return roundedQuotient(near, 1, j.attributes[4]);
            }
            int256 whole = int256(2 << uint256(j.attributes[3]));
            Position memory row = positionOf(v, whole);
            Position memory column = positionOf(u, whole);
            int256 n = mode == 1 ? int256(2) : int256(4);
            int256[4] memory ofRow = tapWeights(row, mode);
            int256[4] memory ofColumn_ = tapWeights(column, mode);
            int256 sum = 0;
            for (int256 i = 0; i < n; ++i) {
                for (int256 k = 0; k < n; ++k) {
                    int256 weight = ofRow[uint256(i)] * ofColumn_[uint256(k)];
                    sum += weight * gridTap(c, j, plane, row.index + i - (n / 2 - 1), column.index + k - (n / 2 - 1));
                }
            }
            int256 divisor = mode == 1 ? whole : 4 * whole * whole * whole;
            return roundedQuotient(fit(sum), divisor * divisor, j.attributes[4]);
        }
    }

    function gridNumerator(Judged memory j, int256 element_, int256 n) private pure returns (int256) {
        unchecked {
            int256 one_ = int256(1 << uint256(j.attributes[3]));
            int256 g = element_ + one_;
            return j.attributes[2] != 0 ? g * (n - 1) : g * n - one_;
        }
    }

    // The weights of two taps, or of four by Keys' kernel with a = -3/4, times 4 whole^3.
    function tapWeights(Position memory p, uint256 mode) private pure returns (int256[4] memory weights) {
        unchecked {
            (int256 w, int256 z) = (p.whole, p.part);
            if (mode == 1) {
                (weights[0], weights[1]) = (w - z, z);
                return weights;
            }
            weights[0] = farWeight(w + z, w);
            weights[1] = nearWeight(z, w);
            weights[2] = nearWeight(w - z, w);
            weights[3] = farWeight(w + w - z, w);
        }
    }

    function nearWeight(int256 z, int256 w) private pure returns (int256) {
        unchecked {
            return 5 * z * z * z - 9 * z * z * w + 4 * w * w * w;
        }
    }

    function farWeight(int256 z, int256 w) private pure returns (int256) {
        unchecked {
            return -3 * z * z * z + 15 * z * z * w - 24 * z * w * w + 12 * w * w * w;
        }
    }

    function gridTap(Case memory c, Judged memory j, Plane memory plane, int256 row, int256 column) private view returns (int256) {
        row = pixelOfTap(j, row, plane.rows);
        column = pixelOfTap(j, column, plane.columns);
        return row < 0 || column < 0 ? int256(0) : pixel(c, j, plane, row, column);
    }

    // The pixel of n that a tap reads, or -1 where it reads zero.
    function pixelOfTap(Judged memory j, int256 i, int256 n) private pure returns (int256) {
        unchecked {
            if (i >= 0 && i < n) return i;
            if (j.attributes[1] == 0) return -1;
            if (j.attributes[1] == 1) return i < 0 ? int256(0) : n - 1;
            bool corners = j.attributes[2] != 0;
            if (corners && n == 1) return 0;
            int256 period = corners ? 2 * (n - 1) : 2 * n;
            int256 m = i - floorDiv(i, period) * period;
            return m < n ? m : period - (corners ? int256(0) : int256(1)) - m;
        }
    }

    // Regions of interest. Attributes: pooled_size, fraction, multiplier, shift, and those of the row.

    function nearestAway(int256 v, int256 shift) private pure returns (int256) {
        return roundShift(HALF_AWAY, v, uint256(shift), false);
    }

    // The ends of the region along axis i.
    function endsOf(Case memory c, Judged memory j, uint256 region, uint256 i) private view returns (int256 first, int256 last) {
        unchecked {
            first = x(c, j, 1, region * 4 + 1 - i);
            last = x(c, j, 1, region * 4 + 3 - i);
        }
    }

    // The pixels [first, end) of bin p of `bins` of [start, start + length], both over `unit`.
    function binOf(int256 start, int256 length, int256 unit, int256 p, int256 bins, int256 n)
        private
        pure
        returns (int256 first, int256 end)
    {
        unchecked {
            int256 whole = unit * bins;
            first = clamp(floorDiv(start * bins + length * p, whole), 0, n);
            end = clamp(-floorDiv(-(start * bins + length * (p + 1)), whole), 0, n);
        }
    }

    function binAlong(Case memory c, Judged memory j, uint256[] memory d, uint256 i) private view returns (int256 first, int256 end) {
        unchecked {
            int256[] memory a = j.attributes;
            (first, end) = endsOf(c, j, d[0], i);
            (int256 n, int256 bins, int256 p) = (int256(j.types[0].dims[2 + i]), listOf(j, 0)[i], int256(d[2 + i]));
            if (j.code == OP_ROI_MAX_POOL) {
                first = nearestAway(fit(first * a[2]), a[1] + a[3]);
                int256 side = nearestAway(fit(end * a[2]), a[1] + a[3]) - first + 1;
                return binOf(first, side < 1 ? int256(1) : side, 1, p, bins, n);
            }
            first = nearestAway(first, a[1]);
            end = nearestAway(end, a[1]);
            return binOf(first * a[2], (end - first + 1) * a[2], int256(1 << uint256(a[3])), p, bins, n);
        }
    }

    function greatestOfBin(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256 greatest) {
        unchecked {
            (int256 top, int256 bottom) = binAlong(c, j, d, 0);
            (int256 left, int256 right) = binAlong(c, j, d, 1);
            Plane memory plane = planeOf(j, image, d[1]);
            bool empty = true;
            for (int256 h = top; h < bottom; ++h) {
                for (int256 v = left; v < right; ++v) {
                    int256 value = pixel(c, j, plane, h, v);
                    if (empty || greatest < value) greatest = value;
                    empty = false;
                }
            }
        }
    }

    function averageOfBin(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256) {
        unchecked {
            (int256 top, int256 bottom) = binAlong(c, j, d, 0);
            (int256 left, int256 right) = binAlong(c, j, d, 1);
            if (bottom <= top || right <= left) return 0;
            int256[] memory bins = listOf(j, 0);
            Plane memory plane = planeOf(j, image, (d[1] * uint256(bins[0]) + d[2]) * uint256(bins[1]) + d[3]);
            int256 sum = 0;
            for (int256 h = top; h < bottom; ++h) {
                for (int256 v = left; v < right; ++v) sum += pixel(c, j, plane, h, v);
            }
            return roundedQuotient(sum, (bottom - top) * (right - left), j.attributes[6]);
        }
    }

    function averageOfParts(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256) {
        unchecked {
            int256[] memory parts = listOf(j, 5);
            int256 sum = 0;
            int256 whole = 1;
            for (int256 s = 0; s < parts[0]; ++s) {
                (bool inside_, Position memory row) = pointOf(c, j, d, 0, s, parts[0]);
                if (!inside_) continue;
                for (int256 t = 0; t < parts[1]; ++t) {
                    Position memory column;
                    (inside_, column) = pointOf(c, j, d, 1, t, parts[1]);
                    if (!inside_) continue;
                    uint256 channel = uint256(s * parts[1] + t) * j.results[0].dims[1] + d[1];
                    sum = fit(sum + bilinear(c, j, planeOf(j, image, channel), row, column));
                    whole = row.whole * column.whole;
                }
            }
            return roundedQuotient(sum, whole * parts[0] * parts[1], j.attributes[6]);
        }
    }

    // The element's point in part s along axis i; false outside.
    function pointOf(Case memory c, Judged memory j, uint256[] memory d, uint256 i, int256 s, int256 parts)
        private
        view
        returns (bool, Position memory position)
    {
        unchecked {
            int256[] memory a = j.attributes;
            int256 points = listOf(j, 0)[i];
            int256 size = int256(j.types[0].dims[2 + i]);
            int256 gaps = points == 1 ? int256(2) : points - 1;
            int256 whole = int256(1 << uint256(a[1] + a[3])) * parts * gaps;
            (int256 first, int256 last) = endsOf(c, j, d[0], i);
            int256 extent = a[2] * (size - 1);
            int256 gap = points == 1 ? int256(1) : int256(d[2 + i]);
            int256 point = first * extent * parts * gaps + (last - first) * extent * (s * gaps + gap);
            if (point < 0 || point >= whole * size) return (false, position);
            return (true, positionOf(clamp(point, 0, whole * (size - 1)), whole));
        }
    }

    // Samples of a region along one axis.
    struct Samples {
        int256 start;
        int256 side;
        int256 whole;
        int256 count;
        int256 steps;
        int256 size;
    }

    // What the samples of a bin give so far: their sum, or the greatest.
    struct Bag {
        uint256 mode; // average, max, max_tap
        int256 result;
        int256 count;
    }

    // Attributes from 4 on: mode, half_pixel, sampling_ratio, result_fraction.
    function aligned(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256) {
        unchecked {
            Samples memory rows = alignedBins(c, j, d, 0);
            Samples memory columns = alignedBins(c, j, d, 1);
            Plane memory plane = planeOf(j, image, d[1]);
            Bag memory bag = Bag(uint256(j.attributes[4]), 0, 0);
            for (int256 i = 0; i < rows.count; ++i) {
                (bool rowInside, Position memory row) = alignedSample(rows, int256(d[2]), i);
                for (int256 k = 0; k < columns.count; ++k) {
                    (bool inside_, Position memory column) = alignedSample(columns, int256(d[3]), k);
                    if (rowInside && inside_) addTaps(bag, taps(c, j, plane, row, column));
                    else addTo(bag, 0);
                }
            }
            if (bag.count == 0) return 0;
            int256 divisor = rows.whole * columns.whole * (bag.mode == 0 ? bag.count : int256(1));
            return roundedQuotient(bag.result, divisor, j.attributes[7]);
        }
    }

    function addTaps(Bag memory bag, int256[4] memory terms) private pure {
        unchecked {
            if (bag.mode != 2) return addTo(bag, fit(terms[0] + terms[1] + terms[2] + terms[3]));
            for (uint256 t = 0; t < 4; ++t) addTo(bag, terms[t]);
        }
    }

    function addTo(Bag memory bag, int256 value) private pure {
        unchecked {
            if (bag.mode == 0) bag.result = fit(bag.result + value);
            else if (bag.count == 0 || bag.result < value) bag.result = value;
            ++bag.count;
        }
    }

    function alignedBins(Case memory c, Judged memory j, uint256[] memory d, uint256 i) private view returns (Samples memory s) {
        unchecked {
            int256[] memory a = j.attributes;
            int256 unit = int256(2 << uint256(a[1] + a[3]));
            int256 bins = listOf(j, 0)[i];
            (int256 first, int256 last) = endsOf(c, j, d[0], i);
            s.size = int256(j.types[0].dims[2 + i]);
            s.start = first * a[2] * 2 - (a[5] != 0 ? unit / 2 : int256(0));
            s.side = (last - first) * a[2] * 2;
            if (a[5] == 0 && s.side < unit) s.side = unit;
            s.count = a[6];
            if (s.count == 0 && s.side > 0) s.count = -floorDiv(-s.side, unit * bins);
            s.steps = 2 * bins * s.count;
            s.whole = unit * s.steps;
        }
    }

    function alignedSample(Samples memory s, int256 p, int256 i) private pure returns (bool, Position memory position) {
        unchecked {
            int256 point = s.start * s.steps + s.side * (2 * (p * s.count + i) + 1);
            if (point < -s.whole || point > s.whole * s.size) return (false, position);
            return (true, positionOf(clamp(point, 0, s.whole * (s.size - 1)), s.whole));
        }
    }

    // Attributes from 4 on: spatial_bins, offset_multiplier, offset_fraction, position_fraction,
    // result_fraction.
    function ofMoved(Case memory c, Judged memory j, uint256[] memory d, uint256 image) private view returns (int256) {
        unchecked {
            int256[] memory bins = listOf(j, 0);
            int256[] memory samples = listOf(j, 4);
            Plane memory plane = planeOf(j, image, (d[1] * uint256(bins[0]) + d[2]) * uint256(bins[1]) + d[3]);
            int256[2] memory move;
            if (j.operands.length == 4) {
                for (uint256 i = 0; i < 2; ++i) move[i] = offsetAlong(c, j, d, i);
            }
            int256 sum = 0;
            int256 count = 0;
            for (int256 i = 0; i < samples[0]; ++i) {
                (bool inside_, Position memory row) = movedSample(c, j, d, 0, i, move[0]);
                if (!inside_) continue;
                for (int256 k = 0; k < samples[1]; ++k) {
                    Position memory column;
                    (inside_, column) = movedSample(c, j, d, 1, k, move[1]);
                    if (!inside_) continue;
                    sum = fit(sum + bilinear(c, j, plane, row, column));
                    ++count;
                }
            }
            int256 divisor = int256(1 << (2 * uint256(j.attributes[7]))) * (count > 1 ? count : int256(1));
            return roundedQuotient(sum, divisor, j.attributes[8]);
        }
    }

    function offsetAlong(Case memory c, Judged memory j, uint256[] memory d, uint256 i) private view returns (int256) {
        unchecked {
            uint256[] memory parts = j.types[3].dims;
            int256[] memory bins = listOf(j, 0);
            uint256[] memory pos = new uint256[](4);
            pos[0] = d[0];
            pos[1] = 2 * (d[1] / (j.results[0].dims[1] / (parts[1] / 2))) + 1 - i;
            (pos[2], pos[3]) = ((d[2] * parts[2]) / uint256(bins[0]), (d[3] * parts[3]) / uint256(bins[1]));
            return x(c, j, 3, elementAt(pos, parts)) * j.attributes[5];
        }
    }

    // Sample s of the element's bin along axis i, moved; false more than half a pixel outside.
    function movedSample(Case memory c, Judged memory j, uint256[] memory d, uint256 i, int256 s, int256 offset)
        private
        view
        returns (bool, Position memory position)
    {
        unchecked {
            int256[] memory a = j.attributes;
            int256 unit = int256(20 << uint256(a[3]));
            (int256 first, int256 last) = endsOf(c, j, d[0], i);
            first = nearestAway(first, a[1]);
            int256 side = (nearestAway(last, a[1]) + 1 - first) * a[2] * 20;
            int256 start = first * a[2] * 20 - unit / 2;
            if (side < unit / 10) side = unit / 10;
            int256 samples = listOf(j, 4)[i];
            int256 parts = listOf(j, 0)[i] * samples;
            int256 one_ = int256(1 << uint256(a[6]));
            int256 whole = unit * parts * one_;
            int256 point = start * parts * one_ + side * ((int256(d[2 + i]) * samples + s) * one_ + offset * parts);
            int256 n = int256(j.types[0].dims[2 + i]);
            if (2 * point < -whole || 2 * point > whole * (2 * n - 1)) return (false, position);
            int256 rounded = roundedQuotient(clamp(point, 0, whole * (n - 1)), whole, a[7]);
            return (true, positionOf(rounded, int256(1 << uint256(a[7]))));
        }
    }

    // deformable_conv2d. Attributes: padding, stride, dilation, groups, offset_groups, border,
    // offset_fraction, shift.

    function deformedTap(Case memory c, Judged memory j, uint256[] memory d, uint256 i) private view returns (int256 tap) {
        unchecked {
            uint256[] memory w = j.types[1].dims;
            uint256 ki = (i / w[3]) % w[2];
            uint256 kj = i % w[3];
            uint256 channel = (d[1] / (w[0] / uint256(j.attributes[3]))) * w[1] + i / (w[2] * w[3]);
            uint256 k = ((channel / (j.types[0].dims[1] / uint256(j.attributes[4]))) * w[2] + ki) * w[3] + kj;
            tap = sampleAt(
                c, j, planeOf(j, d[0], channel), deformedPlace(c, j, d, 0, ki, 2 * k), deformedPlace(c, j, d, 1, kj, 2 * k + 1)
            );
            if (j.operands.length == 4) tap = fit(tap * x(c, j, 3, offsetAt(j, 3, d, k)));
        }
    }

    function offsetAt(Judged memory j, uint256 operand, uint256[] memory d, uint256 channel) private pure returns (uint256) {
        unchecked {
            uint256[] memory dims = j.types[operand].dims;
            return ((d[0] * dims[1] + channel) * dims[2] + d[2]) * dims[3] + d[3];
        }
    }

    function deformedPlace(Case memory c, Judged memory j, uint256[] memory d, uint256 i, uint256 tap, uint256 channel)
        private
        view
        returns (Position memory)
    {
        unchecked {
            int256 one_ = int256(1 << uint256(j.attributes[6]));
            int256 pos = int256(d[2 + i]) * listOf(j, 1)[i] - listOf(j, 0)[i] + int256(tap) * listOf(j, 2)[i];
            return positionOf(pos * one_ + x(c, j, 2, offsetAt(j, 2, d, channel)), one_);
        }
    }

    // A sample whose pixels outside are 0, or, with the border zero_samples, one that is 0 outside.
    function sampleAt(Case memory c, Judged memory j, Plane memory plane, Position memory y, Position memory z)
        private
        view
        returns (int256 sum)
    {
        unchecked {
            bool whole = j.attributes[5] == 1;
            if (whole && (y.index < 0 || y.index >= plane.rows || z.index < 0 || z.index >= plane.columns)) return 0;
            for (uint256 i = 0; i < 4; ++i) {
                int256 weight = (i < 2 ? y.whole - y.part : y.part) * (i & 1 == 0 ? z.whole - z.part : z.part);
                if (weight == 0) continue;
                (int256 row, int256 column) = (y.index + int256(i >> 1), z.index + int256(i & 1));
                if (whole) {
                    if (row >= plane.rows) row = plane.rows - 1;
                    if (column >= plane.columns) column = plane.columns - 1;
                } else if (row < 0 || row >= plane.rows || column < 0 || column >= plane.columns) {
                    continue;
                }
                sum = fit(sum + fit(weight * pixel(c, j, plane, row, column)));
            }
        }
    }

    function deformed(Case memory c, Judged memory j, uint256[] memory d) private view returns (int256) {
        unchecked {
            uint256 n = j.types[1].elements / j.types[1].dims[0];
            int256 sum = 0;
            for (uint256 i = 0; i < n; ++i) sum = fit(sum + fit(x(c, j, 1, d[1] * n + i) * deformedTap(c, j, d, i)));
            return roundShift(HALF_UP, sum, uint256(j.attributes[7]), false);
        }
    }

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        if (j.code != OP_DEFORMABLE_CONV2D) return false;
        uint256[] memory captured = new uint256[](2);
        uint256 n;
        (captured[0], n) = part(c, j, b, 1, regionOf(c, j, 1));
        bool mine;
        (captured[1], mine) = add(c, j, b, n, I64);
        while (mine) {
            b.integer = deformedTap(c, j, coordinatesOf(j.element, j.results[0].dims), j.integer);
            mine = more(j, b);
        }
        uint256 sum = fold(c, j, b, n, SUM, 0, Term(weightedTerm, captured));
        (, mine) = one(c, j, b);
        while (mine) {
            b.integer = roundShift(HALF_UP, columnBefore(c, j, sum, 0), uint256(j.attributes[7]), false);
            mine = more(j, b);
        }
        return true;
    }

    function weightedTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return fit(columnBefore(c, j, captured[0], i) * columnBefore(c, j, captured[1], i));
    }
}
