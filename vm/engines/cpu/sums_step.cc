#include "vm/engines/cpu/sums_step.h"

#include <utility>

#include "base/int_math.h"

namespace tally::cpu {
namespace {

class StageStep final : public Step {
 public:
  StageStep(StageSpec spec, int parts)
      : Step("stage", parts, {spec.x.buffer}, {spec.staged}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const Share lines = ShareOf(StagedLines(spec_.shape, spec_.image), part, parts());
    Stage({.shape = &spec_.shape,
           .image = &spec_.image,
           .x = frame.ConstAt(spec_.x.buffer),
           .storage = spec_.x.storage,
           .channels_last = spec_.x.layout == Layout::kChannelsLast,
           .base = spec_.base,
           .zero = spec_.zero,
           .staged = frame.At(spec_.staged),
           .line_begin = lines.begin,
           .line_end = lines.end});
  }

 private:
  StageSpec spec_;
};

class StageMatrixStep final : public Step {
 public:
  StageMatrixStep(StageMatrixSpec spec, int parts)
      : Step("stage_matrix", parts, {spec.x.buffer}, {spec.staged}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const Share share = ShareOf(spec_.x.type.shape.num_elements(), part, parts());
    StageElements(frame.ConstAt(spec_.x.buffer) + share.begin * SizeBytes(spec_.x.storage), spec_.x.storage,
                  spec_.base, share.end - share.begin, spec_.element,
                  frame.At(spec_.staged) + share.begin * SizeBytes(spec_.element));
  }

 private:
  StageMatrixSpec spec_;
};

class SumsStep final : public Step {
 public:
  SumsStep(SumsSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, spec.reads(), {spec.y.buffer}),
        sums_(std::move(spec), parts) {
    Note(NotesOf(sums_.spec().epilogue.epilogue));
  }

  std::span<const uint8_t> weights() const override { return sums_.first_weights(); }
  void SetNextWeights(std::span<const uint8_t> next) override { next_ = next; }

  void Run(const Frame& frame, int part) const noexcept override {
    sums_.Run(frame, sums_.PartOf(part), frame.At(sums_.spec().y.buffer), next_);
  }

 private:
  Sums sums_;
  std::span<const uint8_t> next_;
};

class PackStep final : public Step {
 public:
  PackStep(PackSpec spec, int parts)
      : Step("pack", parts, {spec.b.buffer}, {spec.packed}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const int64_t panels = CeilDiv<int64_t>(spec_.columns, kPanel);
    const Share share = ShareOf(spec_.matrices * panels, part, parts());
    for (int64_t i = share.begin; i < share.end; ++i) {
      const int64_t matrix = i / panels, panel = i % panels;
      const uint8_t* b =
          frame.ConstAt(spec_.b.buffer) + matrix * spec_.depth * spec_.columns * SizeBytes(spec_.b.storage);
      uint8_t* packed = frame.At(spec_.packed) + matrix * PackedMatrixBytes(spec_);
      PackPanel({.b = b,
                 .storage = spec_.b.storage,
                 .transposed = spec_.transposed,
                 .base = spec_.base,
                 .depth = spec_.depth,
                 .columns = spec_.columns,
                 .zero_x = spec_.zero_x,
                 .first = spec_.first,
                 .element = spec_.element,
                 .granules = spec_.granules,
                 .panel = panel,
                 .packed = packed,
                 .init = reinterpret_cast<int32_t*>(packed + panels * spec_.granules * kPanel * kGranule)});
    }
  }

 private:
  PackSpec spec_;
};

}  // namespace

std::unique_ptr<Step> MakeStageStep(StageSpec spec, int parts) {
  return std::make_unique<StageStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakeStageMatrixStep(StageMatrixSpec spec, int parts) {
  return std::make_unique<StageMatrixStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakeSumsStep(SumsSpec spec, int parts) {
  return std::make_unique<SumsStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakePackStep(PackSpec spec, int parts) {
  return std::make_unique<PackStep>(std::move(spec), parts);
}

int64_t PackedMatrixBytes(const PackSpec& spec) {
  const int64_t panels = CeilDiv<int64_t>(spec.columns, kPanel);
  return panels * kPanel * (spec.granules * kGranule + static_cast<int64_t>(sizeof(int32_t)));
}

}  // namespace tally::cpu
