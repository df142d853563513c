#include "base/int_math.h"
#include "ops/cuda/gemm/byte_gemm.h"
#include "ops/cuda/gemm/convolution.h"
#include "ops/cuda/gemm/convolution_geometry.h"
#include "ops/cuda/gemm/depthwise_device.h"
#include "ops/cuda/gemm/gemm_epilogue.h"

namespace tally::cuda {
namespace {

// The kernel for a convolution of each channel by itself.
std::optional<KernelId> DepthwiseKernelOf(const ConvolutionShape& s) {
  if (s.group_channels() != 1 || s.group_out_channels() != 1) return std::nullopt;
  if (s.size[0] != 1 || s.kernel[0] != 1 || s.out[0] != 1 || s.pad_begin[0] != 0) return std::nullopt;
  for (const int axis : {1, 2}) {
    if (s.kernel[axis] != s.kernel[2] || s.stride[axis] != s.stride[2]) return std::nullopt;
    if (s.dilation[axis] != 1 || s.input_dilation[axis] != 1) return std::nullopt;
  }
  const auto is = [&](int64_t kernel, int64_t stride) {
    return s.kernel[2] == kernel && s.stride[2] == stride;
  };
  if (is(3, 1)) return KernelId::kDepthwise3;
  if (is(3, 2)) return KernelId::kDepthwise3Stride2;
  if (is(5, 1)) return KernelId::kDepthwise5;
  if (is(5, 2)) return KernelId::kDepthwise5Stride2;
  return std::nullopt;
}

}  // namespace

std::optional<Work> DepthwiseWork(const KernelFacts& facts, const GemmFusion& fusion) {
  const ConvolutionCall call = CallOf(facts);
  const ConvolutionShape& s = call.shape;
  const TensorView* w = facts.constants[1];
  const auto kernel = DepthwiseKernelOf(s);
  const auto limbs = LimbsFor(facts.operands[0].interval.Hull({call.zero_x, call.zero_x}), true);
  if (w == nullptr || !kernel || !limbs || limbs->count != 1) return std::nullopt;
  const Interval range = w->Bounds();
  if (!RangeOf(Storage::kI8).Contains({range.lo - call.zero_w, range.hi - call.zero_w})) return std::nullopt;

  Work work;
  const bool last = facts.layout == Layout::kChannelsLast;
  const int64_t pixels = PixelsOf(s.size), chunks = CeilDiv<int64_t>(s.channels, kChunk);
  const bool in_place =
      last && facts.storages[0] == Storage::kI8 && limbs->base == 0 && s.channels % kChannelsOfWord == 0;
  const int64_t pixel_bytes = in_place ? s.channels : chunks * kChunk;
  Ref x = OperandAt(0);
  if (!in_place) {
    x = AddPackActivation(work, x,
                          {.positions = pixels,
                           .groups = 1,
                           .depth = s.channels,
                           .chunks = chunks,
                           .limbs = 1,
                           .x_image = s.channels * pixels,
                           .x_position = last ? s.channels : 1,
                           .x_group = 0,
                           .x_element = last ? 1 : pixels,
                           .base = limbs->base,
                           .storage = facts.storages[0]},
                          s.batch);
  }
  const int64_t words = CeilDiv<int64_t>(s.channels, kChannelsOfWord), row = words * kChannelsOfWord;
  std::vector<int8_t> weights(s.taps() * row);
  const std::vector<int64_t> init =
      InitOf(facts, call, fusion, *limbs, [&](int64_t g, int64_t, int64_t, int64_t tap, int64_t v) {
        weights[tap * row + g] = static_cast<int8_t>(v);
      });
  const bool y_last = fusion.y_layout == Layout::kChannelsLast;
  const int64_t y_pixels = PixelsOf(s.out), groups_of_width = CeilDiv<int64_t>(s.out[2], kOutputsOfThread);
  const Ref packed = work.AddConstant(weights), columns = work.AddConstant(ColumnsOf(fusion, init));
  const LateBias late_bias(facts, columns);
  const DepthwiseParams params = {.geometry = GeometryOf(s, pixels * pixel_bytes, DenseAxes(s, pixel_bytes)),
                                  .count = s.batch * s.out[1] * groups_of_width * words,
                                  .words = static_cast<int>(words),
                                  .groups_of_width = static_cast<int>(groups_of_width),
                                  .channels = s.channels,
                                  .fill = static_cast<uint8_t>(limbs->at(call.zero_x, 0)) * 0x01010101u,
                                  .y_image = s.out_channels * y_pixels,
                                  .y_pixel = y_last ? s.out_channels : 1,
                                  .y_column = y_last ? 1 : y_pixels,
                                  .has_init = late_bias.is_there,
                                  .init_storage = late_bias.storage,
                                  .epilogue = EpilogueOf(fusion)};
  const auto memory = MemoryOf({x, packed, columns, columns, late_bias.ref}, facts, fusion, work);
  work.Add(*kernel, GridOver(params.count), params, memory);
  return work;
}

}  // namespace tally::cuda
