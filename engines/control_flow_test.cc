// Functions, and the operators that run them: what validation proves, and what engines compute.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "engines/compile/lower_operators.h"
#include "engines/engine.h"
#include "engines/scalar/scalar_engine.h"
#include "ops/control/attrs.h"
#include "ops/elementwise/attrs.h"
#include "vm/limits.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Ids = std::vector<ValueId>;

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }
const TensorType kByte = {Shape(), {-100, 100}};
const TensorType kIndex = {Shape(), {0, 9}};

std::string LabelOf(Module module) { return ErrorLabel(Validate(std::move(module)).status()); }

std::shared_ptr<const ValidModule> Valid(Module module) {
  auto valid = Validate(std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

// The first result for scalar inputs, which every engine and the lowered module agree on.
int64_t FirstResult(const std::shared_ptr<const ValidModule>& module, const std::vector<int64_t>& inputs) {
  std::vector<Tensor> tensors;
  for (const int64_t input : inputs) tensors.push_back(*Tensor::FromValues(Shape(), {input}));
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const int64_t expected = (*MakeFormalPlan(module)->Execute(views, {})).results[0].view().at(0);
  EXPECT_EQ(MakeReferencePlan(module)->Execute(views, {})->results[0].view().at(0), expected);
  EXPECT_EQ(MakeTrappingPlan(module)->Execute(views, {})->results[0].view().at(0), expected);
  const auto lowered = Valid(LowerOperators(*module)->module);
  EXPECT_EQ(MakeReferencePlan(lowered)->Execute(views, {})->results[0].view().at(0), expected);
  return expected;
}

ValueId Clip(ModuleBuilder& b, ValueId x, const Interval& bounds) {
  return b.Op(Opcode::kClip, {x}, ClipAttrs{.a_min = bounds.lo, .a_max = bounds.hi});
}

// f(x) = x + x
int64_t Twice(ModuleBuilder& b, const TensorType& type = kByte) {
  const Ids p = b.BeginFunction({type});
  return b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], p[0]})});
}

// The cost of a scalar parameter or result of a function.
constexpr int64_t kGasOfPassing = 64 + 16;
// The cost of a scalar operand or result of `call` and `if`.
constexpr int64_t kGasOfMoving = 4;
// Its instruction has a result of two bytes in one run, and one sum.
constexpr int64_t kGasOfTwice = 640 + 2 * kGasOfPassing + (640 + 2 + 8 + 334);

// body(i, s) = clip(s + i)
int64_t AddIndex(ModuleBuilder& b, const TensorType& index = kIndex, const TensorType& state = kByte) {
  const Ids p = b.BeginFunction({index, state});
  return b.EndFunction({Clip(b, b.Op(Opcode::kBroadcastAdd, {p[0], p[1]}), state.interval)});
}

// y = op(x...), one parameter for each type.
Module Single(Opcode op, const Attributes& attributes, const std::vector<TensorType>& operands,
              ModuleBuilder b) {
  Ids ids;
  for (const TensorType& type : operands) ids.push_back(b.Param("x" + std::to_string(ids.size()), type));
  b.Result("y", b.Emit(op, ids, attributes));
  return std::move(b).Build();
}

std::string LabelOfCall(const std::vector<TensorType>& operands) {
  ModuleBuilder b(Profile::kCore);
  const CallAttrs attrs = {.function = Twice(b)};
  return LabelOf(Single(Opcode::kCall, Pack(attrs), operands, std::move(b)));
}

TEST(Call, GivesTheResultsOfTheFunction) {
  ModuleBuilder b(Profile::kCore);
  const CallAttrs twice = {.function = Twice(b)};
  const ValueId x = b.Param("x", {Shape(), {3, 40}});
  b.Result("y", b.Op(Opcode::kCall, {x}, twice));
  const auto module = Valid(std::move(b).Build());
  EXPECT_EQ(module->types()[1].ToString(), "[] in [-200, 200]");
  EXPECT_EQ(FirstResult(module, {21}), 42);
  EXPECT_EQ(module->functions()[1].gas, kGasOfTwice);
  EXPECT_EQ(module->gas(), 640 + 2 * kGasOfPassing + (640 + 2 + 8) + 2 * kGasOfMoving + kGasOfTwice);
  // The entry's x and y beside the function's arena, in which the argument takes no room.
  EXPECT_EQ(module->functions()[1].arena_bytes, 64);
  EXPECT_EQ(module->arena_bytes(), 3 * 64);
}

