// A trained detector as torch exports it, with its anchors, its choice of the best and its suppression: the
// integer module finds what the float network finds (export_detector.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/io/npy.h"
#include "base/tensor.h"
#include "engines/engine.h"
#include "frontends/onnx/float/import_onnx.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/lower.h"
#include "quant/passes/passes.h"
#include "vm/validator.h"

namespace tally {
namespace {

using quant::FloatTensor;
using quant::Graph;
using quant::Int64Tensor;

constexpr char kFolder[] = "tests/detector/";
constexpr size_t kPixels = 32 * 32;
constexpr int64_t kCalibration = 16;  // scenes; the others are held back
constexpr double kPixelStep = 1.0 / 64;
enum Output { kSelected, kBoxes, kScores, kCount };

struct Detection {
  int64_t kind;
  std::vector<double> box;  // y, x, y, x
  double score;
};
using Detections = std::vector<Detection>;

// From the outputs, each as a list of numbers: as many as the count says, of rows that all have their place.
Detections DetectionsOf(const std::vector<std::vector<double>>& outputs) {
  Detections found;
  for (size_t row = 0; row < static_cast<size_t>(outputs[kCount][0]); ++row) {
    const auto box = outputs[kBoxes].begin() + static_cast<int64_t>(row) * 4;
    found.push_back(
        {static_cast<int64_t>(outputs[kSelected][row * 3 + 1]), {box, box + 4}, outputs[kScores][row]});
  }
  return found;
}

double Overlap(const std::vector<double>& a, const std::vector<double>& b) {
  const auto area = [](double height, double width) { return std::max(height, 0.0) * std::max(width, 0.0); };
  const double both =
      area(std::min(a[2], b[2]) - std::max(a[0], b[0]), std::min(a[3], b[3]) - std::max(a[1], b[1]));
  return both / (area(a[2] - a[0], a[3] - a[1]) + area(b[2] - b[0], b[3] - b[1]) - both);
}

// How many of `found` are in `others` too, nearly the same.
int64_t CountShared(const Detections& found, const Detections& others) {
  return std::ranges::count_if(found, [&](const Detection& a) {
    return std::ranges::any_of(others, [&](const Detection& b) {
      return a.kind == b.kind && Overlap(a.box, b.box) > 0.8 && std::abs(a.score - b.score) < 0.1;
    });
  });
}

class Detector : public testing::Test {
 protected:
  void SetUp() override {
    const auto bytes = ReadFile(kFolder + std::string("detector.onnx"));
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    auto imported = onnx::ImportOnnx(*bytes);
    ASSERT_TRUE(imported.ok()) << imported.status();
    auto graph = quant::RunPasses(*std::move(imported), {});
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
    const auto scenes = ReadNpyFile(kFolder + std::string("scenes.npy"));
    ASSERT_TRUE(scenes.ok()) << scenes.status();
    for (size_t first = 0; first < scenes->bytes.size(); first += kPixels) {
      const auto* codes = reinterpret_cast<const int8_t*>(scenes->bytes.data()) + first;
      scenes_.emplace_back(codes, codes + kPixels);
    }
  }

  FloatTensor ImageOf(size_t scene) const {
    FloatTensor image{{1, 1, 32, 32}, {}};
    for (const int8_t code : scenes_[scene]) image.data.push_back(static_cast<float>(code * kPixelStep));
    return image;
  }

  Detections FloatDetections(size_t scene) const {
    const auto results = quant::RunGraph(graph_, std::vector<FloatTensor>{ImageOf(scene)});
    EXPECT_TRUE(results.ok()) << results.status();
    std::vector<std::vector<double>> outputs;
    for (const quant::Tensor& result : *results) {
      std::visit([&](const auto& x) { outputs.emplace_back(x.data.begin(), x.data.end()); }, result);
    }
    return DetectionsOf(outputs);
  }

  ValidModule Quantized() const {
    const auto calibration =
        quant::Calibrate(graph_, kCalibration, [&](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
          return std::vector{ImageOf(static_cast<size_t>(i))};
        });
    EXPECT_TRUE(calibration.ok()) << calibration.status();
    auto module =
        quant::LowerToModule(graph_, *calibration, {.inputs = {{"image", {kPixelStep, 0, {-128, 127}}}}});
    EXPECT_TRUE(module.ok()) << module.status();
    auto valid = Validate(*std::move(module));
    EXPECT_TRUE(valid.ok()) << valid.status();
    return *std::move(valid);
  }

  Detections IntegerDetections(const Plan& plan, const ValidModule& module, size_t scene) const {
    const auto& param = module.entry().params[0];
    tally::Tensor image(param.shape, param.storage());
    for (size_t i = 0; i < kPixels; ++i) {
      StoreElement(param.storage(), image.mutable_bytes().data(), static_cast<int64_t>(i), scenes_[scene][i]);
    }
    const auto outcome = plan.Execute(std::vector<TensorView>{image.view()}, {});
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    std::vector<std::vector<double>> outputs;
    for (size_t i = 0; i < outcome->results.size(); ++i) {
      const auto grid = quant::FromMetadata(module.module().metadata.results[i].quantization.value());
      const TensorView codes = outcome->results[i].view();
      auto& reals = outputs.emplace_back();
      for (int64_t e = 0; e < codes.shape.num_elements(); ++e) {
        reals.push_back(static_cast<double>(codes.at(e) - grid.zero_point) * grid.scale);
      }
    }
    return DetectionsOf(outputs);
  }

  Graph graph_;
  std::vector<std::vector<int8_t>> scenes_;
};

TEST_F(Detector, ImportsWithItsTail) {
  std::vector<std::string> outputs;
  for (const quant::Output& output : graph_.outputs) {
    outputs.push_back(output.name + " " + quant::ToString(graph_.values[output.value].type));
  }
  EXPECT_EQ(outputs, (std::vector<std::string>{"selected int64[8, 3]", "boxes float32[8, 4]",
                                               "scores float32[8]", "selected.count int64[1]"}));
}

TEST_F(Detector, IntegersFindWhatFloatsFind) {
  const auto module = std::make_shared<const ValidModule>(Quantized());
  const auto plan = *MakePlan("cpu", module);
  int64_t of_floats = 0, of_integers = 0, floats_shared = 0, integers_shared = 0;
  for (size_t scene = kCalibration; scene < scenes_.size(); ++scene) {
    const Detections floats = FloatDetections(scene), integers = IntegerDetections(*plan, *module, scene);
    of_floats += std::ssize(floats);
    of_integers += std::ssize(integers);
    floats_shared += CountShared(floats, integers);
    integers_shared += CountShared(integers, floats);
  }
  std::printf("%ld of %ld detections of the float network, %ld of %ld of the module are also the other's\n",
              static_cast<long>(floats_shared), static_cast<long>(of_floats),
              static_cast<long>(integers_shared), static_cast<long>(of_integers));
  ASSERT_GE(of_floats, 96);  // two of each scene: the network has learned to see
  EXPECT_GE(floats_shared * 100, of_floats * 95);
  EXPECT_GE(integers_shared * 100, of_integers * 95);
}

}  // namespace
}  // namespace tally
