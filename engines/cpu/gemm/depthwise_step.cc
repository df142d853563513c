#include "engines/cpu/gemm/depthwise_step.h"

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

class PackReadStep final : public Step {
 public:
  PackReadStep(PackReadSpec spec, int parts)
      : Step("pack_read", parts, {spec.x.buffer}, {spec.packed_x}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const DepthwiseShape &s = spec_.shape, &packed = spec_.packed;
    const int64_t x_pixel = s.channels * SizeBytes(spec_.x.storage);
    const int64_t y_pixel = s.channels * SizeBytes(spec_.element);
    const Share lines = ShareOf(s.batch * packed.lines, part, parts());
    uint8_t* y = frame.At(spec_.packed_x) + lines.begin * packed.columns * y_pixel;
    for (int64_t i = lines.begin; i < lines.end; ++i) {
      const int64_t n = i / packed.lines, line = PackedLineFrom(s, packed, i % packed.lines);
      for (int64_t j = 0; j < packed.columns; ++j, y += y_pixel) {
        const int64_t column = PackedColumnFrom(s, packed, j);
        if (line < 0 || line >= s.lines || column < 0 || column >= s.columns) {
          FillElements(spec_.element, spec_.zero, s.channels, y);
          continue;
        }
        const uint8_t* pixel =
            frame.ConstAt(spec_.x.buffer) + ((n * s.lines + line) * s.columns + column) * x_pixel;
        PackElements(pixel, spec_.x.storage, spec_.base, s.channels, spec_.element, y);
      }
    }
  }

 private:
  PackReadSpec spec_;
};

class DepthwiseStep final : public Step {
 public:
  DepthwiseStep(DepthwiseSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, ReadsOf(spec), WritesOf(spec)), spec_(std::move(spec)) {
    Note(NotesOf(spec_.epilogue.epilogue));
    const DepthwiseShape& s = spec_.shape;
    NoteMultiplyAdds(s.batch * s.out_lines * s.out_columns * s.channels * s.taps());
  }

  int64_t kept_bytes() const override {
    const auto init = static_cast<int64_t>(spec_.init.size() * sizeof(int32_t));
    return std::ssize(spec_.weights) + init + KeptBytes(spec_.epilogue);
  }

  void Run(const Frame& frame, int part) const noexcept override {
    const Epilogue epilogue = spec_.epilogue.ForKernel();
    // By lines, as the layers around it go by rows, so that a thread finds in its cache what it wrote; by
    // channels, as they do, where there are few.
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

std::unique_ptr<Step> MakePackReadStep(PackReadSpec spec, int parts) {
  return std::make_unique<PackReadStep>(std::move(spec), parts);
}

std::unique_ptr<Step> MakeDepthwiseStep(DepthwiseSpec spec, int parts) {
  return std::make_unique<DepthwiseStep>(std::move(spec), parts);
}

}  // namespace tally::cpu