TEST(Call, C1_AsManyArgumentsAsParameters) {
  EXPECT_EQ(LabelOfCall({kByte}), "");
  EXPECT_EQ(LabelOfCall({}), "call_c1");
  EXPECT_EQ(LabelOfCall({kByte, kByte}), "call_c1");
}

TEST(Call, C2_ArgumentsLieInTheDeclaredTypes) {
  EXPECT_EQ(LabelOfCall({{Shape(), {100, 100}}}), "");
  EXPECT_EQ(LabelOfCall({{Shape(), {-101, 0}}}), "call_c2");
  EXPECT_EQ(LabelOfCall({{Dims({1}), {0, 0}}}), "call_c2");
}

std::string LabelOfIf(const TensorType& condition, const std::vector<TensorType>& arguments,
                      const std::function<Ids(ModuleBuilder&, const Ids&)>& otherwise) {
  ModuleBuilder b(Profile::kCore);
  IfAttrs attrs = {.then_function = Twice(b)};
  const Ids p = b.BeginFunction({kByte});
  attrs.else_function = b.EndFunction(otherwise(b, p));
  std::vector<TensorType> operands = {condition};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return LabelOf(Single(Opcode::kIf, Pack(attrs), operands, std::move(b)));
}
Ids Same(ModuleBuilder&, const Ids& p) { return p; }

TEST(If, RunsOneBranchAndChargesTheDearerOne) {
  ModuleBuilder b(Profile::kCore);
  IfAttrs attrs = {.then_function = Twice(b)};
  const Ids p = b.BeginFunction({kByte});
  attrs.else_function = b.EndFunction({p[0]});
  const ValueId c = b.Param("c", {Shape(), {-1, 1}}), x = b.Param("x", kByte);
  b.Result("y", b.Op(Opcode::kIf, {c, x}, attrs));
  const auto module = Valid(std::move(b).Build());
  EXPECT_EQ(module->types()[2].ToString(), "[] in [-200, 200]");
  EXPECT_EQ(FirstResult(module, {1, 30}), 60);
  EXPECT_EQ(FirstResult(module, {-1, 30}), 60);
  EXPECT_EQ(FirstResult(module, {0, 30}), 30);
  EXPECT_EQ(module->gas(), 640 + 3 * kGasOfPassing + (640 + 2 + 8) + 3 * kGasOfMoving + kGasOfTwice);
}

TEST(If, C1_OneCondition) {
  EXPECT_EQ(LabelOfIf({Dims({1, 1}), {0, 1}}, {kByte}, Same), "");
  EXPECT_EQ(LabelOfIf({Dims({2}), {0, 1}}, {kByte}, Same), "if_c1");
}
TEST(If, C2_AsManyArgumentsAsParameters) { EXPECT_EQ(LabelOfIf(kByte, {}, Same), "if_c2"); }
TEST(If, C3_ArgumentsLieInTheDeclaredTypes) {
  EXPECT_EQ(LabelOfIf(kByte, {{Shape(), {-100, 101}}}, Same), "if_c3");
}
TEST(If, C4_BranchesHaveAsManyResults) {
  EXPECT_EQ(LabelOfIf(kByte, {kByte}, [](ModuleBuilder&, const Ids& p) { return Ids{p[0], p[0]}; }), "if_c4");
}
TEST(If, C5_BranchesHaveResultsOfTheSameShape) {
  EXPECT_EQ(LabelOfIf(kByte, {kByte},
                      [](ModuleBuilder& b, const Ids&) {
                        return Ids{b.Constant(*Tensor::FromValues(Dims({1}), {1}))};
                      }),
            "if_c5");
}

