// A model as PyTorch exports it, on real data: import, fold, calibrate, and the accuracy that its README
// states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>
#include <vector>

#include "base/io/npy.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/testing/model_builder.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/passes/fold_batch_norm.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Graph;

constexpr char kFolder[] = "examples/digits/";

Graph ImportDigits() {
  std::ifstream stream(kFolder + std::string("digits.onnx"), std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(stream)),
                                   std::istreambuf_iterator<char>());
  const auto graph = ImportOnnx(bytes);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *graph;
}

NpyArray ReadArray(const std::string& name) {
  const auto array = ReadNpyFile(kFolder + ("data/" + name));
  EXPECT_TRUE(array.ok()) << array.status();
  return *array;
}

// The held-out images, scaled as the model wants them.
std::vector<FloatTensor> HeldOutImages() {
  const NpyArray images = ReadArray("held_out_images.npy");
  EXPECT_EQ(images.type, NpyType::kInt8);
  std::vector<FloatTensor> result;
  for (size_t first = 0; first < images.bytes.size(); first += 64) {
    FloatTensor& image = result.emplace_back(FloatTensor{{1, 1, 8, 8}, {}});
    for (size_t i = 0; i < 64; ++i) image.data.push_back(static_cast<float>(images.bytes[first + i]) / 16.0f);
  }
  return result;
}

FloatTensor Probabilities(const Graph& graph, const FloatTensor& image) {
  const std::vector<FloatTensor> inputs = {image};
  const auto outputs = quant::RunGraph(graph, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return std::get<FloatTensor>(outputs->at(0));
}

TEST(Digits, ImportsAsTheReadmeDescribesIt) {
  const Graph graph = ImportDigits();
  EXPECT_TRUE(quant::Verify(graph).ok()) << quant::Verify(graph);
  EXPECT_EQ(OpsOf(graph),
            "Conv BatchNorm Relu Conv Relu MaxPool Conv BatchNorm Relu Conv BatchNorm Add Relu "
            "AveragePool Reshape Dense Softmax");
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.values[graph.inputs[0]].name, "image");
  EXPECT_EQ(graph.values[graph.inputs[0]].type.shape, (quant::Shape{1, 1, 8, 8}));
  ASSERT_EQ(graph.outputs.size(), 1u);
  EXPECT_EQ(graph.outputs[0].name, "probabilities");
}

TEST(Digits, HeldOutAccuracy) {
  const Graph graph = ImportDigits();
  const NpyArray labels = ReadArray("held_out_labels.npy");
  const std::vector<FloatTensor> images = HeldOutImages();
  ASSERT_EQ(images.size(), labels.bytes.size());
  size_t num_correct = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    const std::vector<float> probabilities = Probabilities(graph, images[i]).data;
    const auto best = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
    num_correct += best == labels.bytes[i] ? 1 : 0;
  }
  std::printf("%zu of %zu held-out digits are recognized\n", num_correct, images.size());
  EXPECT_GE(num_correct * 100, images.size() * 97);
}

TEST(Digits, FoldingBatchNormalizationChangesRoundingOnly) {
  const Graph graph = ImportDigits();
  const auto folded = quant::FoldBatchNorm(graph);
  ASSERT_TRUE(folded.ok()) << folded.status();
  EXPECT_EQ(OpsOf(*folded),
            "Conv Relu Conv Relu MaxPool Conv Relu Conv Add Relu AveragePool Reshape Dense Softmax");
  for (const FloatTensor& image : HeldOutImages()) {
    const std::vector<float> before = Probabilities(graph, image).data;
    const std::vector<float> after = Probabilities(*folded, image).data;
    for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(before[i], after[i], 1e-5);
  }
}

TEST(Digits, CalibrationCoversEveryValueAndIsRepeatable) {
  const auto graph = quant::FoldBatchNorm(ImportDigits());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const NpyArray images = ReadArray("calibration.npy");
  ASSERT_EQ(images.type, NpyType::kFloat32);
  const quant::SampleSource samples = [&](int64_t index) -> absl::StatusOr<std::vector<FloatTensor>> {
    FloatTensor image{{1, 1, 8, 8}, std::vector<float>(64)};
    std::memcpy(image.data.data(), images.bytes.data() + index * 256, 256);
    return std::vector<FloatTensor>{std::move(image)};
  };
  const auto calibration = quant::Calibrate(*graph, images.shape[0], samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_EQ(calibration->num_samples, 200);
  for (quant::ValueId value = 0; value < static_cast<quant::ValueId>(graph->values.size()); ++value) {
    EXPECT_TRUE(quant::RangeOf(*calibration, *graph, value).ok()) << graph->values[value].name;
  }
  const quant::Range& image = calibration->values.at("image");
  EXPECT_EQ(std::tuple(image.min, image.max, image.count), std::tuple(0.0f, 1.0f, 200 * 64));
  EXPECT_GE(calibration->values.at("probabilities").min, 0);
  EXPECT_LE(calibration->values.at("probabilities").max, 1);
  EXPECT_EQ(*quant::Calibrate(*graph, images.shape[0], samples), *calibration);
}

}  // namespace
}  // namespace tally::onnx
