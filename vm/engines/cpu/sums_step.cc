#include "vm/engines/cpu/sums_step.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"

namespace tally::cpu {
namespace {

// Panels that the first-level cache holds are read for each tile of rows. Else all are, where the second-level cache
// holds them, and tiles stay in the first; or one by one, where it holds the rows, so that weights of any size are read
// once; or as many as it holds, so that rows are read once for each of these groups.
constexpr int64_t kFirstLevel = 24 << 10;
constexpr int64_t kSecondLevel = 1 << 20;

int64_t PanelsAtOnce(int64_t panel_bytes, int64_t panels, int64_t row_bytes) {
  if (panel_bytes <= kFirstLevel) return std::min(panels, kFirstLevel / panel_bytes);
  if (row_bytes <= kSecondLevel && panels * panel_bytes > kSecondLevel) return 1;
  return std::clamp<int64_t>(kSecondLevel / panel_bytes, 1, panels);
}

// What decides how threads share a step, roughly (docs/performance.md): a block of two tiles and a panel takes kBlockNs, and
// kStepNs for each kStepBytes of depth. Weights come from memory that all share, and what another thread wrote, as it
// wrote half of an image when each thread went along its own rows, comes from its second-level cache.
constexpr int64_t kBlockNs = 100, kStepNs = 32, kStepBytes = 64;
constexpr int64_t kMemoryBytesPerNs = 15, kOthersBytesPerNs = 8;

// Of all rows, from the first byte to the last.
int64_t RowBytes(const RowPlan& rows) {
  return rows.tiles.back().x_offset - rows.tiles.front().x_offset + kMaxTileRows * rows.row_stride;
}

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

std::vector<BufferId> ReadsOf(const SumsSpec& spec) {
  std::vector<BufferId> reads = {spec.x};
  if (spec.residual.buffer >= 0) reads.push_back(spec.residual.buffer);
  if (spec.packed >= 0) reads.push_back(spec.packed);
  return reads;
}

class SumsStep final : public Step {
 public:
  SumsStep(SumsSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, ReadsOf(spec), {spec.y.buffer}), spec_(std::move(spec)) {
    groups_ = spec_.packed >= 0 ? spec_.y.type.shape.num_elements() / spec_.y_group
                                : static_cast<int64_t>(spec_.weights.size());
    panels_ = CeilDiv<int64_t>(spec_.columns, kPanel);
    weight_bytes_ = PackedBytes(spec_.rows, spec_.columns);
    panels_at_once_ = PanelsAtOnce(panel_bytes(), panels_, RowBytes(spec_.rows));
  }

  // As much as a step reads first: all of it, or a panel.
  std::span<const uint8_t> weights() const override {
    if (spec_.weights.empty()) return {};
    const auto& bytes = spec_.weights.front().bytes;
    return {bytes.data(), static_cast<size_t>(panels_at_once_ * panel_bytes())};
  }
  void SetNextWeights(std::span<const uint8_t> next) override { next_ = next; }