std::string LabelOfLoop(LoopAttrs attrs, const std::vector<TensorType>& operands,
                        const std::function<int64_t(ModuleBuilder&)>& body) {
  ModuleBuilder b(Profile::kCore);
  attrs.body = body(b);
  return LabelOf(Single(Opcode::kLoop, Pack(attrs), operands, std::move(b)));
}
int64_t AddIndexBody(ModuleBuilder& b) { return AddIndex(b); }
int64_t BodyOf(ModuleBuilder& b, std::vector<TensorType> params, const Ids& results) {
  b.BeginFunction(std::move(params));
  return b.EndFunction(results);
}

TEST(Loop, CarriesAState) {
  ModuleBuilder b(Profile::kCore);
  const LoopAttrs attrs = {.body = AddIndex(b), .trips = 5, .states = 1};
  const ValueId x = b.Param("x", {Shape(), {0, 3}});
  b.Result("y", b.Op(Opcode::kLoop, {x}, attrs));
  const auto module = Valid(std::move(b).Build());
  EXPECT_EQ(FirstResult(module, {3}), 3 + 0 + 1 + 2 + 3 + 4);
  // Clip adds nothing to [-100, 109] but its own bounds.
  EXPECT_EQ(module->types()[1].ToString(), "[] in [-100, 100]");
  const int64_t body = module->functions()[1].gas;
  EXPECT_EQ(body, 640 + 3 * kGasOfPassing + (640 + 1 + 8 + 334) + (640 + 1 + 8 + 5));
  EXPECT_EQ(module->gas(), 640 + 2 * kGasOfPassing + (640 + 1 + 8) + 5 * body + 1024 + 2 * kGasOfMoving);
  // Behind the body's arena: the index and the state twice.
  EXPECT_EQ(module->facts()[0].scratch_bytes, module->functions()[1].arena_bytes + 3 * 64);
}

TEST(Loop, EndsEarlyAndSaysWhen) {
  // while (s < limit) s = s + s;
  ModuleBuilder b(Profile::kCore);
  const TensorType state = {Shape(), {1, 1000}}, limit = {Shape(), {1, 500}};
  const Ids p = b.BeginFunction({kIndex, state, limit});
  const ValueId next = Clip(b, b.Op(Opcode::kBroadcastAdd, {p[1], p[1]}), state.interval);
  const ValueId go_on = Clip(b, b.Op(Opcode::kBroadcastSub, {p[2], next}), {0, 1});
  const LoopAttrs attrs = {.body = b.EndFunction({go_on, next}), .trips = 10, .states = 1, .condition = true};
  const ValueId on = b.Param("on", {Shape(), {0, 1}}), s = b.Param("s", {Shape(), {1, 1}}),
                l = b.Param("limit", limit);
  const ValueId y = b.Op(Opcode::kLoop, {on, s, l}, attrs);
  b.Result("trips", y + 1);
  b.Result("s", y);
  const auto module = Valid(std::move(b).Build());
  EXPECT_EQ(FirstResult(module, {1, 1, 100}), 7);  // 128
  EXPECT_EQ(FirstResult(module, {1, 1, 1}), 1);
  EXPECT_EQ(FirstResult(module, {0, 1, 100}), 0);
  EXPECT_EQ(module->types()[y + 1].ToString(), "[] in [0, 10]");
}

