// Nodes of ONNX in all combinations of their attributes (nodes.py) give what ONNX Runtime gives, or are
// refused with the label that outcomes.tsv states. outputs.json has ONNX Runtime's values
// (compute_outputs.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/error.h"
#include "frontends/onnx/float/import_onnx.h"
#include "quant/graph/float_executor.h"

namespace tally::onnx {
namespace {

using Json = nlohmann::json;
using quant::FloatTensor;

constexpr char kFolder[] = "tests/onnx_runtime/";

std::vector<Json> ReadLines(const std::string& name) {
  std::ifstream stream(kFolder + name);
  std::vector<Json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

// By name, what is refused and why.
std::map<std::string, std::string> ReadOutcomes() {
  std::ifstream stream(std::string(kFolder) + "outcomes.tsv");
  std::map<std::string, std::string> outcomes;
  for (std::string line; std::getline(stream, line);) {
    const size_t tab = line.find('\t');
    if (!line.starts_with('#')) outcomes.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return outcomes;
}

// The difference, in words; empty if there is no difference. Integers are equal, reals within the rounding of
// some float operations.
std::string Difference(const quant::Tensor& got, const Json& wanted) {
  constexpr double kRelative = 2e-5, kAbsolute = 2e-6;
  if (quant::ShapeOf(got) != wanted[1].get<quant::Shape>())
    return "shape " + quant::ToString(quant::ShapeOf(got)) + " instead of " + wanted[1].dump();
  const std::vector<double> elements = std::visit(
      [](const auto& tensor) { return std::vector<double>(tensor.data.begin(), tensor.data.end()); }, got);
  const bool is_integer = std::holds_alternative<quant::Int64Tensor>(got);
  double largest = 0;
  for (const Json& number : wanted[2]) largest = std::max(largest, std::abs(number.get<double>()));
  for (size_t i = 0; i < elements.size(); ++i) {
    const double error = std::abs(elements[i] - wanted[2][i].get<double>());
    if (!(error <= (is_integer ? 0 : kAbsolute + kRelative * largest)))
      return "element " + std::to_string(i) + " is " + std::to_string(elements[i]) + " instead of " +
             wanted[2][i].dump();
  }
  return "";
}

// "pass", the label of the refusal, or "differs: .." and how.
std::string OutcomeOf(const Json& one, const Json& outputs) {
  std::string model;
  if (!absl::Base64Unescape(one["model"].get<std::string>(), &model)) return "differs: no model";
  const auto graph = ImportOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, {});
  if (!graph.ok()) return std::string(ErrorLabel(graph.status()));
  std::vector<FloatTensor> inputs;
  for (const Json& input : one["inputs"])
    inputs.push_back({input[1].get<quant::Shape>(), input[2].get<std::vector<float>>()});
  const auto got = quant::RunGraph(*graph, inputs);
  if (!got.ok()) return "differs: " + std::string(got.status().message());
  if (got->size() < outputs.size()) return "differs: fewer outputs";
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (const std::string difference = Difference((*got)[i], outputs[i]); !difference.empty())
      return "differs: output " + std::to_string(i) + ", " + difference;
  }
  return "pass";
}

TEST(OnnxRuntime, NodesGiveItsValuesOrAreRefused) {
  std::map<std::string, Json> outputs;
  for (Json& line : ReadLines("outputs.json")) outputs[line[0].get<std::string>()] = std::move(line[1]);
  std::map<std::string, std::string> refused = ReadOutcomes();
  const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  std::ofstream found(folder == nullptr ? "/dev/null" : std::string(folder) + "/outcomes.tsv");
  std::map<std::string, int> counts;
  for (const Json& one : ReadLines("cases.json")) {
    const std::string name = one["name"].get<std::string>();
    const auto expected = outputs.find(name);
    if (expected == outputs.end()) continue;  // ONNX Runtime refuses it
    const std::string outcome = OutcomeOf(one, expected->second);
    ++counts[outcome.starts_with("differs") ? "differs" : outcome];
    if (outcome != "pass") found << name << "\t" << outcome << "\n";
    const auto stated = refused.find(name);
    EXPECT_EQ(outcome, stated == refused.end() ? "pass" : stated->second) << name;
    refused.erase(name);
    outputs.erase(expected);
  }
  EXPECT_TRUE(outputs.empty()) << outputs.begin()->first << " has outputs and no model";
  EXPECT_TRUE(refused.empty()) << refused.begin()->first << " has an outcome and no model";
  for (const auto& [outcome, count] : counts) std::cout << count << "  " << outcome << "\n";
  EXPECT_GT(counts["pass"], 1000);
}

}  // namespace
}  // namespace tally::onnx
