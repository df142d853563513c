#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

TEST(ImportGather, RowsOfATableAtIds) {
  ModelBuilder model;
  model.IntegerInput("ids", {1, 3}).Output("y");
  model.Weight("table", {{3, 2}, {1, 2, 3, 4, 5, 6}});
  model.Node("Gather", {"table", "ids"}, {"y"});
  EXPECT_EQ(OpsOf(*model.Import()), "Gather");
  EXPECT_EQ(model.Run({{{1, 3}, {2, 0, 2}}}).at(0), Tensor(FloatTensor{{1, 3, 2}, {5, 6, 1, 2, 5, 6}}));
}

TEST(ImportGather, AtIndicesThatAnotherOperatorFinds) {
  ModelBuilder model;
  model.Input("x", {3}).Output("y").Node("ArgMax", {"x"}, {"index"}).Int("keepdims", 0);
  model.Node("Gather", {"x", "index"}, {"y"});
  EXPECT_EQ(model.Run({{{3}, {1, 9, 2}}}).at(0), Tensor(FloatTensor{{}, {9}}));
}

TEST(ImportGather, RefusesConstantIndicesOutside) {
  ModelBuilder model;
  model.Input("x", {3}).Integers("places", {{1}, {3}}).Output("y");
  model.Node("Gather", {"x", "places"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_malformed");
}

TEST(ImportGatherElements, ByComputedIndicesAndByConstantsTheSame) {
  ModelBuilder model;
  model.Input("x", {2, 3}).IntegerInput("places", {2, 2}).Output("y");
  model.Node("GatherElements", {"x", "places"}, {"y"}).Int("axis", -1);
  EXPECT_EQ(OpsOf(*model.Import()), "GatherElements");
  EXPECT_EQ(model.Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2, 2}, {0, -1, 1, 1}}}).at(0),
            Tensor(FloatTensor{{2, 2}, {1, 3, 5, 5}}));
}

TEST(ImportGatherElements, RefusesIndicesThatDoNotFit) {
  ModelBuilder model;
  model.Input("x", {2, 3}).IntegerInput("places", {3, 2}).Output("y");
  model.Node("GatherElements", {"x", "places"}, {"y"}).Int("axis", 1);
  EXPECT_EQ(model.ImportLabel(), "model_shape");
  ModelBuilder floats;
  floats.Input("x", {2, 3})
      .Input("places", {2, 2})
      .Output("y")
      .Node("GatherElements", {"x", "places"}, {"y"});
  EXPECT_EQ(floats.ImportLabel(), "model_unsupported_type");
}

TEST(ImportGatherElements, EachIndexInItsLine) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Integers("places", {{2, 2}, {0, -1, 1, 1}}).Output("y");
  model.Node("GatherElements", {"x", "places"}, {"y"}).Int("axis", 1);
  EXPECT_EQ(model.Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}}).at(0), Tensor(FloatTensor{{2, 2}, {1, 3, 5, 5}}));
}

TEST(ImportGatherNd, SlicesAtTuples) {
  ModelBuilder model;
  model.Input("x", {2, 2, 2}).Integers("places", {{2, 2}, {0, 1, -1, 0}}).Output("y");
  model.Node("GatherND", {"x", "places"}, {"y"});
  EXPECT_EQ(model.Run({{{2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}}}).at(0),
            Tensor(FloatTensor{{2, 2}, {2, 3, 4, 5}}));
}

TEST(ImportGatherNd, AtComputedTuplesWithAndWithoutBatches) {
  const FloatTensor x{{2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}}, tuples{{2, 1, 2}, {0, 1, -1, 0}};
  const auto picked = [&](int64_t batch_dims, const FloatTensor& places) {
    ModelBuilder model;
    model.Input("x", x.shape).IntegerInput("places", places.shape).Output("y");
    model.Node("GatherND", {"x", "places"}, {"y"}).Int("batch_dims", batch_dims);
    return model.Run({x, places}).at(0);
  };
  EXPECT_EQ(picked(0, tuples), Tensor(FloatTensor{{2, 1, 2}, {2, 3, 4, 5}}));
  EXPECT_EQ(picked(1, tuples), Tensor(FloatTensor{{2, 1}, {1, 6}}));
  EXPECT_EQ(picked(1, {{2, 1}, {1, 0}}), Tensor(FloatTensor{{2, 2}, {2, 3, 4, 5}}));
}

