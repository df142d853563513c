#include "vm/committed_values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// The values of the entry that are committed to, of a module in text form.
std::vector<ValueId> Committed(const std::string& body) {
  const auto module = Assemble("tally 1\nprofile core\n" + body);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto valid = Validate(Module(*module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const CommittedValues committed(*valid);
  std::vector<ValueId> ids;
  const FunctionFacts& facts = valid->functions()[0];
  for (auto id = static_cast<ValueId>(facts.params.size()); id < facts.types.size(); ++id) {
    if (valid->constant(id) == nullptr && committed.contains(0, id)) ids.push_back(id);
  }
  return ids;
}

using Ids = std::vector<ValueId>;

const std::string kPair = "param %0 \"x\" [2,3] in [-9, 9]\n";

TEST(CommittedValues, AChainOfElementsIsJudgedWithItsLastValue) {
  EXPECT_EQ(Committed(kPair + "%1 = abs %0\n%2 = negative %1\n%3 = relu %2\nresult %3 \"y\"\n"), Ids({3}));
}

TEST(CommittedValues, WhatIsReadTwiceOrReturnedIsCommittedTo) {
  EXPECT_EQ(Committed(kPair + "%1 = abs %0\n%2 = elemwise_add %1, %1\nresult %2 \"y\"\n"), Ids({1, 2}));
  EXPECT_EQ(Committed(kPair + "%1 = abs %0\n%2 = negative %1\nresult %1 \"y\"\nresult %2 \"z\"\n"),
            Ids({1, 2}));
}

// A sum reads many elements of what it sums; two sums are too many for one judgement: the first is folded.
TEST(CommittedValues, OneWideInstructionIsJudgedAtATime) {
  const std::string rows = " %0 {axis = [1], keepdims = false, exclude = false}\n";
  EXPECT_EQ(Committed(kPair + "%1 = abs %0\n%2 = sum %1 {axis = [1], keepdims = false, exclude = false}\n"
                              "%3 = negative %2\nresult %3 \"y\"\n"),
            Ids({1, 3}));
  EXPECT_EQ(Committed(kPair + "%1 = sum" + rows + "%2 = max" + rows +
                      "%3 = elemwise_add %1, %2\nresult %3 \"y\"\n"),
            Ids({2, 3}));
}

TEST(CommittedValues, AnElementThatDataNamesIsOpenedInACommittedValue) {
  EXPECT_EQ(Committed(kPair + "param %1 \"i\" [2] in [0, 3]\n%2 = abs %0\n%3 = abs %1\n"
                              "%4 = take %2, %3 {axis = [0]}\nresult %4 \"y\"\n"),
            Ids({2, 4}));
}

TEST(CommittedValues, AtMostSixteenInstructionsAreJudgedTogether) {
  std::string body = kPair;
  for (int i = 1; i <= 20; ++i) {
    body += "%" + std::to_string(i) + " = negative %" + std::to_string(i - 1) + "\n";
  }
  EXPECT_EQ(Committed(body + "result %20 \"y\"\n"), Ids({16, 20}));
}

TEST(CommittedValues, FunctionsReadAndReturnWhatIsCommittedTo) {
  EXPECT_EQ(
      Committed(kPair + "%1 = abs %0\n%2 = call %1 {function = 1}\n%3 = negative %2\nresult %3 \"y\"\n"
                        "function 1\nparam %0 [2,3] in [0, 9]\n%1 = negative %0\n%2 = abs %1\nresult %2\n"),
      Ids({1, 2, 3}));
}

}  // namespace
}  // namespace tally
