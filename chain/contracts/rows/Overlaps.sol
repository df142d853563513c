// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {coordinatesOf} from "../Shapes.sol";
import {Selections} from "../Selections.sol";

// Boxes, and how much two of them overlap.
abstract contract Overlaps is Selections {
    // Attributes of nms: 0 encoding (corners, ordered_corners, center), 1 side_offset, 2 and 3 the
    // threshold's numerator and denominator, 4 suppress_equal, 5 min_score, 6 at_least_one, 7 classes (each,
    // best, best_per_class), 8 top_k, 9 max_per_class, 10 max_per_batch, 11 order (class, score), 12 batches
    // (apart, packed, merged).

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        region = wholeOf(j.types[k].dims);
        if (j.code == OP_NMS) return region;
        only(region, 0, coordinatesOf(j.element, j.results[0].dims)[0]);
    }

    // [lo of x, lo of y, hi of x, hi of y] of four elements from `at` on of operand 0.
    function boxAt(Case memory c, Judged memory j, uint256 pos, uint256 encoding) internal view returns (int256[4] memory e) {
        unchecked {
            for (uint256 k = 0; k < 4; ++k) e[k] = x(c, j, 0, pos + k);
            for (uint256 k = 0; k < 2; ++k) {
                (int256 p, int256 q) = (e[k], e[k + 2]);
                if (encoding == 2) (e[k], e[k + 2]) = (2 * p - q, 2 * p + q);
                else if (encoding == 0 && q < p) (e[k], e[k + 2]) = (q, p);
            }
        }
    }

    function areaOf(int256[4] memory e, int256 offset) internal pure returns (int256) {
        unchecked {
            int256 width = e[2] - e[0] + offset;
            int256 height = e[3] - e[1] + offset;
            return width <= 0 || height <= 0 ? int256(0) : fit(width * height);
        }
    }

    // The area that both boxes cover, and the one that at least one does.
    function overlapOf(int256[4] memory p, int256[4] memory q, int256 offset) internal pure returns (int256 both, int256 either) {
        unchecked {
            int256[4] memory common;
            for (uint256 k = 0; k < 2; ++k) {
                common[k] = p[k] > q[k] ? p[k] : q[k];
                common[k + 2] = p[k + 2] < q[k + 2] ? p[k + 2] : q[k + 2];
            }
            both = areaOf(common, offset);
            either = fit(areaOf(p, offset) + areaOf(q, offset) - both);
        }
    }

    function scoreOf(Case memory c, Judged memory j, uint256 batch, uint256 class_, uint256 box) internal view returns (int256) {
        unchecked {
            return x(c, j, 1, (batch * j.types[1].dims[1] + class_) * j.types[1].dims[2] + box);
        }
    }

    // Where a box of nms begins in operand 0.
    function boxOf(Judged memory j, uint256 batch, uint256 class_, uint256 box) internal pure returns (uint256) {
        unchecked {
            if (j.types[0].dims.length != 3) batch = batch * j.types[1].dims[1] + class_;
            return (batch * j.types[1].dims[2] + box) * 4;
        }
    }

    // Whether the kept box q suppresses p: rows of a batch, or the places in operand 0 where boxes of nms
    // begin.
    function suppresses(Case memory c, Judged memory j, uint256 p, uint256 q) internal view returns (bool) {
        unchecked {
            int256[] memory a = j.attributes;
            int256 both;
            int256 either;
            if (j.code == OP_NON_MAX_SUPPRESSION) {
                if (a[2] == 0 && x(c, j, 0, p) != x(c, j, 0, q)) return false;
                (both, either) = overlapOf(boxAt(c, j, p + 2, 1), boxAt(c, j, q + 2, 1), 0);
                // floor(100 both / either) against a threshold of at least 1
                return both != 0 && (100 * both) / either >= a[0];
            }
            uint256 encoding = uint256(a[0]);
            int256 offset = encoding == 2 ? 2 * a[1] : a[1];
            (both, either) = overlapOf(boxAt(c, j, p, encoding), boxAt(c, j, q, encoding), offset);
            if (both == 0) return false;
            (int256 ratio, int256 threshold) = (fit(both * a[3]), fit(either * a[2]));
            return a[4] != 0 ? ratio >= threshold : ratio > threshold;
        }
    }
}
