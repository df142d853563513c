#include "engines/cpu/gemm/pooled_convolution_step.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

#include "base/int_math.h"

namespace tally::cpu {
namespace {

// The bytes of the image: few enough to be in the second-level cache when they are pooled, enough for few
// bands.
constexpr int64_t kBandBytes = 128 << 10;

TensorType OfLines(const TensorType& image, int64_t lines) {
  return {*Shape::Create({1, image.shape[1], lines, image.shape[3]}), image.interval};
}

class BandPlanner {
 public:
  explicit BandPlanner(PooledConvolutionSpec& spec)
      : spec_(spec),
        rows_(spec.gemm.rows),
        image_(spec.gemm.y.type),
        size_(SizeBytes(spec.gemm.y.storage)),
        pixel_(image_.shape[1] * size_),
        line_(image_.shape[3] * pixel_),
        window_({.size = spec.pool.kernel[0],
                 .stride = spec.pool.stride[0],
                 .dilation = spec.pool.dilation[0],
                 .pad_begin = spec.pool.pad_begin[0]}) {}

  // The bands of lines `share` of y, those of all images.
  std::vector<PoolBand> Plan(const Share& share) {
    const Shape& y = spec_.y.type.shape;
    const int64_t most = std::max<int64_t>(1, (kBandBytes / line_ - window_.extent()) / window_.stride + 1);
    std::vector<PoolBand> plan;
    int64_t computed = 0;  // bytes of the image, as far as the last band went
    for (int64_t at = share.begin; at < share.end;) {
      const int64_t n = at / y[2], place = at % y[2];
      const int64_t y_lines = std::min({most, share.end - at, y[2] - place});
      const int64_t start = window_.start(place), line = std::max<int64_t>(start, 0);
      const int64_t end = std::min(image_.shape[2], window_.start(place + y_lines - 1) + window_.extent());
      PoolBand band = {.first = (n * image_.shape[2] + line) * line_,
                       .image = OfLines(image_, end - line),
                       .y = OfLines(spec_.y.type, y_lines),
                       .y_offset = at * y[3] * pixel_};
      PoolAttrs pool = spec_.pool;
      pool.pad_begin[0] = line - start;
      band.pool = Prepare(pool, band);
      spec_.pool_scratch_bytes = std::max(spec_.pool_scratch_bytes, band.pool.scratch_bytes);
      if (!plan.empty() && place > 0 && computed > band.first) {
        band.kept = computed - band.first;
        band.kept_from = band.first - plan.back().first;
      }
      band.tiles = TilesOf(band.first + band.kept, band.first + (end - line) * line_);
      if (band.tiles.begin < band.tiles.end) {
        if (band.kept == 0) spec_.ahead = std::max(spec_.ahead, band.first - FirstByte(band.tiles.begin));
        computed = EndByte(band.tiles.end - 1);
      }
      spec_.band_bytes = std::max(spec_.band_bytes, computed - band.first);
      plan.push_back(std::move(band));
      at += y_lines;
    }
    return plan;
  }

 private:
  PreparedKernel Prepare(const PoolAttrs& pool, const PoolBand& band) const {
    auto prepared = WithFacts({}, PoolCall(pool, band.image, band.y), Layout::kChannelsLast, {},
                              spec_.pool_kernel->prepare);
    assert(prepared);  // it takes every image
    return *std::move(prepared);
  }

  int64_t Row(int64_t tile, int64_t row) const {
    return rows_.rows[tile * spec_.gemm.kernel->tile_rows + row] * size_;
  }
  int64_t FirstByte(int64_t tile) const { return Row(tile, 0); }
  int64_t EndByte(int64_t tile) const { return Row(tile, rows_.tiles[tile].rows - 1) + pixel_; }

  // Those with pixels in [begin, end) of the image's bytes: an even number where there are so many, as
  // kernels take pairs.
  Share TilesOf(int64_t begin, int64_t end) const {
    const auto& tiles = rows_.tiles;
    const auto tile_of = [&](const MTile& tile) { return &tile - tiles.data(); };
    const auto from = std::ranges::partition_point(
        tiles, [&](const MTile& tile) { return EndByte(tile_of(tile)) <= begin; });
    const auto to = std::partition_point(from, tiles.end(),
                                         [&](const MTile& tile) { return FirstByte(tile_of(tile)) < end; });
    const int64_t first = from - tiles.begin(), count = RoundUp(to - from, ptrdiff_t{2});
    return {first, std::min(first + count, static_cast<int64_t>(tiles.size()))};
  }

