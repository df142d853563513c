#include "vm/validator.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "ops/linear/attrs.h"
#include "ops/reduction/attrs.h"
#include "vm/limits.h"
#include "vm/module_builder.h"

namespace tally {
namespace {

constexpr int64_t kCvmMax = (int64_t{1} << 31) - 1;

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

std::string LabelOf(Module module) { return ErrorLabel(Validate(std::move(module)).status()); }

// y = x + [10, 20], then made wrong by `change`.
Module AddTwo(const std::function<void(Module&)>& change, Profile profile = Profile::kCore) {
  ModuleBuilder b(profile);
  const ValueId x = b.Param("x", {Dims({3, 2}), {-5, 5}});
  const ValueId c = b.Constant(*Tensor::FromValues(Dims({2}), {10, 20}));
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, c}));
  Module module = std::move(b).Build();
  change(module);
  return module;
}
void Unchanged(Module&) {}
std::vector<Instruction>& Body(Module& module) { return module.functions[0].body; }

std::string LabelAfter(const std::function<void(Module&)>& change, Profile profile = Profile::kCore) {
  return LabelOf(AddTwo(change, profile));
}

std::string LabelOfParam(Profile profile, const TensorType& type) {
  ModuleBuilder b(profile);
  b.Result("y", b.Param("x", type));
  return LabelOf(std::move(b).Build());
}

TEST(Validator, ProvesTypesGasAndMemory) {
  const auto valid = Validate(AddTwo(Unchanged));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->types()[2].ToString(), "[3,2] in [5, 25]");
  ASSERT_EQ(valid->facts().size(), 2u);
  EXPECT_EQ(valid->facts()[0].gas, kGasPerInstruction + 2 + 8);                 // bytes and runs of [2]
  EXPECT_EQ(valid->facts()[1].gas, kGasPerInstruction + 6 + 8 * 3 + 320 + 84);  // and fourteen for each sum
  EXPECT_EQ(valid->facts()[1].first_result, 2u);
  EXPECT_EQ(valid->gas(),
            kGasPerFunction + 2 * (64 + 16 * 6) + valid->facts()[0].gas + valid->facts()[1].gas);
  EXPECT_EQ(valid->constant_bytes(), 2);
  EXPECT_EQ(valid->constant(0), nullptr);
  ASSERT_NE(valid->constant(1), nullptr);
  EXPECT_EQ(valid->constant(1)->at(1), 20);
  EXPECT_EQ(std::vector<int64_t>(valid->offsets().begin(), valid->offsets().end()),
            (std::vector<int64_t>{0, -1, 64}));
  EXPECT_EQ(valid->arena_bytes(), 128);
  EXPECT_EQ(valid->largest_live_bytes(), 128);
}

TEST(Validator, PublishesCvmPrecisions) {
  const auto valid = Validate(AddTwo(Unchanged, Profile::kCvm));
  ASSERT_TRUE(valid.ok()) << valid.status();
  const auto precisions = valid->precisions();
  EXPECT_EQ(std::vector<int>(precisions.begin(), precisions.end()), (std::vector<int>{4, 6, 7}));
}

TEST(Validator, AResultMayBeAParameterOrNamedTwice) {
  EXPECT_EQ(LabelAfter([](Module& m) {
              m.functions[0].results = {0, 2, 2};
              m.metadata.results = {{"a", {}}, {"b", {}}, {"c", {}}};
            }),
            "");
}

TEST(Validator, SaysWhichInstructionIsRefused) {
  const auto refused = Validate(AddTwo([](Module& m) { Body(m)[1].operands = {1}; }));
  EXPECT_EQ(ErrorLabel(refused.status()), "operand_count");
  EXPECT_EQ(refused.status().message().substr(0, 31), "instruction 1 (broadcast_add): ");
}

TEST(Validator, RefusesOtherSpecVersions) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.spec_version = 0; }), "bad_spec_version");
  EXPECT_EQ(LabelAfter([](Module& m) { m.spec_version = kSpecVersion + 1; }), "bad_spec_version");
}

TEST(Validator, RefusesModulesWithoutFunctionsAndWithTooMany) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.functions.clear(); }), "function_count");
  EXPECT_EQ(LabelAfter([](Module& m) { m.functions.resize(kMaxFunctions + 1); }), "function_count");
}

