#include "base/error.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

TEST(Error, CarriesLabelAndMessageApart) {
  const absl::Status status = MakeError("conv2d_c3", "groups = 3");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "groups = 3");
  EXPECT_EQ(ErrorLabel(status), "conv2d_c3");
}

TEST(Error, LabelSurvivesCopies) {
  absl::Status copy;
  {
    const absl::Status original = MakeError("unexpected_end", "");
    copy = original;
  }
  EXPECT_EQ(ErrorLabel(copy), "unexpected_end");
}

TEST(Error, StatusFromElsewhereHasNoLabel) {
  EXPECT_EQ(ErrorLabel(absl::OkStatus()), "");
  EXPECT_EQ(ErrorLabel(absl::NotFoundError("no such file")), "");
}

}  // namespace
}  // namespace tally
