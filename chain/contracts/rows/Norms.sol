// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, Type} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {clamp, floorSqrt, HALF_UP, requantize, roundShift} from "../Rounding.sol";
import {axisOf, broadcastElement, coordinatesOf, elementAt} from "../Shapes.sol";
import {Walks} from "../Walks.sol";

// The families normalization and attention.
contract Norms is Walks {
    int256 private constant UNSEEN = -(1 << 17);
    int256 private constant LARGEST_LOGIT = (1 << 15) - 1;
    uint256 private constant PROBABILITY_BITS = 15;

    function number() internal pure override returns (uint256) {
        return 3;
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[k].dims;
            region = wholeOf(dims);
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            if (j.code == OP_SCALED_DOT_PRODUCT_ATTENTION) {
                if (k != 3) ofBatch(region, dims, d, k);
                return region;
            }
            if (k != 0) return region;
            for (uint256 axis = 0; axis < dims.length; ++axis) only(region, axis, d[axis]);
            if (j.code == OP_SOFTMAX || j.code == OP_LOG_SOFTMAX) {
                whole(region, dims, axisOf(j.attributes[0], dims.length));
                return region;
            }
            int256[] memory axes = listOf(j, 0);
            for (uint256 i = 0; i < axes.length; ++i) {
                uint256 axis = axisOf(axes[i], dims.length);
                whole(region, dims, axis);
                if (j.code != OP_LOCAL_RESPONSE_NORM) continue;
                uint256 before = uint256(listOf(j, 1)[i]);
                uint256 end = d[axis] + uint256(listOf(j, 2)[i]) + 1;
                region.begin[axis] = d[axis] < before ? 0 : d[axis] - before;
                region.count[axis] = (end < dims[axis] ? end : dims[axis]) - region.begin[axis];
            }
        }
    }

    function whole(Region memory region, uint256[] memory dims, uint256 axis) private pure {
        (region.begin[axis], region.count[axis]) = (0, dims[axis]);
    }

    // The matrix of the batch: of the query and the mask its row, of the values its column.
    function ofBatch(Region memory region, uint256[] memory dims, uint256[] memory d, uint256 k) private pure {
        unchecked {
            uint256 rank = dims.length;
            uint256 missing = d.length - rank;
            for (uint256 axis = 0; axis + 2 < rank; ++axis) only(region, axis, dims[axis] == 1 ? 0 : d[missing + axis]);
            if (k == 2) only(region, rank - 1, d[d.length - 1]);
            if (k != 1 && k != 2 && rank >= 2) only(region, rank - 2, dims[rank - 2] == 1 ? 0 : d[d.length - 2]);
        }
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        unchecked {
            if (j.code == OP_SCALED_DOT_PRODUCT_ATTENTION) return attended(c, j);
            int256[] memory row = readRegion(c, j, 0);
            int256 own = x(c, j, 0, j.element);
            if (j.code == OP_SOFTMAX || j.code == OP_LOG_SOFTMAX) {
                (int256 max, int256 sum) = exponentials(c, j, row, 1);
                return j.code == OP_SOFTMAX ? softmax(c, j, own, max, sum) : logSoftmax(c, j, own, max, sum);
            }
            if (j.code == OP_LOCAL_RESPONSE_NORM) {
                int256 squares = 0;
                for (uint256 i = 0; i < row.length; ++i) squares += (row[i] - j.attributes[3]) * (row[i] - j.attributes[3]);
                return response(c, j, own, squares);
            }
            (int256 centre, int256 total) = (j.attributes[j.code == OP_RMS_NORM ? 8 : 0], 0);
            int256 n = int256(row.length);
            if (j.code == OP_LAYER_NORM) {
                centre = row[0];
                for (uint256 i = 0; i < row.length; ++i) total += row[i] - centre;
            }
            int256 variance = 0;
            for (uint256 i = 0; i < row.length; ++i) variance += (n * (row[i] - centre) - total) * (row[i] - centre);
            return normalized(c, j, n * (own - centre) - total, variance);
        }
    }

    // The greatest, and the sum of E[greatest - x].
    function exponentials(Case memory c, Judged memory j, int256[] memory row, uint256 table)
        private
        view
        returns (int256 max, int256 sum)
    {
        unchecked {
            max = row[0];
            for (uint256 i = 1; i < row.length; ++i) if (row[i] > max) max = row[i];
            for (uint256 i = 0; i < row.length; ++i) sum += exponential(c, j, table, max - row[i]);
        }
    }

    function exponential(Case memory c, Judged memory j, uint256 table, int256 distance) private view returns (int256) {
        return distance < int256(j.types[table].elements) ? x(c, j, table, uint256(distance)) : int256(0);
    }

    function reciprocalOf(int256 sum) private pure returns (int256) {
        if (sum == 0) refuse("element_overflow");
        return fit((int256(1 << 61) + (sum >> 1)) / sum);
    }

    function probability(int256 e, int256 reciprocal, uint256 bits) private pure returns (int256) {
        return roundShift(HALF_UP, fit(e * reciprocal), 61 - bits, false);
    }

    function softmax(Case memory c, Judged memory j, int256 own, int256 max, int256 sum) private view returns (int256) {
        int256[] memory a = j.attributes;
        int256 e = exponential(c, j, 1, fit(max - own));
        return clamp(fit(probability(e, reciprocalOf(sum), uint256(a[1])) + a[2]), a[3], a[4]);
    }

    function logSoftmax(Case memory c, Judged memory j, int256 own, int256 max, int256 sum) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            (uint256 exponent, int256 y) = interpolated(c, j, sum, 2);
            int256 log = fit((int256(exponent) - 30) * x(c, j, 2, 1024) + y);
            return requantize(fit(fit(fit(own - max) * a[1]) - log), uint256(a[2]), a[3], a[4], a[5]);
        }
    }

    function response(Case memory c, Judged memory j, int256 own, int256 squares) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            (uint256 exponent, int256 y) = interpolated(c, j, fit(a[5] + fit(a[4] * squares)), 1);
            int256 power = roundShift(HALF_UP, fit(y * x(c, j, 2, exponent)), 31, false);
            return requantize(fit((own - a[3]) * power), uint256(a[6]), a[7], a[8], a[9]);
        }
    }

    // n / sqrt(variance), scaled, by the channel's multiplier and addend.
    function normalized(Case memory c, Judged memory j, int256 n, int256 variance) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            if (variance != 0) {
                int256 v = fit(variance << (2 * uint256(a[1])));
                if (a[3] == 0) v = fit(v + a[2]);
                if (a[3] == 1 && v < a[2]) v = a[2];
                uint256 half = 0;
                for (; v < 1 << 60; v = fit(v * 4)) ++half;
                int256 r = int256(1 << 61) / (floorSqrt(v) + (a[3] == 2 ? a[2] << half : int256(0)));
                n = roundShift(HALF_UP, fit(n * r), uint256(41 - a[1] - int256(half)), false);
            }
            uint256 channel = broadcastElement(j.types[1].dims, j.types[0].dims, j.element);
            int256 scaled = fit(fit(n * x(c, j, 1, channel)) + x(c, j, 2, channel));
            return requantize(scaled, uint256(a[4]), a[5], a[6], a[7]);
        }
    }

    // Attention.

    // The element of a matrix of operand k that belongs to the batch of the query.
    function ofMatrix(Case memory c, Judged memory j, uint256[] memory d, uint256 k, uint256 row, uint256 column)
        private
        view
        returns (int256)
    {
        unchecked {
            uint256[] memory dims = j.types[k].dims;
            uint256 pos = 0;
            for (uint256 axis = 0; axis < dims.length; ++axis) {
                uint256 fromLast = dims.length - axis;
                uint256 coordinate = fromLast == 1 ? column : fromLast == 2 ? row : d[d.length - fromLast];
                pos = pos * dims[axis] + (dims[axis] == 1 ? 0 : coordinate);
            }
            return x(c, j, k, pos);
        }
    }

    function keysOf(Judged memory j) private pure returns (uint256) {
        return j.types[1].dims[j.types[1].dims.length - 2];
    }

    function logit(Case memory c, Judged memory j, uint256 s) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            uint256 row = d[d.length - 2];
            int256[] memory causal = listOf(j, 3);
            if (causal.length != 0 && int256(s) > int256(row) + causal[0]) return UNSEEN;
            if (a[2] == 1 && ofMatrix(c, j, d, 4, row, s) == 0) return UNSEEN;
            int256 sum = 0;
            uint256 n = j.types[0].dims[j.types[0].dims.length - 1];
            for (uint256 i = 0; i < n; ++i) sum += ofMatrix(c, j, d, 0, row, i) * ofMatrix(c, j, d, 1, s, i);
            int256 y = roundShift(HALF_UP, fit(sum * a[0]), uint256(a[1]), false);
            if (a[2] == 2) y = fit(y + ofMatrix(c, j, d, 4, row, s));
            return clamp(y, -LARGEST_LOGIT - 1, LARGEST_LOGIT);
        }
    }

    function attended(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            int256[] memory row = new int256[](keysOf(j));
            for (uint256 s = 0; s < row.length; ++s) row[s] = logit(c, j, s);
            (int256 max, int256 sum) = exponentials(c, j, row, 3);
            int256 reciprocal = reciprocalOf(sum);
            int256[] memory values = readRegion(c, j, 2);
            int256 mean = 0;
            for (uint256 s = 0; s < row.length; ++s) {
                mean += probability(exponential(c, j, 3, max - row[s]), reciprocal, PROBABILITY_BITS) * values[s];
            }
            return scaledMean(j, mean);
        }
    }

    function scaledMean(Judged memory j, int256 mean) private pure returns (int256) {
        int256[] memory a = j.attributes;
        return requantize(fit(mean * a[4]), uint256(a[5]), a[6], a[7], a[8]);
    }

    // Steps.

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        bool mine;
        if (j.code == OP_SCALED_DOT_PRODUCT_ATTENTION) {
            attendBySteps(c, j, b);
            return true;
        }
        (uint256 xs, uint256 n) = part(c, j, b, 0, regionOf(c, j, 0));
        if (j.code == OP_SOFTMAX || j.code == OP_LOG_SOFTMAX) {
            uint256[3] memory steps = exponentialsBySteps(c, j, b, xs, n, j.types[0].lo, 1);
            (, mine) = one(c, j, b);
            if (!mine) return true;
            int256 own = x(c, j, 0, j.element);
            int256 max = columnBefore(c, j, steps[0], 0);
            int256 sum = columnBefore(c, j, steps[2], 0);
            b.integer = j.code == OP_SOFTMAX ? softmax(c, j, own, max, sum) : logSoftmax(c, j, own, max, sum);
            return true;
        }
        // [x, sum of deviations and 1, length]
        uint256[] memory captured = new uint256[](3);
        (captured[0], captured[2]) = (xs, n);
        if (j.code == OP_LAYER_NORM) captured[1] = fold(c, j, b, n, SUM, 0, Term(deviationTerm, captured)) + 1;
        uint256 total = fold(c, j, b, n, SUM, 0, Term(squareTerm, captured));
        (, mine) = one(c, j, b);
        if (!mine) return true;
        int256 squares = columnBefore(c, j, total, 0);
        int256 element_ = x(c, j, 0, j.element);
        if (j.code == OP_LOCAL_RESPONSE_NORM) {
            b.integer = response(c, j, element_, squares);
        } else {
            if (squares < 0) refuse("step_order");
            (, int256 scaled) = deviationOf(c, j, captured, element_);
            b.integer = normalized(c, j, scaled, squares);
        }
        return true;
    }

    // d and n of the definition, of an element.
    function deviationOf(Case memory c, Judged memory j, uint256[] memory captured, int256 v)
        private
        pure
        returns (int256 d, int256 n)
    {
        int256 centre = j.code == OP_LAYER_NORM ? columnBefore(c, j, captured[0], 0) : j.attributes[8];
        d = fit(v - centre);
        n = fit(int256(captured[2]) * d);
        if (captured[1] != 0) n = fit(n - columnBefore(c, j, captured[1] - 1, 0));
    }

    function deviationTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return fit(columnBefore(c, j, captured[0], i) - columnBefore(c, j, captured[0], 0));
    }

    function squareTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        int256 v = columnBefore(c, j, captured[0], i);
        if (j.code == OP_LOCAL_RESPONSE_NORM) {
            v = fit(v - j.attributes[3]);
            return fit(v * v);
        }
        (int256 d, int256 n) = deviationOf(c, j, captured, v);
        return fit(n * d);
    }

    // [max, exponentials, sum] of a column.
    function exponentialsBySteps(Case memory c, Judged memory j, Build memory b, uint256 xs, uint256 n, int256 lo, uint256 table)
        private
        view
        returns (uint256[3] memory steps)
    {
        bool mine;
        steps[0] = fold(c, j, b, n, MAX, lo, ofColumn(xs, 0));
        (steps[1], mine) = add(c, j, b, n, I64);
        if (mine) {
            int256 distance = fit(columnBefore(c, j, steps[0], 0) - columnBefore(c, j, xs, j.integer));
            if (distance < 0) refuse("element_interval");
            b.integer = exponential(c, j, table, distance);
        }
        steps[2] = fold(c, j, b, n, SUM, 0, ofColumn(steps[1], 0));
    }

    function attendBySteps(Case memory c, Judged memory j, Build memory b) private view {
        uint256 n = keysOf(j);
        (uint256 logits, bool mine) = add(c, j, b, n, I64);
        while (mine) {
            b.integer = logit(c, j, j.integer);
            mine = more(j, b);
        }
        uint256[3] memory steps = exponentialsBySteps(c, j, b, logits, n, UNSEEN, 3);
        (uint256 values, ) = part(c, j, b, 2, regionOf(c, j, 2));
        uint256[] memory captured = new uint256[](3);
        (captured[0], captured[1], captured[2]) = (steps[1], steps[2], values);
        uint256 mean = fold(c, j, b, n, SUM, 0, Term(meanTerm, captured));
        (, mine) = one(c, j, b);
        while (mine) {
            b.integer = scaledMean(j, columnBefore(c, j, mean, 0));
            mine = more(j, b);
        }
    }

    function meanTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        int256 e = columnBefore(c, j, captured[0], i);
        int256 reciprocal = reciprocalOf(columnBefore(c, j, captured[1], 0));
        return fit(probability(e, reciprocal, PROBABILITY_BITS) * columnBefore(c, j, captured[2], i));
    }
}
