#include <array>
#include <utility>

#include "base/status_macros.h"
#include "engines/cuda/operator_step.h"

namespace tally::cuda {
namespace {

using BuffersBySource = std::array<std::vector<BufferId>, 4>;

BufferId BufferOf(const BuffersBySource& buffers, const Ref& ref) {
  return buffers[static_cast<size_t>(ref.source)][ref.index];
}

// The uses of operands and constants, or of results and working memory.
std::vector<BufferId> UsesOf(const std::vector<Launch>& launches, const BuffersBySource& buffers,
                             bool written) {
  std::vector<BufferId> uses;
  for (const Launch& launch : launches) {
    for (const Ref& ref : launch.memory) {
      const bool is_written = ref.source == Source::kResult || ref.source == Source::kScratch;
      if (is_written == written) uses.push_back(BufferOf(buffers, ref));
    }
  }
  return uses;
}

class LaunchStep final : public Step {
 public:
  LaunchStep(std::string_view name, std::vector<Launch> launches, BuffersBySource buffers)
      : Step(std::string(name), UsesOf(launches, buffers, false), UsesOf(launches, buffers, true)),
        launches_(std::move(launches)),
        buffers_(std::move(buffers)) {}

  absl::Status Run(const Frame& frame) const override {
    for (const Launch& launch : launches_) {
      Memory memory = {};
      for (size_t i = 0; i < launch.memory.size(); ++i) {
        const Ref& ref = launch.memory[i];
        memory.at[i] = frame.At(BufferOf(buffers_, ref)) + ref.offset_bytes;
      }
      RETURN_IF_ERROR(frame.stream->Launch(launch.kernel, launch.shape, memory, launch.params));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Launch> launches_;
  BuffersBySource buffers_;
};

}  // namespace

std::unique_ptr<Step> MakeLaunchStep(std::string_view name, std::vector<Launch> launches,
                                     std::vector<BufferId> operands, std::vector<BufferId> results,
                                     std::vector<BufferId> constants, std::vector<BufferId> scratch) {
  return std::make_unique<LaunchStep>(
      name, std::move(launches),
      BuffersBySource{std::move(operands), std::move(results), std::move(constants), std::move(scratch)});
}

}  // namespace tally::cuda
