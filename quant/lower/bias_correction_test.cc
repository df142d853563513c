#include "quant/lower/bias_correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/grid/quantized_tensor.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

TEST(BiasCorrection, SumsWhatRoundingTookByChannelAndTap) {
  // Two groups of one output each, two inputs each, two taps; all scales 1.
  const FloatTensor weight{{2, 2, 2, 1}, {1.25f, 2, 3, 4.5f, -1.25f, 0, 0, 0}};
  const QuantizedWeights codes = {
      .codes = {1, 2, 3, 4, -1, 0, 0, 0}, .scales = {1, 1}, .code_sums = {}, .magnitude_sums = {}};
  EXPECT_EQ(BiasCorrection(weight, codes, std::vector<float>{8, 16, 32, 64}, std::vector<double>{1, 0.5}),
            (std::vector<double>{0.25 * 8 + 0.5 * 0.5 * 16, -0.25 * 32}));
}

// The mean of module less network over all samples and places, of channel 0, in shares of the network's mean;
// all inputs are positive, so that every weight that is rounded up adds to every result.
double ShiftOf(const Graph& graph, bool with_means) {
  const Shape shape = graph.values[graph.inputs[0]].type.shape;
  const SampleSource samples = [&](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{Random(shape, static_cast<uint32_t>(i), 0.5, 1)};
  };
  Calibration calibration = *Calibrate(graph, 16, samples);
  if (!with_means) calibration.means.clear();
  auto valid = Validate(*LowerToModule(graph, calibration, {}));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const QuantizedType in = FromMetadata(*plan->module().module().metadata.params[0].quantization);
  const QuantizedType out = FromMetadata(*plan->module().module().metadata.results[0].quantization);
  double shift = 0, size = 0;
  for (int64_t i = 0; i < 16; ++i) {
    const auto x = *samples(i);
    const auto y = std::get<FloatTensor>((*RunGraph(graph, x))[0]).data;
    const tally::Tensor codes = QuantizeTensor(x[0].data, in, plan->module().types()[0]);
    const TensorView views[] = {codes.view()};
    const std::vector<double> got = DequantizeTensor(plan->Execute(views, {})->results[0].view(), out);
    for (size_t k = 0; k < y.size(); ++k) {
      shift += got[k] - y[k];
      size += std::abs(y[k]);
    }
  }
  return std::abs(shift) / size;
}

// Weights of which each rounds down by 0.4 steps, and one that says what a step is.
FloatTensor OneSided(const Shape& shape) {
  FloatTensor weight{shape, std::vector<float>(static_cast<size_t>(NumElements(shape)), 2.4f / 127)};
  weight.data[0] = 1;
  return weight;
}

TEST(BiasCorrection, TakesTheShiftFromResults) {
  const Graph dense = OneNode(Dense{}, {{1, 64}}, {OneSided({1, 64})});
  EXPECT_GT(ShiftOf(dense, false), 0.05);
  EXPECT_LT(ShiftOf(dense, true), 0.005);
  const Graph biased = OneNode(Dense{}, {{1, 64}}, {OneSided({1, 64}), {{1}, {0.5f}}});
  EXPECT_LT(ShiftOf(biased, true), 0.005);
  // Padding is read by a third of all taps and more.
  const Graph padded =
      OneNode(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 1}, {{1, 4, 3, 3}}, {OneSided({1, 4, 3, 3})});
  EXPECT_GT(ShiftOf(padded, false), 0.05);
  EXPECT_LT(ShiftOf(padded, true), 0.005);
}

TEST(BiasCorrection, CalibrationMeans_AnotherNumberThanOfChannelsIsRefused) {
  const Graph dense = OneNode(Dense{}, {{1, 64}}, {OneSided({1, 64})});
  Calibration calibration{1, {{"x0", {0, 1, 1}}, {"y", {0, 1, 1}}}};
  calibration.means["x0"] = std::vector<float>(64, 0.5f);
  EXPECT_TRUE(LowerToModule(dense, calibration, {}).ok());
  calibration.means["x0"].pop_back();
  EXPECT_EQ(ErrorLabel(LowerToModule(dense, calibration, {}).status()), "calibration_means");
}

}  // namespace
}  // namespace tally::quant