TEST(ImportGatherNd, RefusesTuplesThatDoNotFit) {
  const auto label = [](const quant::Shape& places, int64_t batch_dims) {
    ModelBuilder model;
    model.Input("x", {2, 2}).IntegerInput("places", places).Output("y");
    model.Node("GatherND", {"x", "places"}, {"y"}).Int("batch_dims", batch_dims);
    return model.ImportLabel();
  };
  EXPECT_EQ(label({3, 2}, 0), "");
  EXPECT_EQ(label({3, 3}, 0), "model_shape");
  EXPECT_EQ(label({3, 1}, 1), "model_shape");
  EXPECT_EQ(label({2, 1}, 2), "model_malformed");
}

// y = x with updates at `places`, and the operators that it needs.
struct Scattered {
  std::string ops;
  Tensor y;
};
Scattered Scatter(const Int64Tensor& places, const FloatTensor& updates) {
  ModelBuilder model;
  model.Input("x", {2, 2}).Input("updates", updates.shape).Integers("places", places).Output("y");
  model.Node("ScatterND", {"x", "places", "updates"}, {"y"});
  return {OpsOf(*model.Import()), model.Run({{{2, 2}, {1, 2, 3, 4}}, updates}).at(0)};
}

TEST(ImportScatterNd, PutsUpdatesIntoTheirPlaces) {
  const auto [ops, y] = Scatter({{2, 2}, {0, 1, 1, 0}}, {{2}, {8, 9}});
  EXPECT_EQ(y, Tensor(FloatTensor{{2, 2}, {1, 8, 9, 4}}));
  EXPECT_EQ(ops, "Reshape Reshape Concat Reshape Gather");
  EXPECT_EQ(Scatter({{1, 1}, {-1}}, {{1, 2}, {8, 9}}).y, Tensor(FloatTensor{{2, 2}, {1, 2, 8, 9}}));
}

TEST(ImportScatterNd, AnAssignmentToAllIsTheUpdates) {
  const auto [ops, y] = Scatter({{2, 1}, {0, 1}}, {{2, 2}, {6, 7, 8, 9}});
  EXPECT_EQ(y, Tensor(FloatTensor{{2, 2}, {6, 7, 8, 9}}));
  EXPECT_EQ(ops, "Reshape");
}

TEST(ImportScatterNd, RefusesWhatDoesNotFit) {
  const auto label = [](const Int64Tensor& places, const std::string& reduction) {
    ModelBuilder model(16);
    model.Input("x", {2, 2}).Input("updates", {2}).Integers("places", places).Output("y");
    model.Node("ScatterND", {"x", "places", "updates"}, {"y"}).String("reduction", reduction);
    return model.ImportLabel();
  };
  EXPECT_EQ(label({{2, 2}, {0, 1, 1, 0}}, "none"), "");
  EXPECT_EQ(label({{2, 2}, {0, 1, 1, 0}}, "add"), "");
  EXPECT_EQ(label({{2, 2}, {0, 1, 1, 0}}, "mul"), "model_unsupported_attribute");
  EXPECT_EQ(label({{2, 2}, {0, 1, 1, 0}}, "sub"), "model_malformed");
  EXPECT_EQ(label({{2, 2}, {0, 1, 2, 0}}, "add"), "model_malformed");
  EXPECT_EQ(label({{2, 2}, {0, 1, 2, 0}}, "none"), "model_malformed");
  EXPECT_EQ(label({{1, 2}, {0, 1}}, "none"), "model_shape");
  EXPECT_EQ(label({{1, 3}, {0, 1, 0}}, "none"), "model_shape");
}

TEST(ImportScatterElements, UpdatesAtComputedIndices) {
  ModelBuilder model(18);
  model.Input("x", {2, 3}).IntegerInput("places", {2, 2}).Input("updates", {2, 2}).Output("y");
  model.Node("ScatterElements", {"x", "places", "updates"}, {"y"}).Int("axis", -1).String("reduction", "max");
  EXPECT_EQ(model.Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2, 2}, {0, -1, 1, 9}}, {{2, 2}, {5, 1, 7, 8}}}),
            std::vector<Tensor>{FloatTensor({{2, 3}, {5, 2, 3, 4, 7, 6}})});
}

TEST(ImportNonZero, SaysHowManyColumnsAreMeant) {
  ModelBuilder model;
  model.Input("x", {2, 2}).Output("y").Node("NonZero", {"x"}, {"y"});
  const std::vector<Tensor> found = model.Run({{{2, 2}, {0, 3, -1, 0}}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], Tensor(Int64Tensor{{2, 4}, {0, 1, -1, -1, 1, 0, -1, -1}}));
  EXPECT_EQ(found[1], Tensor(Int64Tensor{{}, {2}}));
  EXPECT_EQ(model.Import()->outputs[1].name, "y.count");
}

}  // namespace
}  // namespace tally::onnx
