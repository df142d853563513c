"""Mean average precision on cases whose value is known by hand."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from average_precision import average_precision, overlap, share_of_same  # noqa: E402

A, B, FAR = [0, 0, 10, 10], [20, 0, 30, 10], [50, 50, 60, 60]


class AveragePrecision(unittest.TestCase):
    def test_overlap_is_intersection_over_union(self):
        self.assertEqual(overlap(A, A), 1)
        self.assertEqual(overlap(A, [5, 0, 15, 10]), 1 / 3)
        self.assertEqual(overlap(A, [10, 0, 20, 10]), 0)
        self.assertEqual(overlap(A, [3, 3, 3, 3]), 0)

    def test_all_found_is_one_and_nothing_is_zero(self):
        truth = [[(0, A), (1, B)], [(0, B)]]
        self.assertEqual(average_precision([[(0, A, 0.9), (1, B, 0.2)], [(0, B, 0.5)]], truth), 1)
        self.assertEqual(average_precision([[], []], truth), 0)
        self.assertEqual(average_precision([[(1, A, 0.9)], [(1, B, 0.5)]], truth), 0)  # another class

    def test_what_is_wrong_and_surer_costs_precision(self):
        # All recalls have the precision of the third detection: the first two have less.
        found = [[(0, FAR, 0.9), (0, A, 0.8), (0, B, 0.7)]]
        self.assertAlmostEqual(average_precision(found, [[(0, A), (0, B)]]), 2 / 3)
        # Wrong and less sure than all that is right: nothing is lost.
        found = [[(0, FAR, 0.1), (0, A, 0.8), (0, B, 0.7)]]
        self.assertAlmostEqual(average_precision(found, [[(0, A), (0, B)]]), 1)

    def test_a_true_box_is_found_once(self):
        # One of two: precision 1 at recalls 0 to 0.5, which are 51 of 101.
        found = [[(0, A, 0.9), (0, A, 0.8)]]
        self.assertAlmostEqual(average_precision(found, [[(0, A), (0, B)]]), 51 / 101)

    def test_thresholds_ask_for_better_boxes(self):
        near = [0, 0, 10, 7.2]  # an overlap of 0.72: five of the ten thresholds
        self.assertAlmostEqual(average_precision([[(0, near, 0.9)]], [[(0, A)]]), 0.5)
        self.assertAlmostEqual(average_precision([[(0, near, 0.9)]], [[(0, A)]], [0.5]), 1)

    def test_the_same_is_found_where_both_are_sure(self):
        some = [[(0, A, 0.9)], [(0, A, 0.9)], [(0, B, 0.3)]]
        self.assertEqual(share_of_same(some, some), 1)
        self.assertEqual(share_of_same(some, [[(1, A, 0.9)], [(0, FAR, 0.9)], []]), 1 / 3)


if __name__ == "__main__":
    unittest.main()
