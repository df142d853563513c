#include "ops/cpu/gemm/gemm_cost.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "base/wide.h"

namespace tally {
namespace {

Int128 Product(std::initializer_list<Int128> factors) {
  Int128 product = 1;
  for (const Int128 factor : factors) product = SatMul(product, factor);
  return product;
}

// The cost of a column besides its weights: accumulator inits of 32 and 64 bits and a scale, before and after
// packing.
constexpr int64_t kColumnBytes = 128;

Int128 WeightBytes(Int128 groups, int64_t columns, Int128 segments, Int128 segment_elements,
                   const MicroKernel& kernel) {
  const Int128 k_groups =
      CeilDiv<Int128>(CeilDiv<Int128>(segment_elements, ElementsOfKGroup(kernel.element)), kernel.k_groups) *
      kernel.k_groups;
  const Int128 padded = Int128{RoundUp(columns, kPanel)};
  return Product({groups, padded, SatAdd(Product({segments, k_groups, kKGroup}), kColumnBytes)});
}

// Vectors that grow have room for twice as many.
Int128 RowBytes(Int128 tiles, Int128 terms, const MicroKernel& kernel) {
  const int64_t tile = static_cast<int64_t>(sizeof(MTile)) + kernel.tile_rows * int64_t{sizeof(int64_t)};
  return SatAdd(Product({2, tiles, tile}), Product({2, terms, sizeof(int32_t)}));
}

// Phases that taps of axis i read, and the size of each.
Int128 Phases(const ConvolutionShape& s, int i) {
  return std::min(s.kernel[i], s.stride[i] / std::gcd(s.stride[i], s.dilation[i]));
}

}  // namespace

GemmCost CostOfProducts(int64_t matrices, int64_t rows, int64_t depth, int64_t columns,
                        const MicroKernel& kernel) {
  return {.packed_x = Product({matrices, rows, depth, SizeBytes(kernel.element)}),
          .weights = WeightBytes(matrices, columns, 1, depth, kernel),
          .rows = RowBytes(CeilDiv<int64_t>(rows, kernel.tile_rows), depth, kernel)};
}

GemmCost CostOfConvolution(const ConvolutionShape& s, const MicroKernel& kernel) {
  const int64_t element = SizeBytes(kernel.element);
  const Int128 lines = Product({s.batch, s.out[0], s.out[1]});
  Int128 tiles = Product({lines, CeilDiv<int64_t>(s.out[2], kernel.tile_rows)});
  const PackedForm form = FormOf(s, kernel);
  if (form == PackedForm::kWindows) {
    GemmCost cost;
    for (const bool in_planes : {false, true}) {
      const PackedWindows w = WindowsOf(s, in_planes);
      const Int128 pixel = Product({w.lines, w.planes, w.size});
      const Int128 pixels = Product({s.batch, s.out[1] + w.segments - 1, s.out[2]});
      cost.packed_x = std::max(cost.packed_x, Product({pixels, pixel, element}));
      cost.weights = std::max(cost.weights, WeightBytes(1, s.out_channels, w.segments, pixel, kernel));
      cost.rows = std::max(cost.rows, RowBytes(tiles, SatMul(w.segments, pixel), kernel));
    }
    return cost;
  }
  const int64_t channels = s.group_channels();
  Int128 positions = 1, all_positions = 1;  // a phase's, and those of all phases
  for (int i = 0; i < 3; ++i) {
    const bool split = form == PackedForm::kPhases;
    const Int128 size = CeilDiv(s.padded_size(i), split ? s.stride[i] : 1);
    Int128 all = SatMul(split ? Phases(s, i) : Int128{1}, size);
    if (split && i == 2) all = std::max(all, SatMul(s.kernel[2], s.out[2]));  // kColumns
    positions = SatMul(positions, size);
    all_positions = SatMul(all_positions, all);
  }
  // Tiles go on from line to line, if rows are consecutive pixels.
  if (form == PackedForm::kPhases)
    tiles = std::min(tiles, SatMul(s.batch, CeilDiv<Int128>(positions, kernel.tile_rows)));
  const Int128 taps = Product({s.kernel[0], s.kernel[1], s.kernel[2]});
  constexpr int64_t kTapTerms = 32;  // the terms that the places of a tap take
  return {.packed_x = Product({s.batch, s.groups, all_positions, channels, element}),
          .weights = WeightBytes(s.groups, s.group_out_channels(), taps, channels, kernel),
          .rows = RowBytes(tiles, SatMul(taps, channels + kTapTerms), kernel)};
}

GemmCost CostOfDepthwise(const ConvolutionShape& s, const DepthwiseKernel& kernel) {
  const DepthwiseShape shape = DepthwiseOf(s);
  const Int128 slots = Int128{RoundUp(shape.channels, DepthwiseShape::kBlock)};
  // Taps of 16 bits each, at two places.
  const Int128 taps = Product({RoundUp(shape.kernel_lines, 4), shape.kernel_columns, 4});
  const int64_t element = kernel.element == Element::kS16 ? 2 : 1;
  return {.packed_x = Product({shape.batch, shape.channels, shape.lines, shape.columns, element}),
          .weights = SatMul(slots, SatAdd(taps, kColumnBytes)),
          .scratch = kernel.layout->scratch_bytes(shape)};
}

}  // namespace tally
