#include "frontends/ncnn/weight_file.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "base/error.h"
#include "frontends/ncnn/testing/ncnn_writer.h"

namespace tally::ncnn {
namespace {

using Floats = std::vector<float>;

TEST(WeightFile, EachEncodingGivesItsWeights) {
  Floats table(256);
  std::iota(table.begin(), table.end(), 0.5f);
  NcnnWriter net;
  net.Tagged({1, -2})
      .Halves({0x3c00, 0xc000, 0x3555})
      .Codes({3, -4, 127})
      .InTable(table, {2, 255, 0})
      .Word(0x0002C056);
  net.Raw({7}).Raw({8, 9});
  const std::vector<uint8_t> bytes = net.weights();
  WeightFile file(bytes);
  EXPECT_EQ(file.Tagged(2)->floats, (Floats{1, -2}));
  EXPECT_EQ(file.Tagged(3)->floats, (Floats{1, -2, 0.333251953125f}));
  EXPECT_EQ(file.Tagged(3)->codes, (std::vector<int64_t>{3, -4, 127}));
  EXPECT_EQ(file.Tagged(3)->floats, (Floats{2.5f, 255.5f, 0.5f}));
  EXPECT_EQ(file.Tagged(1)->floats, Floats{7});
  EXPECT_EQ(ErrorLabel(file.CheckAllRead()), "model_malformed");
  EXPECT_EQ(*file.Raw(2), (Floats{8, 9}));
  EXPECT_TRUE(file.CheckAllRead().ok());
}

TEST(WeightFile, Refusals) {
  const std::vector<uint8_t> four(4);
  EXPECT_EQ(ErrorLabel(WeightFile(four).Raw(2).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(WeightFile(four).Raw(-1).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(WeightFile(four).Raw(std::numeric_limits<int64_t>::max()).status()),
            "model_malformed");
  EXPECT_EQ(ErrorLabel(WeightFile(four).Tagged(1).status()), "model_malformed");
  NcnnWriter none;
  none.Raw({std::numeric_limits<float>::quiet_NaN()}).Halves({0x7c00});
  const std::vector<uint8_t> bytes = none.weights();
  WeightFile file(bytes);
  EXPECT_EQ(ErrorLabel(file.Raw(1).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(file.Tagged(1).status()), "model_malformed");
}

}  // namespace
}  // namespace tally::ncnn
