// Laws of suppression over random boxes, scores and thresholds. RunOp also checks that the three integers
// agree and stay inside the inferred interval.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "ops/detection/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using List = std::vector<int64_t>;
using Box = std::array<int64_t, 4>;

constexpr Interval kCoordinates = {-9999, 9999}, kScores = {-999, 999};

int64_t Draw(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

// Boxes of one image and class, ordered corners, and what they are suppressed with.
struct Scene {
  std::vector<Box> boxes;
  List scores;
  NmsAttrs attrs;

  int64_t size() const { return std::ssize(boxes); }
};

Scene DrawScene(int64_t most_score = 6) {
  Scene scene;
  for (int64_t b = Draw(1, 14); b > 0; --b) {
    const int64_t x = Draw(0, 9), y = Draw(0, 9);
    scene.boxes.push_back({x, y, x + Draw(0, 8), y + Draw(0, 8)});
    scene.scores.push_back(Draw(0, most_score));
  }
  scene.attrs = {
      .encoding = BoxEncoding::kOrderedCorners, .side_offset = Draw(0, 1), .iou_numerator = Draw(0, 8)};
  scene.attrs.iou_denominator = 8;
  scene.attrs.suppress_equal = *rc::gen::arbitrary<bool>();
  scene.attrs.min_score = Draw(0, 2);
  return scene;
}

// All scores differ.
Scene DrawSceneWithoutTies() {
  Scene scene = DrawScene();
  for (int64_t b = 0; b < scene.size(); ++b) scene.scores[b] = scene.scores[b] * 20 + b;
  return scene;
}

// The kept boxes, in the order of the rows.
List Kept(const Scene& scene) {
  List values;
  for (const Box& box : scene.boxes) values.insert(values.end(), box.begin(), box.end());
  const int64_t n = scene.size();
  const auto y = RunOp({.op = Opcode::kNms,
                        .operands = {{*Tensor::FromValues(*Shape::Create({1, n, 4}), values), kCoordinates},
                                     {*Tensor::FromValues(*Shape::Create({1, 1, n}), scene.scores), kScores}},
                        .attributes = Pack(scene.attrs)});
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  List kept;
  for (int64_t r = 0; r < y->values[1][0]; ++r) {
    RC_ASSERT(y->values[0][3 * r] == 0);
    RC_ASSERT(y->values[0][3 * r + 1] == 0);
    kept.push_back(y->values[0][3 * r + 2]);
  }
  return kept;
}

List Sorted(List list) {
  std::ranges::sort(list);
  return list;
}

Scene Only(const Scene& scene, const List& places) {
  Scene part = {.boxes = {}, .scores = {}, .attrs = scene.attrs};
  for (const int64_t b : places) {
    part.boxes.push_back(scene.boxes[b]);
    part.scores.push_back(scene.scores[b]);
  }
  return part;
}

List Naturals(int64_t count) {
  List list(count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Pixels in both boxes, counted one by one.
int64_t Shared(const Box& p, const Box& q, int64_t offset) {
  int64_t both = 0;
  for (int64_t x = 0; x < 20; ++x) {
    for (int64_t y = 0; y < 20; ++y) {
      const auto inside = [&](const Box& b) {
        return b[0] <= x && x < b[2] + offset && b[1] <= y && y < b[3] + offset;
      };
      both += inside(p) && inside(q) ? 1 : 0;
    }
  }
  return both;
}

bool Rivals(const Scene& scene, int64_t i, int64_t k) {
  const Box &p = scene.boxes[i], &q = scene.boxes[k];
  const int64_t offset = scene.attrs.side_offset, both = Shared(p, q, offset);
  const int64_t any = Shared(p, p, offset) + Shared(q, q, offset) - both;
  const int64_t left = both * scene.attrs.iou_denominator, right = any * scene.attrs.iou_numerator;
  return both > 0 && (left > right || (left == right && scene.attrs.suppress_equal));
}

// The kept boxes, defined without greed: exactly the candidates that no kept better one overlaps too much.
RC_GTEST_PROP(NmsLaws, WhatIsKeptIsTheOneSolution, ()) {
  const Scene scene = DrawScene();
  const List kept = Kept(scene);
  for (int64_t b = 0; b < scene.size(); ++b) {
    const bool rival = std::ranges::any_of(kept, [&](int64_t k) {
      const bool better = scene.scores[k] > scene.scores[b] || (scene.scores[k] == scene.scores[b] && k < b);
      return better && Rivals(scene, b, k);
    });
    const bool candidate = scene.scores[b] >= scene.attrs.min_score;
    RC_ASSERT((std::ranges::count(kept, b) == 1) == (candidate && !rival));
  }
  RC_CLASSIFY(std::ssize(kept) > 3, "more than three are kept");
  RC_CLASSIFY(std::ssize(kept) < scene.size(), "some are suppressed");
}

RC_GTEST_PROP(NmsLaws, RowsDescendByScoreAndTiesAscendByBox, ()) {
  const Scene scene = DrawScene();
  const List kept = Kept(scene);
  for (size_t r = 0; r + 1 < kept.size(); ++r) {
    const int64_t first = scene.scores[kept[r]], next = scene.scores[kept[r + 1]];
    RC_ASSERT(first > next || (first == next && kept[r] < kept[r + 1]));
  }
}

RC_GTEST_PROP(NmsLaws, SuppressingTwiceIsSuppressingOnce, ()) {
  const Scene scene = DrawScene();
  const List kept = Kept(scene);
  RC_PRE(!kept.empty());
  RC_ASSERT(Kept(Only(scene, kept)) == Naturals(std::ssize(kept)));
}

RC_GTEST_PROP(NmsLaws, TheOrderOfBoxesThatDoNotTieDoesNotMatter, ()) {
  const Scene scene = DrawSceneWithoutTies();
  List order = Naturals(scene.size());
  for (int64_t b = scene.size() - 1; b > 0; --b) std::swap(order[b], order[Draw(0, b)]);
  List named;
  for (const int64_t b : Kept(Only(scene, order))) named.push_back(order[b]);
  RC_ASSERT(named == Kept(scene));
}

RC_GTEST_PROP(NmsLaws, WhatWasSuppressedMayBeLeftOut, ()) {
  const Scene scene = DrawSceneWithoutTies();
  const List kept = Kept(scene);
  List rest = kept;
  for (int64_t b = 0; b < scene.size(); ++b) {
    if (std::ranges::count(kept, b) == 0 && Draw(0, 1) == 1) rest.push_back(b);
  }
  RC_PRE(!rest.empty());
  rest = Sorted(rest);
  List named;
  for (const int64_t b : Kept(Only(scene, rest))) named.push_back(rest[b]);
  RC_ASSERT(named == kept);
}

// Greed: the best k candidates alone give the first rows of all.
RC_GTEST_PROP(NmsLaws, FewerCandidatesOrRowsAreAPrefix, ()) {
  Scene scene = DrawScene();
  const List kept = Kept(scene);
  const int64_t limit = Draw(1, 8);
  const auto is_prefix = [&](const List& some) {
    return some.size() <= kept.size() && std::equal(some.begin(), some.end(), kept.begin());
  };
  const NmsAttrs attrs = scene.attrs;
  scene.attrs.top_k = limit;
  RC_ASSERT(is_prefix(Kept(scene)));
  for (const auto rows : {&NmsAttrs::max_per_class, &NmsAttrs::max_per_batch}) {
    scene.attrs = attrs;
    scene.attrs.*rows = limit;
    RC_ASSERT(is_prefix(Kept(scene)));
    RC_ASSERT(std::ssize(Kept(scene)) == std::min<int64_t>(limit, std::ssize(kept)));
  }
  scene.attrs = attrs;
  scene.attrs.min_score = Draw(attrs.min_score, 6);
  RC_ASSERT(is_prefix(Kept(scene)));
}

RC_GTEST_PROP(NmsLaws, MovingMirroringAndScalingChangeNothing, ()) {
  Scene scene = DrawScene();
  const List kept = Kept(scene);
  const int64_t dx = Draw(-99, 99), dy = Draw(-99, 99), factor = Draw(1, 9);
  Scene other = scene;
  for (Box& b : other.boxes) b = {b[0] + dx, b[1] + dy, b[2] + dx, b[3] + dy};
  RC_ASSERT(Kept(other) == kept);
  for (Box& b : other.boxes) b = {b[1], b[0], b[3], b[2]};
  RC_ASSERT(Kept(other) == kept);
  for (Box& b : other.boxes) {
    for (int64_t& v : b) v *= factor;
  }
  other.attrs.side_offset *= factor;
  RC_ASSERT(Kept(other) == kept);
}

// A center box is the corner box of twice its center and once its sides on each side.
RC_GTEST_PROP(NmsLaws, CentersAreCornersOfATwiceFinerGrid, ()) {
  Scene centers = DrawScene();
  centers.attrs.encoding = BoxEncoding::kCenter;
  Scene corners = centers;
  corners.attrs.encoding = BoxEncoding::kCorners;
  corners.attrs.side_offset *= 2;
  for (Box& b : corners.boxes) {
    b = {2 * b[0] - b[2], 2 * b[1] - b[3], 2 * b[0] + b[2], 2 * b[1] + b[3]};
  }
  RC_ASSERT(Kept(centers) == Kept(corners));
}

// CVM's operator on rows of one id, with a threshold in percent, keeps the same boxes.
RC_GTEST_PROP(NonMaxSuppressionLaws, OfOneIdItIsNms, ()) {
  Scene scene = DrawScene();
  scene.attrs.iou_numerator = Draw(1, 100);
  scene.attrs.iou_denominator = 100;
  scene.attrs.suppress_equal = true;
  scene.attrs.side_offset = 0;
  scene.attrs.min_score = 0;
  List rows;
  for (int64_t b = 0; b < scene.size(); ++b) {
    rows.insert(rows.end(), {0, scene.scores[b]});
    rows.insert(rows.end(), scene.boxes[b].begin(), scene.boxes[b].end());
  }
  const int64_t n = scene.size();
  const auto y =
      RunOp({.op = Opcode::kNonMaxSuppression,
             .operands = {{*Tensor::FromValues(*Shape::Create({1, n, 6}), rows), kCoordinates},
                          {*Tensor::FromValues(*Shape::Create({1}), List{n}), Interval{0, n}}},
             .attributes = Pack(NonMaxSuppressionAttrs{.iou_threshold = scene.attrs.iou_numerator})});
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  List wanted;
  for (const int64_t b : Kept(scene))
    wanted.insert(wanted.end(), rows.begin() + 6 * b, rows.begin() + 6 * b + 6);
  wanted.resize(rows.size(), -1);
  RC_ASSERT(y->values[0] == wanted);
}

}  // namespace
}  // namespace tally
