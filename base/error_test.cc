#include "base/error.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "base/labels.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

TEST(Error, CarriesLabelStageCodeAndMessageApart) {
  const absl::Status status = MakeError(label::file_open, "cannot read x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "cannot read x");
  EXPECT_EQ(ErrorLabel(status), "file_open");
  EXPECT_EQ(ErrorStageOf(status), ErrorStage::file);
  EXPECT_TRUE(HasLabel(status, label::file_open));
  EXPECT_FALSE(HasLabel(status, label::file_read));
}

TEST(Error, EveryStageIsReadBack) {
  constexpr Label kLabels[] = {
      {"a", ErrorStage::malformed, absl::StatusCode::kInternal},
      {"b", ErrorStage::invalid, absl::StatusCode::kInternal},
      {"c", ErrorStage::refused, absl::StatusCode::kInternal},
      {"d", ErrorStage::text, absl::StatusCode::kInternal},
      {"e", ErrorStage::model, absl::StatusCode::kInternal},
      {"f", ErrorStage::file, absl::StatusCode::kInternal},
      {"g", ErrorStage::request, absl::StatusCode::kInternal},
      {"h", ErrorStage::fault, absl::StatusCode::kInternal},
  };
  std::set<std::string_view> names;
  for (const Label& label : kLabels) {
    EXPECT_EQ(ErrorStageOf(MakeError(label, "")), label.stage()) << label.name();
    EXPECT_TRUE(names.insert(ErrorStageName(label.stage())).second) << label.name();
  }
}

TEST(Error, AnotherMessageKeepsTheIdentity) {
  absl::Status status = MakeError(label::file_size, "too large");
  status.SetPayload("elsewhere", absl::Cord("kept"));
  const absl::Status other = WithMessage(status, "constant 3: too large");
  EXPECT_EQ(other.message(), "constant 3: too large");
  EXPECT_EQ(other.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(HasLabel(other, label::file_size));
  EXPECT_EQ(ErrorStageOf(other), ErrorStage::file);
  EXPECT_EQ(std::string(other.GetPayload("elsewhere").value_or(absl::Cord())), "kept");
}

TEST(Error, LabelSurvivesCopies) {
  absl::Status copy;
  {
    const absl::Status original = MakeError(label::unexpected_end, "");
    copy = original;
  }
  EXPECT_EQ(ErrorLabel(copy), "unexpected_end");
}

TEST(Error, StatusFromElsewhereHasNoLabel) {
  for (const absl::Status& status : {absl::OkStatus(), absl::NotFoundError("no such file")}) {
    EXPECT_EQ(ErrorLabel(status), "");
    EXPECT_EQ(ErrorStageOf(status), std::nullopt);
    EXPECT_FALSE(HasLabel(status, label::file_open));
  }
}

}  // namespace
}  // namespace tally