TEST(Loop, C1_OperandsForConditionStatesAndScans) {
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1}, {kByte}, AddIndexBody), "");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1, .condition = true}, {kByte}, AddIndexBody), "loop_c1");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1, .scanned = 1}, {kByte}, AddIndexBody), "loop_c1");
}
TEST(Loop, C2_ParametersForIndexAndArguments) {
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1}, {kByte, kByte}, AddIndexBody), "loop_c2");
  EXPECT_EQ(LabelOfLoop({.trips = 3}, {},
                        [](ModuleBuilder& b) {
                          return BodyOf(b, {kIndex, kByte}, {0});
                        }),
            "loop_c2");
}
TEST(Loop, C3_ResultsForConditionAndStates) {
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1, .condition = true}, {kByte, kByte}, AddIndexBody),
            "loop_c3");
}
TEST(Loop, C4_TheIndexFitsItsParameter) {
  EXPECT_EQ(LabelOfLoop({.trips = 10, .states = 1}, {kByte}, AddIndexBody), "");
  EXPECT_EQ(LabelOfLoop({.trips = 11, .states = 1}, {kByte}, AddIndexBody), "loop_c4");
}
TEST(Loop, C5_OneCondition) {
  const auto body = [](ModuleBuilder& b) { return BodyOf(b, {kIndex}, {0}); };
  EXPECT_EQ(LabelOfLoop({.trips = 3, .condition = true}, {kByte}, body), "");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .condition = true}, {{Dims({2}), {0, 1}}}, body), "loop_c5");
}
TEST(Loop, C6_StatesStartInTheInvariant) {
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1}, {{Shape(), {0, 101}}}, AddIndexBody), "loop_c6");
}
TEST(Loop, C7_ScannedOperandsHaveASliceForEachIteration) {
  const auto body = [](ModuleBuilder& b) { return BodyOf(b, {kIndex, kByte}, {1}); };
  EXPECT_EQ(LabelOfLoop({.trips = 3, .scanned = 1}, {{Dims({3}), {0, 1}}}, body), "");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .scanned = 1}, {{Dims({4}), {0, 1}}}, body), "loop_c7");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .scanned = 1}, {{Shape(), {0, 1}}}, body), "loop_c7");
  EXPECT_EQ(LabelOfLoop({.trips = 3, .scanned = 1}, {{Dims({3}), {0, 101}}}, body), "loop_c7");
}
TEST(Loop, C8_TheBodyGivesOneCondition) {
  const TensorType two = {Dims({2}), {0, 1}};
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1, .condition = true}, {kByte, two},
                        [&](ModuleBuilder& b) {
                          return BodyOf(b, {kIndex, two}, {1, 1});
                        }),
            "loop_c8");
}
TEST(Loop, C9_TheBodyKeepsTheInvariant) {
  const auto sum = [](ModuleBuilder& b) {
    const Ids p = b.BeginFunction({kIndex, kByte});
    return b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], p[1]})});
  };
  EXPECT_EQ(LabelOfLoop({.trips = 3, .states = 1}, {kByte}, sum), "loop_c9");
}

// Entry: y = call f1(x); f1: twice.
Module OneCall(const std::function<void(Module&)>& change) {
  ModuleBuilder b(Profile::kCore);
  const CallAttrs twice = {.function = Twice(b)};
  b.Result("y", b.Op(Opcode::kCall, {b.Param("x", kByte)}, twice));
  Module module = std::move(b).Build();
  change(module);
  return module;
}

TEST(Functions, NameOnlyWhatIsBehindThem) {
  EXPECT_EQ(LabelOf(OneCall([](Module&) {})), "");
  EXPECT_EQ(LabelOf(OneCall([](Module& m) { m.functions[0].body[0].attributes = {{2}}; })),
            "function_reference");
  const Instruction self = {Opcode::kCall, {0}, {{1}}};
  EXPECT_EQ(LabelOf(OneCall([&](Module& m) { m.functions[1].body[0] = self; })), "function_reference");
}

TEST(Functions, AreAllUsed) {
  EXPECT_EQ(LabelOf(OneCall([](Module& m) { m.functions.push_back(m.functions[1]); })), "function_unused");
}

TEST(Functions, AreCheckedLikeTheEntryAndNamedInTheMessage) {
  EXPECT_EQ(LabelOf(OneCall([](Module& m) { m.functions[1].results.clear(); })), "result_missing");
  EXPECT_EQ(LabelOf(OneCall([](Module& m) {
              m.functions[1].params[0].interval = {1, 0};
            })),
            "param_interval");
  const auto status = Validate(OneCall([](Module& m) { m.functions[1].body[0].operands = {0, 7}; })).status();
  EXPECT_EQ(ErrorLabel(status), "operand_undefined");
  EXPECT_EQ(status.message().substr(0, 46), "function 1: instruction 0 (broadcast_add): ope");
}

