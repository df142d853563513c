#include "cli/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/labels.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

struct Told {
  int code;
  std::string out, err;
};

Told Tell(const absl::Status& status, bool json) {
  std::ostringstream out, err;
  const int code = Report(status, json, out, err);
  return {code, out.str(), err.str()};
}

TEST(Report, SuccessIsSilent) {
  const Told told = Tell(absl::OkStatus(), true);
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.out + told.err, "");
}

TEST(Report, ARefusalIsOneLineWithItsLabel) {
  const Told told = Tell(MakeError(label::input_name, "no 'a\nerror[b]: \u202e\"\xff'"), false);
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.err, "error[input_name]: no 'a\\u{a}error[b]: \\u{202e}\"\\xff'\n");
  EXPECT_EQ(told.out, "");
  EXPECT_EQ(Tell(MakeError(label::usage, ""), false).code, 2);
  EXPECT_EQ(Tell(absl::InternalError("x"), false).err, "error[internal]: x\n");
}

TEST(Report, MachinesReadTheSame) {
  const Told told = Tell(MakeError(label::input_name, "no 'a\nb\u00e9\u202e\"\xff'"), true);
  const auto error = nlohmann::json::parse(told.out)["error"];
  EXPECT_EQ(error["stage"], "request");
  EXPECT_EQ("error[" + error["label"].get<std::string>() + "]: " + error["message"].get<std::string>() + "\n",
            told.err);
  const Told fault = Tell(absl::InternalError("x"), true);
  const nlohmann::json expected = {{"label", "internal"}, {"stage", "fault"}, {"message", "x"}};
  EXPECT_EQ(nlohmann::json::parse(fault.out)["error"], expected);
}

TEST(WithoutExceptions, GivesThemLabels) {
  const auto label_of = [](const auto& exception) {
    return ErrorLabel(WithoutExceptions([&]() -> absl::Status { throw exception; }));
  };
  EXPECT_EQ(ErrorLabel(WithoutExceptions([] { return MakeError(label::npy_type, ""); })), "npy_type");
  EXPECT_EQ(label_of(std::bad_alloc()), "out_of_memory");
  EXPECT_EQ(label_of(std::length_error("vector::reserve")), "out_of_memory");
  EXPECT_EQ(label_of(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))),
            "out_of_memory");
  EXPECT_EQ(label_of(std::filesystem::filesystem_error("x", std::make_error_code(std::errc::io_error))),
            "internal");
  EXPECT_EQ(label_of(std::runtime_error("x")), "internal");
  EXPECT_EQ(label_of(5), "internal");
}

}  // namespace
}  // namespace tally::cli
