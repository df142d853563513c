// Digests and ids against an independent implementation and against the worked example of the specification.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hash/sha256.h"
#include "base/hash/tensor_leaves.h"
#include "serializer/module_id.h"
#include "serializer/program.h"
#include "serializer/tensor_digest.h"
#include "serializer/testing/golden_module.h"

namespace tally {
namespace {

nlohmann::json Vectors() {
  std::ifstream file("serializer/vectors/commitment.json");
  return nlohmann::json::parse(file);
}

TEST(Commitment, TensorsHaveTheDigestsOfTheVectors) {
  const nlohmann::json cases = Vectors()["tensors"];
  ASSERT_GE(cases.size(), 10u);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c.dump());
    const auto dims = c["dims"].get<std::vector<int64_t>>();
    Tensor tensor(*Shape::Create(dims), kAllStorages.at(c["storage"].get<size_t>()));
    for (size_t i = 0; i < tensor.bytes().size(); ++i) {
      tensor.mutable_bytes()[i] = static_cast<uint8_t>(167 * i + i / 251);
    }
    EXPECT_EQ(TensorLeaves(tensor.storage(), tensor.shape()).count(), c["leaves"].get<int64_t>());
    EXPECT_EQ(ToHex(TensorRoot(tensor.view())), c["root"].get<std::string>());
    EXPECT_EQ(ToHex(TensorDigest(tensor.view())), c["digest"].get<std::string>());
    EXPECT_EQ(ToHex(ValueDigest(tensor.view())), c["value_digest"].get<std::string>());
  }
}

TEST(Commitment, ARecipeHasTheDigestOfTheVectors) {
  const nlohmann::json golden = Vectors()["recipe"];
  const auto pair = [&](const char* name) { return golden[name].get<std::vector<int64_t>>(); };
  const auto number = [&](const char* name) { return golden[name].get<int64_t>(); };
  const Recipe recipe = {.function = static_cast<RecipeFunction>(number("function")),
                         .alpha = {pair("alpha")[0], pair("alpha")[1]},
                         .beta = {pair("beta")[0], pair("beta")[1]},
                         .in = {pair("in")[0], pair("in")[1]},
                         .out = {pair("out")[0], pair("out")[1]},
                         .zero_in = number("zero_in"),
                         .zero_out = number("zero_out"),
                         .first = number("first"),
                         .count = number("count"),
                         .lo = number("lo"),
                         .hi = number("hi")};
  const Tensor tensor = *ExpandToTensor(recipe, *Shape::Create({recipe.count}));
  const Digest sha256 = Sha256Hash(tensor.bytes());
  EXPECT_EQ(ToHex(sha256), golden["sha256"].get<std::string>());
  Module module;
  module.constants = {tensor.view()};
  module.recipes = {{.constant = 0, .recipe = recipe, .sha256 = sha256}};
  EXPECT_EQ(ToHex(ConstantDigests(module).at(0)), golden["digest"].get<std::string>());
}

TEST(Commitment, TheGoldenModuleHasTheIdOfTheVectorsAndOfTheSpecification) {
  const nlohmann::json golden = Vectors()["golden_module"];
  const Module module = GoldenModule();
  const std::vector<Digest> constants = ConstantDigests(module);
  ASSERT_EQ(constants.size(), 1u);
  EXPECT_EQ(ToHex(EncodeProgram(module, constants, MetadataDigest(module))),
            golden["program"].get<std::string>());

  std::ifstream file("docs/spec/commitment.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const auto expect = [&](const char* name, const Digest& digest) {
    EXPECT_EQ(ToHex(digest), golden[name].get<std::string>()) << name;
    EXPECT_NE(page.find(ToHex(digest)), std::string::npos) << name;
  };
  expect("constant_root", TensorRoot(module.constants[0]));
  expect("constant_digest", constants[0]);
  expect("metadata_digest", MetadataDigest(module));
  expect("module_id", ModuleId(module));
}

}  // namespace
}  // namespace tally
