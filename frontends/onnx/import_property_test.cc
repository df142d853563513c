// Laws of the importer on damaged files: it never crashes, and what it accepts is a graph that passes Verify.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/import_onnx.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

// One node of every family, so that damage reaches every importer.
ModelBuilder LargeModel(int64_t opset) {
  ModelBuilder model(opset);
  model.Input("x", {-1, 2, 6, 6}).Output("probabilities").Output("class");
  model.Weight("w", SmallIntegers({4, 2, 3, 3}, 1)).Weight("p", {{4}, {1, 2, 3, 4}});
  model.Weight("fc", SmallIntegers({3, 16}, 2)).Weight("fc_bias", SmallIntegers({3}, 3));
  model.Weight("side", SmallIntegers({3, 2}, 4)).Integers("zero", {{}, {0}}).Integers("rest", {{1}, {-1}});
  model.Integers("axes", {{1}, {0}}).Weight("six", {{}, {6}});
  model.Node("Conv", {"x", "w"}, {"c"}).Ints("pads", {1, 1, 1, 1}).Ints("strides", {1, 1}).Int("group", 1);
  model.Node("BatchNormalization", {"c", "p", "p", "p", "p"}, {"n"}).Float("epsilon", 1e-3f);
  model.Node("Relu", {"n"}, {"r"});
  model.Node("Add", {"r", "c"}, {"a"});
  model.Node("Dropout", {"a"}, {"d"});
  model.Node("MaxPool", {"d"}, {"m"})
      .Ints("kernel_shape", {2, 2})
      .Ints("strides", {2, 2})
      .Int("ceil_mode", 1);
  model.Node("AveragePool", {"m"}, {"v"}).Ints("kernel_shape", {2, 2}).String("auto_pad", "VALID");
  model.Node("Transpose", {"v"}, {"t"}).Ints("perm", {0, 2, 3, 1});
  model.Node("Shape", {"x"}, {"s"});
  model.Node("Gather", {"s", "zero"}, {"g"});
  model.Node("Constant", {}, {"k"}).Ints("value_ints", {1});
  model.Node("Reshape", {"g", "k"}, {"u"});
  model.Node("Concat", {"u", "rest"}, {"shape"}).Int("axis", 0);
  model.Node("Reshape", {"t", "shape"}, {"f"});
  model.Node("Gemm", {"f", "fc", "fc_bias"}, {"l"}).Int("transB", 1).Float("alpha", 0.5f);
  if (opset >= 11) {
    model.Node("Clip", {"l", "", "six"}, {"q"});
  } else {
    model.Node("Clip", {"l"}, {"q"}).Float("max", 6);
  }
  model.Node("MatMul", {"q", "side"}, {"b"});
  model.Node("Flatten", {"b"}, {"e"});
  model.Node("Softmax", {"e"}, {"probabilities"}).Int("axis", 1);
  model.Node("ArgMax", {"e"}, {"class"}).Int("axis", 1).Int("keepdims", 0);
  return model;
}

// What CheckOnnx tells begins with what ends the import.
void CheckReport(const std::vector<uint8_t>& bytes, const absl::Status& import) {
  const auto report = CheckOnnx(bytes);
  if (!report.ok()) return RC_ASSERT(report.status() == import);
  RC_ASSERT(report->imports() == import.ok());
  if (import.ok()) return;
  const auto is_it = [&](const absl::Status& why) { return why == import; };
  const auto refused = std::ranges::find(report->nodes, NodeReport::kRefused, &NodeReport::fate);
  RC_ASSERT(std::ranges::any_of(report->others, is_it) ||
            (refused != report->nodes.end() && is_it(refused->why)));
}

// Accepts only what passes Verify, and refuses only with a label of its own.
void CheckImport(const std::vector<uint8_t>& bytes) {
  const auto graph = ImportOnnx(bytes);
  RC_CLASSIFY(graph.ok(), "accepted");
  if (graph.ok()) {
    RC_ASSERT(quant::Verify(*graph).ok());
  } else {
    RC_ASSERT(ErrorLabel(graph.status()).substr(0, 5) == "onnx_");
  }
  CheckReport(bytes, graph.status());
}

TEST(ImportProperties, TheUndamagedModelIsAccepted) {
  for (const int64_t opset : {7, 10, 11, 12}) EXPECT_EQ(LargeModel(opset).ImportLabel(), "") << opset;
}

RC_GTEST_PROP(ImportProperties, ChangedBytesAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = LargeModel(*rc::gen::element<int64_t>(10, 13)).Bytes();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::arbitrary<uint8_t>();
  }
  CheckImport(bytes);
}

RC_GTEST_PROP(ImportProperties, MovedBytesAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = LargeModel(13).Bytes();
  const size_t from = *rc::gen::inRange<size_t>(0, bytes.size());
  const size_t to = *rc::gen::inRange<size_t>(0, bytes.size());
  const size_t size = *rc::gen::inRange<size_t>(0, bytes.size() - std::max(from, to) + 1);
  std::copy_n(std::vector<uint8_t>(bytes).begin() + static_cast<int64_t>(from), size,
              bytes.begin() + static_cast<int64_t>(to));
  CheckImport(bytes);
}

// Edits of the message itself reach further than those of its bytes.
RC_GTEST_PROP(ImportProperties, RewiredNodesAreAcceptedOrRefused, ()) {
  ModelBuilder model = LargeModel(13);
  auto& graph = model.graph();
  const auto any_node = [&] { return graph.mutable_node(*rc::gen::inRange(0, graph.node_size())); };
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    ::onnx::NodeProto* node = any_node();
    switch (*rc::gen::inRange(0, 4)) {
      case 0: node->set_op_type(any_node()->op_type()); break;
      case 1:
        if (node->input_size() > 0) *node->mutable_input() = any_node()->input();
        break;
      case 2: *node->mutable_attribute() = any_node()->attribute(); break;
      default:
        for (auto& attribute : *node->mutable_attribute()) {
          attribute.set_i(*rc::gen::arbitrary<int64_t>());
          for (int64_t& value : *attribute.mutable_ints()) value = *rc::gen::arbitrary<int64_t>();
        }
    }
  }
  CheckImport(model.Bytes());
}

}  // namespace
}  // namespace tally::onnx
