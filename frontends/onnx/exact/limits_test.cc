// Requests of a hostile graph, each refused.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/graph.h"
#include "frontends/onnx/exact/testing/graph_parts.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

TensorProto Floats(const std::string& name, const std::vector<float>& values) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::FLOAT);
  if (values.size() != 1) tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const float value : values) tensor.add_float_data(value);
  return tensor;
}

TensorProto Byte(const std::string& name, const std::vector<int64_t>& dims, int32_t value) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::UINT8);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.add_int32_data(value);
  return tensor;
}

// The label of the import of a graph without inputs.
std::string LabelOf(const std::vector<NodeProto>& nodes, const std::vector<TensorProto>& initializers) {
  GraphProto graph = Graph({}, nodes, {"y"});
  for (const TensorProto& tensor : initializers) *graph.add_initializer() = tensor;
  Composition c(Profile::kCore);
  return ErrorLabel(ImportExactly(graph, 13, {}, c).status());
}

TEST(ExactLimits, OnnxMalformed_AShapeWithoutDataAllocatesNothing) {
  TensorProto huge = Floats("y", {1});
  huge.add_dims(int64_t{1} << 30);
  EXPECT_EQ(LabelOf({}, {huge}), "model_malformed");
}

TEST(ExactLimits, OnnxInexact_FractionBitsThatProductsDouble) {
  std::vector<NodeProto> nodes;
  for (int i = 0; i < 40; ++i) {
    const std::string factor = i == 0 ? "x" : "x" + std::to_string(i);
    nodes.push_back(Node("Mul", {factor, factor}, {i == 39 ? "y" : "x" + std::to_string(i + 1)}));
  }
  // More elements than are computed while they are imported.
  std::vector<float> values(65, 0.0f);
  TensorProto x = Floats("x", values);
  x.set_float_data(0, 0.0f);
  EXPECT_EQ(LabelOf(nodes, {x}), "");
  x.set_float_data(0, 0x1p-20f);
  EXPECT_EQ(LabelOf(nodes, {x}), "model_inexact");
}

TEST(ExactLimits, OnnxInexact_APadOfAnotherMagnitude) {
  TensorProto pads;
  pads.set_name("pads");
  pads.set_data_type(TensorProto::INT64);
  pads.add_dims(2);
  pads.add_int64_data(1);
  pads.add_int64_data(1);
  const auto label = [&](float x, float pad) {
    return LabelOf({Node("Pad", {"x", "pads", "pad"}, {"y"})},
                   {Floats("x", {x, x}), pads, Floats("pad", {pad})});
  };
  EXPECT_EQ(label(0x1p-10f, 3), "");
  EXPECT_EQ(label(0x1p-120f, 3), "model_inexact");
  EXPECT_EQ(label(0x1p-40f, 1024), "model_inexact");
}

TEST(ExactLimits, OnnxInexact_ScalesBeyondAnyMultiplier) {
  const auto label = [&](float a_scale, int32_t zero) {
    return LabelOf({Node("QLinearMatMul", {"a", "s", "z", "a", "s", "z", "one", "zero"}, {"y"})},
                   {Byte("a", {1, 1}, 3), Byte("z", {}, 0), Byte("zero", {}, zero), Floats("s", {a_scale}),
                    Floats("one", {1})});
  };
  EXPECT_EQ(label(1, 0), "");
  EXPECT_EQ(label(0x1p16f, 0), "model_inexact");  // a multiplier of 2^32
  EXPECT_EQ(label(0x1p40f, 0), "model_inexact");
}

// A small file that asks for much of each kind is refused, in the memory and time of what it may spend.
TEST(ExactLimits, OnnxTooLarge_ResultsOfABodyTimesTrips) {
  GraphProto body = Graph({"i", "go_on"}, {}, {"go_on"});
  for (int k = 0; k < 5000; ++k) body.add_output()->set_name("i");
  Names outputs;
  for (int k = 0; k < 5000; ++k) outputs.push_back("r" + std::to_string(k));
  outputs[0] = "y";
  TensorProto trips;
  trips.set_name("trips");
  trips.set_data_type(TensorProto::INT64);
  trips.add_int64_data(1 << 20);
  EXPECT_EQ(LabelOf({Node("Loop", {"trips"}, outputs, {Body("body", body)})}, {trips}), "model_too_large");
  trips.set_int64_data(0, std::numeric_limits<int64_t>::max());  // no limit, as exporters write it
  EXPECT_EQ(LabelOf({Node("Loop", {"trips"}, outputs, {Body("body", body)})}, {trips}), "model_too_large");
}

TEST(ExactLimits, OnnxTooLarge_InputsOfNodesAndInstructionsOfOne) {
  std::vector<NodeProto> nodes;
  const Names many(20000, "x");
  for (int i = 0; i < 40; ++i) nodes.push_back(Node("Sum", many, {i == 39 ? "y" : "y" + std::to_string(i)}));
  EXPECT_EQ(LabelOf(nodes, {Byte("x", {}, 0)}), "model_too_large");
}

TEST(ExactLimits, OnnxMayWrap_ASumBeyondItsType) {
  EXPECT_EQ(LabelOf({Node("Add", {"x", "x"}, {"y"})}, {Byte("x", {1}, 127)}), "");
  EXPECT_EQ(LabelOf({Node("Add", {"x", "x"}, {"y"})}, {Byte("x", {1}, 128)}), "model_may_wrap");
}

TEST(ExactLimits, OnnxMalformed_WindowsOutOfRange) {
  for (const std::string name : {"kernel_shape", "strides", "dilations"}) {
    for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1} << 31}) {
      std::vector<AttributeProto> attributes = {IntList(name, {value}), String("auto_pad", "SAME_UPPER")};
      if (name != "kernel_shape") attributes.push_back(IntList("kernel_shape", {2}));
      EXPECT_EQ(LabelOf({Node("MaxPool", {"x"}, {"y"}, attributes)}, {Byte("x", {1, 1, 1}, 3)}),
                "model_malformed")
          << name << " " << value;
    }
  }
}

}  // namespace
}  // namespace tally::onnx