  void Run(const Frame& frame, int part) const noexcept override {
    const auto tiles = static_cast<int64_t>(spec_.rows.tiles.size());
    Epilogue epilogue = spec_.epilogue.epilogue;
    epilogue.table = spec_.epilogue.table.empty() ? nullptr : spec_.epilogue.table.data();
    epilogue.groups = spec_.epilogue.groups.data();
    BlockCall call = {.row_stride = spec_.rows.row_stride,
                      .tiles = spec_.rows.tiles.data(),
                      .rows = spec_.rows.rows.data(),
                      .runs = spec_.rows.runs.data(),
                      .num_runs = static_cast<int>(spec_.rows.runs.size()),
                      .granules_per_run = spec_.rows.granules_per_run,
                      .epilogue = &epilogue,
                      .columns = spec_.columns,
                      .tile_end = tiles,
                      .panel_end = panels_,
                      .panels_at_once = panels_at_once_};
    // Groups go to threads whole where there are enough of them; else tiles do, in pairs, or panels.
    Share groups = {0, groups_};
    if (groups_ >= parts()) {
      groups = ShareOf(groups_, part, parts());
    } else if (SplitsTiles()) {
      const Share pairs = ShareOf(CeilDiv<int64_t>(tiles, 2), part, parts());
      call.tile_begin = 2 * pairs.begin;
      call.tile_end = std::min(tiles, 2 * pairs.end);
    } else {
      const Share panels = ShareOf(panels_, part, parts());
      call.panel_begin = panels.begin;
      call.panel_end = panels.end;
    }
    if (call.tile_begin == call.tile_end || call.panel_begin == call.panel_end)
      return;  // more threads than work
    const uint8_t* x = frame.ConstAt(spec_.x);
    uint8_t* y = frame.At(spec_.y.buffer);
    const uint8_t* residual = spec_.residual.buffer < 0 ? nullptr : frame.ConstAt(spec_.residual.buffer);
    const uint8_t* packed = spec_.packed < 0 ? nullptr : frame.ConstAt(spec_.packed);
    LongSums long_sums = spec_.long_sums.value_or(LongSums{});
    if (spec_.long_sums) call.long_sums = &long_sums;
    const int64_t packed_bytes = weight_bytes_ + panels_ * kPanel * static_cast<int64_t>(sizeof(int32_t));
    for (int64_t g = groups.begin; g < groups.end; ++g) {
      if (g + 1 == groups.end) {
        call.next = next_.data();
        call.next_bytes = static_cast<int64_t>(next_.size());
      }
      call.x = x + g * spec_.x_group_bytes;
      call.y = y + g * spec_.y_group * SizeBytes(spec_.y.storage);
      if (residual != nullptr)
        call.residual = residual + g * spec_.y_group * SizeBytes(spec_.residual.storage);
      if (packed != nullptr) {
        call.weights = packed + g * packed_bytes;
        call.init = reinterpret_cast<const int32_t*>(call.weights + weight_bytes_);
      } else {
        call.weights = spec_.weights[g].bytes.data();
        call.init = spec_.weights[g].init.empty() ? nullptr : spec_.weights[g].init.data();
        if (!spec_.epilogue.groups.empty()) {
          epilogue.groups = &spec_.epilogue.groups[g * panels_ * (kPanel / kGroup)];
        }
      }
      if (!spec_.long_init.empty()) {
        long_sums.init = spec_.long_init[spec_.long_init.size() == 1 ? 0 : g].data();
      }
      spec_.kernel->run(call);
    }
  }

 private:
  int64_t panel_bytes() const { return weight_bytes_ / panels_; }

  // Whether threads share the tiles; else they share the panels.
  bool SplitsTiles() const {
    const auto pairs = CeilDiv(static_cast<int64_t>(spec_.rows.tiles.size()), int64_t{2});
    const int64_t block_ns = kBlockNs + kStepNs * panel_bytes() / (kPanel * kStepBytes);
    const auto time_ns = [&](int64_t pairs_of_part, int64_t panels_of_part) {
      return std::max(pairs_of_part * panels_of_part * block_ns,
                      panels_of_part * panel_bytes() / kMemoryBytesPerNs);
    };
    const int64_t by_tiles = time_ns(CeilDiv<int64_t>(pairs, parts()), panels_);
    const int64_t by_panels = time_ns(pairs, CeilDiv<int64_t>(panels_, parts()));
    const int64_t y_bytes = spec_.y.type.shape.num_elements() / groups_ * SizeBytes(spec_.y.storage);
    const int64_t bytes_of_others = (RowBytes(spec_.rows) + y_bytes) / parts() * (parts() - 1);
    return by_tiles <= by_panels + bytes_of_others / kOthersBytesPerNs;
  }

  SumsSpec spec_;
  int64_t groups_, panels_, weight_bytes_, panels_at_once_;
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
                 .bias = spec_.bias,
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
