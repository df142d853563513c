// Laws of the importer on damaged files: it never crashes, and what it accepts is a graph that passes Verify.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/graph/testing/import_laws.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/testing/sample_models.h"

namespace tally::onnx {
namespace {

void CheckImport(const std::vector<uint8_t>& bytes) {
  const auto graph = ImportOnnx(bytes);
  const absl::Status law = frontend::CheckImportLaws(graph, CheckOnnx(bytes), "onnx_");
  RC_CLASSIFY(graph.ok(), "accepted");
  if (!law.ok()) RC_FAIL(std::string(law.message()));
}

TEST(ImportProperties, TheUndamagedModelIsAccepted) {
  for (const int64_t opset : {7, 10, 11, 12}) EXPECT_EQ(ImageModel(opset).ImportLabel(), "") << opset;
  for (const auto& [name, model] : SampleModels()) {
    EXPECT_EQ(model.ImportMessage(), "") << name;
    EXPECT_LT(model.Bytes().size(), 4096) << name;
  }
}

RC_GTEST_PROP(ImportProperties, ChangedBytesAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = ImageModel(*rc::gen::element<int64_t>(10, 13)).Bytes();
  const int num_changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < num_changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::arbitrary<uint8_t>();
  }
  CheckImport(bytes);
}

RC_GTEST_PROP(ImportProperties, MovedBytesAreAcceptedOrRefused, ()) {
  std::vector<uint8_t> bytes = ImageModel(13).Bytes();
  const size_t from = *rc::gen::inRange<size_t>(0, bytes.size());
  const size_t to = *rc::gen::inRange<size_t>(0, bytes.size());
  const size_t size = *rc::gen::inRange<size_t>(0, bytes.size() - std::max(from, to) + 1);
  std::copy_n(std::vector<uint8_t>(bytes).begin() + static_cast<int64_t>(from), size,
              bytes.begin() + static_cast<int64_t>(to));
  CheckImport(bytes);
}

// Edits of the message itself reach further than those of its bytes.
RC_GTEST_PROP(ImportProperties, RewiredNodesAreAcceptedOrRefused, ()) {
  ModelBuilder model = ImageModel(13);
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
