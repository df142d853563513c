#include "ops/cuda/gemm/convolution.h"

#include <cstdlib>

#include "base/int_math.h"
#include "ops/cuda/gemm/byte_gemm.h"
#include "ops/cuda/gemm/convolution_geometry.h"
#include "ops/cuda/gemm/gemm_device.h"
#include "ops/cuda/gemm/gemm_epilogue.h"
#include "ops/cuda/gemm/gemm_s64.h"

namespace tally::cuda {

bool FitsPositions(const ConvolutionShape& s) {
  constexpr int64_t kMost = int64_t{1} << 30;
  for (int i = 0; i < 3; ++i) {
    if (s.padded_size(i) > kMost || (s.size[i] - 1) * s.input_dilation[i] > kMost ||
        std::abs(s.pad_begin[i]) > kMost) {
      return false;
    }
  }
  return true;
}

bool FitsTiles(const ConvolutionShape& s) {
  const int64_t depth = s.taps() * RoundUp(s.group_channels(), int64_t{kChunk});
  return PixelsOf(s.out) <= INT32_MAX && depth <= INT32_MAX;
}

std::optional<Work> DirectConvolutionWork(const KernelFacts& facts, const GemmFusion& fusion) {
  const ConvolutionCall call = CallOf(facts);
  const ConvolutionShape& s = call.shape;
  const bool last = facts.layout == Layout::kChannelsLast;
  const int64_t pixels = PixelsOf(s.size);
  Work work;
  // Weights that are constants are row-major here, whatever the layout of the call.
  Ref weights = OperandAt(1);
  if (const TensorView* w = facts.constants[1]) {
    weights = work.AddConstant(std::vector<uint8_t>(w->bytes.begin(), w->bytes.end()));
  } else if (last) {
    return std::nullopt;
  }
  const Ref columns = work.AddConstant(ColumnsOf(fusion, AccumulatorInitOf(facts, s, fusion)));
  const LateBias late_bias(facts, columns);
  DirectConvolutionParams params = {
      .geometry = GeometryOf(s, s.channels * pixels, DenseAxes(s, last ? s.channels : 1)),
      .count = s.batch * s.out_channels * PixelsOf(s.out),
      .out_channels = s.out_channels,
      .pixels = PixelsOf(s.out),
      .channels_last = fusion.y_layout == Layout::kChannelsLast,
      .group_channels = s.group_channels(),
      .group_out_channels = s.group_out_channels(),
      .x_channel = last ? 1 : pixels,
      .w_column = call.weight_at(0, 1, 0, 0) - call.weight_at(0, 0, 0, 0),
      .w_group = call.weight_at(1, 0, 0, 0) - call.weight_at(0, 0, 0, 0),
      .w_channel = call.weight_at(0, 0, 1, 0) - call.weight_at(0, 0, 0, 0),
      .w_tap = call.weight_at(0, 0, 0, 1) - call.weight_at(0, 0, 0, 0),
      .w_first = call.weight_at(0, 0, 0, 0),
      .zero_x = call.zero_x,
      .zero_w = call.zero_w,
      .x = facts.storages[0],
      .w = facts.storages[1],
      .has_init = late_bias.is_there,
      .init_storage = late_bias.storage,
      .epilogue = EpilogueOf(fusion)};
  const auto memory = MemoryOf({OperandAt(0), weights, columns, weights, late_bias.ref}, facts, fusion, work);
  work.Add(KernelId::kDirectConvolution, GridOver(params.count), params, memory);
  return work;
}

std::optional<Work> ByteConvolutionWork(const KernelFacts& facts, const GemmFusion& fusion,
                                        const GemmChoice& choice, bool is_s64) {
  const ConvolutionCall call = CallOf(facts);
  const ConvolutionShape& s = call.shape;
  const TensorView* w = facts.constants[1];
  const int64_t channels = s.group_channels(), columns = s.group_out_channels(), taps = s.taps();
  if (w == nullptr || !FitsTiles(s)) return std::nullopt;
  // zero_x is where there is padding.
  const auto limbs = LimbsFor(facts.operands[0].interval.Hull({call.zero_x, call.zero_x}), true);
  const Interval range = w->Bounds();
  const auto w_limbs = LimbsFor({range.lo - call.zero_w, range.hi - call.zero_w}, false);
  if (!limbs || !w_limbs) return std::nullopt;

  Work work;
  const bool last = facts.layout == Layout::kChannelsLast;
  const int64_t pixels = PixelsOf(s.size), chunks = CeilDiv<int64_t>(channels, kChunk);
  const bool in_place = last && facts.storages[0] == Storage::kI8 && limbs->count == 1 && limbs->base == 0 &&
                        channels % kChunk == 0;
  const int64_t pixel_bytes = in_place ? s.channels : s.groups * limbs->count * chunks * kChunk;
  Ref x = OperandAt(0);
  if (!in_place) {
    x = AddPackActivation(work, x,
                          {.positions = pixels,
                           .groups = s.groups,
                           .depth = channels,
                           .chunks = chunks,
                           .limbs = limbs->count,
                           .x_image = s.channels * pixels,
                           .x_position = last ? s.channels : 1,
                           .x_group = channels * (last ? 1 : pixels),
                           .x_element = last ? 1 : pixels,
                           .base = limbs->base,
                           .storage = facts.storages[0]},
                          s.batch);
  }

  PackedBytes packed(*w_limbs, s.groups, columns, taps * chunks);
  const std::vector<int64_t> init =
      InitOf(facts, call, fusion, *limbs, [&](int64_t g, int64_t n, int64_t c, int64_t tap, int64_t weight) {
        packed.Set(g, n, tap * chunks * kChunk + c, weight);
      });

  std::vector<Tap> positions;
  for (int64_t z = 0; z < s.kernel[0]; ++z) {
    for (int64_t y = 0; y < s.kernel[1]; ++y) {
      for (int64_t k = 0; k < s.kernel[2]; ++k) {
        positions.push_back({{static_cast<int>(z * s.dilation[0]), static_cast<int>(y * s.dilation[1]),
                              static_cast<int>(k * s.dilation[2])}});
      }
    }
  }
  const bool y_last = fusion.y_layout == Layout::kChannelsLast;
  const int64_t y_pixels = PixelsOf(s.out);
  const Ref weights = work.AddConstant(packed.bytes()),
            column_list = work.AddConstant(ColumnsOf(fusion, init));
  const Ref tap_list = work.AddConstant(positions);
  const LateBias late_bias(facts, column_list);
  GemmParams params = {.geometry = GeometryOf(s, pixels * pixel_bytes, DenseAxes(s, pixel_bytes)),
                       .rows = s.batch * y_pixels,
                       .pixels = y_pixels,
                       .columns = static_cast<int>(columns),
                       .taps = static_cast<int>(taps),
                       .chunks = static_cast<int>(chunks),
                       .x_group = limbs->count * chunks * kChunk,
                       .w_group = packed.group_bytes(),
                       .w_column = packed.column_bytes(),
                       .y_group = columns * (y_last ? 1 : y_pixels),
                       .columns_group = static_cast<int>(columns),
                       .init_group = static_cast<int>(columns),
                       .y_image = s.out_channels * y_pixels,
                       .y_pixel = y_last ? s.out_channels : 1,
                       .y_column = y_last ? 1 : y_pixels,
                       .has_init = late_bias.is_there,
                       .init_storage = late_bias.storage,
                       .epilogue = EpilogueOf(fusion)};
  SetTerms(params, *limbs, *w_limbs, chunks * kChunk, call.zero_x);
  const auto memory = MemoryOf({x, weights, column_list, tap_list, late_bias.ref}, facts, fusion, work);
  const ColumnsOfY columns_of_y = {s.batch * s.out_channels * y_pixels, s.out_channels, params.y_column};
  const bool added = is_s64 ? AddS64Accumulation(work, params, memory, s.groups, columns_of_y, choice)
                            : AddGemm(work, params, memory, s.groups, choice);
  if (!added) return std::nullopt;
  return work;
}

}  // namespace tally::cuda
