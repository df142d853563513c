#include "api/boundary.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tally::api {
namespace {

// "code stage label: message" of what `body` fails with; "" where it does not.
template <typename Body>
std::string FailureText(const Body& body) {
  std::string text;
  const bool ok = Guard(body, [&](const Failure& f) {
    text = absl::StrCat(static_cast<int>(f.code), " ", ToAbsl(f.stage), " ", ToAbsl(f.label), ": ",
                        ToAbsl(f.message));
  });
  EXPECT_EQ(ok, text.empty());
  return text;
}

TEST(Guard, ReportsStatuses) {
  EXPECT_EQ(FailureText([] { return absl::OkStatus(); }), "");
  EXPECT_EQ(FailureText([] { return NotNull("", "x"); }), "");
  EXPECT_EQ(FailureText([] { return NotNull(nullptr, "module"); }), "3 request api_null: module is null");
  EXPECT_EQ(FailureText([] { return absl::InternalError("somewhere"); }), "13  : somewhere");
}

TEST(Guard, KeepsExceptionsInside) {
  EXPECT_EQ(FailureText([]() -> absl::Status { throw std::bad_alloc(); }),
            "8 fault api_memory: out of memory");
  EXPECT_EQ(FailureText([]() -> absl::Status { throw std::length_error("vector"); }),
            "8 fault api_memory: out of memory");
  EXPECT_EQ(FailureText([]() -> absl::Status { throw std::runtime_error("of a fault"); }),
            "13 fault api_exception: of a fault");
  EXPECT_EQ(FailureText([]() -> absl::Status { throw 1; }),
            "13 fault api_exception: an exception of an unknown kind");
}

}  // namespace
}  // namespace tally::api
