#include "engines/known_answers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "vm/labels.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// A part of the test by the name of its result, and the root of what it gives. //engines:known_answers_test
// computes them by the definition.
struct Answer {
  std::string_view name, root;
};
constexpr std::array kAnswers = {
    Answer{"sums of 32 bits", "d31b9a1bbb9de33fa20cf4efd9db043b8b5c75ec82eba4cce1d7a95b4c78f4be"},
    Answer{"sums of one row", "759d13aa8be022a430f5db683ba5f17b6fea817b411ebe481545abddf5e15c34"},
    Answer{"convolution, rounded to 8 bits",
           "4ce40c93477915234071edfe142a45ffeb278af2e07dc4ab8edb48a27b11a0ba"},
    Answer{"depthwise convolution", "08263148bd9d93a68e7465fe803e346235ddd25190877b12b24cd96227bffdbd"},
    Answer{"products of 16 bits", "b9e35338c2ad6f4665149e46740588db3433c3220087dd4ec6f6cc07db5c7a73"},
    Answer{"products of 64 bits", "cc6a0e2bfdbb7cbd20c9e085e897ee2649aa28a795e135911b964d6df84d41e8"},
    Answer{"linear combination that saturates",
           "78ff6afca57c7077bb1d3a80028f08d281f34e66d56ac1c0e8a7d06a384a21f6"},
    Answer{"table", "d4e909a40299b7807d47e1957201039c80497c114c38160408d2139a65b7d6bb"},
    Answer{"maxima of windows", "bdfdaa1faf0ebe3516461927dd6d427f76bf3117a992395757e805df3a326aa3"},
};

TensorType TypeOf(std::initializer_list<int64_t> dims, const Interval& interval) {
  return {*Shape::Create(dims), interval};
}

// The ends of `interval` and what is beside them and 0, most of it the lower end, in an order without a short
// period.
Tensor Extremes(const TensorType& type) {
  const Interval& i = type.interval;
  const std::array<int64_t, 7> values = {i.lo, i.lo, i.hi, i.lo + 1, i.hi - 1, i.lo, -1};
  Tensor tensor(type.shape, type.storage());
  for (int64_t k = 0; k < type.shape.num_elements(); ++k) {
    const auto at = static_cast<size_t>((k * k + k / 5) % 7);
    StoreElement(type.storage(), tensor.mutable_bytes().data(), k, values[at]);
  }
  return tensor;
}

constexpr Interval k8 = {-128, 127};
constexpr Interval k16 = {-32768, 32767};
constexpr Interval k32 = RangeOf(Storage::kI32);
// Products of -128 by -128, and what brings their sum to the end of 32 bits.
constexpr int64_t kTerms = 8191, kBias = k32.hi - kTerms * 128 * 128;

struct TestModule {
  Module module;
  std::vector<Tensor> inputs;
};

TestModule BuildTest() {
  ModuleBuilder b(Profile::kCore);
  TestModule test;
  const auto param = [&](std::string name, const TensorType& type, const Tensor& value) {
    test.inputs.push_back(value);
    return b.Param(std::move(name), type);
  };
  const auto input = [&](std::string name, std::initializer_list<int64_t> dims, const Interval& interval) {
    const TensorType type = TypeOf(dims, interval);
    return param(std::move(name), type, Extremes(type));
  };
  const auto constant = [&](std::initializer_list<int64_t> dims, const Interval& interval) {
    return b.Constant(Extremes(TypeOf(dims, interval)));
  };
  const auto all_lowest = [](std::initializer_list<int64_t> dims) {
    const TensorType type = TypeOf(dims, k8);
    Tensor tensor(type.shape, Storage::kI8);
    std::ranges::fill(tensor.mutable_bytes(), uint8_t{0x80});
    return tensor;
  };

  const auto one = [&](int64_t value) {
    return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {value}));
  };

  const TensorType row = TypeOf({1, kTerms}, k8);
  const ValueId lowest = param("lowest", row, all_lowest({1, kTerms}));
  const ValueId a8 = input("a8", {5, 1200}, k8);
  const ValueId a16 = input("a16", {5, 40}, k16);
  const ValueId a32 = input("a32", {5, 40}, k32);
  const ValueId image = input("image", {1, 32, 7, 9}, k8);

  b.Result(std::string(kAnswers[0].name), b.Op(Opcode::kDense, {a8, constant({33, 1200}, k8)}));
  b.Result(std::string(kAnswers[1].name),
           b.Op(Opcode::kDense, {lowest, b.Constant(all_lowest({1, kTerms})), one(kBias)}));

  const ConvolutionAttrs padded = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  const ValueId sums = b.Op(Opcode::kConvolution, {image, constant({40, 32, 3, 3}, k8)}, padded);
  const ValueId rounded = b.Op(
      Opcode::kRescale, {sums, one(3 << 28), one(0), one(42)},
      RescaleAttrs{.axis = 1, .zero_out = -3, .lo = k8.lo, .hi = k8.hi, .rounding = Rounding::kHalfEven});
  b.Result(std::string(kAnswers[2].name), rounded);
  ConvolutionAttrs depthwise = padded;
  depthwise.groups = 32;
  b.Result(std::string(kAnswers[3].name),
           b.Op(Opcode::kConvolution, {image, constant({32, 1, 3, 3}, k8)}, depthwise));

  b.Result(std::string(kAnswers[4].name), b.Op(Opcode::kDense, {a16, constant({17, 40}, k16)}));
  b.Result(std::string(kAnswers[5].name), b.Op(Opcode::kDense, {a32, constant({17, 40}, k8)}));
  b.Result(std::string(kAnswers[6].name), b.Op(Opcode::kLincomb, {a16, a16},
                                               LincombAttrs{.multipliers = {70001, -3},
                                                            .zero_points = {5, -7},
                                                            .bias = 1 << 17,
                                                            .shift = 18,
                                                            .rounding = Rounding::kHalfAway,
                                                            .zero_out = 1,
                                                            .lo = -1000,
                                                            .hi = 1000}));
  b.Result(std::string(kAnswers[7].name),
           b.Op(Opcode::kTable, {rounded, constant({256}, k16)}, TableAttrs{.offset = k8.lo}));
  b.Result(std::string(kAnswers[8].name),
           b.Op(Opcode::kMaxPool2d, {rounded},
                MaxPool2dAttrs{.pool_size = {3, 3}, .strides = {2, 2}, .padding = {1}}));
  test.module = std::move(b).Build();
  return test;
}

}  // namespace

absl::Status CheckKnownAnswers(std::string_view machine, const PlanMaker& make) {
  static const TestModule test = BuildTest();
  ASSIGN_OR_RETURN(ValidModule valid, Validate(Module(test.module)));
  ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan,
                   make(std::make_shared<const ValidModule>(std::move(valid))));
  std::vector<TensorView> inputs;
  for (const Tensor& input : test.inputs) inputs.push_back(input.view());
  ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs, {}));
  std::string wrong;
  for (size_t i = 0; i < outcome.results.size(); ++i) {
    const std::string root = ToHex(TensorRoot(outcome.results[i].view()));
    if (root == kAnswers[i].root) continue;
    absl::StrAppend(&wrong, wrong.empty() ? "" : ", ", ToAbsl(kAnswers[i].name), " (root ", root, ")");
  }
  if (wrong.empty()) return absl::OkStatus();
  return MakeError(
      label::self_test,
      absl::StrCat(ToAbsl(machine),
                   " gives wrong answers, so the machine is faulty or this build of Tally is: ", wrong));
}

}  // namespace tally
