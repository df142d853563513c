// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {fit} from "./Refusal.sol";

// Roundings of docs/spec/numerics.md, by their numbers in modules.
uint256 constant FLOOR_ = 0;
uint256 constant HALF_UP = 1;
uint256 constant HALF_AWAY = 2;
uint256 constant HALF_EVEN = 3;
uint256 constant DOUBLE = 4;
uint256 constant TRUNC = 5;

function floorDiv(int256 a, int256 b) pure returns (int256 q) {
    unchecked {
        q = a / b;
        if (q * b != a && (a < 0) != (b < 0)) --q;
    }
}

// product / 2^shift; `negative` is the sign of the value that was multiplied, which DOUBLE names.
function roundShift(uint256 rounding, int256 product, uint256 shift, bool negative) pure returns (int256) {
    unchecked {
        if (shift == 0) return product;
        int256 half = int256(1 << (shift - 1));
        int256 add = half;
        if (rounding == FLOOR_) add = 0;
        else if (rounding == HALF_AWAY) add = product < 0 ? half - 1 : half;
        else if (rounding == HALF_EVEN) add = (product >> shift) & 1 == 1 ? half : half - 1;
        else if (rounding == DOUBLE && shift > 31) add = negative ? half - (1 << 30) : half + (1 << 30);
        else if (rounding == TRUNC) add = product < 0 ? 2 * half - 1 : int256(0);
        return fit(product + add) >> shift;
    }
}

// a / b of b that is not 0.
function roundDiv(uint256 rounding, int256 a, int256 b) pure returns (int256) {
    unchecked {
        if (rounding == TRUNC) return fit(a / b);
        if (b < 0) (a, b) = (-a, -b);
        if (rounding == FLOOR_) return floorDiv(a, b);
        bool tieGoesDown = rounding == HALF_AWAY ? a < 0 : rounding == HALF_EVEN && floorDiv(a, b) & 1 == 0;
        return floorDiv(fit(fit(a + a) + b) - int256(tieGoesDown ? int256(1) : int256(0)), b + b);
    }
}

function clamp(int256 value, int256 lo, int256 hi) pure returns (int256) {
    return value < lo ? lo : value > hi ? hi : value;
}

// clamp(round(exact / 2^shift) + zero_out, lo, hi), half up.
function requantize(int256 exact, uint256 shift, int256 zeroOut, int256 lo, int256 hi) pure returns (int256) {
    unchecked {
        return clamp(fit(roundShift(HALF_UP, exact, shift, false) + zeroOut), lo, hi);
    }
}

// The largest r with r * r <= v, for 0 <= v.
function floorSqrt(int256 v) pure returns (int256 root) {
    unchecked {
        for (int256 bit = 1 << 31; bit > 0; bit >>= 1) {
            int256 longer = root + bit;
            if (longer * longer <= v) root = longer;
        }
    }
}
