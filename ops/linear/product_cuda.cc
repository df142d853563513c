#include "ops/linear/product_cuda.h"

#include <algorithm>

#include "base/int_math.h"
#include "ops/cuda/prepare_map.h"
#include "ops/linear/attrs.h"
#include "ops/linear/bytes_cuda.h"
#include "ops/linear/sums_device.h"
#include "ops/linear/sums_epilogue_cuda.h"

namespace tally::cuda {
namespace {

std::vector<int64_t> BiasOf(const SumsFusion& fusion, int64_t columns) {
  std::vector<int64_t> init(columns);
  for (int64_t n = 0; n < columns && fusion.bias != nullptr; ++n) init[n] = fusion.bias->at(n);
  return init;
}

}  // namespace

std::optional<Work> DirectProductWork(const KernelFacts& facts, const SumsFusion& fusion) {
  const auto attrs = facts.attrs<MatmulAttrs>();
  const Shape &a = facts.operands[0].shape, &b = facts.operands[1].shape, &y = facts.results[0].shape;
  // The axes of the stored matrices: rows and columns of the result, and depth.
  const int a_row = attrs.transpose_a ? a.rank() - 1 : a.rank() - 2, a_depth = 2 * a.rank() - 3 - a_row;
  const int b_column = attrs.transpose_b ? b.rank() - 2 : b.rank() - 1, b_depth = 2 * b.rank() - 3 - b_column;
  const auto leading = [&](const Shape& x) {
    std::array<int64_t, kMaxRank> strides = {};
    for (int axis = 0; axis + 2 < x.rank(); ++axis) {
      strides[y.rank() - x.rank() + axis] = x[axis] == 1 ? 0 : x.stride(axis);
    }
    return strides;
  };
  auto a_strides = leading(a), b_strides = leading(b);
  a_strides[y.rank() - 2] = a.stride(a_row);
  b_strides[y.rank() - 1] = b.stride(b_column);
  Folded f(y, Layout::kRowMajor);
  f.AddStrided(a_strides);
  f.AddStrided(b_strides);
  f.Fold();
  const DirectProductParams params = {.loops = LoopsOf<2>(f),
                                      .depth = a[a_depth],
                                      .a_step = a.stride(a_depth),
                                      .b_step = b.stride(b_depth),
                                      .columns = y[y.rank() - 1],
                                      .zero_a = attrs.zero_a,
                                      .zero_b = attrs.zero_b,
                                      .a = facts.storages[0],
                                      .b = facts.storages[1],
                                      .epilogue = EpilogueOf(fusion)};
  Work work;
  const Ref columns = work.AddConstant(ColumnsOf(fusion, BiasOf(fusion, params.columns)));
  const auto memory = MemoryOf({OperandAt(0), OperandAt(1), columns, columns, columns}, facts, fusion, work);
  work.Add(KernelId::kDirectProduct, GridOver(params.loops.count), params, memory);
  return work;
}

std::optional<Work> BytesProductWork(const KernelFacts& facts, const SumsFusion& fusion, Tiling tiling) {
  const auto attrs = facts.attrs<MatmulAttrs>();
  const Shape &a = facts.operands[0].shape, &b = facts.operands[1].shape, &y = facts.results[0].shape;
  const TensorView* constant = facts.constants[1];
  const auto planes = PlanesFor(facts.operands[0].interval, true);
  const Interval b_range = facts.operands[1].interval;
  const auto b_planes = PlanesFor({b_range.lo - attrs.zero_b, b_range.hi - attrs.zero_b}, false);
  if (!planes || !b_planes) return std::nullopt;
  const int64_t columns = y[y.rank() - 1], rows = y[y.rank() - 2];
  const int64_t depth = attrs.transpose_a ? a[a.rank() - 2] : a[a.rank() - 1];
  const int64_t matrices = y.num_elements() / rows / columns;
  const int64_t a_matrices = a.num_elements() / rows / depth, b_matrices = b.num_elements() / depth / columns;
  if (a_matrices != matrices || (b_matrices != 1 && b_matrices != matrices)) return std::nullopt;

  Work work;
  const int64_t chunks = CeilDiv<int64_t>(depth, kChunk), steps = CeilDiv<int64_t>(chunks, kChunksOfStep);
  // A single b multiplies all rows of all matrices.
  const int64_t groups = b_matrices;
  Ref x = OperandAt(0);
  if (attrs.transpose_a || facts.storages[0] != Storage::kI8 || planes->base != 0 || depth % kChunk != 0) {
    x = AddStage(work, x,
                 {.padded_places = rows,
                  .places = rows,
                  .groups = 1,
                  .depth = depth,
                  .chunks = chunks,
                  .planes = planes->count,
                  .x_image = rows * depth,
                  .x_place = attrs.transpose_a ? 1 : depth,
                  .x_group = 0,
                  .x_element = attrs.transpose_a ? rows : 1,
                  .base = planes->base,
                  .storage = facts.storages[0]},
                 matrices);
  }
  const int64_t zero = attrs.zero_a - planes->base;
  const int64_t padded_columns = PaddedColumns(columns), column_bytes = b_planes->count * steps * kStepBytes;
  Ref weights, init;
  bool has_init = false;
  std::vector<int64_t> column_init = BiasOf(fusion, columns);
  const int64_t b_column = attrs.transpose_b ? depth : 1, b_depth = attrs.transpose_b ? 1 : columns;
  if (constant != nullptr && b_matrices == 1) {
    PackedBytes packed(*b_planes, 1, columns, chunks);
    for (int64_t n = 0; n < columns; ++n) {
      uint64_t sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const int64_t weight = constant->at(n * b_column + k * b_depth) - attrs.zero_b;
        packed.Set(0, n, k, weight);
        sum += static_cast<uint64_t>(weight);
      }
      column_init[n] =
          static_cast<int64_t>(static_cast<uint64_t>(column_init[n]) - static_cast<uint64_t>(zero) * sum);
    }
    weights = work.AddConstant(packed.bytes());
  } else {
    weights = AddStage(work, OperandAt(1),
                       {.padded_places = padded_columns,
                        .places = columns,
                        .groups = 1,
                        .depth = depth,
                        .chunks = steps * kChunksOfStep,
                        .planes = b_planes->count,
                        .x_image = depth * columns,
                        .x_place = b_column,
                        .x_group = 0,
                        .x_element = b_depth,
                        .base = attrs.zero_b,
                        .storage = facts.storages[1]},
                       b_matrices);
    if (zero != 0) {
      // The planes of a column lie one behind the other, and do not weigh the same.
      if (b_planes->count > 1) return std::nullopt;
      has_init = true;
      const RowSumsParams sums = {b_matrices * padded_columns, column_bytes,
                                  static_cast<int32_t>(static_cast<uint32_t>(-static_cast<uint64_t>(zero)))};
      init = work.AddScratch(sums.count * static_cast<int64_t>(sizeof(int32_t)));
      work.Add(KernelId::kRowSums, GridOver(sums.count), sums, {weights, init});
    }
  }
  const int64_t group_rows = groups == 1 ? matrices * rows : rows;
  const int64_t row_bytes = planes->count * chunks * kChunk;
  SumsParams params = {.rows = group_rows,
                       .pixels = group_rows,
                       .columns = static_cast<int>(columns),
                       .taps = 1,
                       .chunks = static_cast<int>(chunks),
                       .steps_of_term = static_cast<int>(steps),
                       .x_group = rows * row_bytes,
                       .w_group = padded_columns * column_bytes,
                       .w_column = column_bytes,
                       .y_group = rows * columns,
                       .columns_group = 0,
                       .init_group = static_cast<int>(padded_columns),
                       .y_image = 0,
                       .y_pixel = columns,
                       .y_column = 1,
                       .has_init = has_init,
                       .epilogue = EpilogueOf(fusion)};
  // A matrix is a line of pixels under a kernel of one tap.
  constexpr int64_t kMostRows = int64_t{1} << 30;
  if (group_rows > kMostRows) return std::nullopt;
  params.geometry = {.size = {1, 1, static_cast<int>(group_rows)},
                     .kernel = {1, 1, 1},
                     .stride = {1, 1, 1},
                     .dilation = {1, 1, 1},
                     .pad = {0, 0, 0},
                     .out = {1, 1, static_cast<int>(group_rows)},
                     .stretch = {1, 1, 1},
                     .x_image = 0,
                     .x_axis = {0, 0, row_bytes}};
  SetTerms(params, *planes, *b_planes, chunks * kChunk, 0);
  const Ref column_list = work.AddConstant(ColumnsOf(fusion, column_init));
  const Ref taps = work.AddConstant(std::vector<Tap>{{{0, 0, 0}}});
  if (!has_init) init = column_list;
  if (!AddSums(work, params, MemoryOf({x, weights, column_list, taps, init}, facts, fusion, work), groups,
               tiling)) {
    return std::nullopt;
  }
  return work;
}

}  // namespace tally::cuda
