// A quantized network in the forms in which ONNX Runtime writes one: no calibration, one module for both, and
// the integers that ONNX says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "engines/engine.h"
#include "frontends/onnx/testing/quantized_net.h"
#include "ops/attributes.h"
#include "ops/rescale/attrs.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/grid/quantized_tensor.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/testing/measure_lowered.h"
#include "serializer/module_id.h"
#include "vm/validator.h"

namespace tally::onnx {
namespace {

using Form = QuantizedNet::Form;
using Gain = QuantizedNet::Gain;

constexpr int kImages = 60;

quant::Graph Import(const QuantizedNet& net, Form form) {
  const auto graph = net.Model(form).Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *graph;
}

Module Lower(const quant::Graph& graph) {
  auto module = quant::LowerToModule(graph, {}, {});
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

std::shared_ptr<const Plan> PlanOf(Module module) {
  auto valid = Validate(std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
}

quant::FloatTensor Image(uint32_t seed) { return quant::Random({1, 3, 8, 8}, seed, -1.5, 1.5); }

std::vector<int64_t> Run(const Plan& plan, const tally::Tensor& input) {
  const TensorView views[] = {input.view()};
  const auto outcome = plan.Execute(views, {});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  std::vector<int64_t> codes;
  const TensorView view = outcome->results[0].view();
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) codes.push_back(view.at(i));
  return codes;
}

struct Agreement {
  int64_t elements = 0, equal = 0, largest = 0;

  void Add(const std::vector<int64_t>& expected, const std::vector<int64_t>& actual) {
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ++elements;
      equal += expected[i] == actual[i];
      largest = std::max<int64_t>(largest, std::abs(expected[i] - actual[i]));
    }
  }
};

// The agreement of the module of the form that serves bytes, on images of several networks.
Agreement AgreementWith(Gain gain) {
  Agreement agreement;
  for (const uint32_t seed : {1, 2, 3}) {
    const QuantizedNet net(seed);
    const auto plan = PlanOf(Lower(Import(net, Form::kCodes)));
    const TensorType& type = plan->module().entry().params[0];
    EXPECT_EQ(type.interval, (Interval{0, 255}));
    for (uint32_t image = 0; image < kImages; ++image) {
      const std::vector<int64_t> codes = net.InputCodes(Image(image));
      const auto input = tally::Tensor::FromValues(type.shape, type.storage(), codes);
      agreement.Add(net.OutputCodes(codes, gain), Run(*plan, *input));
    }
  }
  return agreement;
}

TEST(QuantizedNetwork, NeedsNoCalibrationInAnyForm) {
  for (const Form form : {Form::kQdq, Form::kOperators, Form::kCodes}) {
    const quant::Graph graph = Import(QuantizedNet(1), form);
    EXPECT_TRUE(quant::ValuesToCalibrate(graph, {}).empty());
    EXPECT_TRUE(Validate(Lower(graph)).ok());
  }
}

TEST(QuantizedNetwork, IsTheSameModuleInBothForms) {
  for (const uint32_t seed : {1, 2, 3}) {
    const QuantizedNet net(seed);
    EXPECT_EQ(ModuleId(Lower(Import(net, Form::kQdq))), ModuleId(Lower(Import(net, Form::kOperators))));
  }
}

TEST(QuantizedNetwork, ComputesWhatOnnxSaysWithTheMultipliersOfItsRuntime) {
  const Agreement agreement = AgreementWith(Gain::kFloat);
  EXPECT_EQ(agreement.equal, agreement.elements);
}

TEST(QuantizedNetwork, IsHardlyEverAStepFromTheFormulaOverReals) {
  const Agreement agreement = AgreementWith(Gain::kReal);
  EXPECT_LE(agreement.largest, 1);
  EXPECT_GE(agreement.equal, agreement.elements * 999 / 1000);
}

TEST(QuantizedNetwork, RoundsOnceForEachLayerAndAsKernelsDo) {
  const Module module = Lower(Import(QuantizedNet(1), Form::kQdq));
  int rescales = 0;
  for (const Instruction& instruction : module.entry().body) {
    if (instruction.op != Opcode::kRescale) continue;
    ++rescales;
    EXPECT_EQ(Unpack<RescaleAttrs>(instruction.attributes).rounding, Rounding::kHalfUp);
  }
  EXPECT_EQ(rescales, 3);  // one after each layer; the sum and the average round themselves
}

TEST(QuantizedNetwork, IsAsItsFloatGraphWhichRoundsOntoTheSameGrids) {
  const quant::Graph graph = Import(QuantizedNet(1), Form::kQdq);
  const auto plan = PlanOf(Lower(graph));
  const auto accuracy = quant::MeasureAccuracy(graph, *plan, kImages, [](int64_t i) {
    return absl::StatusOr<std::vector<quant::FloatTensor>>({Image(static_cast<uint32_t>(i))});
  });
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_GT(accuracy->outputs[0].error.sqnr_db(), 40);
}

}  // namespace
}  // namespace tally::onnx