  PooledConvolutionSpec& spec_;
  const GemmPlan& rows_;
  const TensorType& image_;
  const int64_t size_, pixel_, line_;  // bytes
  const Window window_;
};

class PooledConvolutionStep final : public Step {
 public:
  explicit PooledConvolutionStep(PooledConvolutionSpec spec)
      : Step(std::string(spec.gemm.kernel->name) + "+" + std::string(spec.pool_kernel->name),
             static_cast<int>(spec.parts.size()), spec.gemm.reads(), {spec.y.buffer, spec.memory}),
        gemm_(std::move(spec.gemm), 1),
        spec_(std::move(spec)) {
    Note(NotesOf(gemm_.spec().epilogue.epilogue));
    NoteOverread(gemm_.spec().x, gemm_.spec().rows.overread_bytes);
    NoteMultiplyAdds(gemm_.multiply_adds());
  }

  std::span<const uint8_t> weights() const override { return gemm_.first_weights(); }
  int64_t kept_bytes() const override { return gemm_.kept_bytes(); }
  void SetNextWeights(std::span<const uint8_t> next) override { next_ = next; }

  void Run(const Frame& frame, int part) const noexcept override {
    uint8_t* const memory = frame.At(spec_.memory) + part * spec_.memory_bytes();
    uint8_t* const lines = memory + spec_.ahead;
    GemmPart gemm = gemm_.Whole();
    for (const PoolBand& band : spec_.parts[part]) {
      std::memmove(lines, lines + band.kept_from, band.kept);
      gemm.tiles = band.tiles;
      const bool is_last = &band == &spec_.parts[part].back();
      // Where the image would begin.
      auto* const image = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(lines) - band.first);
      gemm_.Run(frame, gemm, image, is_last ? next_ : std::span<const uint8_t>());
      const KernelOperand x = {&band.image, gemm_.spec().y.storage, lines};
      const KernelResult y = {&band.y, spec_.y.storage, frame.At(spec_.y.buffer) + band.y_offset};
      spec_.pool_kernel->run(band.pool.params.get(),
                             {.operands = {&x, 1}, .results = {&y, 1}, .scratch = lines + spec_.band_bytes});
    }
  }

 private:
  Gemm gemm_;
  PooledConvolutionSpec spec_;
  std::span<const uint8_t> next_;
};

}  // namespace

OperatorCall PoolCall(const PoolAttrs& pool, const TensorType& image, const TensorType& y) {
  return {Opcode::kMaxPool,
          Pack(pool),
          {{-1, image, image.storage(), Layout::kChannelsLast}},
          {{-1, y, y.storage(), Layout::kChannelsLast}}};
}

// The lines that one line of y reads, or those of kBandBytes; and at either end the pixels of a pair of
// tiles.
Int128 MostBandBytes(const PoolAttrs& pool, const TensorType& image) {
  const int64_t pixel = image.shape[1] * SizeBytes(image.storage());
  const Int128 line = Int128{pixel} * image.shape[3];
  const Int128 extent = Int128{pool.dilation[0]} * (pool.kernel[0] - 1) + 1;
  return std::max<Int128>(kBandBytes, extent * line) + 4 * (line + kMaxTileRows * pixel);
}

void PlanBands(PooledConvolutionSpec& spec, int parts) {
  BandPlanner planner(spec);
  const Shape& y = spec.y.type.shape;
  for (int part = 0; part < parts; ++part)
    spec.parts.push_back(planner.Plan(ShareOf(y[0] * y[2], part, parts)));
  spec.ahead = RoundUp(spec.ahead, kBufferAlignment);
  spec.band_bytes = RoundUp(spec.band_bytes, kBufferAlignment);
  spec.pool_scratch_bytes = RoundUp(spec.pool_scratch_bytes, kBufferAlignment);
}

std::unique_ptr<Step> MakePooledConvolutionStep(PooledConvolutionSpec spec) {
  return std::make_unique<PooledConvolutionStep>(std::move(spec));
}

}  // namespace tally::cpu
