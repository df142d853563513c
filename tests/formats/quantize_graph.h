// A float graph as a module, run beside it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/lower/lower.h"
#include "quant/passes/passes.h"
#include "vm/validator.h"

namespace tally {

struct QuantizedGraph {
  std::shared_ptr<const ValidModule> module;  // none after a failure, of which the test knows
  quant::Accuracy accuracy;                   // on the inputs with which it was calibrated
};

// Engines reference and cpu have to agree.
inline QuantizedGraph QuantizeGraph(quant::Graph graph, const std::vector<quant::FloatTensor>& inputs) {
  auto passed = quant::RunPasses(std::move(graph), {});
  EXPECT_TRUE(passed.ok()) << passed.status();
  const auto sample = [&](int64_t) -> absl::StatusOr<std::vector<quant::FloatTensor>> { return inputs; };
  const auto calibration = quant::Calibrate(*passed, 1, sample);
  EXPECT_TRUE(calibration.ok()) << calibration.status();
  auto module = quant::LowerToModule(*passed, *calibration, {});
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  if (!valid.ok()) return {};
  const auto proven = std::make_shared<const ValidModule>(*std::move(valid));
  std::optional<quant::Accuracy> measured;
  for (const char* engine : {"reference", "cpu"}) {
    const auto plan = MakePlan(engine, proven);
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto accuracy = quant::MeasureAccuracy(*passed, **plan, 1, sample);
    EXPECT_TRUE(accuracy.ok()) << accuracy.status();
    if (!accuracy.ok()) return {};
    for (size_t i = 0; measured.has_value() && i < accuracy->outputs.size(); ++i) {
      EXPECT_EQ(accuracy->outputs[i].error.largest(), measured->outputs[i].error.largest());
      EXPECT_EQ(accuracy->outputs[i].error.sqnr_db(), measured->outputs[i].error.sqnr_db());
    }
    measured = *std::move(accuracy);
  }
  return {proven, *std::move(measured)};
}

}  // namespace tally
