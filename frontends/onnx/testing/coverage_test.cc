// The column `import` of docs/coverage/onnx.tsv: by which importer a file with the operator is imported and
// gives what ONNX says. A row counts by a case of ONNX, or by a model below where ONNX has none that can
// agree.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"
#include "frontends/onnx/testing/node_case.h"
#include "quant/graph/float_executor.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using Names = std::set<std::string>;

void AddOperators(const ::onnx::GraphProto& graph, Names& names) {
  for (const ::onnx::NodeProto& node : graph.node()) {
    names.insert(node.op_type());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) AddOperators(attribute.g(), names);
    }
  }
}

// The operators in those of ONNX's cases that are imported with the expected results.
struct Imported {
  Names by_floats, exactly;
};

Imported InCases() {
  Imported imported;
  const auto exact = ReadCases("frontends/onnx/exact/node_cases.tsv");
  for (const std::string& name : AllNodeCases()) {
    const auto model = ModelOfCase(name);
    if (!model.has_value()) continue;
    if (OutcomeOf(name) == "pass") AddOperators(model->graph(), imported.by_floats);
    const auto line = exact.find(name.substr(name.find('/') + 1));
    if (line != exact.end() && line->second == "pass") AddOperators(model->graph(), imported.exactly);
  }
  return imported;
}

// Operators of which ONNX's cases here have none, or none whose expected floats are exact: a model of each,
// which the test of its importer compares with the definition.
std::map<std::string, ModelBuilder> OwnModels() {
  std::map<std::string, ModelBuilder> models;
  const auto add = [&](const std::string& op, int64_t opset,
                       const std::vector<std::string>& inputs) -> ModelBuilder& {
    ModelBuilder& model = models.emplace(op, ModelBuilder(opset)).first->second;
    model.Output("y").Node(op, inputs, {"y"});
    return model;
  };
  const auto node = [](ModelBuilder& model) { return NodeBuilder(model.graph().mutable_node(0)); };
  const FloatTensor four{{4}, {1, 2, 3, 4}};
  add("Mish", 18, {"x"}).Input("x", {2, 3});
  add("Gelu", 20, {"x"}).Input("x", {2, 3});
  add("LpNormalization", 13, {"x"}).Input("x", {2, 3});
  add("RMSNormalization", 23, {"x", "scale"}).Input("x", {2, 4}).Weight("scale", four);
  ModelBuilder& group = add("GroupNormalization", 21, {"x", "scale", "bias"});
  node(group.Input("x", {2, 4, 3, 3}).Weight("scale", four).Weight("bias", four)).Int("num_groups", 2);
  add("RoiAlign", 16, {"x", "rois", "images"})
      .Input("x", {1, 2, 6, 6})
      .Input("rois", {3, 4})
      .Integers("images", {{3}, {0, 0, 0}});
  ModelBuilder& pool = add("MaxRoiPool", 13, {"x", "rois"});
  node(pool.Input("x", {1, 2, 6, 6}).Input("rois", {3, 5})).Ints("pooled_shape", {2, 2});
  return models;
}

// Imports it and runs it on ones.
bool Runs(const ModelBuilder& model) {
  const auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return false;
  std::vector<FloatTensor> inputs;
  for (const quant::ValueId input : graph->inputs) {
    const quant::Shape& shape = graph->values[input].type.shape;
    inputs.push_back({shape, std::vector<float>(static_cast<size_t>(quant::NumElements(shape)), 1.0f)});
  }
  return quant::RunGraph(*graph, inputs).ok();
}

std::string ValueOf(const Imported& imported, const std::string& name) {
  const bool floats = imported.by_floats.contains(name), exact = imported.exactly.contains(name);
  return floats && exact ? "floats, exact" : floats ? "floats" : exact ? "exact" : "none";
}

// Compares each row, and writes the table as it should be.
TEST(Coverage, TheColumnImportSaysWhatIsImported) {
  Imported imported = InCases();
  for (const auto& [name, model] : OwnModels()) {
    EXPECT_FALSE(imported.by_floats.contains(name)) << name << " has a case of ONNX's";
    if (Runs(model)) imported.by_floats.insert(name);
  }
  std::ifstream table("docs/coverage/onnx.tsv");
  const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  std::ofstream filled(outputs == nullptr ? "/dev/null" : std::string(outputs) + "/onnx.tsv");
  std::map<std::string, int> counts;
  std::string line;
  ASSERT_TRUE(std::getline(table, line));
  EXPECT_EQ(line, "operator\tlowering\tstatus\timport\tnote");
  filled << line << "\n";
  while (std::getline(table, line)) {
    std::vector<std::string> fields;
    std::istringstream stream(line + "\t");
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 5u) << line;
    const std::string value = ValueOf(imported, fields[0]);
    EXPECT_EQ(fields[3], value) << fields[0];
    ++counts[value];
    for (size_t i = 0; i < 5; ++i) filled << (i == 3 ? value : fields[i]) << (i < 4 ? "\t" : "\n");
  }
  for (const auto& [value, count] : counts) std::cout << count << "  " << value << "\n";
}

}  // namespace
}  // namespace tally::onnx
