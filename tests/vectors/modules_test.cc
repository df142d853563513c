// Every case of modules.json: inputs of a module of several instructions, as text, and its results. A run
// that is observed has the same ones, the roots that it shows are theirs, and its trace is that of all
// engines.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/trace/trace.h"
#include "tests/vectors/every_plan.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Json = nlohmann::json;
using Lists = std::vector<std::vector<int64_t>>;

absl::Status CheckResults(const Outcome& outcome, const Lists& expected) {
  for (size_t r = 0; r < expected.size(); ++r) {
    std::vector<int64_t> values;
    const TensorView y = outcome.results[r].view();
    for (int64_t i = 0; i < y.shape.num_elements(); ++i) values.push_back(y.at(i));
    if (values != expected[r]) return absl::InternalError(testing::PrintToString(values));
  }
  return absl::OkStatus();
}

// `trace`: that of the plans before, if there were any.
absl::Status CheckPlan(const Plan& plan, std::span<const TensorView> inputs, const Lists& expected,
                       std::optional<Digest>& trace) {
  ASSIGN_OR_RETURN(const Outcome outcome, plan.Execute(inputs, {}));
  RETURN_IF_ERROR(CheckResults(outcome, expected));
  std::map<ValueId, Digest> roots;
  Trace traced;
  ExecuteOptions options;
  options.root_observer = [&, record = RecordInto(traced)](std::span<const CallSite> path, ValueId id,
                                                           Storage storage, const Shape& shape,
                                                           const Digest& root) {
    roots[id] = root;
    record(path, id, storage, shape, root);
  };
  ASSIGN_OR_RETURN(const Outcome observed, plan.Execute(inputs, options));
  RETURN_IF_ERROR(CheckResults(observed, expected));
  if (!trace) trace = TraceDigest(traced);
  if (TraceDigest(traced) != *trace) return absl::InternalError("the trace is another one");
  const std::vector<ValueId>& ids = plan.module().entry().results;
  for (size_t r = 0; r < ids.size(); ++r) {
    if (roots[ids[r]] != ValueRoot(outcome.results[r].view()))
      return absl::InternalError("the root of a result is not that of what a run serves");
  }
  return absl::OkStatus();
}

class ModuleTest : public testing::Test {
 public:
  explicit ModuleTest(Json json) : json_(std::move(json)) {}
  void TestBody() override {
    std::string text;
    for (const auto& line : json_["module"]) text += line.get<std::string>() + "\n";
    auto module = Assemble(text);
    ASSERT_TRUE(module.ok()) << module.status();
    auto valid = Validate(*std::move(module));
    ASSERT_TRUE(valid.ok()) << valid.status();
    const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
    const auto lists = json_["inputs"].get<Lists>();
    std::vector<Tensor> inputs;
    std::vector<TensorView> views;
    for (size_t i = 0; i < lists.size(); ++i) {
      inputs.push_back(*Tensor::FromValues(shared->entry().params[i].shape, lists[i]));
    }
    for (const Tensor& input : inputs) views.push_back(input.view());
    const auto expected = json_["results"].get<Lists>();
    std::optional<Digest> trace;
    const absl::Status status =
        ForEveryPlan(shared, [&](const Plan& plan) { return CheckPlan(plan, views, expected, trace); });
    EXPECT_TRUE(status.ok()) << status;
  }

 private:
  Json json_;
};

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::ifstream file("tests/vectors/modules.json");
  const auto read = nlohmann::json::parse(file);
  for (const auto& json : read.at("cases")) {
    std::string name = json["name"];
    std::ranges::replace_if(
        name, [](unsigned char c) { return !std::isalnum(c); }, '_');
    testing::RegisterTest("Modules", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [json]() -> testing::Test* { return new tally::ModuleTest(json); });
  }
  return RUN_ALL_TESTS();
}
