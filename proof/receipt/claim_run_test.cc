#include "proof/receipt/claim_run.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

std::shared_ptr<const ValidModule> Relu(std::string_view interval) {
  auto module = Assemble("tally 1\nprofile core\nparam %0 \"x\" [3] in " + std::string(interval) +
                         "\n%1 = relu %0\nresult %1 \"y\"\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return std::make_shared<const ValidModule>(*Validate(*std::move(module)));
}

absl::StatusOr<Claim> ClaimOn(std::string_view engine, const std::shared_ptr<const ValidModule>& module,
                              const Tensor& input, const ExecuteOptions& options = {}) {
  const auto plan = MakePlan(engine, module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const TensorView inputs[] = {input.view()};
  return ClaimOfRun(ClaimedModule(*module), inputs, (*plan)->Execute(inputs, options), options);
}

TEST(ClaimOfRun, IsTheSameOnEveryEngineAndFromEveryStorage) {
  const auto module = Relu("[-100, 100]");
  const Shape shape = *Shape::Create({3});
  const Digest expected = ClaimId(*ClaimOn("formal", module, *Tensor::FromValues(shape, {-5, 0, 7})));
  for (const char* engine : {"formal", "reference", "cpu"}) {
    for (const Storage storage : kAllStorages) {
      const std::vector<int64_t> values = {-5, 0, 7};
      EXPECT_EQ(ClaimId(*ClaimOn(engine, module, *Tensor::FromValues(shape, storage, values))), expected);
    }
  }
}

// An input of bytes in a parameter of 16 bits is committed to in 16 bits: as the type says, not as the values
// happen to be.
TEST(ClaimOfRun, InputsHaveTheStorageOfTheirTypes) {
  const auto module = Relu("[-1000, 1000]");
  const Shape shape = *Shape::Create({3});
  const Tensor wide = *Tensor::FromValues(shape, Storage::kI16, std::vector<int64_t>{1, 2, 3});
  const Tensor narrow = *Tensor::FromValues(shape, {1, 2, 3});
  ASSERT_NE(wide.storage(), narrow.storage());
  const TensorView a[] = {wide.view()}, b[] = {narrow.view()};
  EXPECT_EQ(InputsDigest(*module, a), InputsDigest(*module, b));
  EXPECT_NE(InputsDigest(*Relu("[-100, 100]"), a), InputsDigest(*module, a));
}

TEST(ClaimOfRun, OfARunThatIsRefusedSaysWhy) {
  const auto module = Relu("[-100, 100]");
  const Shape shape = *Shape::Create({3});
  const Tensor input = *Tensor::FromValues(shape, {1, 2, 3});
  const auto outside = ClaimOn("cpu", module, *Tensor::FromValues(shape, {1, 2, 300}));
  EXPECT_EQ(outside->status, "input_interval");
  EXPECT_EQ(outside->gas, 0u);
  EXPECT_FALSE(outside->results.has_value());
  // It is hashed as it is: the lowest byte of 300 is 44, which is an input too.
  EXPECT_NE(outside->inputs, ClaimOn("cpu", module, *Tensor::FromValues(shape, {1, 2, 44}))->inputs);
  EXPECT_EQ(ClaimOn("cpu", module, Tensor())->status, "input_shape");
  const auto gas = ClaimOn("cpu", module, input, {.gas_limit = 5});
  EXPECT_EQ(gas->status, "gas_limit");
  EXPECT_EQ(gas->limit, 5u);
  const auto memory = ClaimOn("cpu", module, input, {.memory_limit_bytes = -1});
  EXPECT_EQ(ErrorLabel(memory.status()), "") << memory.status();
}

TEST(ClaimOfRun, HasNoClaimOfAFaultOfTheMachine) {
  const auto module = Relu("[-100, 100]");
  const absl::StatusOr<Outcome> failed = absl::InternalError("the device is gone");
  EXPECT_EQ(ClaimOfRun(ClaimedModule(*module), {}, failed, {}).status(), failed.status());
}

TEST(ClaimOfRun, BindsModuleInputsAndResults) {
  const Shape shape = *Shape::Create({3});
  const Tensor input = *Tensor::FromValues(shape, {1, -2, 3}), other = *Tensor::FromValues(shape, {1, -3, 3});
  const Claim a = *ClaimOn("cpu", Relu("[-100, 100]"), input),
              b = *ClaimOn("cpu", Relu("[-100, 101]"), input);
  const Claim c = *ClaimOn("cpu", Relu("[-100, 100]"), other);
  EXPECT_NE(a.module, b.module);
  EXPECT_NE(a.bounds, b.bounds);  // the bounds differ, although gas and memory are equal
  EXPECT_NE(a.inputs, c.inputs);
  EXPECT_EQ(a.results, c.results);  // relu gives the same
  EXPECT_NE(ClaimId(a), ClaimId(c));
}

}  // namespace
}  // namespace tally
