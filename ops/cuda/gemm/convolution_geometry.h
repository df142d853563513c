// Shared by launches of convolutions: geometry and accumulator init.
#pragma once

#include <array>
#include <vector>

#include "ops/cuda/gemm/byte_gemm.h"
#include "ops/cuda/gemm/convolution.h"
#include "ops/cuda/gemm/direct_device.h"
#include "ops/gemm/accumulator_init.h"

namespace tally::cuda {

// `axes`: elements or bytes of x between neighbours along the spatial axes.
inline ConvolutionGeometry GeometryOf(const ConvolutionShape& s, int64_t image,
                                      const std::array<int64_t, 3>& axes) {
  ConvolutionGeometry g = {};
  for (int i = 0; i < 3; ++i) {
    g.size[i] = static_cast<int>(s.size[i]);
    g.kernel[i] = static_cast<int>(s.kernel[i]);
    g.stride[i] = static_cast<int>(s.stride[i]);
    g.dilation[i] = static_cast<int>(s.dilation[i]);
    g.pad[i] = static_cast<int>(s.pad_begin[i]);
    g.out[i] = static_cast<int>(s.out[i]);
    g.input_dilation[i] = static_cast<int>(s.input_dilation[i]);
    g.x_axis[i] = axes[i];
  }
  g.x_image = image;
  return g;
}

inline std::array<int64_t, 3> DenseAxes(const ConvolutionShape& s, int64_t pixel) {
  return {s.size[1] * s.size[2] * pixel, s.size[2] * pixel, pixel};
}

inline int64_t PixelsOf(const std::array<int64_t, 3>& axes) { return axes[0] * axes[1] * axes[2]; }

// A bias that is known only in a run, which adds it.
struct LateBias {
  bool is_there;
  Storage storage;
  Ref ref;  // where there is none, `other`, which nothing reads

  LateBias(const KernelFacts& facts, const Ref& other)
      : is_there(facts.operands.size() > 2 && facts.constants[2] == nullptr),
        storage(is_there ? facts.storages[2] : Storage::kI32),
        ref(is_there ? OperandAt(2) : other) {}
};

// The accumulator init of a convolution from biases that a plan knows.
inline std::vector<int64_t> AccumulatorInitOf(const KernelFacts& facts, const ConvolutionShape& s,
                                              const GemmFusion& fusion) {
  return AccumulatorInit(s.out_channels,
                         {facts.operands.size() > 2 ? facts.constants[2] : nullptr, fusion.bias});
}

// Visits every weight, minus its zero point. The accumulator init: biases and x's zero point.
template <typename Visit>
std::vector<int64_t> InitOf(const KernelFacts& facts, const ConvolutionCall& call, const GemmFusion& fusion,
                            const Limbs& x, const Visit& visit) {
  const ConvolutionShape& s = call.shape;
  const int64_t columns = s.group_out_channels(), zero = call.zero_x - x.base;
  std::vector<int64_t> init = AccumulatorInitOf(facts, s, fusion);
  for (int64_t column = 0; column < s.out_channels; ++column) {
    const int64_t g = column / columns, n = column % columns;
    uint64_t sum = 0;
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      for (int64_t c = 0; c < s.group_channels(); ++c) {
        const int64_t weight = facts.constants[1]->at(call.weight_at(g, n, c, tap)) - call.zero_w;
        sum += static_cast<uint64_t>(weight);
        visit(g, n, c, tap, weight);
      }
    }
    init[column] = WithZeroPoint(init[column], zero, sum);
  }
  return init;
}

}  // namespace tally::cuda
