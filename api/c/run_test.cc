// Plans and runs through the C interface.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "api/c/objects.h"
#include "api/c/testing/c_case.h"
#include "base/hash/digest.h"
#include "serializer/tensor_digest.h"

namespace tally::api {
namespace {

// The label of a run on tensors of any number; "" where it takes place.
std::string LabelOf(tally_plan plan, const std::vector<tally_tensor>& inputs,
                    const std::vector<tally_tensor>& results, const tally_run_options* options = nullptr) {
  Error error;
  const tally_status status =
      tally_plan_run(plan, inputs.data(), inputs.size(), results.data(), results.size(), options, &error);
  EXPECT_EQ(status, error.status) << error.message;
  return error.label;
}

tally_run_options Options() {
  tally_run_options options = {};
  options.size = sizeof options;
  return options;
}

class RunTest : public testing::TestWithParam<const char*> {
 protected:
  static tally_plan Plan(const std::string& text) { return MakePlan(text, GetParam()); }
};

TEST_P(RunTest, WritesIntoTheCallersMemory) {
  const tally_plan plan = Plan(kTwo);
  std::vector<int8_t> a = {1, 2, -128, 127}, b = {10, 20, -128, 127};
  std::vector<int16_t> sum(4), negative(4);
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}), "");
  EXPECT_EQ(sum, (std::vector<int16_t>{11, 22, -256, 254}));
  EXPECT_EQ(negative, (std::vector<int16_t>{-1, -2, 128, -127}));
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST_P(RunTest, TakesStridesAndOtherStorages) {
  const tally_plan plan = Plan(kNegative);
  // The transposed of 3 x 2, two of each three elements; the result backwards, 32 bits wide.
  std::vector<int16_t> x = {1, 4, 99, 2, 5, 99, 3, 6, 99};
  std::vector<int32_t> y(6);
  const int64_t x_strides[] = {2, 6}, y_strides[] = {-12, -4};
  tally_tensor input = Dense(x), result = Dense(y);
  input.strides = x_strides;
  result.strides = y_strides;
  result.offset = 20;
  EXPECT_EQ(LabelOf(plan, {input}, {result}), "");
  EXPECT_EQ(y, (std::vector<int32_t>{-6, -5, -4, -3, -2, -1}));
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST_P(RunTest, TakesAnyAlignment) {
  const tally_plan plan = Plan(kNegative);
  std::vector<uint8_t> memory(64);
  const int16_t x[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(memory.data() + 1, x, sizeof x);
  const tally_tensor input = {.data = memory.data() + 1, .bytes = sizeof x, .storage = TALLY_I16};
  const tally_tensor result = {.data = memory.data() + 33, .bytes = 24, .storage = TALLY_I32};
  EXPECT_EQ(LabelOf(plan, {input}, {result}), "");
  int32_t y[6];
  std::memcpy(y, memory.data() + 33, sizeof y);
  EXPECT_EQ(y[5], -6);
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST_P(RunTest, RefusesInTheOrderOfTheSpecification) {
  const tally_plan plan = Plan(kNegative);
  std::vector<int8_t> x(6), y(6, 7), wrong(7), far(6, 101);
  const int64_t dims[] = {3, 2};
  tally_tensor turned = Dense(x);
  turned.rank = 2;
  turned.shape = dims;
  EXPECT_EQ(LabelOf(plan, {turned}, {Dense(y)}), "input_shape");
  EXPECT_EQ(LabelOf(plan, {Dense(far)}, {Dense(y)}), "input_interval");
  EXPECT_EQ(LabelOf(plan, {}, {Dense(y)}), "input_count");
  EXPECT_EQ(LabelOf(plan, {turned, turned}, {Dense(y)}), "input_count");
  EXPECT_EQ(LabelOf(plan, {Dense(x), Dense(x)}, {Dense(y)}), "api_tensor");  // the second has no shape
  EXPECT_EQ(LabelOf(plan, {Dense(x)}, {}), "result_count");
  EXPECT_EQ(LabelOf(plan, {Dense(wrong)}, {Dense(y)}), "api_tensor");
  tally_tensor result = Dense(y);
  result.rank = 2;
  result.shape = dims;
  EXPECT_EQ(LabelOf(plan, {Dense(x)}, {result}), "api_tensor");
  const int64_t same[] = {0, 1};
  result = Dense(y);
  result.strides = same;
  EXPECT_EQ(LabelOf(plan, {Dense(x)}, {result}), "api_tensor");
  EXPECT_EQ(LabelOf(plan, {Dense(x)}, {Dense(x)}), "api_overlap");
  tally_run_options options = Options();
  options.gas_limit = 1;
  EXPECT_EQ(LabelOf(plan, {Dense(far)}, {Dense(y)}, &options), "gas_limit");
  options = Options();
  options.memory_limit = -1;
  EXPECT_EQ(LabelOf(plan, {Dense(x)}, {Dense(y)}, &options), "api_option");
  for (const int32_t check : {-1, 2}) {
    tally_run_options odd = {};
    odd.size = sizeof odd;
    odd.check = check;
    EXPECT_EQ(LabelOf(plan, {Dense(x)}, {Dense(y)}, &odd), "api_option") << check;
  }
  EXPECT_EQ(y, std::vector<int8_t>(6, 7));
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST_P(RunTest, RefusesResultsThatAreTooNarrow) {
  const tally_plan plan = Plan(kTwo);
  std::vector<int8_t> a(4), b(4), sum(4);
  std::vector<int16_t> negative(4);
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}), "api_tensor");
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST_P(RunTest, ShowsValues) {
  const tally_plan plan = Plan(kTwo);
  std::vector<int8_t> a = {1, 2, 3, 4}, b = {1, 1, 1, 1};
  std::vector<int16_t> sum(4), negative(4);
  std::string shown;
  tally_run_options options = Options();
  options.user = &shown;
  options.observer = [](void* user, const tally_observed* value) {
    EXPECT_EQ(value->shape[0], 4);
    EXPECT_EQ(value->path_length, 0u);
    int64_t first = -1;
    if (value->data != nullptr)
      first = LoadElement(static_cast<Storage>(value->storage), static_cast<const uint8_t*>(value->data), 0);
    *static_cast<std::string*>(user) +=
        std::to_string(value->value) +
        (value->root != nullptr ? " root " : " " + std::to_string(first) + " ");
  };
  options.show = TALLY_SHOW_VALUES;
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}, &options), "");
  EXPECT_EQ(shown, "2 2 3 -1 ");
  shown.clear();
  options.show = TALLY_SHOW_ROOTS;
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}, &options), "");
  EXPECT_EQ(shown, "2 root 3 root ");
  options.show = 3;
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}, &options), "api_option");
  options = Options();
  options.show = TALLY_SHOW_VALUES;
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}, &options), "api_option");
  options = Options();
  options.check = 1;
  EXPECT_EQ(LabelOf(plan, {Dense(a), Dense(b)}, {Dense(sum), Dense(negative)}, &options), "");
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

