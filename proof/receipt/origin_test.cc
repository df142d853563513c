#include "proof/receipt/origin.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally {
namespace {

Origin Example() { return {{1}, "tally quantize", "1.0", {Digest{2}, Digest{3}}, Digest{4}, Digest{5}}; }

TEST(Origin, ComesBackFromItsFile) {
  Origin origin = Example();
  EXPECT_EQ(*OriginFromJson(ToJson(origin)), origin);
  origin.calibration.reset();
  EXPECT_EQ(*OriginFromJson(ToJson(origin)), origin);
  origin.notes.reset();
  EXPECT_EQ(*OriginFromJson(ToJson(origin)), origin);
}

// An origin that was written before there were notes keeps its digest.
TEST(Origin, WithoutNotesIsAsItWas) {
  Origin origin = Example();
  origin.notes.reset();
  EXPECT_EQ(ToJson(origin).find("notes"), std::string::npos);
}

TEST(Origin, EveryFieldChangesItsDigest) {
  std::vector<Origin> others(9, Example());
  others[0].module = {9};
  others[1].producer = "another";
  others[2].version = "1.1";
  others[3].sources.pop_back();
  std::swap(others[4].sources[0], others[4].sources[1]);
  others[5].calibration = Digest{5};
  others[6].calibration.reset();
  others[7].notes = Digest{6};
  others[8].notes.reset();
  for (const Origin& other : others) EXPECT_NE(OriginDigest(other), OriginDigest(Example()));
}

TEST(Origin, RefusesEveryOtherText) {
  const std::string text = ToJson(Example());
  const auto label = [](std::string_view other) { return ErrorLabel(OriginFromJson(other).status()); };
  for (const std::string& other :
       {std::string(), std::string("null"), std::string("[]"), std::string("{}"), text + " ", text.substr(1),
        "{" + text, std::string(1 << 17, ' '), std::string(1 << 15, '[')}) {
    EXPECT_EQ(label(other), "origin_form") << other.substr(0, 80);
  }
  // Each byte that is another, but for those of the texts that are free.
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = '~';
    const auto origin = OriginFromJson(other);
    if (origin.ok()) {
      EXPECT_EQ(ToJson(*origin), other);
    } else {
      EXPECT_EQ(ErrorLabel(origin.status()), "origin_form");
    }
  }
}

}  // namespace
}  // namespace tally
