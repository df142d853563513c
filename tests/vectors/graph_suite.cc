// Modules of many instructions: ids, gas, memory plans and results. Most are drawn, from fixed seeds; two are
// the examples of docs/spec.
#include <random>
#include <utility>

#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/sort/attrs.h"
#include "serializer/encode.h"
#include "tests/vectors/suites.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// Draws a function instruction by instruction; one that validation refuses is taken back.
class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {
    module_.profile = Below(4) == 0 ? Profile::kCvm : Profile::kCore;
    Function entry;
    for (int64_t i = 0, count = 1 + Below(3); i < count; ++i) {
      std::vector<int64_t> dims;
      for (int64_t axis = 0, rank = 1 + Below(3); axis < rank; ++axis) dims.push_back(1 + Below(5));
      entry.params.push_back({*Shape::Create(dims), {-Below(300), Below(300)}});
    }
    module_.functions.push_back(entry);
    for (int64_t i = 0, wanted = 8 + Below(40); i < wanted; ++i) AddInstruction();
    if (module_.profile == Profile::kCore && Below(2) == 0) CallItself();
  }

  SuiteCase Case(std::string name) {
    SuiteCase test = {std::move(name), Encode(WithResults()), "", {}};
    for (int k = 0; k < 2; ++k) {
      SuiteRun& run = test.runs.emplace_back();
      for (const TensorType& param : module_.functions[0].params) {
        std::vector<int64_t> values(static_cast<size_t>(param.shape.num_elements()));
        for (int64_t& value : values)
          value = param.interval.lo + Below(param.interval.hi - param.interval.lo + 1);
        run.inputs.push_back(*Tensor::FromValues(param.shape, values));
      }
    }
    return test;
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  Function& entry() { return module_.functions[0]; }

  ValueId AnyValue() { return static_cast<ValueId>(Below(static_cast<int64_t>(values_))); }

  Instruction AnyInstruction() {
    const ValueId a = AnyValue(), b = AnyValue();
    const int64_t axis = Below(3);
    switch (Below(16)) {
      case 0: return {Opcode::kBroadcastAdd, {a, b}, {}};
      case 1: return {Opcode::kBroadcastSub, {a, b}, {}};
      case 2: return {Opcode::kBroadcastMul, {a, b}, {}};
      case 3: return {Opcode::kBroadcastMax, {a, b}, {}};
      case 4: return {Opcode::kBroadcastGreater, {a, b}, {}};
      case 5: return {Opcode::kNegative, {a}, {}};
      case 6: return {Opcode::kRelu, {a}, {}};
      case 7: return {Opcode::kClip, {a}, Pack(ClipAttrs{-Below(1000), Below(1000)})};
      case 8: return {Opcode::kConcatenate, {a, b, a}, Pack(ConcatenateAttrs{.axis = axis})};
      case 9: return {Opcode::kTranspose, {a}, Pack(TransposeAttrs{})};
      case 10: return {Opcode::kFlatten, {a}, {}};
      case 11: return {Opcode::kSum, {a}, Pack(CvmReduceAttrs{.axis = {axis}, .keepdims = true})};
      case 12: return {Opcode::kTake, {a, b}, Pack(TakeAttrs{.axis = {axis}})};
      case 13: return {Opcode::kTopK, {a}, Pack(TopKAttrs{.k = 1 + Below(3), .axis = axis})};
      case 14: return {Opcode::kSort, {a}, Pack(SortAttrs{.axis = axis})};
      default: return {Opcode::kUnique, {a}, Pack(UniqueAttrs{.bound = 1 + Below(4)})};
    }
  }

  void AddInstruction() {
    constexpr int64_t kMostElements = 200;
    values_ = values_ == 0 ? entry().params.size() : values_;
    for (int attempt = 0; attempt < 20; ++attempt) {
      entry().body.push_back(AnyInstruction());
      const auto valid = Validate(WithResults());
      if (valid.ok() && valid->types().back().shape.num_elements() <= kMostElements) {
        values_ = valid->types().size();
        return;
      }
      entry().body.pop_back();
    }
  }

  // The module so far as function 1, twice called by the entry.
  void CallItself() {
    Function callee = entry();
    callee.results = LastValues();
    const auto params = static_cast<ValueId>(callee.params.size());
    Function caller = {callee.params, {}, {}};
    std::vector<ValueId> arguments(params);
    for (ValueId i = 0; i < params; ++i) arguments[i] = i;
    for (int i = 0; i < 2; ++i)
      caller.body.push_back({Opcode::kCall, arguments, Pack(CallAttrs{.function = 1})});
    values_ = params + 2 * callee.results.size();
    module_.functions = {caller, callee};
  }

  // Three that are computed last, and the first parameter.
  std::vector<ValueId> LastValues() {
    std::vector<ValueId> results = {0};
    for (size_t id = std::max(entry().params.size(), values_ - std::min<size_t>(values_, 3)); id < values_;
         ++id) {
      results.push_back(static_cast<ValueId>(id));
    }
    return results;
  }

  Module WithResults() {
    Module module = module_;
    module.functions[0].results = LastValues();
    module.metadata = DefaultMetadata(module.entry());
    return module;
  }

  std::mt19937_64 random_;
  Module module_;
  size_t values_ = 0;
};

// The example of docs/spec/execution.md.
SuiteCase PlannedCall() {
  const TensorType type = {*Shape::Create({50}), {-40000, 40000}};
  ModuleBuilder b(Profile::kCore);
  const std::vector<ValueId> p = b.BeginFunction({type});
  const ValueId twice = b.Op(Opcode::kBroadcastAdd, {p[0], p[0]});
  const int64_t function = b.EndFunction({b.Op(Opcode::kBroadcastAdd, {twice, twice})});
  b.Result("y", b.Op(Opcode::kCall, {b.Param("x", type)}, CallAttrs{.function = function}));
  return {"the call of execution.md", Encode(std::move(b).Build()), "", {}};
}

// Leaves and fibers of the digest: rows of less than, exactly and more than 1024 bytes.
SuiteCase LargeConstant(std::initializer_list<int64_t> dims) {
  ModuleBuilder b(Profile::kCore);
  const Shape shape = *Shape::Create(dims);
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7 % 251) - 125;
  b.Result("y", b.Constant(*Tensor::FromValues(shape, values)));
  return {absl::StrCat("a constant ", shape.ToString()), Encode(std::move(b).Build()), "", {SuiteRun{}}};
}

}  // namespace

SuiteFile GraphSuite() {
  SuiteFile file = {"graphs.json", "Modules of many instructions, of functions, and of large constants.", {}};
  file.cases.push_back(PlannedCall());
  for (const auto& dims :
       {std::initializer_list<int64_t>{}, {1023}, {1024}, {1025}, {2, 1025}, {3, 1500}, {300, 7}, {3, 342}}) {
    file.cases.push_back(LargeConstant(dims));
  }
  for (uint64_t seed = 1; seed <= 40; ++seed)
    file.cases.push_back(Drawing(seed).Case(absl::StrCat("drawn ", seed)));
  return file;
}

}  // namespace tally
