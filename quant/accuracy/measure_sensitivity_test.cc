#include "quant/accuracy/measure_sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "quant/calibrate/testing/rows.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// y = 0.5 x and z = x; the layers are x in steps of 1, y in steps of 0.25, which are enough for whole x, and
// what moves y.
struct Network {
  Graph graph;
  LayerAccuracies layers;
};

Network Make() {
  GraphBuilder b("network");
  const ValueId x = *b.AddInput("x", {1, 2});
  const ValueId w = *b.AddConstant("w", FloatTensor{{2, 2}, {0.5, 0, 0, 0.5}});
  const ValueId y = *b.AddNode(Dense{}, {x, w}, "y", "node 0 (Gemm)");
  const ValueId moved = *b.AddNode(Reshape{{2, 1}}, {y}, "moved", "node 1 (Reshape)");
  b.AddOutput(moved);
  b.AddOutput(x);
  Network network = {*std::move(b).Build(), {}};
  const auto layer = [](ValueId value, const char* name, double scale, bool moves) {
    LayerAccuracy l = {.value = value, .name = name, .moves = moves};
    l.type = {.scale = scale, .zero_point = 0, .interval = {-128, 127}};
    return l;
  };
  network.layers.layers = {layer(x, "x", 1, false), layer(y, "y", 0.25, false),
                           layer(moved, "moved", 0.25, true)};
  return network;
}

double Db(double signal, double noise) { return 10 * std::log10(signal / noise); }

TEST(MeasureSensitivity, RoundsOneValueAtATimeAndTakesTheWorstOutput) {
  Network network = Make();
  std::vector<int64_t> done;
  const auto status = MeasureSensitivity(network.graph, 2, Rows({{3.25, 8}, {2, 1.5}}), network.layers,
                                         [&](int64_t samples, int64_t) { done.push_back(samples); });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(done, (std::vector<int64_t>{1, 2}));
  // x becomes {3, 8}, {2, 2}; its errors are 0.25 and 0.5, and those of y half of them, so that both outputs
  // have one SQNR.
  const double signal = 3.25 * 3.25 + 64 + 4 + 1.5 * 1.5;
  ASSERT_TRUE(network.layers.layers[0].alone_db.has_value());
  EXPECT_NEAR(*network.layers.layers[0].alone_db, Db(signal, 0.0625 + 0.25), 1e-9);
  // y = {1.625, 4}, {1, 0.75} becomes {1.75, 4}, {1, 0.75}; x is as it was.
  ASSERT_TRUE(network.layers.layers[1].alone_db.has_value());
  EXPECT_NEAR(*network.layers.layers[1].alone_db, Db(signal / 4, 0.125 * 0.125), 1e-9);
  EXPECT_FALSE(network.layers.layers[2].alone_db.has_value()) << "its grid is that of what it moves";
}

TEST(MeasureSensitivity, ClipsAtTheEndOfTheGrid) {
  Network network = Make();
  network.layers.layers[0].type.interval = {-4, 4};
  ASSERT_TRUE(MeasureSensitivity(network.graph, 1, Rows({{8, 0}}), network.layers).ok());
  EXPECT_NEAR(*network.layers.layers[0].alone_db, Db(64, 16), 1e-9);
  EXPECT_EQ(*network.layers.layers[1].alone_db, HUGE_VAL) << "4 is on its grid";
}

TEST(MeasureSensitivity, RefusesSamplesThatAreNotFinite) {
  Network network = Make();
  const auto status = MeasureSensitivity(network.graph, 1, Rows({{1, std::nanf("")}}), network.layers);
  EXPECT_EQ(ErrorLabel(status), "calibration_not_finite");
}

}  // namespace
}  // namespace tally::quant