TEST(Validator, BoundsEveryCount) {
  const auto with_params = [](size_t count) {
    return LabelAfter([&](Module& m) {
      m.functions[0].params.assign(count, {Shape(), {0, 0}});
      Body(m).clear();
      m.functions[0].results = {0};
      m.constants.clear();
      m.metadata = DefaultMetadata(m.entry());
    });
  };
  EXPECT_EQ(with_params(kMaxParams), "");
  EXPECT_EQ(with_params(kMaxParams + 1), "value_count");

  const auto with_results = [](size_t count) {
    return LabelAfter([&](Module& m) {
      m.functions[0].results.assign(count, 2);
      m.metadata = DefaultMetadata(m.entry());
    });
  };
  EXPECT_EQ(with_results(kMaxResults), "");
  EXPECT_EQ(with_results(kMaxResults + 1), "value_count");

  // Every instruction here yields constant 0; the limits are equal, so instructions stand for constants too.
  const auto with_constants = [](size_t count) {
    return LabelAfter([&](Module& m) {
      const Instruction yield = {Opcode::kConstant, {}, {{0}}};
      Body(m).assign(count, yield);
    });
  };
  EXPECT_EQ(with_constants(kMaxInstructions), "");
  EXPECT_EQ(with_constants(kMaxInstructions + 1), "value_count");
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants.assign(kMaxConstants + 1, m.constants[0]); }),
            "value_count");
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[1].operands.assign(kMaxOperandsOfModule + 1, 0); }),
            "value_count");
}

TEST(Validator, ChecksMetadataFirst) {
  EXPECT_EQ(LabelAfter([](Module& m) {
              m.metadata.params.clear();
              Body(m).clear();
            }),
            "metadata_count");
}

TEST(Validator, ConstantsAreWholeAndNarrow) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0].bytes = m.constants[0].bytes.first(1); }),
            "constant_size");
  static const uint8_t longer[3] = {10, 20, 30};
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0].bytes = longer; }), "constant_size");
  static const uint8_t wide[] = {10, 0, 20, 0};
  EXPECT_EQ(LabelAfter([](Module& m) {
              m.constants[0] = {Storage::kI16, Dims({2}), wide};
            }),
            "constant_storage");
  static const uint8_t truly_wide[] = {10, 0, 20, 1};
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0] = {Storage::kI16, Dims({2}), truly_wide}; }), "");
}

TEST(Validator, EveryConstantIsYielded) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants.push_back(m.constants[0]); }), "constant_unused");
}

TEST(Constant, C1_RefusesAnIndexBehindTheLastConstant) {
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[0].attributes = {{1}}; }), "constant_c1");
}

TEST(Constant, ReachesAllOfInt64InProfileCoreOnly) {
  for (const auto& [profile, value, label] :
       {std::tuple(Profile::kCore, INT64_MIN, ""), std::tuple(Profile::kCvm, kCvmMax, ""),
        std::tuple(Profile::kCvm, -kCvmMax - 1, "value_range")}) {
    ModuleBuilder b(profile);
    b.Result("y", b.Constant(*Tensor::FromValues(Dims({1}), {value})));
    EXPECT_EQ(LabelOf(std::move(b).Build()), label) << value;
  }
}

TEST(Validator, ParametersDeclareAnIntervalWithinTheProfile) {
  constexpr int64_t kCoreMax = (int64_t{1} << 47) - 1;
  EXPECT_EQ(LabelOfParam(Profile::kCore, {Shape(), {-kCoreMax - 1, kCoreMax}}), "");
  EXPECT_EQ(LabelOfParam(Profile::kCore, {Shape(), {0, kCoreMax + 1}}), "param_interval");
  EXPECT_EQ(LabelOfParam(Profile::kCore, {Shape(), {1, 0}}), "param_interval");
  EXPECT_EQ(LabelOfParam(Profile::kCvm, {Dims({1}), {-kCvmMax, kCvmMax}}), "");
  EXPECT_EQ(LabelOfParam(Profile::kCvm, {Dims({1}), {-kCvmMax - 1, 0}}), "param_interval");
}

TEST(Validator, ProfileCvmBoundsShapes) {
  const auto label = [](std::initializer_list<int64_t> dims) {
    return LabelOfParam(Profile::kCvm, {Dims(dims), {0, 0}});
  };
  EXPECT_EQ(label({}), "cvm_shape") << "no scalars";
  EXPECT_EQ(label({1, 1, 1, 1, 1, 1}), "");
  EXPECT_EQ(label({1, 1, 1, 1, 1, 1, 1}), "cvm_shape");
  EXPECT_EQ(label({kCvmMaxDim}), "");
  EXPECT_EQ(label({kCvmMaxDim + 1}), "cvm_shape");
  EXPECT_EQ(label({kCvmMaxDim, 64}), "") << "2^30 elements";
  EXPECT_EQ(label({kCvmMaxDim, 65}), "cvm_shape");
}