INSTANTIATE_TEST_SUITE_P(Engines, RunTest, testing::Values("formal", "reference", "cpu"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Plan, IsRefusedWhereItCannotBe) {
  const tally_module module = Load(kNegative);
  const auto label = [&](tally_plan_options options) {
    options.size = sizeof options;
    tally_plan plan = {7};
    Error error;
    EXPECT_NE(tally_plan_make(module, &options, &plan, &error), TALLY_OK);
    EXPECT_EQ(plan.handle, 0u);
    return std::string(error.label);
  };
  EXPECT_EQ(label({.engine = "abacus"}), "engine_unavailable");
  EXPECT_EQ(label({.arch = "z80"}), "arch_unknown");
  EXPECT_EQ(label({.threads = -1}), "api_option");
  EXPECT_EQ(label({.threads = 1025}), "api_option");
  EXPECT_EQ(label({.reserved = 1}), "api_option");
  EXPECT_EQ(label({.memory_limit = 1}), "api_plan_memory");
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  EXPECT_EQ(label({}), "api_handle");
}

// By number of threads: those of one number are one, those of another are not, and none outlives its handles.
TEST(Plan, SharesWhatItKeeps) {
  const tally_module module = Load(kNegative);
  const auto shared = [&](int threads) {
    tally_plan_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    tally_plan plan = {};
    EXPECT_EQ(tally_plan_make(module, &options, &plan, nullptr), TALLY_OK);
    return std::pair(plan, &(*Handles::Get().Find<LoadedPlan>(plan.handle))->plan());
  };
  const auto [first, first_plan] = shared(1);
  const auto [second, second_plan] = shared(1);
  const auto [third, third_plan] = shared(2);
  EXPECT_EQ(first_plan, second_plan);
  EXPECT_NE(first_plan, third_plan);
  EXPECT_EQ(tally_plan_close(first), TALLY_OK);
  std::vector<int8_t> x(6), y(6);
  EXPECT_EQ(LabelOf(second, {Dense(x)}, {Dense(y)}), "");
  EXPECT_EQ(tally_plan_close(second), TALLY_OK);
  EXPECT_EQ(tally_plan_close(third), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST(Plan, SaysWhatItIs) {
  const tally_plan plan = MakePlan(kNegative);
  tally_plan_info info = {.size = sizeof info};
  ASSERT_EQ(tally_plan_get_info(plan, &info, nullptr), TALLY_OK);
  EXPECT_STREQ(info.engine, "cpu");
  EXPECT_EQ(info.steps, 1u);
  EXPECT_EQ(info.is_lowered, 1);
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST(Digest, IsThatOfTheValue) {
  std::vector<int16_t> x = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  tally_tensor tensor = Dense(x);
  tensor.rank = 2;
  tensor.shape = shape;
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(x.data()), 12);
  const Digest expected = ValueDigest({Storage::kI16, *Shape::Create({2, 3}), bytes});
  Digest digest = {};
  EXPECT_EQ(tally_tensor_digest(&tensor, digest.data(), nullptr), TALLY_OK);
  EXPECT_EQ(digest, expected);
  std::vector<int16_t> turned = {1, 4, 2, 5, 3, 6};
  const int64_t strides[] = {2, 4};
  tensor.data = turned.data();
  tensor.strides = strides;
  digest = {};
  EXPECT_EQ(tally_tensor_digest(&tensor, digest.data(), nullptr), TALLY_OK);
  EXPECT_EQ(digest, expected);
}

}  // namespace
}  // namespace tally::api
