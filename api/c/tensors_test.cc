#include "api/c/tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"

namespace tally::api {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

struct Given {
  std::vector<int64_t> shape, strides;
  size_t bytes = 0, offset = 0;
  int32_t storage = TALLY_I8;
};

uint8_t memory[4096];

absl::StatusOr<CallerTensor> Read(const Given& given) {
  return CallerTensor::Read({.data = memory,
                             .bytes = given.bytes,
                             .storage = given.storage,
                             .rank = static_cast<int32_t>(given.shape.size()),
                             .shape = given.shape.data(),
                             .strides = given.strides.empty() ? nullptr : given.strides.data(),
                             .offset = given.offset},
                            nullptr, {"tensor", 0});
}
std::string LabelOf(const Given& given) { return ErrorLabel(Read(given).status()); }

TEST(CallerTensor, DenseTensorsFillTheirMemory) {
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .bytes = 6}), "");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .bytes = 12, .storage = TALLY_I16}), "");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .bytes = 5}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .bytes = 7}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .bytes = 6, .offset = 1}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {}, .bytes = 1}), "");
}

TEST(CallerTensor, RefusesWhatIsNoTensor) {
  EXPECT_EQ(LabelOf({.shape = {2}, .bytes = 2, .storage = 4}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {2}, .bytes = 2, .storage = -1}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {0}, .bytes = 0}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {kMost}, .bytes = 1}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .bytes = 1}), "api_tensor");
  const Shape shape;
  EXPECT_EQ(ErrorLabel(CallerTensor::Read({.data = nullptr, .bytes = 1}, &shape, {"x", 0}).status()),
            "api_null");
  EXPECT_EQ(
      ErrorLabel(CallerTensor::Read({.data = memory, .bytes = 1, .rank = 1}, nullptr, {"x", 0}).status()),
      "api_tensor");
  const int64_t dims[] = {1};
  EXPECT_EQ(
      ErrorLabel(CallerTensor::Read({.data = memory, .bytes = 1, .rank = -1, .shape = dims}, &shape, {"x", 0})
                     .status()),
      "api_tensor");
}

TEST(CallerTensor, StridesStayInside) {
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .strides = {3, 1}, .bytes = 6}), "");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .strides = {10, 2}, .bytes = 15}), "");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .strides = {10, 2}, .bytes = 14}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {2, 3}, .strides = {10, 2}, .bytes = 15, .offset = 1}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {3}, .strides = {-1}, .bytes = 3, .offset = 2}), "");
  EXPECT_EQ(LabelOf({.shape = {3}, .strides = {-1}, .bytes = 3, .offset = 1}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {3}, .strides = {kMost}, .bytes = 3}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {3}, .strides = {kLeast}, .bytes = 3}), "api_tensor");
  EXPECT_EQ(LabelOf({.shape = {1}, .strides = {kLeast}, .bytes = 1}), "");  // which is never taken
  EXPECT_EQ(LabelOf({.shape = {1000}, .strides = {0}, .bytes = 1}), "");
  EXPECT_EQ(LabelOf({.shape = {1}, .strides = {1}, .bytes = 1, .offset = ~size_t{0}}), "api_tensor");
}

TEST(CallerTensor, KnowsWhetherElementsShareMemory) {
  const auto injective = [](const Given& given) { return Read(given)->is_injective(); };
  EXPECT_TRUE(injective({.shape = {2, 3}, .bytes = 6}));
  EXPECT_TRUE(injective({.shape = {2, 3}, .strides = {1, 2}, .bytes = 6}));
  EXPECT_TRUE(injective({.shape = {2, 3}, .strides = {-8, 2}, .bytes = 13, .offset = 8}));
  EXPECT_FALSE(injective({.shape = {2, 3}, .strides = {0, 1}, .bytes = 3}));
  EXPECT_FALSE(injective({.shape = {2, 3}, .strides = {1, 1}, .bytes = 4}));
  EXPECT_FALSE(injective({.shape = {4}, .strides = {1}, .bytes = 5, .storage = TALLY_I16}));
  EXPECT_TRUE(injective({.shape = {1, 3}, .strides = {0, 1}, .bytes = 3}));
}

TEST(CheckApart, ResultsShareNoMemoryWithOthers) {
  const auto at = [](size_t offset, size_t count) {
    const std::vector<int64_t> shape = {static_cast<int64_t>(count)}, strides = {1};
    return *Read({.shape = shape, .strides = strides, .bytes = sizeof memory, .offset = offset});
  };
  const auto label = [](std::vector<CallerTensor> inputs, std::vector<CallerTensor> results) {
    return ErrorLabel(CheckApart(inputs, results));
  };
  EXPECT_EQ(label({at(0, 4), at(2, 4)}, {at(6, 4), at(10, 1)}), "");
  EXPECT_EQ(label({at(0, 4)}, {at(3, 4)}), "api_overlap");
  EXPECT_EQ(label({at(4, 4)}, {at(0, 5)}), "api_overlap");
  EXPECT_EQ(label({at(4, 1)}, {at(0, 20)}), "api_overlap");
  EXPECT_EQ(label({}, {at(0, 4), at(8, 4), at(3, 1)}), "api_overlap");
}

// Elements of a drawn tensor are where the formula says: offset + the sum of strides times indices.
TEST(CallerTensor, CopiesAsStridesSay) {
  std::mt19937_64 random(7);
  for (int draw = 0; draw < 500; ++draw) {
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
    const auto storage = static_cast<Storage>(below(4));
    Given given = {.bytes = sizeof memory, .storage = static_cast<int32_t>(storage)};
    std::vector<int> order(static_cast<size_t>(below(4)));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    given.shape.resize(order.size());
    given.strides.resize(order.size());
    int64_t reach = SizeBytes(storage);
    for (const int axis : order) {
      given.shape[axis] = 1 + below(4);
      given.strides[axis] = reach + below(3);
      reach += given.strides[axis] * (given.shape[axis] - 1);
      if (below(3) == 0) {
        given.offset += static_cast<size_t>(given.strides[axis] * (given.shape[axis] - 1));
        given.strides[axis] = -given.strides[axis];
      }
    }
    if (given.shape.empty()) given.strides = {0};
    const auto tensor = Read(given);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_TRUE(tensor->is_injective());
    const Storage narrow = static_cast<Storage>(below(static_cast<uint64_t>(storage) + 1));
    const int64_t count = tensor->shape().num_elements();
    std::vector<uint8_t> dense(static_cast<size_t>(count * 8)), back(dense.size());
    for (int64_t i = 0; i < count; ++i) StoreElement(narrow, dense.data(), i, below(256) - 128);
    for (uint8_t& byte : memory) byte = static_cast<uint8_t>(random());
    tensor->CopyFrom(narrow, dense.data());
    tensor->CopyTo(back.data());
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = static_cast<int64_t>(given.offset);
      for (int axis = 0; axis < tensor->shape().rank(); ++axis)
        at += given.strides[axis] * (i / tensor->shape().stride(axis) % given.shape[axis]);
      const int64_t expected = LoadElement(narrow, dense.data(), i);
      EXPECT_EQ(LoadElement(storage, memory + at, 0), expected);
      EXPECT_EQ(LoadElement(storage, back.data(), i), expected);
    }
  }
}

}  // namespace
}  // namespace tally::api
