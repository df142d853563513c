#include "ops/cpu/gemm/winograd.h"

#include <algorithm>

#include "ops/cpu/gemm/kernels.h"

namespace tally {
namespace {

#define TALLY_WINOGRAD_KERNEL(name, flags, Input, Output) WinogradKernel{name, flags, Input, Output},
constexpr std::array kWinogradKernels = {
#include "ops/cpu/gemm/winograd_kernels.inc"
    WinogradKernel{},  // no list is empty
};
#undef TALLY_WINOGRAD_KERNEL

}  // namespace

std::span<const WinogradKernel> AllWinogradKernels() {
  return std::span(kWinogradKernels).first(kWinogradKernels.size() - 1);
}

const WinogradKernel* FindWinogradKernel(const ConvolutionShape& s, const MicroKernel& direct,
                                         bool takes_small_layers) {
  // Few channels, columns or pixels leave little to save for what the other two steps take.
  constexpr int64_t kLeastChannels = 16, kLeastColumns = 32, kLeastPixels = 16;
  const std::array<int64_t, 3> ones = {1, 1, 1}, kernel = {1, 3, 3};
  const bool fits = s.kernel == kernel && s.stride == ones && s.dilation == ones &&
                    s.input_dilation == ones && s.groups == 1 && s.size[0] == 1 && s.out[0] == 1 &&
                    s.pad_begin[0] == 0;
  const bool pays =
      s.channels >= kLeastChannels && s.out_channels >= kLeastColumns && s.out[1] * s.out[2] >= kLeastPixels;
  if (!fits || direct.element != Element::kS8Pairs || !(pays || takes_small_layers)) return nullptr;
  const auto kernels = AllWinogradKernels();
  const auto found = std::ranges::find(kernels, direct.flags, &WinogradKernel::flags);
  return found == kernels.end() ? nullptr : &*found;
}

std::array<int32_t, kWinogradPoints> WinogradWeights(const std::array<int32_t, 9>& g) {
  const auto times_two_g = [](int32_t a, int32_t b, int32_t c) {
    return std::array<int32_t, 4>{2 * a, a + b + c, a - b + c, 2 * c};
  };
  std::array<std::array<int32_t, 4>, 3> lines;  // by column of the kernel
  for (int j = 0; j < 3; ++j) lines[j] = times_two_g(g[j], g[3 + j], g[6 + j]);
  std::array<int32_t, kWinogradPoints> points;
  for (int i = 0; i < 4; ++i) {
    std::ranges::copy(times_two_g(lines[0][i], lines[1][i], lines[2][i]), points.begin() + 4 * i);
  }
  return points;
}

int64_t WinogradOverread(const WinogradInput& x, int64_t images) {
  const int64_t lines = (x.tiles.out_lines + 1) / 2, columns = x.tiles.per_line();
  const int64_t last =
      (2 * (lines - 1) + 3) * x.line_bytes + (2 * (columns - 1) + 3) * x.pixel_bytes + x.depth;
  return std::max<int64_t>(0, (images - 1) * x.image_bytes + last - images * x.image_bytes);
}

}  // namespace tally