TEST(Validator, ProfileCvmBoundsPublishedPrecisions) {
  // The interval of x + x is far inside 32 bits, the published rule says 33.
  const auto label = [](int64_t hi) {
    ModuleBuilder b(Profile::kCvm);
    const ValueId x = b.Param("x", {Dims({1}), {-hi, 0}});
    const ValueId y = b.Param("y", {Dims({1}), {0, hi}});
    b.Result("s", b.Op(Opcode::kBroadcastAdd, {x, y}));
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(kCvmMax), "cvm_precision");
  EXPECT_EQ(label(kCvmMax / 2), "");
}

TEST(Validator, OperandsAreDefinedBeforeTheirUse) {
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[1].operands = {0, 2}; }), "operand_undefined");
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[1].operands = {0, ~ValueId{0}}; }), "operand_undefined");
}

TEST(Validator, ChecksOperandCounts) {
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[0].operands = {0}; }), "operand_count");
  EXPECT_EQ(LabelAfter([](Module& m) { Body(m)[1].operands = {0, 0, 0}; }), "operand_count");
}

TEST(Validator, ChecksAttributesAgainstTheSchema) {
  const auto with = [](Attributes attributes) {
    return LabelAfter([&](Module& m) { Body(m)[0].attributes = attributes; });
  };
  EXPECT_EQ(with({}), "attribute_count");
  EXPECT_EQ(with({{0}, {0}}), "attribute_count");
  EXPECT_EQ(with({{}}), "attribute_length");
  EXPECT_EQ(with({{0, 0}}), "attribute_length");
  EXPECT_EQ(with({{-1}}), "attribute_range");
  EXPECT_EQ(with({{int64_t{1} << 31}}), "attribute_range");
}

TEST(Validator, ResultsStayWithinTheTensorLimit) {
  const auto label = [](Profile profile, int64_t hi) {
    ModuleBuilder b(profile);
    const ValueId x = b.Param("x", {Dims({1}), {0, hi}});
    const ValueId one = b.Constant(*Tensor::FromValues(Dims({1}), {1}));
    b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, one}));
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(Profile::kCore, (int64_t{1} << 47) - 2), "");
  EXPECT_EQ(label(Profile::kCore, (int64_t{1} << 47) - 1), "value_range");
  EXPECT_EQ(label(Profile::kCvm, kCvmMax), "value_range");
}

TEST(Validator, PartialSumsStayWithinTheAccumulatorLimit) {
  // The sum of so many elements in [lo, 0].
  const auto label = [](Profile profile, int64_t lo, int64_t elements) {
    ModuleBuilder b(profile);
    b.Result("y", b.Op(Opcode::kSum, {b.Param("x", {Dims({elements}), {lo, 0}})}, CvmReduceAttrs{}));
    return LabelOf(std::move(b).Build());
  };
  constexpr int64_t kLowest = -(int64_t{1} << 47);
  EXPECT_EQ(label(Profile::kCore, kLowest, 1), "");
  EXPECT_EQ(label(Profile::kCore, kLowest, 1 << 16), "value_range") << "partial sums reach -2^63, which fits";
  EXPECT_EQ(label(Profile::kCore, kLowest, (1 << 16) + 1), "accumulator_range");
  EXPECT_EQ(label(Profile::kCvm, -(1 << 15) + 1, (1 << 16) - 1), "");
  EXPECT_EQ(label(Profile::kCvm, -(1 << 15), 1 << 16), "accumulator_range") << "-2^31 is outside";
}

TEST(Validator, ProfileCvmHasItsOwnOperators) {
  const auto label = [](Profile profile) {
    ModuleBuilder b(profile);
    const ValueId x = b.Param("x", {Dims({1, 1}), {0, 1}});
    b.Result("y", b.Op(Opcode::kMatmul, {x, x}, MatmulAttrs{}));
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(Profile::kCore), "");
  EXPECT_EQ(label(Profile::kCvm), "profile_operator");
}

