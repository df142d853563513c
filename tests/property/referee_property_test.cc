// The referee against runs: the value of any element, from the leaves of what it reads alone; and the
// references against the read sets of their rows, from the leaves of these alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "ops/element.h"
#include "ops/op_rules.h"
#include "proof/trace/partial_tensor.h"
#include "vm/referee.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kModules = 400;
constexpr int kElements = 3;  // that are judged of each value

// A run with every value that instructions computed.
struct ObservedRun {
  std::shared_ptr<const ValidModule> module;
  std::vector<Tensor> inputs;
  std::map<ValuePlace, Tensor> values;

  const TensorType& TypeOf(const ValuePlace& place) const {
    return module->functions()[FunctionAt(module->module(), place.path)].types[place.id];
  }
  const Instruction& InstructionOf(const ValuePlace& place) const {
    const size_t function = FunctionAt(module->module(), place.path);
    return module->module().functions[function].body[StepOf(module->functions()[function], place.id)];
  }
  // A parameter of the entry, a constant, or a value that an instruction computed.
  TensorView At(const ValuePlace& place) const {
    const size_t function = FunctionAt(module->module(), place.path);
    if (place.path.empty() && place.id < inputs.size()) return inputs[place.id].view();
    if (const TensorView* constant = module->constant(function, place.id)) return *constant;
    return values.at(place).view();
  }
};

ObservedRun Draw(uint64_t seed) {
  const std::vector<uint8_t> noise = NoiseBytes(seed, 2048);
  EntropySource e(noise);
  ObservedRun run;
  run.module = std::make_shared<const ValidModule>(*Validate(GenerateModule(e, kSmallModules)));
  run.inputs = GenerateInputs(e, run.module->entry());
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    run.values.insert_or_assign({{path.begin(), path.end()}, id}, Tensor::Copy(value, value.storage));
  };
  const auto plan = *MakePlan("reference", run.module);
  EXPECT_TRUE(plan->Execute(ViewsOf(run.inputs), options).ok());
  return run;
}

// All elements of a run, and which leaves were read.
class WholeRun final : public KnownElements {
 public:
  explicit WholeRun(const ObservedRun& run) : run_(run) {}

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override {
    read.insert({place, element});
    return run_.At(place).at(element);
  }

  std::set<std::pair<ValuePlace, int64_t>> read;

 private:
  const ObservedRun& run_;
};

// Adds the leaf of `value` that has an element.
void AddLeafOf(const TensorView& value, int64_t element, PartialTensor& partial) {
  const int64_t leaf = partial.leaves().PlaceOf(element).leaf;
  std::vector<uint8_t> bytes(partial.leaves().cuts().At(leaf).size);
  for (int64_t i = 0; i < value.shape.num_elements(); ++i) {
    const auto [other, offset] = partial.leaves().PlaceOf(i);
    if (other == leaf) StoreElement(value.storage, bytes.data() + offset, 0, value.at(i));
  }
  EXPECT_TRUE(partial.Add(leaf, bytes).ok());
}

// Only the leaves that hold some elements.
class FewLeaves final : public KnownElements {
 public:
  FewLeaves(const ObservedRun& run, const std::set<std::pair<ValuePlace, int64_t>>& elements) {
    for (const auto& [place, element] : elements) {
      const TensorView value = run.At(place);
      const auto at = values_.try_emplace(place, value.storage, value.shape, CommittedLayout(value.shape));
      AddLeafOf(value, element, at.first->second);
    }
  }

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override {
    const auto value = values_.find(place);
    if (value == values_.end()) return absl::NotFoundError("no leaf of this value");
    return value->second.Read(element);
  }

 private:
  std::map<ValuePlace, PartialTensor> values_;
};

std::string NameOf(const ObservedRun& run, const ValuePlace& place) {
  std::string name = "%" + std::to_string(place.id);
  for (const CallSite& site : place.path) {
    name += " in " + std::to_string(site.step) + ":" + std::to_string(site.invocation);
  }
  return name + " of " + run.TypeOf(place).shape.ToString();
}

TEST(Referee, SaysOfAnyElementWhatTheRunHasFromTheLeavesThatItReads) {
  std::map<Opcode, int64_t> judged;  // by operator that runs functions
  int64_t elements = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const ObservedRun run = Draw(seed);
    const CommittedValues committed(*run.module);
    std::mt19937_64 random(seed);
    for (const auto& [place, value] : run.values) {
      const size_t function = FunctionAt(run.module->module(), place.path);
      if (!committed.contains(function, place.id)) continue;
      for (int i = 0; i < kElements; ++i) {
        const auto element = static_cast<int64_t>(random() % value.shape().num_elements());
        SCOPED_TRACE("seed " + std::to_string(seed) + ", element " + std::to_string(element) + " of " +
                     NameOf(run, place));
        WholeRun whole(run);
        const auto first = Referee<FormalInt>(*run.module, committed, whole).Judge(place, element);
        ASSERT_TRUE(first.ok()) << first.status();
        ASSERT_EQ(static_cast<int64_t>(*first), value.view().at(element));
        FewLeaves few(run, whole.read);
        const auto again = Referee<TrappingInt>(*run.module, committed, few).Judge(place, element);
        ASSERT_TRUE(again.ok()) << again.status();
        ASSERT_EQ(static_cast<int64_t>(*again), value.view().at(element));
        ++elements;
        const Opcode op = run.InstructionOf(place).op;
        if (InfoOf(op).results == kResultsOfFunction) ++judged[op];
      }
    }
  }
  std::cout << elements << " elements judged\n";
  for (const Opcode op : {Opcode::kCall, Opcode::kIf, Opcode::kLoop}) {
    EXPECT_GT(judged[op], 0) << InfoOf(op).name << " was never judged";
  }
}

