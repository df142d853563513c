#include "engines/cpu/gemm/winograd_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "engines/cpu/gemm/gemm.h"
#include "engines/cpu/gemm/gemm_epilogue.h"
#include "engines/cpu/gemm/gemm_step.h"
#include "engines/cpu/program/proportion.h"
#include "ops/cpu/gemm/machine_costs.h"
#include "ops/cpu/gemm/pack_weights.h"

namespace tally::cpu {
namespace {

constexpr int kTaps = 9;

struct WinogradSpec {
  const WinogradKernel* kernel = nullptr;
  const MicroKernel* products = nullptr;
  WinogradInput input;                 // but for memory
  BufferId x = -1;                     // the packed image
  GemmPlan rows;                       // for the tiles of a band
  std::vector<PackedWeights> weights;  // by point
  EpilogueSpec epilogue;
  AlignedVector<int32_t> init;  // empty: none
  ValueRef y, residual;         // buffer -1: none
  int64_t columns = 0, padded_columns = 0;
  int64_t tiles = 0, band = 0;  // all, and those at a time
  int64_t overread = 0;
  BufferId scratch = -1;

  int64_t plane_tiles() const { return RoundUp(band, products->tile_rows); }
  int64_t point_bytes() const {
    return RoundUp(kWinogradPoints * plane_tiles() * input.depth * int64_t{sizeof(int16_t)},
                   kBufferAlignment);
  }
  int64_t scratch_bytes() const {
    return point_bytes() + kWinogradPoints * plane_tiles() * padded_columns * int64_t{sizeof(int32_t)};
  }
};

std::vector<BufferId> ReadsOf(const WinogradSpec& spec) {
  std::vector<BufferId> reads = {spec.x};
  if (spec.residual.buffer >= 0) reads.push_back(spec.residual.buffer);
  return reads;
}

class WinogradStep final : public Step {
 public:
  WinogradStep(WinogradSpec spec, int parts)
      : Step(std::string(spec.kernel->name), parts, ReadsOf(spec), {spec.y.buffer, spec.scratch}),
        spec_(std::move(spec)) {
    Note(NotesOf(spec_.epilogue.epilogue));
    NoteOverread(spec_.x, spec_.overread);
    const WinogradTiles& tiles = spec_.input.tiles;
    NoteMultiplyAdds(spec_.tiles / tiles.per_image() * tiles.out_lines * tiles.out_columns * spec_.columns *
                     spec_.input.pixel_bytes * kTaps);
    const int64_t panel_bytes = spec_.rows.k_groups_per_segment * kPanel * kKGroup;
    panels_at_once_ = std::clamp<int64_t>(CostsOf(spec_.products->flags).first_level_bytes / panel_bytes, 1,
                                          spec_.padded_columns / kPanel);
  }

  int64_t kept_bytes() const override {
    int64_t bytes = KeptBytes(spec_.epilogue) + std::ssize(spec_.init) * int64_t{sizeof(int32_t)};
    for (const PackedWeights& point : spec_.weights) bytes += std::ssize(point.bytes);
    return bytes;
  }

  void Run(const Frame& frame, int part) const noexcept override {
    uint8_t* const scratch = frame.At(spec_.scratch) + part * spec_.scratch_bytes();
    const Share share = ShareOf(spec_.tiles, part, parts());
    WinogradInput input = spec_.input;
    input.x = frame.ConstAt(spec_.x);
    input.points = reinterpret_cast<int16_t*>(scratch);
    input.point_tiles = spec_.plane_tiles();
    auto* const sums = reinterpret_cast<int32_t*>(scratch + spec_.point_bytes());
    const Epilogue epilogue = spec_.epilogue.ForKernel();
    const GemmArgs store = {
        .epilogue = &epilogue,
        .y = frame.At(spec_.y.buffer),
        .residual = spec_.residual.buffer < 0 ? nullptr : frame.ConstAt(spec_.residual.buffer),
        .columns = spec_.columns};
    for (int64_t first = share.begin; first < share.end; first += spec_.band) {
      input.tiles.first = first;
      input.tiles.count = std::min(spec_.band, share.end - first);
      spec_.kernel->input(input);
      Multiply(input, sums);
      spec_.kernel->output({.tiles = input.tiles,
                            .sums = sums,
                            .point_tiles = input.point_tiles,
                            .sum_stride = spec_.padded_columns,
                            .init = spec_.init.empty() ? nullptr : spec_.init.data(),
                            .store = &store});
    }
  }

