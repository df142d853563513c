// Columns by an independent definition (conformance/oracle/expansion.py), commitment by commitment.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/hash/digest.h"
#include "proof/trace/judged_run.h"
#include "serializer/tensor_digest.h"
#include "vm/element_steps.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

TEST(Columns, AreThoseOfTheDefinition) {
  std::ifstream file("tests/expansion/columns.json");
  const auto document = nlohmann::json::parse(file);
  for (const auto& test : document["cases"]) {
    SCOPED_TRACE(test["name"].get<std::string>());
    auto assembled = Assemble(test["module"].get<std::string>());
    ASSERT_TRUE(assembled.ok()) << assembled.status();
    const auto module = std::make_shared<const ValidModule>(*Validate(*std::move(assembled)));
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < test["inputs"].size(); ++i) {
      const TensorType& type = module->entry().params[i];
      inputs.push_back(
          *Tensor::FromValues(type.shape, type.storage(), test["inputs"][i].get<std::vector<int64_t>>()));
    }
    const auto run = JudgedRun::Of("reference", module, std::move(inputs));
    ASSERT_TRUE(run.ok()) << run.status();
    Referee<FormalInt> referee(*module, (*run)->committed(), **run);
    const ValuePlace place = {{}, test["value"].get<ValueId>()};
    const ElementSteps<FormalInt> steps(referee, place, test["element"].get<int64_t>(), -1);
    const auto columns = steps.Run();
    ASSERT_TRUE(columns.ok()) << columns.status();
    EXPECT_EQ(columns->back(), std::vector<int64_t>{test["result"].get<int64_t>()});
    ASSERT_EQ(columns->size(), test["columns"].size());
    for (size_t k = 0; k < columns->size(); ++k) {
      const Shape shape = *Shape::Create({std::ssize((*columns)[k])});
      const Tensor column = *Tensor::FromValues(shape, steps.columns()[k].storage, (*columns)[k]);
      EXPECT_EQ(ToHex(ValueDigest(column.view())), test["columns"][k].get<std::string>()) << "column " << k;
    }
  }
}

}  // namespace
}  // namespace tally
