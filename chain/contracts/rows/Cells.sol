// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {clamp, HALF_UP, roundShift} from "../Rounding.sol";
import {coordinatesOf} from "../Shapes.sol";
import {Walks} from "../Walks.sol";

// The family recurrent: the sequence of an element as one column, in which a step computes its gates before
// its states (docs/spec/expansion.md#recurrent-cells). The definition runs the same steps.
contract Cells is Walks {
    uint256 private constant ABSENT = type(uint256).max;
    uint256 private constant OF_X = 0;
    uint256 private constant OF_W = 1;
    uint256 private constant OF_R = 2;
    uint256 private constant OF_MX = 3;
    uint256 private constant OF_MH = 4;
    uint256 private constant OF_B = 5;
    uint256 private constant TABLES = 6;
    int256 private constant STATE = 1 << 15;

    // Dims, the sequence, and which operand is which.
    struct Cell {
        uint256 steps;
        uint256 batch;
        uint256 inputs;
        uint256 gates;
        uint256 units;
        uint256 states;
        uint256 direction;
        uint256 b;
        bool reverse;
        uint256 initialH;
        uint256 initialC;
        uint256 lengths;
        uint256 peephole;
        uint256 projection;
        uint256 projectionM;
        uint256 resetBias;
        uint256 block_; // integers of a step
        uint256 column;
        uint256 n; // the step
        uint256 t; // where it is in the sequence
    }

    function number() internal pure override returns (uint256) {
        return 8;
    }

    function cellOf(Judged memory j) private pure returns (Cell memory s) {
        unchecked {
            int256[] memory a = j.attributes;
            bool lstm = j.code == OP_LSTM;
            uint256[] memory r = j.types[OF_R].dims;
            (s.steps, s.batch, s.inputs) = (j.types[OF_X].dims[0], j.types[OF_X].dims[1], j.types[OF_X].dims[2]);
            s.gates = lstm ? 4 : j.code == OP_GRU ? 3 : 1;
            (s.units, s.states) = (r[1] / s.gates, r[2]);
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            (s.direction, s.b) = j.result == 0 ? (d[1], d[2]) : (d[0], d[1]);
            s.reverse = a[0] == 1 || s.direction == 1;
            uint256 next = TABLES + (lstm ? 3 : j.code == OP_GRU ? 2 : 1);
            s.initialH = a[2] != 0 ? next++ : ABSENT;
            s.initialC = a[2] != 0 && lstm ? next++ : ABSENT;
            s.lengths = a[3] != 0 ? next++ : ABSENT;
            (s.peephole, s.projection, s.projectionM, s.resetBias) = (ABSENT, ABSENT, ABSENT, ABSENT);
            if (lstm) {
                if (a[4] != 0) s.peephole = next++;
                if (a[5] != 0) (s.projection, s.projectionM) = (next, next + 1);
                s.block_ = a[5] != 0 ? 5 * s.units + s.states : 5 * s.units;
            } else if (j.code == OP_GRU) {
                if (a[4] != 0) s.resetBias = next;
                s.block_ = 4 * s.units;
            } else {
                s.block_ = s.units;
            }
        }
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        Cell memory s = cellOf(j);
        region = wholeOf(j.types[k].dims);
        if (k == OF_X) {
            only(region, 1, s.b);
        } else if (k == s.lengths) {
            only(region, 0, s.b);
        } else if (k == s.initialH || k == s.initialC) {
            only(region, 0, s.direction);
            only(region, 1, s.b);
        } else if (k < TABLES || k == s.peephole || k == s.projection || k == s.projectionM || k == s.resetBias) {
            only(region, 0, s.direction);
        }
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        return runSteps(c, j);
    }

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        unchecked {
            Cell memory s = cellOf(j);
            bool mine;
            (s.column, mine) = add(c, j, b, s.steps * s.block_, 2);
            while (mine) {
                uint256 length = lengthOf(c, j, s);
                s.n = j.integer / s.block_;
                s.t = s.reverse ? length - 1 - s.n : s.n;
                b.integer = s.n >= length ? int256(0) : slotOf(c, j, s, j.integer % s.block_);
                mine = more(j, b);
            }
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = last(c, j, s);
                mine = more(j, b);
            }
            return true;
        }
    }

    // The element: of y, or of the last of a state.
    function last(Case memory c, Judged memory j, Cell memory s) private view returns (int256) {
        unchecked {
            uint256 length = lengthOf(c, j, s);
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            if (j.result > 0) return stateAfter(c, j, s, j.result == 2, length, d[2]);
            if (d[0] >= length) return 0;
            return stateAfter(c, j, s, false, (s.reverse ? length - 1 - d[0] : d[0]) + 1, d[3]);
        }
    }

    function lengthOf(Case memory c, Judged memory j, Cell memory s) private view returns (uint256) {
        return s.lengths == ABSENT ? s.steps : uint256(x(c, j, s.lengths, s.b));
    }

    // Integer i of h, or of the cells of lstm, after so many steps.
    function stateAfter(Case memory c, Judged memory j, Cell memory s, bool cells, uint256 steps, uint256 i)
        private
        view
        returns (int256)
    {
        unchecked {
            uint256 h = s.block_ - s.states;
            if (steps > 0) return columnBefore(c, j, s.column, (steps - 1) * s.block_ + (cells ? 3 * s.units : h) + i);
            uint256 initial = cells ? s.initialC : s.initialH;
            if (initial == ABSENT) return 0;
            return x(c, j, initial, (s.direction * s.batch + s.b) * (cells ? s.units : s.states) + i);
        }
    }

    function own(Case memory c, Judged memory j, Cell memory s, uint256 slot) private pure returns (int256) {
        return columnBefore(c, j, s.column, s.n * s.block_ + slot);
    }

    // One integer of a step.
    function slotOf(Case memory c, Judged memory j, Cell memory s, uint256 slot) private view returns (int256) {
        unchecked {
            uint256 units = s.units;
            uint256 i = slot % units;
            if (j.code == OP_RNN) return gate(c, j, s, slot, 0);
            if (j.code == OP_LSTM) return ofLstm(c, j, s, slot);
            if (slot < 2 * units) return gate(c, j, s, slot, 0);
            int256 h = stateAfter(c, j, s, false, s.n, i);
            if (slot < 3 * units) return halfUp(fit(own(c, j, s, units + i) * h), 15);
            // The next state.
            uint256 row = 2 * units + i;
            int256 input = inputSum(c, j, s, row);
            int256 v;
            uint256 shift = uint256(j.attributes[1]);
            if (s.resetBias != ABSENT) {
                int256 state = fit(stateSum(c, j, s, row, false) + x(c, j, s.resetBias, s.direction * units + i));
                v = halfUp(fit(fit(input * STATE) + fit(own(c, j, s, units + i) * state)), shift + 15);
            } else {
                v = halfUp(fit(input + stateSum(c, j, s, row, true)), shift);
            }
            int256 z = own(c, j, s, i);
            return halfUp(fit(fit(z * h) + fit(fit(STATE - z) * activate(c, j, TABLES + 1, v))), 15);
        }
    }

    function ofLstm(Case memory c, Judged memory j, Cell memory s, uint256 slot) private view returns (int256) {
        unchecked {
            uint256 units = s.units;
            uint256 i = slot % units;
            int256[] memory a = j.attributes;
            uint256 which = slot / units;
            if (which >= 5) return projected(c, j, s, slot - 5 * units);
            int256 cell = which == 2 || which == 4 ? int256(0) : stateAfter(c, j, s, true, s.n, i);
            if (which == 0) return gate(c, j, s, i, peepholeOf(c, j, s, 0, i, cell));
            if (which == 1) {
                if (a[6] != 0) return fit(STATE - own(c, j, s, i));
                return gate(c, j, s, 2 * units + i, peepholeOf(c, j, s, 2, i, cell));
            }
            if (which == 2) {
                int256 sum = fit(inputSum(c, j, s, 3 * units + i) + stateSum(c, j, s, 3 * units + i, false));
                return activate(c, j, TABLES + 1, halfUp(sum, uint256(a[1])));
            }
            if (which == 3) {
                int256 kept = fit(fit(own(c, j, s, units + i) * cell) << uint256(15 - a[7]));
                int256 added = fit(own(c, j, s, i) * own(c, j, s, 2 * units + i));
                return clamp(halfUp(fit(kept + added), uint256(30 - a[7])), a[8], a[9]);
            }
            cell = own(c, j, s, 3 * units + i);
            int256 o = gate(c, j, s, units + i, peepholeOf(c, j, s, 1, i, cell));
            return halfUp(fit(o * activate(c, j, TABLES + 2, cell)), uint256(a[10]));
        }
    }

    function peepholeOf(Case memory c, Judged memory j, Cell memory s, uint256 which, uint256 i, int256 cell)
        private
        view
        returns (int256)
    {
        if (s.peephole == ABSENT) return 0;
        return fit(x(c, j, s.peephole, (s.direction * 3 + which) * s.units + i) * cell);
    }

    function projected(Case memory c, Judged memory j, Cell memory s, uint256 p) private view returns (int256) {
        unchecked {
            uint256 row = s.direction * s.states + p;
            int256 sum = 0;
            for (uint256 i = 0; i < s.units; ++i) {
                sum = fit(sum + fit(x(c, j, s.projection, row * s.units + i) * own(c, j, s, 4 * s.units + i)));
            }
            int256 scaled = halfUp(fit(sum * x(c, j, s.projectionM, row)), uint256(j.attributes[11]));
            return clamp(scaled, -STATE, STATE - 1);
        }
    }

    // F[round((input + state + peephole) / 2^shift)]
    function gate(Case memory c, Judged memory j, Cell memory s, uint256 row, int256 peephole) private view returns (int256) {
        int256 sum = fit(inputSum(c, j, s, row) + stateSum(c, j, s, row, false));
        return activate(c, j, TABLES, halfUp(fit(sum + peephole), uint256(j.attributes[1])));
    }

    function halfUp(int256 v, uint256 shift) private pure returns (int256) {
        return roundShift(HALF_UP, v, shift, false);
    }

    function activate(Case memory c, Judged memory j, uint256 table, int256 v) private view returns (int256) {
        unchecked {
            int256 half = int256(j.types[table].elements / 2);
            return x(c, j, table, uint256(clamp(v, -half, half - 1) + half));
        }
    }

    // (W x) m_x + b of a gate's row.
    function inputSum(Case memory c, Judged memory j, Cell memory s, uint256 g) private view returns (int256) {
        unchecked {
            uint256 row = s.direction * s.gates * s.units + g;
            int256 sum = 0;
            for (uint256 i = 0; i < s.inputs; ++i) {
                sum += x(c, j, OF_W, row * s.inputs + i) * x(c, j, OF_X, (s.t * s.batch + s.b) * s.inputs + i);
            }
            return fit(fit(sum * x(c, j, OF_MX, row)) + x(c, j, OF_B, row));
        }
    }

    // (R h) m_h, of the states before the step, or of those that r has left.
    function stateSum(Case memory c, Judged memory j, Cell memory s, uint256 g, bool reset) private view returns (int256) {
        unchecked {
            uint256 row = s.direction * s.gates * s.units + g;
            int256 sum = 0;
            for (uint256 i = 0; i < s.states; ++i) {
                int256 h = reset ? own(c, j, s, 2 * s.units + i) : stateAfter(c, j, s, false, s.n, i);
                sum = fit(sum + fit(x(c, j, OF_R, row * s.states + i) * h));
            }
            return fit(sum * x(c, j, OF_MH, row));
        }
    }
}
