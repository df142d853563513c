#include "quant/lower/testing/measure_lowered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "vm/validator.h"

namespace tally::quant {

FloatTensor Random(const Shape& shape, uint32_t seed, double low, double high) {
  std::mt19937 random(seed);
  FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    tensor.data.push_back(static_cast<float>(low + (high - low) * (random() / 4294967296.0)));
  }
  return tensor;
}

Graph GraphOf(const Op& op, const std::vector<Value>& inputs) {
  GraphBuilder b("one");
  std::vector<ValueId> operands;
  for (Value input : inputs) {
    input.name += std::to_string(operands.size());
    operands.push_back(*b.AddInput(input));
  }
  b.AddOutput(*b.AddNode(op, operands, "y", "the node"));
  return *std::move(b).Build();
}

Graph OneNode(const Op& op, const std::vector<Shape>& shapes, const std::vector<FloatTensor>& constants) {
  GraphBuilder b("one");
  std::vector<ValueId> operands;
  for (size_t i = 0; i < shapes.size(); ++i)
    operands.push_back(*b.AddInput("x" + std::to_string(i), shapes[i]));
  for (size_t i = 0; i < constants.size(); ++i) {
    operands.push_back(*b.AddConstant("c" + std::to_string(i), constants[i]));
  }
  const auto y = b.AddNode(op, operands, "y", "the node");
  EXPECT_TRUE(y.ok()) << y.status();
  b.AddOutput(*y);
  return *std::move(b).Build();
}

OutputAccuracy MeasureLowered(const Graph& graph, const LoweredSamples& samples) {
  constexpr int kSamples = 8;
  const auto sample = [&](int64_t number) -> absl::StatusOr<std::vector<FloatTensor>> {
    std::vector<FloatTensor> inputs;
    for (const ValueId id : graph.inputs) {
      const uint32_t seed = static_cast<uint32_t>(number * 31 + id);
      const Value& value = graph.values[id];
      if (value.type.element == ElementType::kFloat32) {
        inputs.push_back(Random(value.type.shape, seed, samples.low, samples.high));
        continue;
      }
      const Interval all = value.interval.value_or(Interval{0, 1});
      inputs.push_back(
          Random(value.type.shape, seed, static_cast<double>(all.lo), static_cast<double>(all.hi + 1)));
      for (float& v : inputs.back().data) v = std::floor(v);
    }
    return inputs;
  };
  const auto calibration = Calibrate(graph, kSamples, sample);
  EXPECT_TRUE(calibration.ok()) << calibration.status();
  auto module = LowerToModule(graph, *calibration, samples.options);
  EXPECT_TRUE(module.ok()) << module.status();
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const auto proven = std::make_shared<const ValidModule>(*std::move(valid));
  std::optional<OutputAccuracy> measured;
  for (const char* engine : {"reference", "cpu"}) {
    const auto plan = *MakePlan(engine, proven);
    const auto accuracy =
        MeasureAccuracy(graph, *plan, kSamples, sample, {.formats = samples.options.inputs});
    EXPECT_TRUE(accuracy.ok()) << accuracy.status();
    const OutputAccuracy& first = accuracy->outputs[0];
    if (measured.has_value()) {
      EXPECT_EQ(first.error.largest(), measured->error.largest()) << engine;
      EXPECT_EQ(first.error.sqnr_db(), measured->error.sqnr_db()) << engine;
    }
    measured = first;
  }
  return *measured;
}

}  // namespace tally::quant
