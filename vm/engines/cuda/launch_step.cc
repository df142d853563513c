#include "base/status_macros.h"
#include "vm/engines/cuda/operator_step.h"

namespace tally::cuda {
namespace {

std::vector<BufferId> Joined(std::initializer_list<const std::vector<BufferId>*> lists) {
  std::vector<BufferId> all;
  for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

class LaunchStep final : public Step {
 public:
  LaunchStep(std::string_view name, std::vector<Launch> launches, std::vector<BufferId> operands,
             std::vector<BufferId> results, std::vector<BufferId> constants, std::vector<BufferId> scratch)
      : Step(std::string(name), Joined({&operands, &results, &constants, &scratch})),
        launches_(std::move(launches)),
        buffers_{std::move(operands), std::move(results), std::move(constants), std::move(scratch)} {}

  absl::Status Run(const Frame& frame) const override {
    for (const Launch& launch : launches_) {
      Memory memory = {};
      for (size_t i = 0; i < launch.memory.size(); ++i) {
        const Ref& ref = launch.memory[i];
        const BufferId id = buffers_[static_cast<int>(ref.source)][ref.index];
        memory.at[i] = frame.At(id) + ref.offset_bytes;
      }
      RETURN_IF_ERROR(frame.stream->Launch(launch.kernel, launch.shape, memory, launch.params));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Launch> launches_;
  std::vector<BufferId> buffers_[4];  // by Source
};

}  // namespace

std::unique_ptr<Step> MakeLaunchStep(std::string_view name, std::vector<Launch> launches,
                                     std::vector<BufferId> operands, std::vector<BufferId> results,
                                     std::vector<BufferId> constants, std::vector<BufferId> scratch) {
  return std::make_unique<LaunchStep>(name, std::move(launches), std::move(operands), std::move(results),
                                      std::move(constants), std::move(scratch));
}

}  // namespace tally::cuda
