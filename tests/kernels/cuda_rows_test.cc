// Every row of the cuda engine, on the emulated device, against the reference of its operator. A new row is tested
// without a new test; one that no random call meets fails here until FindKernelShaper draws calls that it takes.
#include <gtest/gtest.h>

#include <deque>
#include <iostream>
#include <set>

#include "ops/cuda/emulated_kernels.h"
#include "ops/cuda/rows.h"
#include "tests/kernels/guarded_buffer.h"
#include "tests/kernels/run_kernel.h"

namespace tally::cuda {
namespace {

constexpr uint64_t kSeeds = 200;
constexpr uint64_t kMoreSeeds = 3000;       // until every row has been met
constexpr int kCallsOfRow = 10;             // at least
constexpr int64_t kMostElements = 1 << 14;  // an emulated thread is slower than one of a GPU

// Runs `work` on operands in `layout`; the results, or what is wrong.
std::string Check(const Work& work, const DrawnCall& call, Layout layout, const std::vector<Tensor>& expected,
                  Order order) {
  std::deque<GuardedBuffer> operands, results, constants, scratch;
  for (const Tensor& tensor : call.operands) {
    const Tensor moved = InLayout(tensor, layout);
    operands.emplace_back(moved.bytes().size(), false).Assign(moved.bytes());
  }
  for (const TensorType& type : call.result_types) results.emplace_back(type.size_bytes(), true);
  for (const auto& bytes : work.constants) constants.emplace_back(bytes.size(), false).Assign(bytes);
  for (const int64_t bytes : work.scratch_bytes) scratch.emplace_back(bytes, true);
  for (const Launch& launch : work.launches) {
    Memory memory = {};
    for (size_t i = 0; i < launch.memory.size(); ++i) {
      const Ref& ref = launch.memory[i];
      auto& buffers = ref.source == Source::kOperand    ? operands
                      : ref.source == Source::kResult   ? results
                      : ref.source == Source::kConstant ? constants
                                                        : scratch;
      memory.at[i] = buffers.at(ref.index).data() + ref.offset_bytes;
    }
    const absl::Status status =
        Emulate(EmulatedKernelOf(launch.kernel), memory, launch.params.data(), launch.shape, order);
    if (!status.ok()) return std::string(NameOf(launch.kernel)) + ": " + status.ToString();
  }
  for (const auto* written : {&results, &scratch}) {
    for (const GuardedBuffer& buffer : *written) {
      if (!buffer.GuardsAreIntact()) return "wrote beyond a result or its working memory";
    }
  }
  for (size_t r = 0; r < expected.size(); ++r) {
    const Tensor moved = InLayout(expected[r], layout);
    const auto bytes = results[r].bytes();
    if (std::ranges::equal(bytes, moved.bytes())) continue;
    for (int64_t i = 0;; ++i) {
      const int64_t is = LoadElement(moved.storage(), bytes.data(), i), should = moved.view().at(i);
      if (is == should) continue;
      return "result " + std::to_string(r) + " has " + std::to_string(is) + " at " + std::to_string(i) +
             ", not " + std::to_string(should);
    }
  }
  return "";
}

bool IsSmall(const DrawnCall& call) {
  int64_t elements = 0;
  for (const TensorType& type : call.operand_types) elements += type.shape.num_elements();
  for (const TensorType& type : call.result_types) elements += type.shape.num_elements();
  return elements <= kMostElements;
}

bool HasChannelsSomewhere(const DrawnCall& call) {
  const auto has = [](const TensorType& t) { return HasChannels(t.shape); };
  return std::ranges::any_of(call.operand_types, has) || std::ranges::any_of(call.result_types, has);
}

std::set<Opcode> OpsWithRows() {
  std::set<Opcode> ops;
  for (const Row& row : AllRows()) ops.insert(row.op);
  return ops;
}

class CudaRows : public testing::TestWithParam<Opcode> {};

TEST_P(CudaRows, EqualTheReference) {
  const Opcode op = GetParam();
  std::map<std::pair<const Row*, Layout>, int> taken;
  for (const Row& row : AllRows()) {
    if (row.op != op) continue;
    taken[{&row, Layout::kRowMajor}] = 0;
    if (row.layouts == Layouts::kEvery) taken[{&row, Layout::kChannelsLast}] = 0;
  }
  const auto all_met = [&] {
    return std::ranges::all_of(taken, [](const auto& entry) { return entry.second >= kCallsOfRow; });
  };
  int drawn = 0, refused = 0;
  for (uint64_t seed = 0; seed < kSeeds || (seed < kMoreSeeds && !all_met()); ++seed) {
    const auto call = DrawCall(op, seed);
    if (!call.has_value() || !IsSmall(*call)) continue;
    ++drawn;
    std::vector<Tensor> expected;
    bool any = false;
    for (auto& [key, count] : taken) {
      const auto& [row, layout] = key;
      if (layout == Layout::kChannelsLast && !HasChannelsSomewhere(*call)) continue;
      const auto work = row->prepare(call->FactsIn(layout));
      if (!work) continue;
      any = true;
      ++count;
      if (expected.empty()) expected = RunReference(*call);
      const Order order = count % 2 == 0 ? Order::kForward : Order::kBackward;
      ASSERT_EQ(Check(*work, *call, layout, expected, order), "")
          << row->name << ", seed " << seed << (layout == Layout::kChannelsLast ? ", channels last" : "")
          << "\n"
          << Describe(*call);
    }
    refused += any ? 0 : 1;
  }
  std::cout << InfoOf(op).name << ": " << drawn << " calls, " << refused
            << " of them for the reference; taken:";
  for (const auto& [key, count] : taken) {
    std::cout << ' ' << count;
    EXPECT_GE(count, kCallsOfRow) << key.first->name << " took too few of " << drawn << " calls";
  }
  std::cout << "\n";
}

INSTANTIATE_TEST_SUITE_P(Rows, CudaRows, testing::ValuesIn(OpsWithRows()),
                         [](const auto& info) { return std::string(InfoOf(info.param).name); });

TEST(CudaRowTable, HasUniqueNamesAndOperatorsThatStandTogether) {
  std::set<std::string_view> names;
  std::set<Opcode> seen;
  Opcode current = {};
  for (const Row& row : AllRows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (row.op == current) continue;
    EXPECT_TRUE(seen.insert(row.op).second) << row.name;
    current = row.op;
  }
}

}  // namespace
}  // namespace tally::cuda
