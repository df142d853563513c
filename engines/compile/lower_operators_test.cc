#include "engines/compile/lower_operators.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "ops/labels.h"
#include "ops/linear/attrs.h"
#include "vm/labels.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// y = relu(dense(x, w))
std::shared_ptr<const ValidModule> DenseModule() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({2, 3}), {-128, 127}});
  const ValueId w = b.Constant(*Tensor::FromValues(*Shape::Create({4, 3}), std::vector<int64_t>(12, 7)));
  b.Result("y", b.Op(Opcode::kRelu, {b.Op(Opcode::kDense, {x, w})}));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

TEST(LowerOperators, BorrowsConstantsAndKeepsTheirBytesAlive) {
  auto module = DenseModule();
  const uint8_t* const bytes = module->module().constants[0].bytes.data();
  const LoweredModule lowered = *LowerOperators(*module);
  module.reset();
  ASSERT_EQ(lowered.module.constants.size(), 1u);
  EXPECT_EQ(lowered.module.constants[0].bytes.data(), bytes);
  EXPECT_EQ(lowered.module.constants[0].at(11), 7);
}

TEST(LowerOperators, SaysWhereValuesAre) {
  const auto module = DenseModule();
  LoweredModule lowered = *LowerOperators(*module);
  const auto valid = *Validate(lowered.module);
  const auto& places = lowered.places[0];
  ASSERT_EQ(places.size(), 4u);  // x, w, sums, y
  EXPECT_EQ(places[0], 0u);
  EXPECT_EQ(places[1], std::nullopt);
  ASSERT_TRUE(places[2].has_value());
  EXPECT_EQ(valid.types()[*places[2]].shape, module->types()[2].shape);
  EXPECT_EQ(places[3], lowered.module.entry().results[0]);
}

TEST(LowerOperators, LeavesAModuleThatWouldExceedALimit) {
  const auto module = DenseModule();
  const ModuleForKernels kept = UseLowered(module, MakeError(label::live_pairs_limit, "too many"));
  EXPECT_EQ(kept.module, module);
  EXPECT_EQ(ErrorLabel(kept.status), "live_pairs_limit");
}

TEST(LowerOperators, SaysThatALoweringIsAtFault) {
  const auto module = DenseModule();
  const ModuleForKernels kept = UseLowered(module, MakeError(label::value_range, "too wide"));
  EXPECT_EQ(kept.module, module);
  EXPECT_EQ(ErrorLabel(kept.status), "lowering_failed");
  LoweredModule broken = *LowerOperators(*module);
  broken.module.functions[0].results[0] = 1000;
  EXPECT_EQ(ErrorLabel(UseLowered(module, std::move(broken)).status), "lowering_failed");
}

TEST(LowerOperators, SaysNothingWhereItLowers) {
  const auto module = DenseModule();
  EXPECT_NE(LowerForKernels(module).module, module);
  EXPECT_TRUE(LowerForKernels(module).status.ok());
}

}  // namespace
}  // namespace tally