// Reads of one operand.
template <typename Int>
class RecordedSource final : public ElementSource<Int> {
 public:
  explicit RecordedSource(const TensorView& view) : view_(view) {}
  Int Read(int64_t element) const override {
    if (element < 0 || element >= view_.shape.num_elements()) throw std::out_of_range("no such element");
    read.insert(element);
    return Int(view_.at(element));
  }
  mutable std::set<int64_t> read;

 private:
  TensorView view_;
};

// That `read` is what the row says of operand k.
template <typename Int>
void ExpectReadsOf(const ReadContext& c, Opcode op, int k, const RecordedSource<Int>& source,
                   const std::string& what) {
  const OperandReads& rule = ReadsOf(RulesOf(op).reads, static_cast<size_t>(k));
  const auto reads = std::ssize(source.read);
  switch (rule.reach) {
    case Reach::kNothing: EXPECT_EQ(reads, 0) << what; break;
    case Reach::kOne: EXPECT_LE(reads, 1) << what; break;
    case Reach::kNamed: EXPECT_LE(reads, kMostNamed) << what; break;
    case Reach::kMany: break;
  }
  const Region region = rule.region(c, k);
  std::set<int64_t> said;
  for (int64_t i = 0; i < region.size(); ++i) said.insert(Flatten(region.At(i), c.shape(k)));
  EXPECT_EQ(std::ssize(said), region.size()) << what;
  EXPECT_TRUE(std::ranges::includes(said, source.read)) << what << " reads more than its row says";
  if (rule.exactly) {
    EXPECT_EQ(source.read, said) << what << " reads less than its row says";
  }
}

// An operand of which the leaves of its read set are at hand. Where the row does not say which elements these
// are, they are `read`.
class LeavesOfReadSet final : public ElementSource<TrappingInt> {
 public:
  LeavesOfReadSet(const ReadContext& c, Opcode op, int k, const TensorView& value,
                  const std::set<int64_t>& read)
      : partial_(value.storage, value.shape, CommittedLayout(value.shape)) {
    const OperandReads& rule = ReadsOf(RulesOf(op).reads, static_cast<size_t>(k));
    const Region region = rule.region(c, k);
    if (rule.reach == Reach::kMany || region.size() == 1) {
      for (int64_t i = 0; i < region.size(); ++i)
        AddLeafOf(value, Flatten(region.At(i), c.shape(k)), partial_);
    } else {
      for (const int64_t element : read) AddLeafOf(value, element, partial_);
    }
  }

  TrappingInt Read(int64_t element) const override {
    const auto value = partial_.Read(element);
    if (!value.ok()) throw std::out_of_range(std::string(value.status().message()));
    return *value;
  }

 private:
  PartialTensor partial_;
};

TEST(ReadSets, AreWhatTheReferencesRead) {
  std::map<Opcode, int64_t> seen;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const ObservedRun run = Draw(seed);
    std::mt19937_64 random(seed);
    for (const auto& [place, value] : run.values) {
      const size_t function = FunctionAt(run.module->module(), place.path);
      const FunctionFacts& facts = run.module->functions()[function];
      const Instruction& instruction = run.InstructionOf(place);
      const InstructionFacts& of = facts.instructions[StepOf(facts, place.id)];
      if (InfoOf(instruction.op).results == kResultsOfFunction) continue;
      const auto operand_known = [&](ValueId id) { return place.path.empty() || id >= facts.params.size(); };
      if (!std::ranges::all_of(instruction.operands, operand_known)) continue;
      for (int i = 0; i < kElements; ++i) {
        const auto element = static_cast<int64_t>(random() % value.shape().num_elements());
        std::vector<RecordedSource<TrappingInt>> sources;
        for (const ValueId id : instruction.operands) sources.emplace_back(run.At({place.path, id}));
        std::vector<Operand<TrappingInt>> operands;
        for (size_t k = 0; k < sources.size(); ++k) {
          operands.emplace_back(facts.types[instruction.operands[k]], sources[k]);
        }
        std::vector<TensorType> types;
        for (const ValueId id : instruction.operands) types.push_back(facts.types[id]);
        const ReadContext c = {&instruction.attributes, types,
                               std::span(facts.types).subspan(of.first_result, of.num_results),
                               static_cast<int>(place.id - of.first_result), element};
        const std::string what = std::string(InfoOf(instruction.op).name) + ", seed " + std::to_string(seed);
        const auto y = ComputeElement<TrappingInt>(instruction.op, c, operands);
        ASSERT_EQ(static_cast<int64_t>(y), value.view().at(element)) << what;
        ++seen[instruction.op];
        std::deque<LeavesOfReadSet> leaves;
        operands.clear();
        for (size_t k = 0; k < sources.size(); ++k) {
          leaves.emplace_back(c, instruction.op, static_cast<int>(k),
                              run.At({place.path, instruction.operands[k]}), sources[k].read);
          operands.emplace_back(types[k], leaves.back());
        }
        ASSERT_EQ(ComputeElement<TrappingInt>(instruction.op, c, operands), y) << what;
        for (size_t k = 0; k < sources.size(); ++k) {
          ExpectReadsOf(c, instruction.op, static_cast<int>(k), sources[k],
                        what + ", element " + std::to_string(element) + ", operand " + std::to_string(k));
        }
      }
    }
  }
  for (const OpInfo& op : AllOps()) {
    if (op.results == kResultsOfFunction || op.code == Opcode::kConstant) continue;
    EXPECT_GT(seen[op.code], 0) << op.name << " was never judged";
  }
}

}  // namespace
}  // namespace tally
