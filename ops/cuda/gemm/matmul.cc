#include "ops/cuda/gemm/matmul.h"

#include <algorithm>

#include "base/int_math.h"
#include "ops/cuda/gemm/byte_gemm.h"
#include "ops/cuda/gemm/gemm_device.h"
#include "ops/cuda/gemm/gemm_epilogue.h"
#include "ops/cuda/gemm/gemm_s64.h"
#include "ops/cuda/prepare_map.h"
#include "ops/gemm/accumulator_init.h"
#include "ops/linear/attrs.h"

namespace tally::cuda {

std::optional<Work> DirectProductWork(const KernelFacts& facts, const GemmFusion& fusion) {
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
  const Ref columns = work.AddConstant(ColumnsOf(fusion, AccumulatorInit(params.columns, {fusion.bias})));
  const auto memory = MemoryOf({OperandAt(0), OperandAt(1), columns, columns, columns}, facts, fusion, work);
  work.Add(KernelId::kDirectProduct, GridOver(params.loops.count), params, memory);
  return work;
}

std::optional<Work> ByteGemmWork(const KernelFacts& facts, const GemmFusion& fusion, const GemmChoice& choice,
                                 bool is_s64) {
  const auto attrs = facts.attrs<MatmulAttrs>();
  const Shape &a = facts.operands[0].shape, &b = facts.operands[1].shape, &y = facts.results[0].shape;
  const TensorView* constant = facts.constants[1];
  const auto limbs = LimbsFor(facts.operands[0].interval, true);
  const Interval b_range = facts.operands[1].interval;
  const auto b_limbs = LimbsFor({b_range.lo - attrs.zero_b, b_range.hi - attrs.zero_b}, false);
  if (!limbs || !b_limbs) return std::nullopt;
  const int64_t columns = y[y.rank() - 1], rows = y[y.rank() - 2];
  const int64_t depth = attrs.transpose_a ? a[a.rank() - 2] : a[a.rank() - 1];
  const int64_t matrices = y.num_elements() / rows / columns;
  const int64_t a_matrices = a.num_elements() / rows / depth, b_matrices = b.num_elements() / depth / columns;
  if (a_matrices != matrices || (b_matrices != 1 && b_matrices != matrices)) return std::nullopt;

  const ByteGemm product = {matrices, rows, columns, depth, b_matrices == 1, *limbs, *b_limbs};
  auto params = GemmParamsOf(product);
  if (!params) return std::nullopt;
  params->epilogue = EpilogueOf(fusion);

  Work work;
  Ref x = OperandAt(0);
  if (attrs.transpose_a || facts.storages[0] != Storage::kI8 || limbs->base != 0 || depth % kChunk != 0) {
    x = AddPackActivation(work, x,
                          {.positions = rows,
                           .groups = 1,
                           .depth = depth,
                           .chunks = product.chunks(),
                           .limbs = limbs->count,
                           .x_image = rows * depth,
                           .x_position = attrs.transpose_a ? 1 : depth,
                           .x_group = 0,
                           .x_element = attrs.transpose_a ? rows : 1,
                           .base = limbs->base,
                           .storage = facts.storages[0]},
                          matrices);
  }
  const int64_t zero = attrs.zero_a - limbs->base;
  std::vector<int64_t> column_init = AccumulatorInit(columns, {fusion.bias});
  const int64_t b_column = attrs.transpose_b ? depth : 1, b_depth = attrs.transpose_b ? 1 : columns;
  Ref weights = OperandAt(1);
  std::optional<Ref> init;
  if (constant != nullptr && b_matrices == 1) {
    PackedBytes packed(*b_limbs, 1, columns, product.chunks());
    for (int64_t n = 0; n < columns; ++n) {
      uint64_t sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const int64_t weight = constant->at(n * b_column + k * b_depth) - attrs.zero_b;
        packed.Set(0, n, k, weight);
        sum += static_cast<uint64_t>(weight);
      }
      column_init[n] = WithZeroPoint(column_init[n], zero, sum);
    }
    weights = work.AddConstant(packed.bytes());
  } else {
    const bool in_place = attrs.transpose_b && facts.storages[1] == Storage::kI8 && attrs.zero_b == 0 &&
                          depth == LimbBytes(product.chunks());
    if (!in_place) {
      weights = AddPackActivation(work, OperandAt(1),
                                  {.positions = columns,
                                   .groups = 1,
                                   .depth = depth,
                                   .chunks = LimbBytes(product.chunks()) / kChunk,
                                   .limbs = b_limbs->count,
                                   .x_image = depth * columns,
                                   .x_position = b_column,
                                   .x_group = 0,
                                   .x_element = b_depth,
                                   .base = attrs.zero_b,
                                   .storage = facts.storages[1]},
                                  b_matrices);
    }
    if (zero != 0 && is_s64) return std::nullopt;  // those are modulo 2^32
    if (zero != 0) init = AddZeroPointInit(work, product, weights, zero);
  }
  params->has_init = init.has_value();
  const Ref column_list = work.AddConstant(ColumnsOf(fusion, column_init));
  const Ref taps = work.AddConstant(std::vector<Tap>{{{0, 0, 0}}});
  const auto memory =
      MemoryOf({x, weights, column_list, taps, init.value_or(column_list)}, facts, fusion, work);
  const ColumnsOfY columns_of_y = {y.num_elements(), columns, 1};
  const bool added = is_s64
                         ? AddS64Accumulation(work, *params, memory, product.groups(), columns_of_y, choice)
                         : AddGemm(work, *params, memory, product.groups(), choice);
  if (!added) return std::nullopt;
  return work;
}

}  // namespace tally::cuda
