// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {coordinatesOf} from "../Shapes.sol";
import {Overlaps} from "./Overlaps.sol";

// The steps of rows that suppress boxes, for Detections.
contract Suppressions is Overlaps {
    function number() internal pure override returns (uint256) {
        return 9;
    }

    // Detections has gathered expansions.
    function expand(Case memory c, Judged memory j, bool list) internal view override returns (int256) {
        Build memory b = beginSteps(c, list);
        bySteps(c, j, b);
        return endSteps(c, b);
    }

    // Elements are judged by Detections.
    function compute(Case memory, Judged memory) internal pure override returns (int256) {
        refuse("row_not_judged");
        return 0;
    }

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        if (j.code == OP_NON_MAX_SUPPRESSION) suppressed(c, j, b);
        else nms(c, j, b);
        return true;
    }

    // Suppression in rounds.

    // Entries with scores, in columns: the greatest come first, and of equal ones the lower entry. Those
    // whose integer in `in_` is 0 are out.
    struct Scores {
        uint256 of_;
        uint256 in_;
        uint256 n;
        int256 lo;
        int256 hi;
    }

    // What decides which boxes suppress which.
    struct Boxes {
        uint256 batch;
        uint256 list; // nms has several
        uint256 best; // column of the classes, of nms
        bool none; // suppress nothing
    }

    function keysOfScores(Scores memory s) private pure returns (Keys memory) {
        return keysOf(s.of_, s.n, true, s.lo, s.hi, s.in_);
    }

    // The first `count` alone.
    function bestOf(Case memory c, Judged memory j, Build memory b, Scores memory s, uint256 count)
        private
        view
        returns (Scores memory best)
    {
        unchecked {
            best = Scores(s.of_, s.in_, s.n, s.lo, s.hi);
            if (count >= s.n) return best;
            Keys memory keys = keysOfScores(s);
            // With a count of 0 the rank is -1: none is reached.
            Selected memory last = select(c, j, b, keys, Rank(int256(count) - 1, NONE, NONE, NONE));
            bool mine;
            (best.in_, mine) = add(c, j, b, s.n, I64);
            while (mine) {
                b.integer = reaches(c, j, keys, last, j.integer) ? int256(1) : int256(0);
                mine = more(j, b);
            }
        }
    }

    // Rounds: each keeps the best entry that is left, which removes itself and those that it suppresses.
    function keepBest(Case memory c, Judged memory j, Build memory b, Scores memory s, uint256 rounds, Boxes memory boxes)
        private
        view
        returns (uint256[] memory scores, uint256[] memory entries)
    {
        unchecked {
            scores = new uint256[](rounds);
            entries = new uint256[](rounds);
            uint256 left = s.in_;
            for (uint256 round = 0; round < rounds; ++round) {
                uint256[] memory captured = new uint256[](4);
                (captured[0], captured[1], captured[2]) = (left, s.of_, uint256(s.lo));
                scores[round] = fold(c, j, b, s.n, MAX, s.lo, Term(leftTerm, captured));
                captured = new uint256[](4);
                (captured[0], captured[1], captured[2], captured[3]) = (left, s.of_, scores[round], s.n);
                entries[round] = fold(c, j, b, s.n, MIN, int256(s.n), Term(bestTerm, captured));
                if (round + 1 == rounds) break;
                uint256 before = left;
                bool mine;
                (left, mine) = add(c, j, b, s.n, I64);
                while (mine) {
                    uint256 entry = positionIn(c, j, entries[round], 0, s.n + 1);
                    int256 was = columnBefore(c, j, before, j.integer);
                    if (entry != s.n && was != 0) {
                        if (j.integer == entry || removes(c, j, boxes, entry)) was = 0;
                    }
                    b.integer = was;
                    mine = more(j, b);
                }
            }
        }
    }

    function leftTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return columnBefore(c, j, captured[0], i) == 0 ? int256(captured[2]) : columnBefore(c, j, captured[1], i);
    }

    function bestTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        bool is_ = columnBefore(c, j, captured[0], i) != 0
            && columnBefore(c, j, captured[1], i) == columnBefore(c, j, captured[2], 0);
        return is_ ? int256(i) : int256(captured[3]);
    }

    // Whether the kept entry removes the one whose integer is computed.
    function removes(Case memory c, Judged memory j, Boxes memory boxes, uint256 entry) private view returns (bool) {
        if (boxes.none) return false;
        return suppresses(c, j, boxOfEntry(c, j, boxes, j.integer), boxOfEntry(c, j, boxes, entry));
    }

    // CVM's suppression.

    function suppressed(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            int256[] memory a = j.attributes;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            uint256 n = j.types[0].dims[1];
            uint256 first = d[0] * n * 6;
            Scores memory s = Scores(0, 0, n, j.types[0].lo, j.types[0].hi);
            bool mine;
            (s.of_, mine) = add(c, j, b, n, I64);
            while (mine) {
                b.integer = x(c, j, 0, first + j.integer * 6 + 1);
                mine = more(j, b);
            }
            (s.in_, mine) = add(c, j, b, n, I64);
            while (mine) {
                b.integer = int256(j.integer) < x(c, j, 1, d[0]) ? int256(1) : int256(0);
                mine = more(j, b);
            }
            uint256 rounds = d[1] + 1;
            if (a[1] >= 0 && uint256(a[1]) < rounds) rounds = uint256(a[1]);
            if (a[3] >= 0 && uint256(a[3]) < rounds) rounds = uint256(a[3]);
            if (rounds <= d[1]) {
                (, mine) = one(c, j, b);
                while (mine) {
                    b.integer = -1;
                    mine = more(j, b);
                }
                return;
            }
            if (a[3] >= 0) s = bestOf(c, j, b, s, uint256(a[3]));
            uint256 before = s.in_;
            (s.in_, mine) = add(c, j, b, n, I64);
            while (mine) {
                b.integer = x(c, j, 0, first + j.integer * 6) < 0 ? int256(0) : columnBefore(c, j, before, j.integer);
                mine = more(j, b);
            }
            (, uint256[] memory entries) = keepBest(c, j, b, s, rounds, Boxes(d[0], 0, 0, false));
            (, mine) = one(c, j, b);
            while (mine) {
                uint256 entry = positionIn(c, j, entries[rounds - 1], 0, n + 1);
                b.integer = entry == n ? int256(-1) : x(c, j, 0, first + entry * 6 + d[2]);
                mine = more(j, b);
            }
        }
    }

    // nms.

    // What a batch keeps, in columns.
    struct Picks {
        Scores scores;
        uint256 classes;
        uint256 boxes;
        uint256 count;
    }

    function classOf(Case memory c, Judged memory j, Boxes memory boxes, uint256 box) private pure returns (uint256) {
        return j.attributes[7] == 0 ? boxes.list : positionIn(c, j, boxes.best, box, j.types[1].dims[1]);
    }

    // Where the box of an entry begins in operand 0.
    function boxOfEntry(Case memory c, Judged memory j, Boxes memory boxes, uint256 box) private pure returns (uint256) {
        unchecked {
            if (j.code == OP_NON_MAX_SUPPRESSION) return (boxes.batch * j.types[0].dims[1] + box) * 6;
            bool shared = j.types[0].dims.length == 3;
            return boxOf(j, boxes.batch, shared ? 0 : classOf(c, j, boxes, box), box);
        }
    }

    // For each box the lowest class of its greatest score, class by class.
    function bestClasses(Case memory c, Judged memory j, Build memory b, uint256 batch) private view returns (uint256 best) {
        unchecked {
            if (j.attributes[7] == 0) return 0;
            uint256 boxes = j.types[1].dims[2];
            bool mine;
            (best, mine) = add(c, j, b, boxes, I64);
            while (mine) {
                b.integer = 0;
                mine = more(j, b);
            }
            for (uint256 class_ = 1; class_ < j.types[1].dims[1]; ++class_) {
                uint256 last = best;
                (best, mine) = add(c, j, b, boxes, I64);
                while (mine) {
                    uint256 before = positionIn(c, j, last, j.integer, class_);
                    bool greater = scoreOf(c, j, batch, class_, j.integer) > scoreOf(c, j, batch, before, j.integer);
                    b.integer = int256(greater ? class_ : before);
                    mine = more(j, b);
                }
            }
        }
    }

    // Columns of one that are put into a column.
    struct Ones {
        uint256[] scores;
        uint256[] boxes;
        uint256[] firstScores;
        uint256[] firstBoxes;
    }

    function picksOf(Case memory c, Judged memory j, Build memory b, uint256 batch) private view returns (Picks memory picks) {
        unchecked {
            int256[] memory a = j.attributes;
            uint256 boxes = j.types[1].dims[2];
            uint256 listCount = a[7] == 1 ? 1 : j.types[1].dims[1];
            uint256 rounds = boxes;
            if (uint256(a[8]) < rounds) rounds = uint256(a[8]);
            if (uint256(a[9]) < rounds) rounds = uint256(a[9]);
            Boxes memory of_ = Boxes(batch, 0, bestClasses(c, j, b, batch), false);
            bool more_ = a[6] != 0;
            Ones memory ones;
            ones.scores = new uint256[](listCount * rounds + (more_ ? 1 : 0));
            ones.boxes = new uint256[](ones.scores.length);
            ones.firstScores = new uint256[](more_ ? listCount : 0);
            ones.firstBoxes = new uint256[](ones.firstScores.length);
            for (uint256 list = 0; list < listCount; ++list) {
                keepList(c, j, b, ones, Boxes(batch, list, of_.best, false), rounds);
            }
            return join(c, j, b, ones, of_.best, rounds);
        }
    }

    // The kept entries of a list, and of all its entries the best, into columns.
    function keepList(Case memory c, Judged memory j, Build memory b, Ones memory ones, Boxes memory own, uint256 rounds) private view {
        unchecked {
            Scores memory s = listOfScores(c, j, b, own);
            if (ones.firstBoxes.length != 0) {
                (uint256[] memory first, uint256[] memory box) = keepBest(c, j, b, s, 1, Boxes(0, 0, 0, true));
                (ones.firstScores[own.list], ones.firstBoxes[own.list]) = (first[0], box[0]);
            }
            uint256 all = s.in_;
            bool mine;
            (s.in_, mine) = add(c, j, b, s.n, I64);
            while (mine) {
                int256 in_ = columnBefore(c, j, all, j.integer);
                b.integer = columnBefore(c, j, s.of_, j.integer) < j.attributes[5] ? int256(0) : in_;
                mine = more(j, b);
            }
            s = bestOf(c, j, b, s, uint256(j.attributes[8]));
            (uint256[] memory scores, uint256[] memory kept) = keepBest(c, j, b, s, rounds, own);
            for (uint256 i = 0; i < rounds; ++i) {
                (ones.scores[own.list * rounds + i], ones.boxes[own.list * rounds + i]) = (scores[i], kept[i]);
            }
        }
    }

    function listOfScores(Case memory c, Judged memory j, Build memory b, Boxes memory of_) private view returns (Scores memory s) {
        s = Scores(0, 0, j.types[1].dims[2], j.types[1].lo, j.types[1].hi);
        bool mine;
        (s.of_, mine) = add(c, j, b, s.n, I64);
        while (mine) {
            b.integer = scoreOf(c, j, of_.batch, classOf(c, j, of_, j.integer), j.integer);
            mine = more(j, b);
        }
        (s.in_, mine) = add(c, j, b, s.n, I64);
        while (mine) {
            bool in_ = j.attributes[7] != 2 || classOf(c, j, of_, j.integer) == of_.list;
            b.integer = in_ ? int256(1) : int256(0);
            mine = more(j, b);
        }
    }

    function together(Case memory c, Judged memory j, Build memory b, uint256[] memory ones, uint256 n) private pure returns (uint256 column) {
        bool mine;
        (column, mine) = add(c, j, b, n, I64);
        while (mine) {
            b.integer = columnBefore(c, j, ones[j.integer], 0);
            mine = more(j, b);
        }
    }

    function join(Case memory c, Judged memory j, Build memory b, Ones memory ones, uint256 best, uint256 rounds)
        private
        view
        returns (Picks memory picks)
    {
        unchecked {
            uint256 boxes = j.types[1].dims[2];
            uint256 n = ones.scores.length;
            uint256 kept = n - (ones.firstBoxes.length != 0 ? 1 : 0);
            uint256 firstList = 0;
            if (kept != n) firstList = addFirst(c, j, b, ones, kept);
            picks.scores = Scores(together(c, j, b, ones.scores, n), 0, n, j.types[1].lo, j.types[1].hi);
            picks.boxes = together(c, j, b, ones.boxes, n);
            bool mine;
            (picks.scores.in_, mine) = add(c, j, b, n, I64);
            while (mine) {
                b.integer = columnBefore(c, j, picks.boxes, j.integer) != int256(boxes) ? int256(1) : int256(0);
                mine = more(j, b);
            }
            (picks.classes, mine) = add(c, j, b, n, I64);
            while (mine) {
                if (columnBefore(c, j, picks.scores.in_, j.integer) == 0) {
                    b.integer = 0;
                } else if (j.attributes[7] == 1) {
                    b.integer = columnBefore(c, j, best, positionIn(c, j, picks.boxes, j.integer, boxes));
                } else {
                    b.integer = j.integer < kept ? int256(j.integer / rounds) : columnBefore(c, j, firstList, 0);
                }
                mine = more(j, b);
            }
            uint256[] memory captured = new uint256[](2);
            (captured[0], captured[1]) = (NONE, picks.scores.in_);
            uint256 picked = fold(c, j, b, n, SUM, 0, Term(setTerm, captured));
            (picks.count, mine) = one(c, j, b);
            while (mine) {
                int256 count = columnBefore(c, j, picked, 0);
                b.integer = count < j.attributes[10] ? count : j.attributes[10];
                mine = more(j, b);
            }
        }
    }

    // The best entry of all lists, where nothing is kept; the column of its list.
    function addFirst(Case memory c, Judged memory j, Build memory b, Ones memory ones, uint256 kept)
        private
        view
        returns (uint256 first)
    {
        unchecked {
            uint256 boxes = j.types[1].dims[2];
            uint256 listCount = ones.firstBoxes.length;
            uint256[] memory captured = new uint256[](4);
            (captured[0], captured[1]) = (together(c, j, b, ones.boxes, kept), boxes);
            uint256 number_ = fold(c, j, b, kept, SUM, 0, Term(keptTerm, captured));
            uint256 score = together(c, j, b, ones.firstScores, listCount);
            uint256 box = together(c, j, b, ones.firstBoxes, listCount);
            captured = new uint256[](4);
            (captured[0], captured[1], captured[2], captured[3]) = (box, boxes, score, uint256(j.types[1].lo));
            uint256 greatest = fold(c, j, b, listCount, MAX, j.types[1].lo, Term(firstScoreTerm, captured));
            captured = new uint256[](5);
            (captured[0], captured[1], captured[2], captured[3], captured[4]) = (box, boxes, score, greatest, listCount);
            first = fold(c, j, b, listCount, MIN, int256(listCount), Term(firstTerm, captured));
            ones.scores[kept] = greatest;
            bool mine;
            (ones.boxes[kept], mine) = one(c, j, b);
            while (mine) {
                bool none = columnBefore(c, j, number_, 0) == 0;
                b.integer = none ? columnBefore(c, j, box, positionIn(c, j, first, 0, listCount)) : int256(boxes);
                mine = more(j, b);
            }
        }
    }

    function keptTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return columnBefore(c, j, captured[0], i) != int256(captured[1]) ? int256(1) : int256(0);
    }

    function firstScoreTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (columnBefore(c, j, captured[0], i) == int256(captured[1])) return int256(captured[3]);
        return columnBefore(c, j, captured[2], i);
    }

    function firstTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        bool is_ = columnBefore(c, j, captured[0], i) != int256(captured[1])
            && columnBefore(c, j, captured[2], i) == columnBefore(c, j, captured[3], 0);
        return is_ ? int256(i) : int256(captured[4]);
    }

    function nms(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            uint256 batches = j.types[1].dims[0];
            bool mine;
            if (j.result == 1) {
                uint256 count = picksOf(c, j, b, j.element).count;
                (, mine) = one(c, j, b);
                while (mine) {
                    b.integer = columnBefore(c, j, count, 0);
                    mine = more(j, b);
                }
                return;
            }
            uint256 row = j.element / 3;
            uint256 block_ = j.results[0].dims[0] / batches;
            bool apart = j.attributes[12] == 0;
            uint256 first = apart ? row / block_ : 0;
            Picks[] memory picks = new Picks[](apart ? 1 : batches);
            for (uint256 n = 0; n < picks.length; ++n) picks[n] = picksOf(c, j, b, first + n);
            uint256[] memory ends = new uint256[](picks.length + 1);
            for (uint256 n = 0; n < ends.length; ++n) {
                (ends[n], mine) = one(c, j, b);
                while (mine) {
                    b.integer = n == 0
                        ? int256(0)
                        : fit(columnBefore(c, j, ends[n - 1], 0) + columnBefore(c, j, picks[n - 1].count, 0));
                    mine = more(j, b);
                }
            }
            uint256 wanted = apart ? row % block_ : row;
            if (j.attributes[12] == 2) mergedRow(c, j, b, picks, ends[picks.length], wanted);
            else rowInOrder(c, j, b, picks, ends, first, wanted);
        }
    }

    // The row as a batch, a class and a box.
    function valueIn(Case memory c, Judged memory j, Picks memory picks, uint256 batch, uint256 entry) private pure returns (int256) {
        uint256 k = j.element % 3;
        if (k == 0) return int256(batch);
        return columnBefore(c, j, k == 1 ? picks.classes : picks.boxes, entry);
    }

    function mergedRow(Case memory c, Judged memory j, Build memory b, Picks[] memory picks, uint256 end, uint256 wanted) private view {
        unchecked {
            Scores[] memory kept = new Scores[](picks.length);
            for (uint256 n = 0; n < picks.length; ++n) {
                kept[n] = bestOf(c, j, b, picks[n].scores, uint256(j.attributes[10]));
            }
            uint256 each = kept[0].n;
            Scores memory merged = Scores(0, 0, each * picks.length, kept[0].lo, kept[0].hi);
            bool mine;
            (merged.of_, mine) = add(c, j, b, merged.n, I64);
            while (mine) {
                b.integer = columnBefore(c, j, kept[j.integer / each].of_, j.integer % each);
                mine = more(j, b);
            }
            (merged.in_, mine) = add(c, j, b, merged.n, I64);
            while (mine) {
                b.integer = columnBefore(c, j, kept[j.integer / each].in_, j.integer % each);
                mine = more(j, b);
            }
            uint256 pos = select(c, j, b, keysOfScores(merged), rankOf(wanted)).position;
            (, mine) = one(c, j, b);
            while (mine) {
                if (columnBefore(c, j, end, 0) <= int256(wanted)) {
                    b.integer = -1;
                } else {
                    uint256 i = positionIn(c, j, pos, 0, merged.n);
                    b.integer = valueIn(c, j, picks[i / each], i / each, i % each);
                }
                mine = more(j, b);
            }
        }
    }

    function rowInOrder(Case memory c, Judged memory j, Build memory b, Picks[] memory picks, uint256[] memory ends, uint256 first, uint256 wanted)
        private
        view
    {
        unchecked {
            uint256[] memory entries = new uint256[](picks.length);
            for (uint256 n = 0; n < picks.length; ++n) {
                Rank memory rank = Rank(int256(wanted), NONE, ends[n], NONE);
                Keys memory keys = keysOfScores(picks[n].scores);
                if (j.attributes[11] == 0) {
                    uint256 in_ = bestOf(c, j, b, picks[n].scores, uint256(j.attributes[10])).in_;
                    keys = keysOf(picks[n].classes, keys.n, false, 0, int256(j.types[1].dims[1]) - 1, in_);
                }
                entries[n] = select(c, j, b, keys, rank).position;
            }
            (, bool mine) = one(c, j, b);
            while (mine) {
                b.integer = -1;
                for (uint256 n = 0; n < picks.length; ++n) {
                    if (int256(wanted) >= columnBefore(c, j, ends[n + 1], 0)) continue;
                    uint256 entry = positionIn(c, j, entries[n], 0, picks[n].scores.n);
                    b.integer = valueIn(c, j, picks[n], first + n, entry);
                    break;
                }
                mine = more(j, b);
            }
        }
    }
}
