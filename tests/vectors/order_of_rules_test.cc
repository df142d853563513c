// The first of two broken rules, in the order of docs/spec/validation.md, is reported, in every operator.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "tests/vectors/broken_rules.h"

namespace tally {
namespace {

using Labels = std::pair<std::string, std::string>;

// Pairs of which most modules report the second label because the second change mends the first fault: a
// clamp that was empty, padding or an axis that was too short.
const std::set<Labels> kMended = {
    {"clip_c1", "clip_c2"},
    {"slice_like_c1", "slice_like_c2"},
    {"conv_transpose_c5", "shape_dim"},
    {"convolution_c5", "shape_dim"},
    {"convolution_c5", "shape_elements"},
    {"average_pool_c3", "average_pool_c4"},
    {"max_pool_c3", "max_pool_c4"},
    {"max_pool_indices_c3", "max_pool_indices_c4"},
    {"max_pool2d_c2", "max_pool2d_c3"},
};

TEST(OrderOfRules, TheFirstBrokenRuleIsReported) {
  size_t pairs = 0;
  std::set<Labels> mended;
  for (const std::string& path : AllVectorFiles()) {
    const auto file = ReadVectorFile(path);
    ASSERT_TRUE(file.ok()) << file.status();
    if (file->op == nullptr) continue;
    for (auto& [labels, pair] : BreakTwoRules(*file->op, file->cases)) {
      ++pairs;
      if (pair.labels[labels.second] <= pair.labels[labels.first]) continue;
      mended.insert(labels);
      EXPECT_TRUE(kMended.contains(labels))
          << file->name() << ": of " << labels.first << " and " << labels.second
          << " the second is reported by " << pair.labels[labels.second] << " modules, the first by "
          << pair.labels[labels.first];
    }
  }
  EXPECT_EQ(mended, kMended) << "an exception is obsolete";
  EXPECT_GT(pairs, 2000u);
}

}  // namespace
}  // namespace tally
