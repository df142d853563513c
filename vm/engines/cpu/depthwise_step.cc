#include "vm/engines/cpu/depthwise_step.h"

#include <utility>

namespace tally::cpu {
namespace {

std::vector<BufferId> ReadsOf(const DepthwiseSpec& spec) {
  std::vector<BufferId> reads = {spec.x};
  if (spec.residual.buffer >= 0) reads.push_back(spec.residual.buffer);
  return reads;
}

std::vector<BufferId> WritesOf(const DepthwiseSpec& spec) {
  std::vector<BufferId> writes = {spec.y.buffer};
  if (spec.scratch >= 0) writes.push_back(spec.scratch);
  return writes;
}

class DepthwiseStep final : public Step {
 public:
  DepthwiseStep(DepthwiseSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, ReadsOf(spec), WritesOf(spec)), spec_(std::move(spec)) {
    Note(NotesOf(spec_.epilogue.epilogue));
  }

  void Run(const Frame& frame, int part) const noexcept override {
    Epilogue epilogue = spec_.epilogue.epilogue;
    epilogue.groups = spec_.epilogue.groups.data();
    epilogue.table = spec_.epilogue.table.empty() ? nullptr : spec_.epilogue.table.data();
    // By lines, as the layers around it go by rows, so that a thread finds in its cache what it wrote; by channels, as they
    // do, where there are few.
    const bool by_lines = spec_.shape.all_lines() >= 4 * parts() || spec_.shape.blocks() < parts();
    Share lines = {0, spec_.shape.all_lines()}, blocks = {0, spec_.shape.blocks()};
    (by_lines ? lines : blocks) = ShareOf(by_lines ? lines.end : blocks.end, part, parts());
    spec_.kernel->run(
        {.shape = &spec_.shape,
         .x = frame.ConstAt(spec_.x),
         .zero = spec_.zero,
         .weights = spec_.weights.data(),
         .init = spec_.init.data(),
         .epilogue = &epilogue,
         .y = frame.At(spec_.y.buffer),
         .residual = spec_.residual.buffer < 0 ? nullptr : frame.ConstAt(spec_.residual.buffer),
         .scratch = spec_.scratch < 0 ? nullptr : frame.At(spec_.scratch) + part * spec_.scratch_bytes,
         .line_begin = lines.begin,
         .line_end = lines.end,
         .block_begin = blocks.begin,
         .block_end = blocks.end});
  }

 private:
  DepthwiseSpec spec_;
};

}  // namespace

std::unique_ptr<Step> MakeDepthwiseStep(DepthwiseSpec spec, int parts) {
  return std::make_unique<DepthwiseStep>(std::move(spec), parts);
}

}  // namespace tally::cpu
