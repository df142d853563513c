#include "engines/check/run_check.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "ops/control/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr CheckPoint kAt = {4, "kernel", "wrote"};

// %1 = -%0, of two images of two channels and three positions.
ValidModule Negative() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({2, 2, 3}), {-50, 50}});
  b.Result("y", b.Op(Opcode::kNegative, {x}));
  return *Validate(std::move(b).Build());
}

class RunCheckTest : public testing::Test {
 protected:
  RunCheckTest()
      : module_(Negative()),
        check_(module_),
        x_(*Tensor::FromValues(module_.types()[0].shape, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})) {
    const TensorView inputs[] = {x_.view()};
    check_.EnterEntry(inputs);
  }

  const ValidModule module_;
  RunCheck check_;
  Tensor x_;
};

TEST_F(RunCheckTest, ComparesInAnyStorageAndLayout) {
  const int16_t row_major[] = {0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11};
  check_.Compare(1, {Layout::kRowMajor, Storage::kI16, reinterpret_cast<const uint8_t*>(row_major)}, kAt);
  const int8_t channels_last[] = {0, -3, -1, -4, -2, -5, -6, -9, -7, -10, -8, -11};
  const HeldValue held = {Layout::kChannelsLast, Storage::kI8,
                          reinterpret_cast<const uint8_t*>(channels_last)};
  check_.Compare(1, held, kAt);
  check_.CompareResult(0, held);
  EXPECT_TRUE(check_.status().ok()) << check_.status();
}

TEST_F(RunCheckTest, TellsTheFirstDifferenceAndThenNoMore) {
  int8_t y[] = {0, -1, -2, -3, -4, 7, -6, -7, -8, -9, -10, -11};
  const HeldValue held = {Layout::kRowMajor, Storage::kI8, reinterpret_cast<const uint8_t*>(y)};
  check_.Compare(1, held, kAt);
  y[0] = 5;
  check_.Compare(1, held, {5, "another", "wrote"});
  EXPECT_EQ(ErrorLabel(check_.status()), "check_failed");
  EXPECT_NE(check_.status().message().find(
                "step 4 (kernel) of function 0 wrote 7 at [0,1,2] of %1 (negative of the "
                "lowered module), which is -5 by the references"),
            std::string::npos)
      << check_.status();
}

}  // namespace
}  // namespace tally
