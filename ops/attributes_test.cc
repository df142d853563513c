#include "ops/attributes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally {
namespace {

enum class Color : uint8_t { kRed, kGreen };
constexpr std::string_view kColorNames[] = {"red", "green"};

struct PaintAttrs {
  int64_t coats = 1;
  bool dry = false;
  Color color = Color::kRed;
  std::vector<int64_t> walls;

  static constexpr auto Fields() {
    return std::tuple(IntField("coats", &PaintAttrs::coats, 1, 4), BoolField("dry", &PaintAttrs::dry),
                      EnumField("color", &PaintAttrs::color, kColorNames),
                      ListField("walls", &PaintAttrs::walls, -2, 2, 0, 3));
  }
};

std::string LabelOfCheck(const Attributes& attributes) {
  return ErrorLabel(CheckAttributes(AttrSchema<PaintAttrs>::kSpecs, attributes));
}

TEST(Attributes, PackFollowsTheOrderOfTheFields) {
  EXPECT_EQ(Pack(PaintAttrs{.coats = 3, .dry = true, .color = Color::kGreen, .walls = {-1, 2}}),
            (Attributes{{3}, {1}, {1}, {-1, 2}}));
  EXPECT_EQ(Pack(PaintAttrs{}), (Attributes{{1}, {0}, {0}, {}}));
  EXPECT_EQ(Pack(NoAttrs{}), Attributes{});
}

TEST(Attributes, UnpackIsTheInverseOfPack) {
  const auto attrs = Unpack<PaintAttrs>({{3}, {1}, {1}, {-1, 2}});
  EXPECT_EQ(attrs.coats, 3);
  EXPECT_TRUE(attrs.dry);
  EXPECT_EQ(attrs.color, Color::kGreen);
  EXPECT_EQ(attrs.walls, (std::vector<int64_t>{-1, 2}));
}

TEST(Attributes, SchemaDescribesTheFields) {
  const auto& specs = AttrSchema<PaintAttrs>::kSpecs;
  ASSERT_EQ(specs.size(), 4);
  EXPECT_EQ(specs[0].name, "coats");
  EXPECT_EQ(specs[0].kind, AttrKind::kInt);
  EXPECT_EQ(specs[1].kind, AttrKind::kBool);
  EXPECT_EQ(specs[1].hi, 1);
  EXPECT_EQ(specs[2].kind, AttrKind::kEnum);
  EXPECT_EQ(specs[2].hi, 1);
  EXPECT_EQ(specs[2].names[1], "green");
  EXPECT_EQ(specs[3].kind, AttrKind::kList);
  EXPECT_EQ(specs[3].max_length, 3);
}

TEST(CheckAttributes, AcceptsEveryEndOfTheRanges) {
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {0}, {}}), "");
  EXPECT_EQ(LabelOfCheck({{4}, {1}, {1}, {-2, 0, 2}}), "");
}

TEST(CheckAttributes, RefusesAnotherNumberOfAttributes) {
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {0}}), "attribute_count");
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {0}, {}, {}}), "attribute_count");
  EXPECT_EQ(ErrorLabel(CheckAttributes({}, {{1}})), "attribute_count");
}

TEST(CheckAttributes, RefusesOtherLengths) {
  EXPECT_EQ(LabelOfCheck({{}, {0}, {0}, {}}), "attribute_length");
  EXPECT_EQ(LabelOfCheck({{1, 1}, {0}, {0}, {}}), "attribute_length");
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {0}, {0, 0, 0, 0}}), "attribute_length");
}

TEST(CheckAttributes, RefusesValuesOutsideTheirRange) {
  EXPECT_EQ(LabelOfCheck({{0}, {0}, {0}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{5}, {0}, {0}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{1}, {2}, {0}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {2}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {-1}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{1}, {0}, {0}, {0, 3}}), "attribute_range");
}

TEST(CheckAttributes, ReportsTheFirstFaultInSchemaOrder) {
  EXPECT_EQ(LabelOfCheck({{5}, {}, {0}, {}}), "attribute_range");
  EXPECT_EQ(LabelOfCheck({{}, {2}, {0}, {}}), "attribute_length");
}

}  // namespace
}  // namespace tally
