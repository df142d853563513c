#include "quant/calibrate/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/labels.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/calibrate/testing/rows.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// y = relu(x + c) with c = [1, -1]; and the index of its largest element.
Graph Sample() {
  GraphBuilder builder("sample");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId c = *builder.AddConstant("c", FloatTensor{{2}, {1, -1}});
  const ValueId sum = *builder.AddNode(Add{}, {x, c}, "sum", "add");
  const ValueId y = *builder.AddNode(Relu{}, {sum}, "y", "relu");
  builder.AddOutput(*builder.AddNode(ArgExtreme{1, true}, {y}, "index", "argmax"));
  return *std::move(builder).Build();
}

// The ranges that were seen, without their reach.
std::map<std::string, Range> SeenIn(const Calibration& calibration) {
  std::map<std::string, Range> values = calibration.values;
  for (auto& [name, range] : values) range.reach.reset();
  return values;
}

TEST(Calibrate, RecordsEveryFloatValueOverAllSamples) {
  std::vector<int64_t> progress;
  const auto calibration =
      Calibrate(Sample(), 3, Rows({{0.5f, 0}, {-4, 2}, {3, 3}}), [&](int64_t num_done, int64_t num_samples) {
        EXPECT_EQ(num_samples, 3);
        progress.push_back(num_done);
      });
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(calibration->num_samples, 3);
  EXPECT_EQ(SeenIn(*calibration),
            (std::map<std::string, Range>{{"x", {-4, 3, 6}}, {"sum", {-3, 4, 6}}, {"y", {0, 4, 6}}}));
  EXPECT_EQ(progress, (std::vector<int64_t>{1, 2, 3}));
}

TEST(Calibrate, RecordsHowElementsAreSpreadWhereTheyAreNotMerelyMoved) {
  GraphBuilder builder("moved");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId moved = *builder.AddNode(Reshape{{2, 1}}, {x}, "moved", "reshape");
  builder.AddOutput(*builder.AddNode(Relu{}, {moved}, "y", "relu"));
  const Graph graph = *std::move(builder).Build();
  const auto calibration = Calibrate(graph, 3, Rows({{0.5f, 0}, {-4, 2}, {3, 3}}));
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(calibration->histograms.size(), 2);
  ValueHistogramBuilder of_x, of_y;
  of_x.Add(std::vector<float>{0.5f, 0, -4, 2, 3, 3});
  of_y.Add(std::vector<float>{0.5f, 0, 0, 2, 3, 3});
  EXPECT_EQ(calibration->histograms.at("x"), of_x.Build());
  EXPECT_EQ(calibration->histograms.at("y"), of_y.Build());
  EXPECT_TRUE(calibration->means.empty());
}

TEST(Calibrate, RecordsMeansOfChannelsThatProductsRead) {
  GraphBuilder builder("products");
  const ValueId x = *builder.AddInput("x", {2, 2, 1, 2});
  const ValueId w = *builder.AddConstant("w", FloatTensor{{1, 2, 1, 1}, {1, 1}});
  builder.AddOutput(*builder.AddNode(Conv{{1, 1}, {1, 1}}, {x, w}, "y", "conv"));
  const SampleSource samples = [](int64_t index) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{
        {{2, 2, 1, 2}, index == 0 ? std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8} : std::vector<float>(8)}};
  };
  const auto calibration = Calibrate(*std::move(builder).Build(), 2, samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(calibration->means, (std::map<std::string, std::vector<float>>{{"x", {14.0f / 8, 22.0f / 8}}}));
}

// h' = relu(x + h) of x [2, 1, 1], the final state alone.
TEST(Calibrate, RecordsWhatIsComputedInside) {
  GraphBuilder builder("rnn");
  const ValueId x = *builder.AddInput("x", {2, 1, 1});
  const ValueId one = *builder.AddConstant("one", FloatTensor{{1, 1, 1}, {1}});
  const ValueId bias = *builder.AddConstant("bias", FloatTensor{{1, 1}, {0}});
  const Rnn last = {.sequences = {.result = SequenceResult::kFinalState}, .state = Activation::kRelu};
  builder.AddOutput(*builder.AddNode(last, {x, one, one, bias}, "y", "rnn"));
  const Graph graph = *std::move(builder).Build();
  const SampleSource samples = [](int64_t index) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{{{2, 1, 1}, {index == 0 ? 9.0f : 2.0f, -8}}};
  };
  const auto calibration = Calibrate(graph, 2, samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(SeenIn(*calibration),
            (std::map<std::string, Range>{{"x", {-8, 9, 4}}, {"y", {0, 1, 2}}, {"y\tstates", {0, 9, 4}}}));
  EXPECT_FALSE(calibration->histograms.contains("y\tstates"));
  EXPECT_EQ(*CalibrationFromJson(ToJson(*calibration)), *calibration);
  EXPECT_EQ(InnerRangeOf(*calibration, graph, graph.outputs[0].value)->max, 9);
}

TEST(Calibrate, CalibrationNotFinite_NamesTheFirstValueAndTheSample) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::nanf(""), infinity, -infinity}) {
    const auto calibration = Calibrate(Sample(), 2, Rows({{0, 0}, {0, bad}}));
    EXPECT_EQ(ErrorLabel(calibration.status()), "calibration_not_finite");
    EXPECT_EQ(calibration.status().message(), "value 'x' holds NaN or an infinity for sample 1");
  }
  const float largest = std::numeric_limits<float>::max();
  GraphBuilder builder("doubling");
  const ValueId x = *builder.AddInput("x", {1, 2});
  builder.AddOutput(*builder.AddNode(Add{}, {x, x}, "y", "add"));
  const auto calibration = Calibrate(*std::move(builder).Build(), 1, Rows({{largest, 0}}));
  EXPECT_EQ(ErrorLabel(calibration.status()), "calibration_not_finite");
  EXPECT_EQ(calibration.status().message().substr(0, 9), "value 'y'");
}

TEST(Calibrate, CalibrationNoSamples) {
  EXPECT_EQ(ErrorLabel(Calibrate(Sample(), 0, Rows({})).status()), "calibration_no_samples");
}

TEST(Calibrate, ErrorsOfSamplesAndInputsPassThrough) {
  const SampleSource failing = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return MakeError(label::npy_type, "no data");
  };
  EXPECT_EQ(ErrorLabel(Calibrate(Sample(), 1, failing).status()), "npy_type");
  EXPECT_EQ(ErrorLabel(Calibrate(Sample(), 1, Rows({{1, 2, 3}})).status()), "graph_run_inputs");
}

TEST(Calibrate, KeepsWhereASampleOfManyMayEnd) {
  GraphBuilder b("g");
  const ValueId x = *b.AddInput("x", {2});
  b.AddOutput(*b.AddNode(Relu{}, {x}, "y", "y"));
  const Graph graph = *std::move(b).Build();
  const auto calibrated = [&](float step) {
    const auto sample = [=](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
      return std::vector{FloatTensor{{2}, {-1, 10 + step * static_cast<float>(i)}}};
    };
    return *Calibrate(graph, 4, sample);
  };
  const Calibration alike = calibrated(0), apart = calibrated(3);
  EXPECT_EQ(alike.values.at("y").reach->min, 0);
  EXPECT_GT(alike.values.at("y").reach->max, 10);
  EXPECT_LT(alike.values.at("x").reach->min, -1);
  EXPECT_GT(apart.values.at("y").reach->max, 19 + (alike.values.at("y").reach->max - 10));
}

}  // namespace
}  // namespace tally::quant
