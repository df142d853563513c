#include "vm/engines/cpu/depthwise_step.h"

#include <utility>

namespace tally::cpu {
namespace {

class StageStep final : public Step {
 public:
  StageStep(const std::shared_ptr<const DepthwiseSpec>& spec, int parts)
      : Step("stage_depthwise", parts, {spec->x.buffer}, {spec->staged}), spec_(spec) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const Share lines = ShareOf(spec_->shape.batch * spec_->shape.lines, part, parts());
    StageDepthwise({.source = &spec_->source,
                    .shape = &spec_->shape,
                    .element = spec_->kernel->element,
                    .x = frame.ConstAt(spec_->x.buffer),
                    .storage = spec_->x.storage,
                    .base = spec_->base,
                    .zero = spec_->zero,
                    .staged = frame.At(spec_->staged),
                    .begin = lines.begin,
                    .end = lines.end});
  }

 private:
  std::shared_ptr<const DepthwiseSpec> spec_;
};

std::vector<BufferId> ReadsOf(const DepthwiseSpec& spec) {
  std::vector<BufferId> reads = {spec.staged};
  if (spec.residual.buffer >= 0) reads.push_back(spec.residual.buffer);
  return reads;
}

class ComputeStep final : public Step {
 public:
  ComputeStep(const std::shared_ptr<const DepthwiseSpec>& spec, int parts)
      : Step(std::string(spec->kernel->name), parts, ReadsOf(*spec), {spec->y.buffer}), spec_(spec) {}

  void Run(const Frame& frame, int part) const noexcept override {
    Epilogue epilogue = spec_->epilogue.epilogue;
    epilogue.groups = spec_->epilogue.groups.data();
    epilogue.table = spec_->epilogue.table.empty() ? nullptr : spec_->epilogue.table.data();
    const Share lines =
        ShareOf(spec_->shape.batch * spec_->shape.blocks * spec_->shape.out_lines, part, parts());
    spec_->kernel->run(
        {.shape = &spec_->shape,
         .x = frame.ConstAt(spec_->staged),
         .weights = spec_->packed.weights.data(),
         .init = spec_->packed.init.data(),
         .epilogue = &epilogue,
         .y = frame.At(spec_->y.buffer),
         .residual = spec_->residual.buffer < 0 ? nullptr : frame.ConstAt(spec_->residual.buffer),
         .begin = lines.begin,
         .end = lines.end});
  }

 private:
  std::shared_ptr<const DepthwiseSpec> spec_;
};

}  // namespace

DepthwiseSteps MakeDepthwiseSteps(DepthwiseSpec spec, int parts) {
  const auto shared = std::make_shared<const DepthwiseSpec>(std::move(spec));
  return {std::make_unique<StageStep>(shared, parts), std::make_unique<ComputeStep>(shared, parts)};
}

}  // namespace tally::cpu
