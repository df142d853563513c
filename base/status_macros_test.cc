#include "base/status_macros.h"

#include <memory>

#include "base/error.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

constexpr Label kNegative("negative", ErrorStage::request, absl::StatusCode::kOutOfRange);
constexpr Label kOdd("odd", ErrorStage::request, absl::StatusCode::kInvalidArgument);

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return MakeError(kNegative, "");
  return std::make_unique<int>(value);
}

absl::Status RequireEven(int value) { return value % 2 == 0 ? absl::OkStatus() : MakeError(kOdd, ""); }

absl::StatusOr<int> AddEvens(int a, int b) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> left, Make(a));
  std::unique_ptr<int> right;
  ASSIGN_OR_RETURN(right, Make(b));
  RETURN_IF_ERROR(RequireEven(*left));
  RETURN_IF_ERROR(RequireEven(*right));
  return *left + *right;
}

TEST(StatusMacros, PassValuesOnWhenAllIsWell) { EXPECT_EQ(AddEvens(2, 4).value(), 6); }

TEST(StatusMacros, ReturnTheFirstErrorUnchanged) {
  EXPECT_EQ(ErrorLabel(AddEvens(-1, 3).status()), "negative");
  EXPECT_EQ(ErrorLabel(AddEvens(1, -3).status()), "negative");
  EXPECT_EQ(ErrorLabel(AddEvens(2, 3).status()), "odd");
}

// The macro is one statement, so it can be the branch of an if that has an else.
TEST(StatusMacros, ReturnIfErrorIsOneStatement) {
  const auto check = [](bool even, int value) -> absl::Status {
    if (even)
      RETURN_IF_ERROR(RequireEven(value));
    else
      RETURN_IF_ERROR(RequireEven(value + 1));
    return absl::OkStatus();
  };
  EXPECT_TRUE(check(true, 2).ok());
  EXPECT_FALSE(check(true, 1).ok());
  EXPECT_TRUE(check(false, 1).ok());
  EXPECT_FALSE(check(false, 2).ok());
}

}  // namespace
}  // namespace tally
