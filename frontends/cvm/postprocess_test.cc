#include "frontends/cvm/postprocess.h"

#include <gtest/gtest.h>

#include "frontends/cvm/import_cvm.h"
#include "frontends/cvm/testing/run_model.h"

namespace tally::cvm {
namespace {

ModelWriter WithPostprocess(ModelWriter model, const std::string& name) {
  model.json()["postprocess"] = name;
  return model;
}

// `data` itself as the head.
ModelWriter Identity(const Dims& dims, int precision = 8) { return ModelWriter().Data(dims, precision); }

int PrecisionOf(const ModelWriter& model) {
  return ImportCvm(model.Text(), model.Params())->output_precision;
}

TEST(Argmax, IsThePositionOfTheFirstMaximumOfEachRow) {
  const ModelWriter model = WithPostprocess(Identity({3, 4}), "argmax");
  EXPECT_EQ(*RunModel(model, {1, 9, 9, 0, -3, -3, -3, -3, -9, -8, -7, -6}), (ModelResult{{3}, {1, 0, 3}}));
  EXPECT_EQ(PrecisionOf(model), 32);
}

TEST(Argmax, ComparesTrueValuesOfAnyPrecision) {
  const int64_t big = (int64_t{1} << 31) - 1;
  const ModelWriter model = WithPostprocess(Identity({2, 3}, 32), "argmax");
  EXPECT_EQ(*RunModel(model, {127, 256, 255, -big, big, big - 1}), (ModelResult{{2}, {1, 1}}));
  EXPECT_EQ(*RunModel(model, {-big, -big, -big + 1, big, big, 0}), (ModelResult{{2}, {2, 0}}));
}

TEST(Argmax, WorksOnTheLastAxisOfAnyShape) {
  EXPECT_EQ(*RunModel(WithPostprocess(Identity({4}), "argmax"), {0, 0, 5, 5}), (ModelResult{{1}, {2}}));
  EXPECT_EQ(*RunModel(WithPostprocess(Identity({1}), "argmax"), {-5}), (ModelResult{{1}, {0}}));
  EXPECT_EQ(*RunModel(WithPostprocess(Identity({2, 1, 2}), "argmax"), {0, 1, 1, 0}),
            (ModelResult{{2, 1}, {1, 0}}));
  EXPECT_EQ(*RunModel(WithPostprocess(Identity({2, 2, 1}), "argmax"), {0, 1, 1, 0}),
            (ModelResult{{2, 2}, {0, 0, 0, 0}}));
}

TEST(Argmax, NeedsOneHead) {
  ModelWriter model = WithPostprocess(Identity({2, 2}), "argmax");
  EXPECT_EQ(ImportLabel(model.Op("relu", {"data"}, {{2, 2}}).Heads({"relu", "data"})), "cvm_postprocess");
}

TEST(Detection, PutsTheRowsOfTheHeadsBehindOneAnother) {
  ModelWriter model = Identity({2, 2});
  model.Op("abs", {"data"}, {{2, 2}}).Op("reshape", {"abs"}, {{2, 2, 1}}, {{"shape", "(2, 2, 1)"}});
  model.Op("transpose", {"data"}, {{2, 2}}).Heads({"abs", "transpose", "data"});
  for (const char* name : {"detection", "", "something"}) {
    EXPECT_EQ(*RunModel(WithPostprocess(model, name), {-1, 2, 3, -4}),
              (ModelResult{{2, 6}, {1, 2, -1, 3, -1, 2, 3, 4, 2, -4, 3, -4}}))
        << name;
  }
  EXPECT_EQ(PrecisionOf(WithPostprocess(model, "detection")), 32);
  EXPECT_EQ(PrecisionOf(WithPostprocess(model, "")), 8);
}

TEST(Detection, CountsRowsWhateverTheShapes) {
  ModelWriter model = Identity({2, 2, 1});
  model.Op("reshape", {"data"}, {{1, 4, 1}}, {{"shape", "(1, 4, 1)"}}).Heads({"data", "reshape"});
  EXPECT_EQ(*RunModel(model, {1, 2, 3, 4}), (ModelResult{{4, 2}, {1, 1, 2, 2, 3, 3, 4, 4}}));
  ModelWriter other = Identity({2, 2, 1});
  other.Op("reshape", {"data"}, {{2, 2}}, {{"shape", "(2, 2)"}}).Heads({"data", "reshape"});
  EXPECT_EQ(ImportLabel(other), "cvm_postprocess");  // 4 rows and 2 rows
}

TEST(Detection, OfOneHeadIsTheHead) {
  const ModelWriter model = WithPostprocess(Identity({2, 2}), "detection");
  EXPECT_EQ(*RunModel(model, {1, 2, 3, 4}), (ModelResult{{2, 2}, {1, 2, 3, 4}}));
  EXPECT_EQ(PrecisionOf(model), 32);
}

TEST(OutputPrecision, IsTheLargestOfTheHeads) {
  ModelWriter model = Identity({2, 2}, 5);
  EXPECT_EQ(PrecisionOf(model), 5);
  model.Op("elemwise_add", {"data", "data"}, {{2, 2}}).Heads({"data", "elemwise_add"});
  EXPECT_EQ(PrecisionOf(model), 6);
}

}  // namespace
}  // namespace tally::cvm
