#include "quant/calibrate/min_max.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/labels.h"
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
  builder.AddOutput(*builder.AddNode(ArgMax{1, true}, {y}, "index", "argmax"));
  return *std::move(builder).Build();
}

SampleSource From(std::vector<std::vector<float>> samples) {
  return [samples](int64_t index) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{{{1, 2}, samples[static_cast<size_t>(index)]}};
  };
}

TEST(CalibrateMinMax, RecordsEveryFloatValueOverAllSamples) {
  std::vector<int64_t> progress;
  const auto calibration = CalibrateMinMax(Sample(), 3, From({{0.5f, 0}, {-4, 2}, {3, 3}}),
                                           [&](int64_t num_done, int64_t num_samples) {
                                             EXPECT_EQ(num_samples, 3);
                                             progress.push_back(num_done);
                                           });
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(*calibration, (Calibration{3, {{"x", {-4, 3, 6}}, {"sum", {-3, 4, 6}}, {"y", {0, 4, 6}}}}));
  EXPECT_EQ(progress, (std::vector<int64_t>{1, 2, 3}));
}

// h' = relu(x + h) of x [2, 1, 1], the final state alone.
TEST(CalibrateMinMax, RecordsWhatIsComputedInside) {
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
  const auto calibration = CalibrateMinMax(graph, 2, samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(*calibration, (Calibration{2, {{"x", {-8, 9, 4}}, {"y", {0, 1, 2}}, {"y\tstates", {0, 9, 4}}}}));
  EXPECT_EQ(*CalibrationFromJson(ToJson(*calibration)), *calibration);
  EXPECT_EQ(*InnerRangeOf(*calibration, graph, graph.outputs[0].value), (Range{0, 9, 4}));
}

TEST(CalibrateMinMax, CalibrationNotFinite_NamesTheFirstValueAndTheSample) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::nanf(""), infinity, -infinity}) {
    const auto calibration = CalibrateMinMax(Sample(), 2, From({{0, 0}, {0, bad}}));
    EXPECT_EQ(ErrorLabel(calibration.status()), "calibration_not_finite");
    EXPECT_EQ(calibration.status().message(), "value 'x' holds NaN or an infinity for sample 1");
  }
  const float largest = std::numeric_limits<float>::max();
  GraphBuilder builder("doubling");
  const ValueId x = *builder.AddInput("x", {1, 2});
  builder.AddOutput(*builder.AddNode(Add{}, {x, x}, "y", "add"));
  const auto calibration = CalibrateMinMax(*std::move(builder).Build(), 1, From({{largest, 0}}));
  EXPECT_EQ(ErrorLabel(calibration.status()), "calibration_not_finite");
  EXPECT_EQ(calibration.status().message().substr(0, 9), "value 'y'");
}

TEST(CalibrateMinMax, CalibrationNoSamples) {
  EXPECT_EQ(ErrorLabel(CalibrateMinMax(Sample(), 0, From({})).status()), "calibration_no_samples");
}

TEST(CalibrateMinMax, ErrorsOfSamplesAndInputsPassThrough) {
  const SampleSource failing = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return MakeError(label::npy_type, "no data");
  };
  EXPECT_EQ(ErrorLabel(CalibrateMinMax(Sample(), 1, failing).status()), "npy_type");
  EXPECT_EQ(ErrorLabel(CalibrateMinMax(Sample(), 1, From({{1, 2, 3}})).status()), "graph_run_inputs");
}

}  // namespace
}  // namespace tally::quant
