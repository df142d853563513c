// A network as NNCF writes it: with FakeQuantize around weights of floats, and with weights of integers. No
// samples, one module for both, and values within one step of what the formula of FakeQuantize says.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/openvino/testing/ir_writer.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/testing/measure_lowered.h"
#include "quant/passes/passes.h"
#include "serializer/module_id.h"
#include "tests/formats/quantize_graph.h"

namespace tally::openvino {
namespace {

using Port = IrWriter::Port;
using Dims = IrWriter::Dims;

enum class Form { kFakeQuantize, kSigned, kUnsigned };

// Codes from -127 to 127, which have none of these ends in most channels.
std::vector<int> Codes(size_t count, int seed) {
  std::vector<int> codes;
  for (size_t i = 0; i < count; ++i)
    codes.push_back(static_cast<int>((i * 37 + static_cast<size_t>(seed) * 11) % 181) - 90);
  return codes;
}

// Steps of weights that no power of two is.
std::vector<float> Steps(size_t count) {
  std::vector<float> steps;
  for (size_t i = 0; i < count; ++i) steps.push_back(0.003f + 0.0007f * static_cast<float>(i));
  return steps;
}

size_t Size(const Dims& dims) {
  size_t size = 1;
  for (const int64_t dim : dims) size *= static_cast<size_t>(dim);
  return size;
}

// Weights of `dims`, a step for each entry of the first axis.
Port Weights(IrWriter& ir, const std::string& name, const Dims& dims, Form form) {
  const std::vector<int> codes = Codes(Size(dims), static_cast<int>(name.size()));
  const auto channels = static_cast<size_t>(dims[0]);
  const std::vector<float> steps = Steps(channels);
  Dims each(dims.size(), 1);
  each[0] = dims[0];
  if (form == Form::kFakeQuantize) {
    std::vector<float> reals, low, high;
    for (size_t i = 0; i < codes.size(); ++i) {  // a third of a step beside what they are rounded to
      reals.push_back((static_cast<float>(codes[i]) + (i % 2 == 0 ? 0.3f : -0.3f)) *
                      steps[i / (codes.size() / channels)]);
    }
    for (const float step : steps) {
      low.push_back(-127 * step);
      high.push_back(127 * step);
    }
    const Port l = ir.Constant(name + "_low", each, low), h = ir.Constant(name + "_high", each, high);
    return ir.Layer("FakeQuantize", name, {ir.Constant(name + "_reals", dims, reals), l, h, l, h}, {dims},
                    "levels=\"255\"")[0];
  }
  const bool is_signed = form == Form::kSigned;
  std::vector<int> stored = codes;
  for (int& code : stored) code += is_signed ? 0 : 128;
  Port y = ir.Codes(name + "_codes", dims, is_signed ? "i8" : "u8", stored);
  y = ir.Layer("Convert", name + "_floats", {y}, {dims}, "destination_type=\"f32\"")[0];
  if (!is_signed) {
    const Port zero = ir.Codes(name + "_zero", {}, "u8", {128});
    const Port floats =
        ir.Layer("Convert", name + "_zero_floats", {zero}, {{}}, "destination_type=\"f32\"")[0];
    y = ir.Layer("Subtract", name + "_centered", {y, floats}, {dims})[0];
  }
  return ir.Layer("Multiply", name, {y, ir.Constant(name + "_steps", each, steps)}, {dims})[0];
}

// 256 levels, the same for all elements, the first at -`zero` steps. No step of the network is a multiple of
// another: sums that are halfway between two levels would go to either in floats.
Port OnGrid(IrWriter& ir, const std::string& name, const Port& x, float zero, float step) {
  const float low = -zero * step;
  const Port l = ir.Constant(name + "_low", {}, {low}),
             h = ir.Constant(name + "_high", {}, {low + 255 * step});
  return ir.Layer("FakeQuantize", name, {x, l, h, l, h}, {x.dims}, "levels=\"256\"")[0];
}

IrWriter Network(Form form) {
  IrWriter ir;
  const std::string windows = "strides=\"1,1\" dilations=\"1,1\" pads_begin=\"1,1\" pads_end=\"1,1\"";
  Port x = OnGrid(ir, "served", ir.Parameter("x", {1, 3, 6, 6}), 128, 0.0101f);
  x = ir.Layer("Convolution", "conv", {x, Weights(ir, "w", {8, 3, 3, 3}, form)}, {{1, 8, 6, 6}}, windows)[0];
  std::vector<float> bias;
  for (int i = 0; i < 8; ++i) bias.push_back(0.1f * static_cast<float>(i) - 0.35f);
  x = ir.Layer("Add", "biased", {x, ir.Constant("b", {1, 8, 1, 1}, bias)}, {{1, 8, 6, 6}})[0];
  x = OnGrid(ir, "conv_grid", ir.Layer("ReLU", "relu", {x}, {{1, 8, 6, 6}})[0], 0, 0.0203f);
  Port v = Weights(ir, "depthwise_w", {8, 1, 3, 3}, form);
  const Dims grouped = {8, 1, 1, 3, 3};
  v = ir.Layer("Reshape", "grouped", {v, ir.Integers("shape", {5}, grouped)}, {grouped},
               "special_zero=\"false\"")[0];
  const Port depthwise = ir.Layer("GroupConvolution", "depthwise", {x, v}, {{1, 8, 6, 6}}, windows)[0];
  const Port branch = OnGrid(ir, "depthwise_grid", depthwise, 128, 0.0307f);
  x = OnGrid(ir, "sum_grid", ir.Layer("Add", "sum", {x, branch}, {{1, 8, 6, 6}})[0], 64, 0.0411f);
  x = ir.Layer("Reshape", "flat", {x, ir.Integers("all", {2}, {1, 288})}, {{1, 288}},
               "special_zero=\"false\"")[0];
  x = ir.Layer("MatMul", "dense", {x, Weights(ir, "dense_w", {5, 288}, form)}, {{1, 5}},
               "transpose_b=\"true\"")[0];
  ir.Result(OnGrid(ir, "y", x, 128, 0.1013f));
  return ir;
}

quant::Graph Import(Form form) {
  const auto graph = Network(form).Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto passed = quant::RunPasses(*graph, {});
  EXPECT_TRUE(passed.ok()) << passed.status();
  return *passed;
}

std::string Id(const quant::Graph& graph) {
  const auto module = quant::LowerToModule(graph, {}, {});
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? ToHex(ModuleId(*module)) : "";
}

TEST(QuantizedIr, NeedsNoSamples) {
  for (const Form form : {Form::kFakeQuantize, Form::kSigned, Form::kUnsigned}) {
    EXPECT_TRUE(quant::ValuesToCalibrate(Import(form), {}).empty());
  }
}

TEST(QuantizedIr, IsOneModuleInAllForms) {
  const std::string id = Id(Import(Form::kFakeQuantize));
  EXPECT_NE(id, "");
  EXPECT_EQ(Id(Import(Form::kSigned)), id);
  EXPECT_EQ(Id(Import(Form::kUnsigned)), id);
}

TEST(QuantizedIr, IsWithinOneStepOfItsFormula) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto graph = Network(Form::kFakeQuantize).Import();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const QuantizedGraph quantized = QuantizeGraph(*graph, {quant::Random({1, 3, 6, 6}, seed, -1.3, 1.3)});
    ASSERT_NE(quantized.module, nullptr);
    const auto& output = quantized.accuracy.outputs[0];
    EXPECT_FLOAT_EQ(static_cast<float>(output.step), 0.1013f);
    EXPECT_LE(std::lround(output.error.largest() / output.step), 1) << seed;
  }
}

}  // namespace
}  // namespace tally::openvino
