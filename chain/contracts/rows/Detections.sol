// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ASK_COLUMNS, ASK_INTEGER, Case} from "../Case.sol";
import "../Operators.sol";
import {Judged} from "../Referee.sol";
import {coordinatesOf} from "../Shapes.sol";
import {Overlaps} from "./Overlaps.sol";

// Rows that suppress boxes: of a list of candidates those that none of the kept ones before them suppresses.
contract Detections is Overlaps {
    uint256 private constant SUPPRESSIONS = 9; // the contract that has their steps

    function number() internal pure override returns (uint256) {
        return 7;
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        return j.code == OP_NMS ? row(c, j) : emitted(c, j);
    }

    // Entries of a batch, each class << 128 | box, and their scores.
    struct Picks {
        uint256 n;
        uint256[] entries;
        int256[] scores;
    }

    function newPicks(uint256 most) private pure returns (Picks memory) {
        return Picks(0, new uint256[](most), new int256[](most));
    }

    function push(Picks memory picks, uint256 entry, int256 score) private pure {
        (picks.entries[picks.n], picks.scores[picks.n]) = (entry, score);
        ++picks.n;
    }

    // By descending scores; equal ones stay as they are.
    function sort(Picks memory picks) private pure {
        unchecked {
            for (uint256 i = 1; i < picks.n; ++i) {
                (uint256 entry, int256 score) = (picks.entries[i], picks.scores[i]);
                uint256 pos = i;
                for (; pos > 0 && picks.scores[pos - 1] < score; --pos) {
                    (picks.entries[pos], picks.scores[pos]) = (picks.entries[pos - 1], picks.scores[pos - 1]);
                }
                (picks.entries[pos], picks.scores[pos]) = (entry, score);
            }
        }
    }

    // Where the box of a candidate is.
    function placeOf(Judged memory j, uint256 batch, uint256 entry) private pure returns (uint256) {
        if (j.code == OP_NMS) return boxOf(j, batch, entry >> 128, uint128(entry));
        return (batch * j.types[0].dims[1] + entry) * 6;
    }

    // Adds to `kept` at most `most` of the first `top` candidates, which are in order.
    function keep(Case memory c, Judged memory j, uint256 batch, Picks memory candidates, uint256 top, uint256 most, Picks memory kept)
        private
        view
    {
        unchecked {
            uint256 first = kept.n;
            for (uint256 i = 0; i < candidates.n && i < top && kept.n - first < most; ++i) {
                uint256 place = placeOf(j, batch, candidates.entries[i]);
                // A row of a negative id is passed over.
                if (j.code != OP_NMS && x(c, j, 0, place) < 0) continue;
                bool out = false;
                for (uint256 k = first; k < kept.n && !out; ++k) {
                    out = suppresses(c, j, place, placeOf(j, batch, kept.entries[k]));
                }
                if (!out) push(kept, candidates.entries[i], candidates.scores[i]);
            }
        }
    }

    // CVM's suppression.
    function emitted(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            uint256 n = j.types[0].dims[1];
            int256 count = x(c, j, 1, d[0]);
            uint256 valid = count < 0 ? 0 : count > int256(n) ? n : uint256(count);
            Picks memory candidates = newPicks(valid);
            for (uint256 i = 0; i < valid; ++i) push(candidates, i, x(c, j, 0, (d[0] * n + i) * 6 + 1));
            sort(candidates);
            Picks memory kept = newPicks(valid);
            keep(c, j, d[0], candidates, a[3] >= 0 ? uint256(a[3]) : n, a[1] >= 0 ? uint256(a[1]) : n, kept);
            return d[1] < kept.n ? x(c, j, 0, (d[0] * n + kept.entries[d[1]]) * 6 + d[2]) : int256(-1);
        }
    }

    // nms.

    // The entries of a list, or those of at least min_score, in order.
    function listOf_(Case memory c, Judged memory j, uint256 batch, uint256 list, uint256[] memory best, bool candidates)
        private
        view
        returns (Picks memory picks)
    {
        unchecked {
            uint256 boxes = j.types[1].dims[2];
            picks = newPicks(boxes);
            for (uint256 box = 0; box < boxes; ++box) {
                uint256 class_ = j.attributes[7] == 0 ? list : best[box];
                if (j.attributes[7] == 2 && class_ != list) continue;
                if (candidates) {
                    int256 score = scoreOf(c, j, batch, class_, box);
                    if (score >= j.attributes[5]) push(picks, (class_ << 128) | box, score);
                } else {
                    push(picks, (class_ << 128) | box, scoreOf(c, j, batch, class_, box));
                }
            }
            sort(picks);
        }
    }

    function bestClasses(Case memory c, Judged memory j, uint256 batch) private view returns (uint256[] memory best) {
        unchecked {
            if (j.attributes[7] == 0) return best;
            best = new uint256[](j.types[1].dims[2]);
            for (uint256 box = 0; box < best.length; ++box) {
                for (uint256 class_ = 1; class_ < j.types[1].dims[1]; ++class_) {
                    if (scoreOf(c, j, batch, class_, box) > scoreOf(c, j, batch, best[box], box)) best[box] = class_;
                }
            }
        }
    }

    // The rows of a batch.
    function selectOf(Case memory c, Judged memory j, uint256 batch) private view returns (Picks memory picks) {
        unchecked {
            int256[] memory a = j.attributes;
            uint256 listCount = a[7] == 1 ? 1 : j.types[1].dims[1];
            uint256[] memory best = bestClasses(c, j, batch);
            picks = newPicks(listCount * j.types[1].dims[2]);
            for (uint256 list = 0; list < listCount; ++list) {
                Picks memory candidates = listOf_(c, j, batch, list, best, true);
                keep(c, j, batch, candidates, uint256(a[8]), uint256(a[9]), picks);
            }
            uint256 limit = uint256(a[10]);
            if (picks.n == 0 && a[6] != 0) {
                for (uint256 list = 0; list < listCount; ++list) {
                    Picks memory all = listOf_(c, j, batch, list, best, false);
                    for (uint256 i = 0; i < all.n; ++i) push(picks, all.entries[i], all.scores[i]);
                }
                limit = 1;
            }
            sort(picks);
            if (picks.n > limit) picks.n = limit;
            if (a[11] == 0) sortByClass(picks);
        }
    }

    function sortByClass(Picks memory picks) private pure {
        unchecked {
            for (uint256 i = 1; i < picks.n; ++i) {
                (uint256 entry, int256 score) = (picks.entries[i], picks.scores[i]);
                uint256 pos = i;
                for (; pos > 0 && picks.entries[pos - 1] >> 128 > entry >> 128; --pos) {
                    (picks.entries[pos], picks.scores[pos]) = (picks.entries[pos - 1], picks.scores[pos - 1]);
                }
                (picks.entries[pos], picks.scores[pos]) = (entry, score);
            }
        }
    }

    function row(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            if (j.result == 1) return int256(selectOf(c, j, j.element).n);
            uint256 batches = j.types[1].dims[0];
            uint256 wanted = j.element / 3;
            uint256 first = 0;
            uint256 end = batches;
            if (j.attributes[12] == 0) {
                uint256 block_ = j.results[0].dims[0] / batches;
                (first, wanted) = (wanted / block_, wanted % block_);
                end = first + 1;
            }
            // All rows, each batch << 192 | class << 128 | box.
            Picks memory rows = newPicks(0);
            for (uint256 batch = first; batch < end; ++batch) {
                Picks memory more_ = selectOf(c, j, batch);
                Picks memory all = newPicks(rows.n + more_.n);
                for (uint256 i = 0; i < rows.n; ++i) push(all, rows.entries[i], rows.scores[i]);
                for (uint256 i = 0; i < more_.n; ++i) push(all, (batch << 192) | more_.entries[i], more_.scores[i]);
                rows = all;
            }
            if (j.attributes[12] == 2) sort(rows);
            if (wanted >= rows.n) return -1;
            uint256 entry = rows.entries[wanted];
            uint256 k = j.element % 3;
            return int256(k == 0 ? entry >> 192 : k == 1 ? uint64(entry >> 128) : uint128(entry));
        }
    }

    // Steps are in another contract.
    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        bytes memory answer = ask(
            c, b.mode == LIST ? ASK_COLUMNS : ASK_INTEGER, SUPPRESSIONS, j.frame, c.question.id, j.element
        );
        if (b.mode != LIST) {
            b.integer = abi.decode(answer, (int256));
            return true;
        }
        uint256[] memory columns;
        assembly ("memory-safe") {
            mstore(answer, div(mload(answer), 32))
            columns := answer
        }
        (c.columns, b.columns) = (columns, columns.length);
        return true;
    }
}