 private:
  // Sixteen products of matrices: points of x by points of w.
  void Multiply(const WinogradInput& input, int32_t* sums) const {
    const Epilogue as_they_are;
    for (int point = 0; point < kWinogradPoints; ++point) {
      spec_.products->run(
          {.x = reinterpret_cast<const uint8_t*>(input.points + point * input.point_tiles * input.depth),
           .row_stride = spec_.rows.row_stride,
           .tiles = spec_.rows.tiles.data(),
           .rows = spec_.rows.rows.data(),
           .segments = spec_.rows.segments.data(),
           .k_groups_per_segment = spec_.rows.k_groups_per_segment,
           .weights = spec_.weights[point].bytes.data(),
           .epilogue = &as_they_are,
           .y = reinterpret_cast<uint8_t*>(sums + point * input.point_tiles * spec_.padded_columns),
           .columns = spec_.padded_columns,
           .tile_end = CeilDiv<int64_t>(input.tiles.count, spec_.products->tile_rows),
           .panel_end = spec_.padded_columns / kPanel,
           .panels_at_once = panels_at_once_});
    }
  }

  WinogradSpec spec_;
  int64_t panels_at_once_;
};

// Enough for weights that no cache holds to be worth reading. Bands are a multiple of the rows of a kernel.
constexpr int64_t kLeastTiles = 12;

// Points and sums of a tile.
int64_t TileBytes(int64_t channels, int64_t columns) {
  return kWinogradPoints * (RoundUp(channels, kWinogradDepth) * int64_t{sizeof(int16_t)} +
                            RoundUp(columns, int64_t{kPanel}) * int64_t{sizeof(int32_t)});
}

int64_t PointBytes(const ConvolutionShape& s) {
  return kWinogradPoints * RoundUp(s.channels, kWinogradDepth) * RoundUp(s.out_channels, int64_t{kPanel}) *
         int64_t{sizeof(int16_t)};
}

// As many tiles as half of the second-level cache holds.
int64_t TilesOfBand(const WinogradSpec& spec, int64_t tiles_of_part) {
  const int64_t rows = spec.products->tile_rows;
  const int64_t held = CostsOf(spec.products->flags).second_level_bytes / 2 /
                       TileBytes(spec.input.depth, spec.padded_columns) / rows * rows;
  return std::min(std::max(RoundUp(kLeastTiles, rows), held), RoundUp(tiles_of_part, rows));
}

}  // namespace

const WinogradKernel* WinogradFor(const StepBuilder& builder, const FusionGroup& fused,
                                  const ConvolutionCall& call, const OperandFormats& formats,
                                  const MicroKernel& direct) {
  const ConvolutionShape& s = call.shape;
  const bool takes_small = builder.context().takes_small_layers;
  if (fused.pool || fused.concat || formats.is_s64 || formats.wide()) return nullptr;
  const Interval sums = RawAccumulators(kTaps * s.channels);
  if (!RangeOf(Storage::kI32).Contains(Interval{4 * sums.lo, 4 * sums.hi})) return nullptr;
  const WinogradKernel* const kernel = FindWinogradKernel(s, direct, takes_small);
  const int64_t values = s.channels * s.size[1] * s.size[2] + s.out_channels * s.out[1] * s.out[2];
  if (PartsInProportion(s.batch * values, kLeastTiles * TileBytes(s.channels, s.out_channels), 1) == 0) {
    return nullptr;
  }
  // Points of weights have 3.6 times the bytes of weights. What no cache holds must serve some tiles.
  constexpr int64_t kManyTiles = 32;
  const int64_t tiles = s.batch * WinogradTiles{.out_lines = s.out[1], .out_columns = s.out[2]}.per_image();
  const bool pays = tiles >= kManyTiles || PointBytes(s) <= CostsOf(direct.flags).second_level_bytes;
  if (!(pays || takes_small)) return nullptr;
  int64_t& kept = *builder.context().kept_bytes;
  if (kernel == nullptr || PointBytes(s) > kept) return nullptr;
  kept -= PointBytes(s);
  return kernel;
}

void AddWinograd(StepBuilder& builder, const FusionGroup& fused, const ConvolutionCall& call,
                 const OperandFormats& formats, const WinogradKernel& kernel) {
  const ConvolutionShape& s = call.shape;
  const ValueRef& x = builder.op().operands[0];
  const TensorView& w = *builder.constant(builder.instruction(fused.gemm).operands[1]);
  WinogradSpec spec;
  spec.kernel = &kernel;
  spec.products = &SelectMicroKernel(/*wide_x=*/true, /*wide_w=*/true, s.rows(), kernel.flags);
  spec.columns = s.out_channels;
  spec.padded_columns = RoundUp(s.out_channels, int64_t{kPanel});

  PackedImage image;
  image.element = Element::kS8;
  image.channels = s.channels;
  image.size = {1, s.padded_size(1), s.padded_size(2)};
  image.phases = {{0, 0, 0}};
  spec.input = {.tiles = {.out_lines = s.out[1], .out_columns = s.out[2]},
                .pixel_bytes = image.pixel_bytes(),
                .line_bytes = image.line_bytes(),
                .image_bytes = image.bytes(),
                .depth = RoundUp(s.channels, kWinogradDepth)};
  spec.tiles = s.batch * spec.input.tiles.per_image();
  spec.overread = WinogradOverread(spec.input, s.batch);
  spec.x = builder.NewBuffer(s.batch * image.bytes());
  builder.Add(
      MakePackImageStep({s, image, x, formats.x.base, call.zero_x, spec.x}, builder.context().threads));

  const int threads = builder.context().threads;
  spec.band = TilesOfBand(spec, CeilDiv<int64_t>(spec.tiles, threads));
  spec.rows = PlanMatrix(spec.plane_tiles(), spec.input.depth, spec.padded_columns, *spec.products);
  const std::vector<int64_t> first = AccumulatorInitOf(builder, fused, s.out_channels);
  std::vector<PackedWeights> init(1);
  std::vector<std::array<int32_t, kWinogradPoints>> points(s.out_channels * s.channels);
  for (int64_t n = 0; n < s.out_channels; ++n) {
    int64_t sum = 0;
    for (int64_t c = 0; c < s.channels; ++c) {
      std::array<int32_t, kTaps> taps;
      for (int tap = 0; tap < kTaps; ++tap) {
        taps[tap] = static_cast<int32_t>(w.at(call.weight_at(0, n, c, tap)) - call.zero_w);
        sum += taps[tap];
      }
      points[n * s.channels + c] = WinogradWeights(taps);
    }
    init[0].init_s64.push_back(
        WithZeroPoint(first[n], call.zero_x - formats.x.base, static_cast<uint64_t>(sum)));
  }
  for (int64_t n = s.out_channels; n < spec.padded_columns; ++n) init[0].init_s64.push_back(0);
  for (const int64_t v : init[0].init_s64) init[0].init.push_back(static_cast<int32_t>(v));
  const std::vector<int64_t> zeros(spec.padded_columns);
  for (int point = 0; point < kWinogradPoints; ++point) {
    spec.weights.push_back(PackWeights(
        spec.rows, spec.products->element, spec.input.depth, 0, zeros, [&](int64_t n, int64_t c, int64_t) {
          return n < s.out_channels && c < s.channels ? points[n * s.channels + c][point] : 0;
        }));
  }
  spec.y = builder.op().results[0];
  spec.epilogue = EpilogueOf(fused, spec.columns, spec.y.storage, kTaps * s.channels, formats, init);
  spec.init = std::move(init[0].init);
  if (fused.residual) spec.residual = ResidualOf(builder);
  const int64_t value_bytes = x.type.size_bytes() + spec.y.type.size_bytes();
  const int parts = std::max(1, PartsInProportion(value_bytes, spec.scratch_bytes(), threads));
  spec.scratch = builder.NewBuffer(spec.scratch_bytes() * parts);
  builder.Add(std::make_unique<WinogradStep>(std::move(spec), parts));
}

}  // namespace tally::cpu
