// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Referee, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {clamp, DOUBLE, floorDiv, floorSqrt, FLOOR_, HALF_UP, requantize, roundDiv, roundShift, TRUNC} from "../Rounding.sol";
import {axisOf, broadcastElement, coordinatesOf, elementAt, strideOf} from "../Shapes.sol";

// The families elementwise, comparison, rescale, table and layout: an element of a few elements.
contract Pointwise is Referee {
    function number() internal pure override returns (uint256) {
        return 0;
    }

    function regionOf(Case memory, Judged memory, uint256) internal pure override returns (Region memory region) {
        refuse("certificate_form");
        return region;
    }

    function expand(Case memory, Judged memory, bool) internal pure override returns (int256) {
        refuse("certificate_form");
        return 0;
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        uint256 family = j.code >> 8;
        if (family == 0x01) return elementwise(c, j);
        if (family == 0x02) return comparison(c, j);
        if (family == 0x06) return moved(c, j);
        if (family == 0x08) return table(c, j);
        return rescale(c, j);
    }

    // The element of operand k that is broadcast to the one that is judged.
    function broadcast(Case memory c, Judged memory j, uint256 k) private view returns (int256) {
        return x(c, j, k, broadcastElement(j.types[k].dims, j.results[0].dims, j.element));
    }

    function elementwise(Case memory c, Judged memory j) private view returns (int256) {
        uint256 code = j.code;
        if (j.operands.length == 1) return unary(code, x(c, j, 0, j.element), j.attributes);
        if (code == OP_ELEMWISE_ADD) return fit(x(c, j, 0, j.element) + x(c, j, 1, j.element));
        if (code == OP_ELEMWISE_SUB) return fit(x(c, j, 0, j.element) - x(c, j, 1, j.element));
        return binary(code, broadcast(c, j, 0), broadcast(c, j, 1), j.attributes);
    }

    function unary(uint256 code, int256 v, int256[] memory a) private pure returns (int256) {
        unchecked {
            if (code == OP_ABS) return fit(v < 0 ? -v : v);
            if (code == OP_NEGATIVE) return fit(-v);
            if (code == OP_RELU) return v < 0 ? int256(0) : v;
            if (code == OP_CLIP) return clamp(v, a[0], a[1]);
            if (code == OP_CVM_PRECISION) {
                int256 bits = 1;
                for (v = fit(v < 0 ? -v : v); v > 1; v >>= 1) ++bits;
                return bits;
            }
            if (code == OP_CLZ) {
                if (v < 0) return 0;
                int256 zeros = a[0];
                for (; v > 0; v >>= 1) --zeros;
                return zeros;
            }
            // sqrt
            if (v < 0) return 0;
            int256 root = floorSqrt(v);
            return a[0] == 1 && v - root * root > root ? root + 1 : root;
        }
    }

    function binary(uint256 code, int256 a, int256 b, int256[] memory list) private pure returns (int256) {
        unchecked {
            if (code == OP_BROADCAST_ADD) return fit(a + b);
            if (code == OP_BROADCAST_SUB) return fit(a - b);
            if (code == OP_BROADCAST_MUL) return fit(a * b);
            if (code == OP_BROADCAST_MAX) return a < b ? b : a;
            if (code == OP_BROADCAST_MIN) return b < a ? b : a;
            if (code == OP_BROADCAST_DIV) return b == 0 ? int256(0) : fit(a / b);
            if (code == OP_DIVIDE) return b == 0 ? int256(0) : roundDiv(uint256(list[0]), a, b);
            if (code == OP_MODULO) {
                if (b == 0) return 0;
                return fit(a - fit(b * roundDiv(list[0] == 0 ? TRUNC : FLOOR_, a, b)));
            }
            if (code == OP_POWER) {
                int256 y = 1;
                for (; b > 0; --b) y = fit(y * a);
                return y;
            }
            if (code == OP_SHIFT_LEFT) return fit(a << uint256(b));
            if (code == OP_SHIFT_RIGHT) return roundShift(uint256(list[0]), a, uint256(b), false);
            if (code == OP_BITWISE_AND) return a & b;
            if (code == OP_BITWISE_OR) return a | b;
            return a ^ b;
        }
    }

    function comparison(Case memory c, Judged memory j) private view returns (int256) {
        if (j.code == OP_WHERE) {
            uint256 span = j.types[1].elements / j.types[0].elements;
            return x(c, j, x(c, j, 0, j.element / span) != 0 ? 1 : 2, j.element);
        }
        if (j.code == OP_SELECT) return broadcast(c, j, broadcast(c, j, 0) != 0 ? 1 : 2);
        int256 a = broadcast(c, j, 0);
        int256 b = broadcast(c, j, 1);
        uint256 kind = j.code == OP_BROADCAST_GREATER ? 4 : uint256(j.attributes[0]);
        bool holds = kind == 0 ? a == b : kind == 1 ? a != b : kind == 2 ? a < b : kind == 3 ? a <= b : kind == 4 ? a > b : a >= b;
        return holds ? int256(1) : int256(0);
    }

    function rescale(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            if (j.code == OP_RESCALE) {
                uint256 channel = 0;
                if (j.types[1].elements > 1) {
                    uint256[] memory dims = j.types[0].dims;
                    channel = (j.element / strideOf(dims, axisOf(a[0], dims.length))) % j.types[1].elements;
                }
                int256 m = x(c, j, 1, channel);
                int256 bias = x(c, j, 2, channel);
                uint256 shift = uint256(x(c, j, 3, channel));
                int256 v = fit(x(c, j, 0, j.element) - a[1]);
                int256 rounded = roundShift(uint256(a[5]), fit(fit(v * m) + bias), shift, v < 0);
                return clamp(fit(rounded + a[2]), a[3], a[4]);
            }
            if (j.code == OP_LINCOMB) {
                int256 sum = a[2];
                int256[] memory multipliers = listOf(j, 0);
                int256[] memory zeros = listOf(j, 1);
                for (uint256 k = 0; k < j.operands.length; ++k) {
                    sum = fit(sum + fit(fit(x(c, j, k, j.element) - zeros[k]) * multipliers[k]));
                }
                return clamp(fit(roundShift(uint256(a[4]), sum, uint256(a[3]), false) + a[5]), a[6], a[7]);
            }
            if (j.code == OP_MULSHIFT) {
                int256 v = fit(broadcast(c, j, 0) - a[0]);
                v = fit(v * fit(broadcast(c, j, 1) - a[1]));
                int256 rounded = roundShift(uint256(a[4]), fit(v * a[2]), uint256(a[3]), v < 0);
                return clamp(fit(rounded + a[5]), a[6], a[7]);
            }
            int256 alpha = int256(1 << uint256(a[0] - 1)) - 1;
            int256 t = x(c, j, 0, j.element);
            if (j.code == OP_CVM_RIGHT_SHIFT) t = roundShift(HALF_UP, t, uint256(a[1]), false);
            if (j.code == OP_CVM_LEFT_SHIFT) t = clamp(t, -alpha, alpha) << uint256(a[1]);
            return clamp(t, -alpha, alpha);
        }
    }

    function table(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            int256 pos = x(c, j, 0, j.element);
            if (j.code == OP_NORMALIZED_TABLE) {
                (uint256 exponent, int256 mantissa) = interpolated(c, j, pos, 1);
                int256 scale = x(c, j, 2, exponent);
                return requantize(fit(a[0] == 0 ? mantissa * scale : mantissa + scale), uint256(a[1]), a[2], a[3], a[4]);
            }
            if (j.code == OP_TABLE) pos = fit(pos - a[0]);
            return x(c, j, 1, uint256(clamp(pos, 0, int256(j.types[1].elements) - 1)));
        }
    }

    // Layout.

    function moved(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            uint256 code = j.code;
            int256[] memory a = j.attributes;
            if (code == OP_FILL) return a[1];
            uint256[] memory to = j.results[0].dims;
            if (code == OP_IOTA) {
                return fit(a[2] + fit(a[3] * int256(coordinatesOf(j.element, to)[axisOf(a[1], to.length)])));
            }
            if (code == OP_CONCATENATE) return concatenated(c, j, to);
            uint256[] memory from = j.types[0].dims;
            if (code == OP_RESHAPE || code == OP_FLATTEN || code == OP_EXPAND_DIMS || code == OP_SQUEEZE) {
                return x(c, j, 0, j.element);
            }
            if (code == OP_BROADCAST_TO) return broadcast(c, j, 0);
            uint256[] memory d = coordinatesOf(j.element, to);
            if (code == OP_TRANSPOSE) return x(c, j, 0, transposed(listOf(j, 0), from, d));
            if (code == OP_REPEAT) d[axisOf(a[1], from.length)] /= uint256(a[0]);
            if (code == OP_TILE) {
                uint256[] memory k = new uint256[](from.length);
                for (uint256 i = 0; i < from.length; ++i) k[i] = d[to.length - from.length + i] % from[i];
                d = k;
            }
            if (code == OP_STRIDED_SLICE) slice(j, from, d);
            if (code == OP_PAD && !unpad(j, from, d)) return a[2];
            if (code == OP_REVERSE_SEQUENCE) {
                uint256 sequence = axisOf(a[1], from.length);
                int256 length = clamp(x(c, j, 1, d[axisOf(a[0], from.length)]), 0, int256(from[sequence]));
                if (int256(d[sequence]) < length) d[sequence] = uint256(length) - 1 - d[sequence];
            }
            return x(c, j, 0, elementAt(d, from));
        }
    }

    function concatenated(Case memory c, Judged memory j, uint256[] memory to) private view returns (int256) {
        unchecked {
            uint256 axis = axisOf(j.attributes[0], to.length);
            uint256 inner = strideOf(to, axis);
            uint256 outer = j.element / (to[axis] * inner);
            uint256 rest = j.element % (to[axis] * inner);
            uint256 k = 0;
            uint256 part = j.types[0].dims[axis] * inner;
            while (rest >= part) {
                rest -= part;
                part = j.types[++k].dims[axis] * inner;
            }
            return x(c, j, k, outer * part + rest);
        }
    }

    function transposed(int256[] memory axes, uint256[] memory from, uint256[] memory d) private pure returns (uint256) {
        unchecked {
            uint256 rank = from.length;
            uint256[] memory source = new uint256[](rank);
            for (uint256 i = 0; i < rank; ++i) source[axes.length == 0 ? rank - 1 - i : axisOf(axes[i], rank)] = d[i];
            return elementAt(source, from);
        }
    }

    function slice(Judged memory j, uint256[] memory from, uint256[] memory d) private pure {
        unchecked {
            int256[] memory begins = listOf(j, 0);
            int256[] memory strides = listOf(j, 2);
            for (uint256 i = 0; i < from.length; ++i) {
                int256 n = int256(from[i]);
                int256 stride = i < strides.length ? strides[i] : int256(1);
                int256 begin = i < begins.length ? begins[i] : int256(0);
                if (begin < 0) begin += n;
                begin = stride > 0 ? clamp(begin, 0, n) : clamp(begin, -1, n - 1);
                d[i] = uint256(begin + stride * int256(d[i]));
            }
        }
    }

    // Where a padded element comes from; false where it is the value of the padding.
    function unpad(Judged memory j, uint256[] memory from, uint256[] memory d) private pure returns (bool) {
        unchecked {
            int256[] memory before = listOf(j, 0);
            uint256 mode = uint256(j.attributes[3]);
            for (uint256 axis = 0; axis < from.length; ++axis) {
                int256 n = int256(from[axis]);
                int256 i = int256(d[axis]) - before[axis];
                if (mode == 1) {
                    i = clamp(i, 0, n - 1);
                } else if (mode == 2) {
                    int256 period = n == 1 ? int256(1) : 2 * (n - 1);
                    i = i - floorDiv(i, period) * period;
                    if (n == 1) i = 0;
                    else if (period - i < i) i = period - i;
                } else if (mode == 3) {
                    i = i - floorDiv(i, 2 * n) * 2 * n;
                    if (2 * n - 1 - i < i) i = 2 * n - 1 - i;
                } else if (mode == 4) {
                    i = i - floorDiv(i, n) * n;
                }
                if (i < 0 || i >= n) return false;
                d[axis] = uint256(i);
            }
            return true;
        }
    }
}
