#include "engines/cpu/gemm/gemm_step.h"

#include <utility>

#include "base/int_math.h"

namespace tally::cpu {
namespace {

class PackImageStep final : public Step {
 public:
  PackImageStep(PackImageSpec spec, int parts)
      : Step("pack_image", parts, {spec.x.buffer}, {spec.packed_x}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const Share lines = ShareOf(PackedLines(spec_.shape, spec_.image), part, parts());
    PackActivation({.shape = &spec_.shape,
                    .image = &spec_.image,
                    .x = frame.ConstAt(spec_.x.buffer),
                    .storage = spec_.x.storage,
                    .channels_last = spec_.x.layout == Layout::kChannelsLast,
                    .base = spec_.base,
                    .zero = spec_.zero,
                    .packed_x = frame.At(spec_.packed_x),
                    .line_begin = lines.begin,
                    .line_end = lines.end});
  }

 private:
  PackImageSpec spec_;
};

class PackMatrixStep final : public Step {
 public:
  PackMatrixStep(PackMatrixSpec spec, int parts)
      : Step("pack_matrix", parts, {spec.x.buffer}, {spec.packed_x}), spec_(std::move(spec)) {}

  void Run(const Frame& frame, int part) const noexcept override {
    const Share share = ShareOf(spec_.x.type.shape.num_elements(), part, parts());
    PackElements(frame.ConstAt(spec_.x.buffer) + share.begin * SizeBytes(spec_.x.storage), spec_.x.storage,
                 spec_.base, share.end - share.begin, spec_.element,
                 frame.At(spec_.packed_x) + share.begin * SizeBytes(spec_.element));
  }

 private:
  PackMatrixSpec spec_;
};

class GemmStep final : public Step {
 public:
  GemmStep(GemmSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, spec.reads(), {spec.y.buffer}),
        gemm_(std::move(spec), parts) {
    Note(NotesOf(gemm_.spec().epilogue.epilogue));
    NoteOverread(gemm_.spec().x, gemm_.spec().rows.overread_bytes);
    NoteMultiplyAdds(gemm_.multiply_adds());
  }

  std::span<const uint8_t> weights() const override { return gemm_.first_weights(); }
  int64_t kept_bytes() const override { return gemm_.kept_bytes(); }
  void SetNextWeights(std::span<const uint8_t> next) override { next_ = next; }

  void Run(const Frame& frame, int part) const noexcept override {
    gemm_.Run(frame, gemm_.PartOf(part), frame.At(gemm_.spec().y.buffer), next_);
  }

 private:
  Gemm gemm_;
  std::span<const uint8_t> next_;
};

class PackWeightsStep final : public Step {
 public:
  PackWeightsStep(PackWeightsSpec spec, int parts)
      : Step("pack_weights", parts, {spec.b.buffer}, {spec.packed}), spec_(std::move(spec)) {}

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
                 .k_groups = spec_.k_groups,
                 .panel = panel,
                 .packed = packed,
                 .init = reinterpret_cast<int32_t*>(packed + panels * spec_.k_groups * kPanel * kKGroup)});
    }
  }

 private:
  PackWeightsSpec spec_;
};

}  // namespace

std::unique_ptr<Step> MakePackImageStep(PackImageSpec spec, int parts) {
  return std::make_unique<PackImageStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakePackMatrixStep(PackMatrixSpec spec, int parts) {
  return std::make_unique<PackMatrixStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakeGemmStep(GemmSpec spec, int parts) {
  return std::make_unique<GemmStep>(std::move(spec), parts);
}
std::unique_ptr<Step> MakePackWeightsStep(PackWeightsSpec spec, int parts) {
  return std::make_unique<PackWeightsStep>(std::move(spec), parts);
}

int64_t PackedMatrixBytes(const PackWeightsSpec& spec) {
  const int64_t panels = CeilDiv<int64_t>(spec.columns, kPanel);
  return panels * kPanel * (spec.k_groups * kKGroup + static_cast<int64_t>(sizeof(int32_t)));
}

}  // namespace tally::cpu
