#include "frontends/cvm/reshape_target.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally::cvm {
namespace {

std::string Resolve(const std::vector<int64_t>& codes, std::initializer_list<int64_t> operand) {
  const auto shape = ReshapeTarget(codes, *Shape::Create(operand));
  return shape.ok() ? shape->ToString() : ErrorLabel(shape.status());
}

TEST(ReshapeTarget, ResolvesEveryCode) {
  EXPECT_EQ(Resolve({6, 4}, {2, 3, 4}), "[6,4]");
  EXPECT_EQ(Resolve({0, -1}, {2, 3, 4}), "[2,12]");
  EXPECT_EQ(Resolve({-1}, {2, 3, 4}), "[24]");
  EXPECT_EQ(Resolve({-1, 0, 0}, {2, 3, 4}), "[2,3,4]");
  EXPECT_EQ(Resolve({-2}, {2, 3, 4}), "[2,3,4]");
  EXPECT_EQ(Resolve({2, -2}, {2, 3, 4}), "[2,3,4]");
  EXPECT_EQ(Resolve({-2, 1, 1}, {2, 3, 4}), "[2,3,4,1,1]");
  EXPECT_EQ(Resolve({-3, 4}, {2, 3, 4}), "[6,4]");
  EXPECT_EQ(Resolve({-3, -3}, {2, 3, 4, 5}), "[6,20]");
  EXPECT_EQ(Resolve({0, -3}, {2, 3, 4}), "[2,12]");
  EXPECT_EQ(Resolve({-4, 1, 2, -2}, {2, 3, 4}), "[1,2,3,4]");
  EXPECT_EQ(Resolve({0, -4, -1, 3, 0}, {2, 6, 4}), "[2,2,3,4]");
  EXPECT_EQ(Resolve({0, -4, 2, -1, 0}, {2, 6, 4}), "[2,2,3,4]");
  EXPECT_EQ(Resolve({-4, 2, 1, -1}, {2, 3, 4}), "[2,1,12]");
}

TEST(ReshapeTarget, RefusesCodesWithoutADim) {
  EXPECT_EQ(Resolve({2, 3, 4, 0}, {2, 3, 4}), "cvm_reshape");
  EXPECT_EQ(Resolve({6, 4, -3}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({2, -3}, {2, 3}), "cvm_reshape");
  EXPECT_EQ(Resolve({6, -4, 1, 1}, {6}), "cvm_reshape");
}

TEST(ReshapeTarget, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(Resolve({5, -1}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({48, -1}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({5, 5}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, 4, -1, 0}, {6, 4}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, 4, 2, 0}, {6, 4}), "cvm_reshape");
  EXPECT_EQ(Resolve({}, {24}), "cvm_reshape");
}

TEST(ReshapeTarget, RefusesCodesThatSayNothing) {
  EXPECT_EQ(Resolve({-1, -1}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({-5, 4}, {24}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, 6}, {6}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4}, {6}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, -1, -1}, {6}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, 0, -1}, {6}), "cvm_reshape");
  EXPECT_EQ(Resolve({-4, -2, -3}, {6}), "cvm_reshape");
}

// Products are those of 64 bits, and no dim of the target divides anything before it is checked.
TEST(ReshapeTarget, HoldsForAnyNumbers) {
  EXPECT_EQ(Resolve({65536, 65536, -1}, {65536}), "cvm_reshape");
  EXPECT_EQ(Resolve({2147483647, 2147483647, -1}, {4}), "shape_elements");
  EXPECT_EQ(Resolve({-3}, {65536, 65536}), "shape_dim");
  EXPECT_EQ(Resolve({-4, 2147483647, 2147483647}, {4}), "cvm_reshape");
  EXPECT_EQ(Resolve(std::vector<int64_t>(4096, 1), {1}), "shape_rank");
}

}  // namespace
}  // namespace tally::cvm
