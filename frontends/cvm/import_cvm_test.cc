#include "frontends/cvm/import_cvm.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/cvm/testing/run_model.h"

namespace tally::cvm {
namespace {

ModelWriter Dense() {
  ModelWriter model;
  model.Data({2, 3}).Weight("w", {2, 3}, {1, 2, 3, -4, -5, -6}, 4, 8).Weight("b", {2}, {1000, -1000}, 16);
  model.Op("dense", {"data", "w", "b"}, {{2, 2}}, {{"units", "2"}});
  return model;
}

TEST(ImportCvm, ComputesTheGraph) {
  EXPECT_EQ(*RunModel(Dense(), {1, 2, 3, 0, 0, 1}), (ModelResult{{2, 2}, {1014, -1032, 1003, -1006}}));
}

TEST(ImportCvm, DescribesTheModel) {
  const auto model = ImportCvm(Dense().Text(), Dense().Params());
  ASSERT_TRUE(model.ok()) << model.status();
  const Module& module = model->module.module();
  EXPECT_EQ(module.profile, Profile::kCvm);
  ASSERT_EQ(module.entry().params.size(), 1);
  EXPECT_EQ(module.entry().params[0], (TensorType{*Shape::Create({2, 3}), {-127, 127}}));
  EXPECT_EQ(module.metadata.params[0].name, "data");
  EXPECT_EQ(module.metadata.results[0].name, "output");
  EXPECT_EQ(module.constants[0].storage, Storage::kI8);
  EXPECT_EQ(model->input_precision, 8);
  EXPECT_EQ(model->output_precision, 17);  // max(8 + 4 + bits(3), 16) + 1
  EXPECT_EQ(model->graph.nodes.size(), 4);
}

TEST(ImportCvm, DataMayStandAnywhereAndBeTheResult) {
  ModelWriter model;
  model.Weight("w", {1}, {5}).Data({1}).Op("elemwise_add", {"w", "data"}, {{1}});
  EXPECT_EQ(*RunModel(model, {2}), (ModelResult{{1}, {7}}));
  model.Heads({"data"});
  EXPECT_EQ(*RunModel(model, {2}), (ModelResult{{1}, {2}}));
  model.Heads({"w"});
  EXPECT_EQ(*RunModel(model, {2}), (ModelResult{{1}, {5}}));
}

TEST(ImportCvm, LeavesOutWeightsThatNothingReads) {
  ModelWriter model;
  model.Data({1}).Weight("w", {1}, {5}).Op("relu", {"data"}, {{1}});
  EXPECT_EQ(ImportCvm(model.Text(), model.Params())->module.module().constants.size(), 0);
}

TEST(ImportCvm, MatchesArraysWithVariables) {
  const ModelWriter model = Dense();
  const auto label_with = [&](const ModelWriter& other) {
    return ErrorLabel(ImportCvm(model.Text(), other.Params()).status());
  };
  const std::vector<int64_t> w = {1, 2, 3, -4, -5, -6}, b = {1000, -1000};
  // Any order, any width.
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2}, b).Weight("w", {2, 3}, w)), "");
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2}, b)), "cvm_param_name");
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2}, b).Weight("w", {2, 3}, w).Weight("c", {1}, {0})),
            "cvm_param_name");
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2}, b).Weight("w", {2, 3}, w).Weight("data", {1}, {0})),
            "cvm_param_name");
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2}, b).Weight("w", {3, 2}, w)), "cvm_param_shape");
  EXPECT_EQ(label_with(ModelWriter().Weight("b", {2, 1}, b).Weight("w", {2, 3}, w)), "cvm_param_shape");
}

TEST(ImportCvm, HoldsWeightsToTheirPrecision) {
  const auto label_with = [](int64_t value, int precision, int bits) {
    ModelWriter model;
    model.Data({1}).Weight("w", {1}, {value}, precision, bits).Op("elemwise_add", {"data", "w"}, {{1}});
    return ImportLabel(model);
  };
  EXPECT_EQ(label_with(127, 8, 8), "");
  EXPECT_EQ(label_with(-127, 8, 8), "");
  EXPECT_EQ(label_with(-128, 8, 8), "cvm_param_value");
  EXPECT_EQ(label_with(128, 8, 32), "cvm_param_value");
  EXPECT_EQ(label_with(1, 1, 8), "cvm_param_value");
  EXPECT_EQ(label_with(0, 1, 8), "");
  EXPECT_EQ(label_with(-(int64_t{1} << 31), 31, 32), "cvm_param_value");
}

// A weight that would not need its declared precision does not make room for a model that CVM refuses.
TEST(ImportCvm, CountsPrecisionsAsDeclared) {
  ModelWriter model;
  model.Data({1, 1})
      .Weight("w", {1, 1}, {1}, 9)
      .Op("dense", {"data", "w"}, {{1, 1}}, {{"units", "1"}, {"use_bias", "0"}});
  EXPECT_EQ(ImportLabel(model), "dense_c4");
}

TEST(ImportCvm, PassesOnWhatTheValidatorSays) {
  ModelWriter model;
  model.Data({1, 4, 6}, 31).Weight("n", {1}, {4});
  model.Op("non_max_suppression", {"data", "n"}, {{1, 4, 6}});
  EXPECT_EQ(ImportLabel(model), "non_max_suppression_c3");
}

TEST(ImportCvm, NamesWhatIsWrongWithTheFiles) {
  const ModelWriter model = Dense();
  EXPECT_EQ(ErrorLabel(ImportCvm("", model.Params()).status()), "cvm_json");
  EXPECT_EQ(ErrorLabel(ImportCvm(model.Text(), {}).status()), "cvm_params");
}

}  // namespace
}  // namespace tally::cvm
