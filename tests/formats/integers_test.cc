// Models of integers, bit for bit what a definition in Python says (openvino_integers.py), without samples.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "engines/engine.h"
#include "frontends/formats.h"
#include "frontends/openvino/testing/ir_writer.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Json = nlohmann::json;

std::vector<uint8_t> Bytes(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

absl::StatusOr<Module> ImportBytes(const std::vector<uint8_t>& model, const std::vector<uint8_t>& weights,
                                   const std::vector<frontend::InputRange>& ranges) {
  const std::string path = testing::TempDir() + "weights.bin";
  EXPECT_TRUE(WriteFileAtomically(path, weights).ok());
  const auto format = frontend::FormatOf(model);
  EXPECT_TRUE(format.ok()) << format.status();
  return (*format)->import_exactly(model, {.weights = path}, ranges);
}

// Parameters are called as the writer's first layers are: parameter0, parameter1, ..
absl::StatusOr<Module> Import(const Json& test) {
  std::vector<frontend::InputRange> ranges;
  for (size_t i = 0; i < test["inputs"].size(); ++i) {
    if (!test["inputs"][i]["flags"]) ranges.push_back({"parameter" + std::to_string(i), 0, {-1024, 1024}});
  }
  return ImportBytes(Bytes(test["model"]), Bytes(test["weights"]), ranges);
}

void ExpectResults(const Plan& plan, const Json& test) {
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;
  const auto& params = plan.module().entry().params;
  for (size_t i = 0; i < params.size(); ++i) {
    const auto data = test["inputs"][i]["data"].get<std::vector<int64_t>>();
    auto tensor = Tensor::FromValues(params[i].shape, params[i].storage(), data);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    inputs.push_back(*std::move(tensor));
  }
  for (const Tensor& input : inputs) views.push_back(input.view());
  const auto outcome = plan.Execute(views, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_EQ(outcome->results.size(), test["outputs"].size());
  for (size_t r = 0; r < outcome->results.size(); ++r) {
    const TensorView view = outcome->results[r].view();
    const auto expected = test["outputs"][r]["data"].get<std::vector<int64_t>>();
    ASSERT_EQ(view.shape.num_elements(), std::ssize(expected));
    for (int64_t i = 0; i < view.shape.num_elements(); ++i) {
      EXPECT_EQ(view.at(i), expected[static_cast<size_t>(i)]) << "result " << r << ", element " << i;
    }
  }
}

TEST(Integers, AreWhatTheirDefinitionsSay) {
  std::ifstream file("tests/formats/integer_cases.json");
  const Json cases = Json::parse(file);
  std::set<std::string> names;
  for (const Json& test : cases) {
    SCOPED_TRACE(test["name"].get<std::string>());
    names.insert(test["name"]);
    auto module = Import(test);
    ASSERT_TRUE(module.ok()) << module.status();
    auto valid = Validate(*std::move(module));
    ASSERT_TRUE(valid.ok()) << valid.status();
    const auto proven = std::make_shared<const ValidModule>(*std::move(valid));
    for (const char* engine : {"reference", "cpu"}) {
      const auto plan = MakePlan(engine, proven);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ExpectResults(**plan, test);
    }
  }
  // Every row of the list has a case.
  std::ifstream list("frontends/openvino/exact/operators.inc");
  int rows = 0;
  for (std::string line; std::getline(list, line);) {
    if (!line.starts_with("OPENVINO_")) continue;
    ++rows;
    const size_t begin = line.find('(') + 1;
    const std::string name = line.substr(begin, line.find(',') - begin);
    if (name == "Ceiling" || name == "Floor") continue;  // floats in fixed point have them
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_EQ(rows, 54);
}

TEST(Integers, RefusesWhatMayWrapAndWhatIsNoInteger) {
  using openvino::IrWriter;
  const auto label = [](const IrWriter& ir, const std::vector<frontend::InputRange>& ranges) {
    const std::string xml = ir.xml();
    return std::string(ErrorLabel(ImportBytes({xml.begin(), xml.end()}, ir.weights(), ranges).status()));
  };
  IrWriter sum;
  const auto x = sum.Parameter("x", {2}, "i32");
  sum.Result(sum.Layer("Add", "y", {x, x}, {{2}})[0]);
  EXPECT_EQ(label(sum, {}), "model_may_wrap");
  EXPECT_EQ(label(sum, {{"x", 0, {0, 1 << 30}}}), "model_may_wrap");
  EXPECT_EQ(label(sum, {{"x", 0, {0, (1 << 30) - 1}}}), "");
  IrWriter floats;
  floats.Result(floats.Layer("Abs", "y", {floats.Parameter("x", {2})}, {{2}})[0]);
  EXPECT_EQ(label(floats, {}), "model_inexact");
  EXPECT_EQ(label(floats, {{"x", 8, {-1000, 1000}}}), "");
  const std::string xml = sum.xml();
  std::string means = xml;
  means.insert(means.find("<layers>"),
               "<pre-process><channel id=\"0\"><mean value=\"1\"/></channel></pre-process>");
  EXPECT_EQ(ErrorLabel(ImportBytes({means.begin(), means.end()}, {}, {{"x", 0, {0, 1}}}).status()),
            "model_unsupported_type");
  IrWriter other;
  other.Result(other.Layer("Sqrt", "y", {other.Parameter("x", {2}, "i32")}, {{2}})[0]);
  EXPECT_EQ(label(other, {}), "model_unsupported_operator");
  IrWriter computed;
  const auto list = computed.Parameter("list", {1}, "i64");
  computed.Result(computed.Layer("Transpose", "y", {computed.Parameter("x", {2}, "i32"), list}, {{2}})[0]);
  EXPECT_EQ(label(computed, {}), "model_unsupported_operand");
}

}  // namespace
}  // namespace tally
