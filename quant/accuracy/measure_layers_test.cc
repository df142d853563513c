#include "quant/accuracy/measure_layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/testing/rows.h"
#include "quant/graph/graph_builder.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// fc = relu(x w), w = 0.5 on the diagonal; y = its reshape. On an input grid of 1 and [-128, 127].
struct Network {
  Graph graph;
  std::vector<std::optional<LoweredValue>> values;
  std::unique_ptr<const Plan> plan;
};

Network Make(const std::vector<std::vector<float>>& calibrate) {
  GraphBuilder b("network");
  const ValueId x = *b.AddInput("x", {1, 2});
  const ValueId w = *b.AddConstant("w", FloatTensor{{2, 2}, {0.5, 0, 0, 0.5}});
  const ValueId fc = *b.AddNode(Dense{}, {x, w}, "fc", "node 0 'fc' (Gemm)");
  const ValueId relu = *b.AddNode(Relu{}, {fc}, "relu", "node 1 (Relu)");
  b.AddOutput(*b.AddNode(Reshape{{2, 1}}, {relu}, "y", "node 2 (Reshape)"));
  Network network = {*std::move(b).Build(), {}, nullptr};
  const auto calibration = Calibrate(network.graph, static_cast<int64_t>(calibrate.size()), Rows(calibrate));
  auto lowered = LowerGraph(network.graph, *calibration,
                            {{{"x", {.scale = 1, .zero_point = 0, .interval = {-128, 127}}}}});
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  network.values = lowered->values;
  auto valid = Validate(std::move(lowered->module));
  network.plan = *MakePlan("cpu", std::make_shared<const ValidModule>(*std::move(valid)), {});
  return network;
}

TEST(MeasureLayers, ShowsEachValueThatTheModuleHolds) {
  const Network network = Make({{-127, 127}});
  std::vector<int64_t> progress;
  const auto measured =
      MeasureLayers(network.graph, network.values, *network.plan, 2, Rows({{-4, 100}, {60, 7}}),
                    [&](int64_t done, int64_t) { progress.push_back(done); });
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_EQ(progress, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(measured->samples, 2);
  ASSERT_EQ(measured->layers.size(), 3u);
  const LayerAccuracy &x = measured->layers[0], &fc = measured->layers[1], &y = measured->layers[2];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.op, "input");
  EXPECT_EQ(x.error.sqnr_db(), INFINITY);
  EXPECT_EQ(x.elements, 4);
  EXPECT_EQ(x.least_code, -4);
  EXPECT_EQ(x.largest_code, 100);
  EXPECT_DOUBLE_EQ(x.used_share(), 105.0 / 256);
  // The activation, which the dense layer publishes.
  EXPECT_EQ(fc.name, "relu");
  EXPECT_EQ(fc.op, "Dense");
  EXPECT_EQ(fc.source, "node 0 'fc' (Gemm)");
  EXPECT_EQ(fc.reads, (std::vector<size_t>{0}));
  EXPECT_FALSE(fc.moves);
  EXPECT_GT(fc.error.sqnr_db(), 60);
  EXPECT_LE(fc.largest_steps(), 0.51);
  EXPECT_EQ(fc.saturated, 0);
  EXPECT_EQ(y.name, "y");
  EXPECT_TRUE(y.moves);
  EXPECT_EQ(y.error.sqnr_db(), fc.error.sqnr_db());
  EXPECT_EQ(*y.loss_db, 0);
  EXPECT_FALSE(fc.loss_db.has_value());  // nothing was lost before
  EXPECT_EQ(measured->Worst(3), (std::vector<size_t>{1}));
}

TEST(MeasureLayers, SaturationAndHistogramsAreOfTheFloatNetwork) {
  // Calibration saw 5; a result has room for 16 times its codes.
  const Network network = Make({{-10, 10}});
  const auto measured = MeasureLayers(network.graph, network.values, *network.plan, 1, Rows({{100, -8}}));
  ASSERT_TRUE(measured.ok()) << measured.status();
  const LayerAccuracy& fc = measured->layers[1];
  EXPECT_NEAR(fc.clip_low(), 0, 1e-9);
  EXPECT_NEAR(fc.clip_high(), 42.5, 1e-3);
  EXPECT_DOUBLE_EQ(fc.saturated_share(), 0.5);
  EXPECT_LT(fc.error.sqnr_db(), 20);
  EXPECT_EQ(fc.histogram.counts.back(), 1);  // 50
  EXPECT_EQ(fc.histogram.counts[6],
            1);  // 0 is an eighth of the grid after the start, of ten eighths in 64 bins
  int64_t all = 0;
  for (const int64_t count : fc.histogram.counts) all += count;
  EXPECT_EQ(all, fc.elements);
}

TEST(MeasureLayers, RefusesSamplesThatAreNone) {
  const Network network = Make({{-10, 10}});
  const auto label_of = [&](int64_t count, std::vector<float> sample) {
    return ErrorLabel(
        MeasureLayers(network.graph, network.values, *network.plan, count, Rows({sample})).status());
  };
  EXPECT_EQ(label_of(0, {1, 2}), "calibration_no_samples");
  EXPECT_EQ(label_of(1, {1, std::nanf("")}), "calibration_not_finite");
}

}  // namespace
}  // namespace tally::quant