TEST(Validator, BoundsTheGasOfAModule) {
  // Each product of two square matrices takes 2^54 multiplications, 20 units each, and a little more.
  const auto label = [](int products) {
    ModuleBuilder b(Profile::kCore);
    const ValueId x = b.Param("x", {Dims({1 << 18, 1 << 18}), {0, 0}});
    ValueId y = x;
    for (int i = 0; i < products; ++i) y = b.Op(Opcode::kMatmul, {x, x}, MatmulAttrs{});
    b.Result("y", y);
    return LabelOf(std::move(b).Build());
  };
  static_assert(kMaxGas / (20 * (int64_t{1} << 54)) == 12);
  EXPECT_EQ(label(12), "");
  EXPECT_EQ(label(13), "gas_limit_of_module");
}

TEST(Validator, BoundsHowOftenConstantsAreRead) {
  // Each addition reads a constant of 2^17 elements twice: 24 of them are exactly the limit.
  constexpr int64_t kElements = int64_t{1} << 17;
  static_assert(kMaxConstantReadsBase + kMaxConstantReadsFactor * kElements == 24 * 2 * kElements);
  const auto label = [](int additions) {
    ModuleBuilder b(Profile::kCore);
    const ValueId c = b.Constant(Tensor(Dims({kElements}), Storage::kI8));
    ValueId y = c;
    for (int i = 0; i < additions; ++i) y = b.Op(Opcode::kBroadcastAdd, {c, c});
    b.Result("y", y);
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(24), "");
  EXPECT_EQ(label(25), "constant_reads_limit");
}

TEST(Validator, ResultsExist) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.functions[0].results = {3}; }), "result_undefined");
  EXPECT_EQ(LabelAfter([](Module& m) {
              m.functions[0].results.clear();
              m.metadata.results.clear();
            }),
            "result_missing");
}

TEST(Validator, RefusesMoreLivePairsThanThePlannerCompares) {
  // `width` sums that all wait for their use in the next layer.
  const auto label = [](int width) {
    ModuleBuilder b(Profile::kCore);
    const ValueId x = b.Param("x", {Shape(), {0, 1}});
    const ValueId first = b.Op(Opcode::kBroadcastAdd, {x, x});
    for (int i = 1; i < width; ++i) b.Op(Opcode::kBroadcastAdd, {x, x});
    ValueId y = x;
    for (int i = 0; i < width; ++i) y = b.Op(Opcode::kBroadcastAdd, {first + static_cast<ValueId>(i), x});
    b.Result("y", y);
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(1000), "");
  EXPECT_EQ(label(2900), "live_pairs_limit");
}

TEST(Validator, ParametersStayInPlaceUntilTheirLastUseAndResultsToTheEnd) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({64}), {0, 1}});
  const ValueId y = b.Op(Opcode::kBroadcastAdd, {x, x});  // 0: x, y
  const ValueId z = b.Op(Opcode::kBroadcastAdd, {y, y});  // 1: y, z
  const ValueId w = b.Op(Opcode::kBroadcastAdd, {z, y});  // 2: y, z, w
  b.Result("y", y);
  b.Result("w", w);
  const auto valid = Validate(std::move(b).Build());
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(std::vector<int64_t>(valid->offsets().begin(), valid->offsets().end()),
            (std::vector<int64_t>{0, 64, 0, 128}));
  EXPECT_EQ(valid->arena_bytes(), 192);
}

// Who has the program alone takes the types of results from its bounds, if the rules let them be.
TEST(ValidateProgram, TakesTypesThatItsRulesAllow) {
  const auto label_of = [](const TensorType& constant, const TensorType& sum) {
    Module program = AddTwo([](Module&) {});
    program.constants.clear();
    return ErrorLabel(ValidateProgram(std::move(program), 1, {{{constant}, {sum}}}).status());
  };
  const TensorType constant = {Dims({2}), {10, 20}}, sum = {Dims({3, 2}), {5, 25}};
  EXPECT_EQ(label_of(constant, sum), "");
  EXPECT_EQ(label_of(constant, {Dims({2, 3}), {5, 25}}), "program_types");
  EXPECT_EQ(label_of(constant, {Dims({3, 2}), {5, 26}}), "program_types");
  EXPECT_EQ(label_of({Dims({3}), {10, 20}}, sum), "broadcast_add_c1");
  Module program = AddTwo([](Module&) {});
  EXPECT_EQ(ErrorLabel(ValidateProgram(std::move(program), 1, {{{constant}}}).status()), "program_types");
}

}  // namespace
}  // namespace tally
