#include "bench/harness/tally_contender.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/harness/stopwatch.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr uint64_t kInputSeed = 1;

bool OnlyRenames(Opcode op) {
  return op == Opcode::kReshape || op == Opcode::kTranspose || op == Opcode::kFlatten ||
         op == Opcode::kExpandDims || op == Opcode::kSqueeze;
}

}  // namespace

TallyContender::TallyContender(std::string name, std::unique_ptr<const Plan> plan)
    : name_(std::move(name)), plan_(std::move(plan)) {
  RandomSource random(kInputSeed);
  for (const TensorType& type : plan_->module().entry().params) {
    const Tensor input = RandomTensor(type, random);
    AlignedVector<uint8_t>& bytes = inputs_.emplace_back(input.bytes().begin(), input.bytes().end());
    views_.push_back({input.storage(), input.shape(), bytes});
  }
  for (const ValueId id : plan_->module().entry().results) {
    results_.emplace_back(plan_->module().types()[id].size_bytes());
  }
  for (AlignedVector<uint8_t>& bytes : results_) result_views_.emplace_back(bytes);
}

absl::StatusOr<std::unique_ptr<TallyContender>> TallyContender::Create(std::string_view engine, int threads,
                                                                       Work& work) {
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  ASSIGN_OR_RETURN(
      std::unique_ptr<const Plan> plan,
      MakePlan(engine, std::make_shared<const ValidModule>(std::move(valid)), {.threads = threads}));
  return std::unique_ptr<TallyContender>(
      new TallyContender(absl::StrCat("tally ", ToAbsl(engine)), std::move(plan)));
}

absl::StatusOr<std::vector<double>> TallyContender::Run(int iterations, Clock clock) {
  std::vector<double> times;
  times.reserve(static_cast<size_t>(iterations));
  for (int i = 0; i < iterations; ++i) {
    const Stopwatch watch(clock);
    RETURN_IF_ERROR(plan_->ExecuteInto(views_, result_views_, {}));
    times.push_back(watch.Milliseconds());
  }
  return times;
}

int64_t BytesMoved(const ValidModule& module) {
  const auto& body = module.entry().body;
  std::vector<std::vector<size_t>> readers(module.types().size());
  for (size_t step = 0; step < body.size(); ++step) {
    for (const ValueId id : body[step].operands) readers[id].push_back(step);
  }
  int64_t bytes = module.constant_bytes();
  // The reader of value `id`, through instructions that only rename.
  const auto read = [&](const auto& self, ValueId id) -> int64_t {
    int64_t total = 0;
    for (const size_t step : readers[id]) {
      total += OnlyRenames(body[step].op) ? self(self, module.facts()[step].first_result)
                                          : module.types()[id].size_bytes();
    }
    return total;
  };
  for (ValueId id = 0; id < module.entry().params.size(); ++id) bytes += read(read, id);
  for (size_t step = 0; step < body.size(); ++step) {
    const InstructionFacts& facts = module.facts()[step];
    if (OnlyRenames(body[step].op) || module.constant(facts.first_result) != nullptr) continue;
    const auto& users = readers[facts.first_result];
    const bool is_sum =
        facts.accumulator != Interval{0, 0} && users.size() == 1 && body[users[0]].op == Opcode::kRescale;
    if (is_sum) continue;  // neither written nor read: its rescale finds it in registers
    for (int r = 0; r < facts.num_results; ++r) {
      const ValueId id = facts.first_result + static_cast<ValueId>(r);
      bytes += module.types()[id].size_bytes() + read(read, id);
    }
  }
  return bytes;
}

std::string CountKernels(const std::vector<std::string>& kernels) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& kernel : kernels) {
    auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == kernel; });
    if (found == counts.end()) found = counts.insert(counts.end(), {kernel, 0});
    ++found->second;
  }
  std::string text;
  for (const auto& [kernel, count] : counts) {
    if (!text.empty()) text += ", ";
    text += kernel;
    if (count > 1) absl::StrAppend(&text, " x ", count);
  }
  return text;
}

}  // namespace tally::bench
