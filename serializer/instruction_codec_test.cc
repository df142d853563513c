// Instructions of every row of the operator table, whatever the rows are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "ops/op_table.h"
#include "serializer/decode.h"
#include "serializer/encode.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

std::string LabelOf(const Bytes& bytes) { return ErrorLabel(Decode(bytes, nullptr).status()); }

// A module with one instruction of `op`, all zeros: nonsense for the validator, well-formed for the codec.
Module Alone(const OpInfo& op) {
  Module module;
  Function& entry = module.functions.emplace_back();
  entry.body.push_back({op.code, std::vector<ValueId>(static_cast<size_t>(op.min_operands)), {}});
  for (const AttrSpec& spec : op.attributes) {
    entry.body[0].attributes.push_back(AttrValue(spec.kind == AttrKind::kList ? 0 : 1));
  }
  return module;
}

Bytes AloneWith(const OpInfo& op, size_t attribute, AttrValue value) {
  Module module = Alone(op);
  module.functions[0].body[0].attributes[attribute] = std::move(value);
  return Encode(module);
}

// Calls visit(op, index of the attribute, its spec) for every attribute of a kind, and says how many there
// are.
template <typename Visit>
int ForEachAttribute(AttrKind kind, const Visit& visit) {
  int visited = 0;
  for (const OpInfo& op : AllOps()) {
    for (size_t i = 0; i < op.attributes.size(); ++i) {
      if (op.attributes[i].kind != kind) continue;
      SCOPED_TRACE(op.name);
      visit(op, i, op.attributes[i]);
      ++visited;
    }
  }
  return visited;
}

// The first place where the encodings of attribute values 0 and 1 differ.
size_t PlaceOf(const OpInfo& op, size_t attribute) {
  const Bytes zero = AloneWith(op, attribute, {0}), one = AloneWith(op, attribute, {1});
  return static_cast<size_t>(std::mismatch(zero.begin(), zero.end(), one.begin()).first - zero.begin());
}

TEST(InstructionCodec, EveryRowIsEncodable) {
  for (const OpInfo& op : AllOps()) {
    const auto decoded = Decode(Encode(Alone(op)));
    ASSERT_TRUE(decoded.ok()) << op.name << decoded.status();
    EXPECT_TRUE(*decoded == Alone(op)) << op.name;
  }
}

TEST(InstructionCodec, EnumerationsHoldKnownCodes) {
  const int visited = ForEachAttribute(AttrKind::kEnum, [](const OpInfo& op, size_t i, const AttrSpec& spec) {
    const int64_t count = static_cast<int64_t>(spec.names.size());
    EXPECT_EQ(LabelOf(AloneWith(op, i, {count - 1})), "");
    EXPECT_EQ(LabelOf(AloneWith(op, i, {count})), "bad_enum");
  });
  EXPECT_GT(visited, 0);
}

TEST(InstructionCodec, FlagsAreZeroOrOne) {
  const int visited = ForEachAttribute(AttrKind::kBool, [](const OpInfo& op, size_t i, const AttrSpec&) {
    EXPECT_EQ(LabelOf(AloneWith(op, i, {1})), "");
    EXPECT_EQ(LabelOf(AloneWith(op, i, {2})), "bad_flag");
  });
  EXPECT_GT(visited, 0);
}

TEST(InstructionCodec, IntegersAreMinimalVarintsOfAnyValue) {
  const int visited = ForEachAttribute(AttrKind::kInt, [](const OpInfo& op, size_t i, const AttrSpec&) {
    EXPECT_EQ(LabelOf(AloneWith(op, i, {INT64_MIN})), "");
    Bytes bytes = AloneWith(op, i, {0});
    // 0 as two bytes; the section is one byte longer.
    bytes[PlaceOf(op, i)] = 0x80;
    bytes.insert(bytes.begin() + static_cast<int64_t>(PlaceOf(op, i)) + 1, 0);
    ++bytes[15];
    EXPECT_EQ(LabelOf(bytes), "varint_not_minimal");
  });
  EXPECT_GT(visited, 0);
}

TEST(InstructionCodec, ListsAreBounded) {
  const int visited = ForEachAttribute(AttrKind::kList, [](const OpInfo& op, size_t i, const AttrSpec&) {
    EXPECT_EQ(LabelOf(AloneWith(op, i, AttrValue(kMaxAttributeList))), "");
    EXPECT_EQ(LabelOf(AloneWith(op, i, AttrValue(kMaxAttributeList + 1))), "count_limit");
    Bytes bytes = AloneWith(op, i, {1, 2, 3});
    const Bytes elements = {2, 4, 6};
    const auto at = std::search(bytes.begin(), bytes.end(), elements.begin(), elements.end());
    ASSERT_NE(at, bytes.end());
    at[-1] = 100;
    EXPECT_EQ(LabelOf(bytes), "count_limit");
  });
  EXPECT_GT(visited, 0);
}

TEST(InstructionCodec, OperandListsAreBounded) {
  int visited = 0;
  for (const OpInfo& op : AllOps()) {
    if (op.min_operands == op.max_operands) continue;
    Module module = Alone(op);
    module.functions[0].body[0].operands.assign(kMaxOperands, 0);
    EXPECT_EQ(LabelOf(Encode(module)), "");
    module.functions[0].body[0].operands.push_back(0);
    EXPECT_EQ(LabelOf(Encode(module)), "count_limit");
    ++visited;
  }
  EXPECT_GT(visited, 0);
}

}  // namespace
}  // namespace tally