TEST(Functions, DoNotBelongToProfileCvm) {
  const auto label = LabelOf(OneCall([](Module& m) {
    m.profile = Profile::kCvm;
    for (Function& function : m.functions) function.params[0].shape = Dims({1});  // cvm has no scalars
  }));
  EXPECT_EQ(label, "profile_operator");
}

TEST(Functions, ValuesOfAllTogetherAreLimited) {
  // Each call defines 1024 values.
  const auto label = [](int64_t calls) {
    ModuleBuilder b(Profile::kCore);
    const Ids p = b.BeginFunction({kByte});
    const CallAttrs wide = {.function = b.EndFunction(Ids(kMaxResults, p[0]))};
    const ValueId x = b.Param("x", kByte);
    for (int64_t i = 0; i < calls; ++i) b.Op(Opcode::kCall, {x}, wide);
    b.Result("y", x);
    return LabelOf(std::move(b).Build());
  };
  constexpr int64_t kFitting = kMaxValues / kMaxResults - 2;
  EXPECT_EQ(label(kFitting), "live_pairs_limit");  // a later check
  EXPECT_EQ(label(kFitting + 1), "value_count");
}

// The functions of a module share one limit of work for the memory plan.
TEST(Functions, ShareTheLimitOfLivePairs) {
  const auto label = [](int functions) {
    constexpr int kLive = 1600;  // about 1600^2 pairs of these live at once, more than half of the limit
    ModuleBuilder b(Profile::kCore);
    std::vector<CallAttrs> calls;
    for (int f = 0; f < functions; ++f) {
      const Ids p = b.BeginFunction({kByte});
      Ids values;
      for (int i = 0; i < kLive; ++i) values.push_back(b.Op(Opcode::kNegative, {p[0]}));
      ValueId y = p[0];
      for (const ValueId value : values) y = b.Op(Opcode::kBroadcastMax, {y, value});
      calls.push_back({.function = b.EndFunction({y})});
    }
    ValueId y = b.Param("x", kByte);
    for (const CallAttrs& call : calls) y = Clip(b, b.Op(Opcode::kCall, {y}, call), {-100, 100});
    b.Result("y", y);
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(1), "");
  EXPECT_EQ(label(2), "live_pairs_limit");
}

// Function f calls function f + 1 `calls` times, to the depth given; the last one is twice(x), clipped.
Module Tree(int64_t depth, int calls) {
  ModuleBuilder b(Profile::kCore);
  Ids p = b.BeginFunction({kByte});
  CallAttrs attrs = {.function =
                         b.EndFunction({Clip(b, b.Op(Opcode::kBroadcastAdd, {p[0], p[0]}), {-100, 100})})};
  for (int64_t d = 2; d < depth; ++d) {
    p = b.BeginFunction({kByte});
    ValueId y = p[0];
    for (int i = 0; i < calls; ++i) y = b.Op(Opcode::kCall, {y}, attrs);
    attrs.function = b.EndFunction({y});
  }
  b.Result("y", b.Op(Opcode::kCall, {b.Param("x", kByte)}, attrs));
  return std::move(b).Build();
}

TEST(Functions, NestToALimit) {
  const auto deep = Valid(Tree(kMaxCallDepth, 1));
  EXPECT_EQ(deep->functions()[0].depth, kMaxCallDepth);
  EXPECT_EQ(FirstResult(deep, {7}), 14);
  EXPECT_EQ(LabelOf(Tree(kMaxCallDepth + 1, 1)), "call_depth");
}

// The last call does not hide how deep an earlier call goes.
TEST(Functions, AreAsDeepAsTheirDeepestCall) {
  const auto module = [](int64_t depth) {
    ModuleBuilder b(Profile::kCore);
    Ids p = b.BeginFunction({kByte});
    const CallAttrs leaf = {.function = b.EndFunction({p[0]})};
    CallAttrs deep = leaf;
    for (int64_t d = 2; d < depth; ++d) {
      p = b.BeginFunction({kByte});
      const ValueId y = b.Op(Opcode::kCall, {p[0]}, deep);
      deep.function = b.EndFunction({b.Op(Opcode::kCall, {y}, leaf)});
    }
    b.Result("y", b.Op(Opcode::kCall, {b.Param("x", kByte)}, deep));
    return std::move(b).Build();
  };
  EXPECT_EQ(Valid(module(5))->functions()[0].depth, 5);
  EXPECT_EQ(LabelOf(module(kMaxCallDepth + 1)), "call_depth");
}

