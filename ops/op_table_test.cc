#include "ops/op_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ops/op_rules.h"

namespace tally {
namespace {

bool IsSnakeCase(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char ch) {
    return ('a' <= ch && ch <= 'z') || ('0' <= ch && ch <= '9') || ch == '_';
  });
}

TEST(OpTable, FindsEveryRowByCodeAndByName) {
  ASSERT_FALSE(AllOps().empty());
  for (const OpInfo& op : AllOps()) {
    EXPECT_EQ(FindOp(static_cast<uint64_t>(op.code)), &op);
    EXPECT_EQ(FindOp(op.name), &op);
    EXPECT_EQ(&InfoOf(op.code), &op);
  }
}

TEST(OpTable, KnowsNoOtherOperators) {
  EXPECT_EQ(FindOp(uint64_t{0}), nullptr);
  EXPECT_EQ(FindOp(uint64_t{0x01ff}), nullptr);
  EXPECT_EQ(FindOp(uint64_t{0xffff}), nullptr);
  // A code is compared whole, not by its low 16 bits.
  EXPECT_EQ(FindOp(uint64_t{0x10101}), nullptr);
  EXPECT_EQ(FindOp(uint64_t{0x101} << 48), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
  EXPECT_EQ(FindOp("broadcast"), nullptr);
  EXPECT_EQ(FindOp("Relu"), nullptr);
}

// The high byte of a code is the family's, so that a family can grow without renumbering another.
TEST(OpTable, FamiliesDoNotShareAHighByte) {
  std::map<int, std::string_view> families;
  for (const OpInfo& op : AllOps()) {
    const auto [it, inserted] = families.emplace(static_cast<int>(op.code) >> 8, op.family);
    EXPECT_EQ(it->second, op.family) << op.name;
  }
}

TEST(OpTable, RowsAreComplete) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_TRUE(IsSnakeCase(op.name)) << op.name;
    EXPECT_TRUE(IsSnakeCase(op.family)) << op.name;
    EXPECT_FALSE(op.summary.empty()) << op.name;
    EXPECT_GE(op.since, 1) << op.name;
    EXPECT_NE(RulesOf(op.code).infer, nullptr) << op.name;
    EXPECT_NE(RulesOf(op.code).gas, nullptr) << op.name;
    EXPECT_EQ(RulesOf(op.code).precision != nullptr, op.profile == Profile::kCvm) << op.name;
  }
}

TEST(OpTable, AttributesHaveSaneSchemas) {
  for (const OpInfo& op : AllOps()) {
    std::set<std::string_view> names;
    for (const AttrSpec& spec : op.attributes) {
      SCOPED_TRACE(std::string(op.name) + "." + std::string(spec.name));
      EXPECT_TRUE(IsSnakeCase(spec.name));
      EXPECT_TRUE(names.insert(spec.name).second);
      EXPECT_LE(spec.lo, spec.hi);
      EXPECT_LE(spec.min_length, spec.max_length);
      EXPECT_GE(spec.min_length, spec.kind == AttrKind::kList ? 0 : 1);
      EXPECT_LE(spec.max_length, spec.kind == AttrKind::kList ? kMaxAttributeList : 1);
      EXPECT_EQ(spec.names.size(), spec.kind == AttrKind::kEnum ? static_cast<size_t>(spec.hi) + 1 : 0);
      for (const std::string_view name : spec.names) EXPECT_TRUE(IsSnakeCase(name));
      if (spec.kind == AttrKind::kBool) {
        EXPECT_EQ(spec.hi, 1);
      }
      if (spec.kind == AttrKind::kBool || spec.kind == AttrKind::kEnum) {
        EXPECT_EQ(spec.lo, 0);
      }
    }
  }
}

}  // namespace
}  // namespace tally
