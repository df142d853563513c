#include "proof/trace/trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engines/engine.h"
#include "serializer/tensor_digest.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// y = -f(abs(x)), f(x) = -x + -x.
std::shared_ptr<const ValidModule> WithCall() {
  auto module = Assemble(
      "tally 1\nprofile core\nparam %0 \"x\" [3] in [-5, 5]\n%1 = abs %0\n"
      "%2 = call %1 {function = 1}\n%3 = negative %2\nresult %3 \"y\"\n"
      "function 1\nparam %0 [3] in [0, 5]\n%1 = negative %0\n%2 = elemwise_add %1, %1\nresult %2\n");
  EXPECT_TRUE(module.ok()) << module.status();
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

TEST(Trace, HasTheCommittedValuesInOrderWithTheCallsThatRan) {
  const auto plan = *MakePlan("reference", WithCall());
  const Tensor x = *Tensor::FromValues(*Shape::Create({3}), {-1, 2, 3});
  const TensorView inputs[] = {x.view()};
  Trace trace;
  ExecuteOptions options;
  options.root_observer = RecordInto(trace);
  ASSERT_TRUE(plan->Execute(inputs, options).ok());
  const auto value = [](std::vector<int64_t> elements) {
    return ValueDigest(Tensor::FromValues(*Shape::Create({3}), elements)->view());
  };
  const std::vector<CallSite> call = {{1, 0}};
  EXPECT_EQ(trace, Trace({{{}, 1, value({1, 2, 3})},
                          {call, 1, value({-1, -2, -3})},
                          {call, 2, value({-2, -4, -6})},
                          {{}, 2, value({-2, -4, -6})},
                          {{}, 3, value({2, 4, 6})}}));
}

// Against the independent definition, also on machines of another kind.
TEST(Trace, IsThatOfTheVectors) {
  std::ifstream file("proof/vectors/objects.json");
  const auto runs = nlohmann::json::parse(file)["runs"];
  ASSERT_GE(runs.size(), 3u);
  for (const auto& run : runs) {
    std::string text = "tally 1\nprofile core\n";
    for (const auto& line : run["module"]) text += line.get<std::string>() + "\n";
    SCOPED_TRACE(text);
    const auto module = std::make_shared<const ValidModule>(*Validate(*Assemble(text)));
    std::vector<Tensor> inputs;
    std::vector<TensorView> views;
    for (const auto& elements : run["inputs"]) {
      const Shape& shape = module->entry().params[inputs.size()].shape;
      inputs.push_back(*Tensor::FromValues(shape, elements.get<std::vector<int64_t>>()));
    }
    for (const Tensor& input : inputs) views.push_back(input.view());
    for (const char* engine : {"formal", "reference", "cpu"}) {
      Trace trace;
      ExecuteOptions options;
      options.root_observer = RecordInto(trace);
      ASSERT_TRUE((*MakePlan(engine, module))->Execute(views, options).ok());
      EXPECT_EQ(ToHex(TraceDigest(trace)), run["digest"].get<std::string>()) << engine;
    }
  }
}

TEST(Trace, EveryFieldChangesItsDigest) {
  const Trace trace = {{{}, 1, {1}}, {{{1, 0}, {2, 3}}, 4, {2}}};
  std::vector<Trace> others(7, trace);
  others[0].pop_back();
  std::swap(others[1][0], others[1][1]);
  others[2][1].path[1].step = 3;
  others[3][1].path[1].invocation = 4;
  others[4][1].path.pop_back();
  others[5][1].id = 5;
  others[6][1].value[31] ^= 1;
  for (const Trace& other : others) EXPECT_NE(TraceDigest(other), TraceDigest(trace));
}

TEST(TraceFile, ComesBackFromItsBytesAndEveryBitCounts) {
  const TraceFile file = {{7}, {{{}, 1, {1}}, {{{1, 0}, {2, 300}}, 4, {2}}}};
  const std::vector<uint8_t> bytes = EncodeTraceFile(file);
  EXPECT_EQ(*DecodeTraceFile(bytes), file);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<uint8_t> other = bytes;
    other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    const auto decoded = DecodeTraceFile(other);
    if (decoded.ok()) {
      EXPECT_EQ(EncodeTraceFile(*decoded), other);
      EXPECT_NE(*decoded, file);
    }
  }
}

}  // namespace
}  // namespace tally