// 2^49 calls in a module of a few hundred bytes: validated function by function, and priced out of any run.
TEST(Functions, CallsThatMultiplyCostGasNotValidation) {
  const auto module = Valid(Tree(51, 2));
  EXPECT_GT(module->gas(), int64_t{1} << 59);
  EXPECT_LT(module->arena_bytes(), 51 * 4 * 64);
  EXPECT_EQ(LabelOf(Tree(kMaxCallDepth, 2)), "gas_limit_of_module");
}

TEST(Functions, LoopsInLoopsSaturateGas) {
  const auto label = [](int loops) {
    ModuleBuilder b(Profile::kCore);
    const TensorType index = {Shape(), {0, INT32_MAX}};
    LoopAttrs attrs = {.body = BodyOf(b, {index, kByte}, {1}), .trips = INT32_MAX, .states = 1};
    for (int l = 1; l < loops; ++l) {
      const Ids p = b.BeginFunction({index, kByte});
      attrs.body = b.EndFunction({b.Op(Opcode::kLoop, {p[1]}, attrs)});
    }
    b.Result("y", b.Op(Opcode::kLoop, {b.Param("x", kByte)}, attrs));
    return LabelOf(std::move(b).Build());
  };
  EXPECT_EQ(label(1), "");
  EXPECT_EQ(label(2), "gas_limit_of_module");
  EXPECT_EQ(label(20), "gas_limit_of_module");
}

TEST(Functions, ObserversSeeWhereAValueIs) {
  ModuleBuilder b(Profile::kCore);
  const LoopAttrs attrs = {.body = AddIndex(b), .trips = 2, .states = 1};
  b.Result("y", b.Op(Opcode::kLoop, {b.Param("x", kByte)}, attrs));
  const auto module = Valid(std::move(b).Build());
  std::vector<std::string> seen;
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    std::string address;
    for (const CallSite& site : path) {
      address += std::to_string(site.step) + "." + std::to_string(site.invocation) + "/";
    }
    EXPECT_EQ(FunctionAt(module->module(), path), path.size());
    seen.push_back(address + "%" + std::to_string(id) + " = " + std::to_string(value.at(0)));
  };
  const Tensor x = *Tensor::FromValues(Shape(), {5});
  const TensorView inputs[] = {x.view()};
  for (const std::string engine : {"formal", "reference", "cpu"}) {
    seen.clear();
    ASSERT_TRUE((*MakePlan(engine, module))->Execute(inputs, options).ok());
    EXPECT_EQ(seen,
              (std::vector<std::string>{"0.0/%2 = 5", "0.0/%3 = 5", "0.1/%2 = 6", "0.1/%3 = 6", "%1 = 6"}));
  }
}

TEST(Functions, ABuilderNumbersCallersFirst) {
  ModuleBuilder b(Profile::kCore);
  const CallAttrs inner = {.function = Twice(b)};
  const Ids p = b.BeginFunction({kByte});
  const ValueId y = Clip(b, b.Op(Opcode::kCall, {p[0]}, inner), kByte.interval);
  const CallAttrs outer = {.function = b.EndFunction({y})};
  b.Result("y", b.Op(Opcode::kCall, {b.Param("x", kByte)}, outer));
  const Module module = std::move(b).Build();
  EXPECT_EQ(module.functions[0].body[0].attributes, (Attributes{{1}}));
  EXPECT_EQ(module.functions[1].body[0].attributes, (Attributes{{2}}));
  EXPECT_EQ(FirstResult(Valid(module), {60}), 100);
}

}  // namespace
}  // namespace tally
