#include "base/tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally {
namespace {

TEST(Tensor, FromValuesRefusesWhatDoesNotFit) {
  const Shape pair = *Shape::Create({2});
  EXPECT_EQ(ErrorLabel(Tensor::FromValues(pair, Storage::kI8, std::vector<int64_t>{1}).status()),
            "tensor_size");
  EXPECT_EQ(ErrorLabel(Tensor::FromValues(pair, Storage::kI8, std::vector<int64_t>{1, 128}).status()),
            "tensor_value");
  EXPECT_EQ(ErrorLabel(Tensor::FromValues(pair, Storage::kI8, std::vector<int64_t>{-128, 127}).status()), "");
}

}  // namespace
}  // namespace tally
