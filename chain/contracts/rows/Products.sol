// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {coordinatesOf} from "../Shapes.sol";
import {load} from "../Values.sol";
import {Windows} from "../Windows.sol";

// The family linear: sums of products.
contract Products is Windows {
    function number() internal pure override returns (uint256) {
        return 1;
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
        if (j.code == OP_MATMUL) return rowOfMatmul(j, k, d);
        if (j.code == OP_CONV_TRANSPOSE) return reaching(j, k, d);
        if (j.code != OP_DENSE) return windowOfConvolution(j, k, d);
        region = wholeOf(j.types[k].dims);
        only(region, 0, d[k]);
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        (int256 zeroX, int256 zeroW) = zerosOf(j);
        return withBias(c, j, products(c, j, zeroX, zeroW));
    }

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        uint256[] memory captured = new uint256[](4);
        uint256 n;
        (captured[0], n) = part(c, j, b, 0, regionOf(c, j, 0));
        (captured[1], ) = part(c, j, b, 1, regionOf(c, j, 1));
        (int256 zeroX, int256 zeroW) = zerosOf(j);
        (captured[2], captured[3]) = (uint256(zeroX), uint256(zeroW));
        uint256 sum = fold(c, j, b, n, SUM, 0, Term(productTerm, captured));
        if (j.operands.length < 3) return true;
        (, bool mine) = one(c, j, b);
        while (mine) {
            b.integer = withBias(c, j, columnBefore(c, j, sum, 0));
            mine = more(j, b);
        }
        return true;
    }

    function rowOfMatmul(Judged memory j, uint256 k, uint256[] memory d) private pure returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[k].dims;
            uint256 missing = d.length - dims.length;
            region = wholeOf(dims);
            for (uint256 axis = 0; axis + 2 < dims.length; ++axis) only(region, axis, dims[axis] == 1 ? 0 : d[missing + axis]);
            bool transposed = j.attributes[k] != 0;
            only(region, (k == 0) != transposed ? dims.length - 2 : dims.length - 1, d[k == 0 ? d.length - 2 : d.length - 1]);
        }
    }

    function windowOfConvolution(Judged memory j, uint256 k, uint256[] memory d) private pure returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory weights = j.types[1].dims;
            Window[] memory windows = windowsOf(j, dims.length);
            if (k == 0) {
                uint256 groups = uint256(j.attributes[j.code == OP_CONV2D ? 3 : 4]);
                region = inside(dims, windows, d, 2);
                only(region, 0, d[0]);
                (region.begin[1], region.count[1]) = ((d[1] / (weights[0] / groups)) * weights[1], weights[1]);
            } else {
                region = wholeOf(weights);
                only(region, 0, d[1]);
                for (uint256 axis = 2; axis < dims.length; ++axis) {
                    (uint256 first, uint256 end) = tapsInside(windows[axis], d[axis], 0, int256(dims[axis]));
                    (region.begin[axis], region.count[axis]) = (first, end - first);
                }
            }
        }
    }

    // The positions, or the taps, by which a transposed convolution reaches the element.
    function reaching(Judged memory j, uint256 k, uint256[] memory d) private pure returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory weights = j.types[1].dims;
            Window[] memory windows = windowsOf(j, dims.length);
            uint256 channels = dims[1] / uint256(j.attributes[5]);
            region = wholeOf(j.types[k].dims);
            uint256 own = k == 0 ? 1 : 0;
            (region.begin[own], region.count[own]) = ((d[1] / weights[1]) * channels, channels);
            only(region, 1 - own, k == 0 ? d[0] : d[1] % weights[1]);
            for (uint256 axis = 2; axis < dims.length; ++axis) {
                Window memory w = windows[axis];
                (region.begin[axis], region.count[axis], region.step[axis]) = (0, 0, 1);
                uint256 last = 0;
                for (uint256 tap = 0; tap < w.size; ++tap) {
                    if (d[axis] + w.padding < tap * w.dilation) break;
                    uint256 scaled = d[axis] + w.padding - tap * w.dilation;
                    uint256 position = scaled / w.stride;
                    if (scaled % w.stride != 0 || position >= dims[axis]) continue;
                    uint256 pos = k == 0 ? position : tap;
                    if (region.count[axis]++ == 0) region.begin[axis] = pos;
                    else region.step[axis] = int256(pos) - int256(last);
                    last = pos;
                }
            }
        }
    }

    function zerosOf(Judged memory j) private pure returns (int256 a, int256 b) {
        if (j.code == OP_MATMUL) return (j.attributes[2], j.attributes[3]);
        if (j.code == OP_CONVOLUTION) return (j.attributes[5], j.attributes[6]);
        if (j.code == OP_CONV_TRANSPOSE) return (j.attributes[6], j.attributes[7]);
    }

    function withBias(Case memory c, Judged memory j, int256 sum) private view returns (int256) {
        if (j.operands.length < 3) return sum;
        return fit(sum + x(c, j, 2, coordinatesOf(j.element, j.results[0].dims)[1]));
    }

    function productTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        unchecked {
            int256 a = fit(columnBefore(c, j, captured[0], i) - int256(captured[2]));
            return fit(a * fit(columnBefore(c, j, captured[1], i) - int256(captured[3])));
        }
    }

    // The axis by which elements are nearest to one another.
    function innerOf(Walk memory walk) internal pure returns (uint256 inner) {
        unchecked {
            for (uint256 i = 1; i < walk.strides.length; ++i) {
                int256 a = walk.strides[i];
                int256 b = walk.strides[inner];
                if ((a < 0 ? -a : a) < (b < 0 ? -b : b)) inner = i;
            }
        }
    }

    // The sum of (x - zeroX) (w - zeroW) over the regions of operands 0 and 1, element by element.
    function products(Case memory c, Judged memory j, int256 zeroX, int256 zeroW) internal view returns (int256 sum) {
        unchecked {
            Region memory ofX = regionOf(c, j, 0);
            Region memory ofW = regionOf(c, j, 1);
            uint256 n = sizeOf(ofX);
            if (n > 1 << 16) refuse("judgement_size");
            if (n == 0) return 0;
            (bool known, Walk memory xs) = walkOf(c, j, 0, ofX);
            Walk memory ws;
            if (known) (known, ws) = walkOf(c, j, 1, ofW);
            if (!known) {
                for (uint256 i = 0; i < n; ++i) {
                    int256 a = x(c, j, 0, elementOf(ofX, j.types[0].dims, i)) - zeroX;
                    sum = fit(sum + fit(a * (x(c, j, 1, elementOf(ofW, j.types[1].dims, i)) - zeroW)));
                }
                return sum;
            }
            uint256 inner = innerOf(xs);
            uint256[] memory place = new uint256[](xs.counts.length);
            do {
                sum += productsOfRun(xs, ws, place, inner, zeroX, zeroW);
            } while (advance(place, xs.counts, inner));
            return fit(sum);
        }
    }

    function productsOfRun(Walk memory xs, Walk memory ws, uint256[] memory place, uint256 inner, int256 zeroX, int256 zeroW)
        private
        pure
        returns (int256 sum)
    {
        unchecked {
            uint256 n = 1;
            int256 apartX = 1;
            int256 apartW = 1;
            if (place.length != 0) (n, apartX, apartW) = (xs.counts[inner], xs.strides[inner], ws.strides[inner]);
            uint256 offsetX = offsetOf(xs, place);
            uint256 offsetW = offsetOf(ws, place);
            while (n > 0) {
                (uint256 atX, uint256 steps) = runOf(xs.value, offsetX, apartX, n);
                uint256 atW;
                (atW, steps) = runOf(ws.value, offsetW, apartW, steps);
                n -= steps;
                offsetX = uint256(int256(offsetX) + int256(steps) * apartX);
                offsetW = uint256(int256(offsetW) + int256(steps) * apartW);
                sum += productsOfLeaf(xs, ws, [atX, atW, steps, uint256(apartX), uint256(apartW)], zeroX, zeroW);
            }
        }
    }

    // The sum over a run: [address of x, address of w, how many, bytes between those of x, of w].
    function productsOfLeaf(Walk memory xs, Walk memory ws, uint256[5] memory run, int256 zeroX, int256 zeroW)
        private
        pure
        returns (int256 sum)
    {
        unchecked {
            (uint256 atX, uint256 atW, uint256 n) = (run[0], run[1], run[2]);
            (uint256 apartX, uint256 apartW) = (run[3], run[4]);
            (int256 loX, uint256 spanX) = (xs.lo, xs.span);
            (int256 loW, uint256 spanW) = (ws.lo, ws.span);
            uint256 outside;
            bool bytes_ = xs.value.type_.storage_ | ws.value.type_.storage_ == 0;
            if (bytes_ && apartX == 1 && apartW == 1) {
                (sum, outside) = productsOfBytes([atX, atW, n / 8], [loX + 128, int256(spanX), loW + 128, int256(spanW)], zeroX + 128, zeroW + 128);
                (atX, atW, n) = (atX + (n & ~uint256(7)), atW + (n & ~uint256(7)), n % 8);
            }
            if (bytes_) {
                assembly ("memory-safe") {
                    for {} n { n := sub(n, 1) } {
                        let a := signextend(0, byte(0, mload(atX)))
                        let w := signextend(0, byte(0, mload(atW)))
                        outside := or(outside, or(gt(sub(a, loX), spanX), gt(sub(w, loW), spanW)))
                        sum := add(sum, mul(sub(a, zeroX), sub(w, zeroW)))
                        atX := add(atX, apartX)
                        atW := add(atW, apartW)
                    }
                }
            } else {
                for (; n > 0; --n) {
                    int256 a = load(atX, xs.value.type_.storage_);
                    int256 w = load(atW, ws.value.type_.storage_);
                    if (uint256(a - loX) > spanX || uint256(w - loW) > spanW) outside = 1;
                    sum += (a - zeroX) * (w - zeroW);
                    atX += apartX;
                    atW += apartW;
                }
            }
            if (outside != 0) refuse(xs.label);
        }
    }

    // The same of bytes that are side by side, eight at a time: [address of x, of w, eights], [least x, span,
    // least w, span], all with 128 added. Eight integers are in the eight lanes of 32 bits of a word, those
    // of x with the first on top and those of w with the first at the bottom. So the top lane of the product
    // of the words is the sum of their products, and that of one with a word of ones is the sum of its
    // integers.
    function productsOfBytes(uint256[3] memory run, int256[4] memory range, int256 zeroX, int256 zeroW)
        private
        pure
        returns (int256 sum, uint256 outside)
    {
        uint256[3] memory sums; // the products, the x and the w
        unchecked {
            // Bit 16 of a lane stays set where an integer is at least the least, and where it is at most the
            // greatest.
            uint256 ones = 0x0000000100000001000000010000000100000001000000010000000100000001;
            uint256 leastX = (0x10000 - uint256(range[0])) * ones;
            uint256 mostX = (0x10000 + uint256(range[0] + range[1])) * ones;
            uint256 leastW = (0x10000 - uint256(range[2])) * ones;
            uint256 mostW = (0x10000 + uint256(range[2] + range[3])) * ones;
            for (uint256 i = run[2]; i > 0; --i) {
                uint256 xs;
                uint256 ws;
                assembly ("memory-safe") {
                    let pos := mload(run)
                    xs := shr(192, xor(mload(pos), 0x8080808080808080000000000000000000000000000000000000000000000000))
                    mstore(run, add(pos, 8))
                    pos := mload(add(run, 32))
                    ws := shr(192, xor(mload(pos), 0x8080808080808080000000000000000000000000000000000000000000000000))
                    mstore(add(run, 32), add(pos, 8))
                    xs := and(or(xs, shl(96, xs)), 0x000000000000000000000000ffffffff000000000000000000000000ffffffff)
                    xs := and(or(xs, shl(48, xs)), 0x000000000000ffff000000000000ffff000000000000ffff000000000000ffff)
                    xs := and(or(xs, shl(24, xs)), 0x000000ff000000ff000000ff000000ff000000ff000000ff000000ff000000ff)
                    ws := and(or(shr(32, ws), shl(128, ws)), 0x000000000000000000000000ffffffff000000000000000000000000ffffffff)
                    ws := and(or(shr(16, ws), shl(64, ws)), 0x000000000000ffff000000000000ffff000000000000ffff000000000000ffff)
                    ws := and(or(shr(8, ws), shl(32, ws)), 0x000000ff000000ff000000ff000000ff000000ff000000ff000000ff000000ff)
                }
                outside |= ~((xs + leastX) & (mostX - xs) & (ws + leastW) & (mostW - ws)) & (ones << 16);
                sums[0] += (xs * ws) >> 224;
                sums[1] += (xs * ones) >> 224;
                sums[2] += (ws * ones) >> 224;
            }
            sum = int256(sums[0]) - zeroX * int256(sums[2]) - zeroW * int256(sums[1]) + int256(8 * run[2]) * zeroX * zeroW;
        }
    }
}
