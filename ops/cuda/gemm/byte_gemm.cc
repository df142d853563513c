#include "ops/cuda/gemm/byte_gemm.h"

#include <algorithm>
#include <span>

#include "base/int_math.h"
#include "base/storage.h"
#include "ops/cuda/gemm/gemm_dp4a_device.h"
#include "ops/cuda/gemm/gemm_mma_device.h"
#include "ops/cuda/gemm/gemm_wgmma_device.h"

namespace tally::cuda {
namespace {

constexpr int64_t kMostGroups = 65535, kMostBlocks = INT32_MAX / TileCoord::kBand;

template <typename Tile>
int64_t BlocksOf(const GemmParams& p, int64_t groups) {
  return CeilDiv<int64_t>(p.rows, Tile::kM) * CeilDiv<int64_t>(p.columns, Tile::kN) * groups;
}

// How tiles can store y: in rows, whose pieces are where they can be stored at once. Columns divide by a
// piece where pixels and groups of y do, since these have all columns.
StoreForm FormOf(const GemmParams& p, std::span<const Column> columns) {
  const Epilogue& e = p.epilogue;
  const auto in_pieces_of = [&](int64_t piece) {
    return p.y_column == 1 && p.y_pixel % piece == 0 && p.y_image % piece == 0 && p.y_group % piece == 0;
  };
  if (!e.scaled) {
    const bool as_they_are = e.storage == Storage::kI32 && !e.has_residual && !e.has_table;
    return as_they_are && in_pieces_of(2) ? StoreForm::kWords : StoreForm::kAny;
  }
  constexpr Interval kBytes = RangeOf(Storage::kI8);
  const RescaleParams& first = columns[0].scale;
  const bool takes_columns = std::ranges::all_of(columns, [&](const Column& c) {
    const RescaleParams& s = c.scale;
    // From 32 on what is shifted fits a word: sums and multipliers do.
    return s.shift >= 32 && s.rounding == Rounding::kHalfUp && s.zero_in == 0 && s.bias == 0 &&
           s.zero_out == first.zero_out && s.lo == first.lo && s.hi == first.hi;
  });
  const bool takes_epilogue = e.storage == Storage::kI8 && kBytes.Contains({first.lo, first.hi}) &&
                              kBytes.Contains({first.zero_out, first.zero_out}) &&
                              (!e.has_residual || e.residual_storage == Storage::kI8);
  return takes_columns && takes_epilogue && in_pieces_of(8) ? StoreForm::kBytes : StoreForm::kAny;
}

// Chooses how y is stored, with the columns that this reads. Those of kColumns are constants.
void SetForm(Work& work, GemmParams& p, std::vector<Ref>& memory) {
  const Ref& list = memory[GemmMemory::kColumns];
  const auto& bytes = work.constants[static_cast<size_t>(list.index)];
  const std::span columns(reinterpret_cast<const Column*>(bytes.data()), bytes.size() / sizeof(Column));
  p.epilogue.form = FormOf(p, columns);
  if (p.epilogue.form == StoreForm::kAny) return;
  const RescaleParams& first = columns[0].scale;
  p.epilogue.zero_out = first.zero_out;
  p.epilogue.least = static_cast<int32_t>(first.lo);
  p.epilogue.greatest = static_cast<int32_t>(first.hi);
  std::vector<PackedColumn> packed;
  for (const Column& c : columns) {
    packed.push_back({static_cast<uint32_t>(c.init), c.scale.multiplier, c.scale.shift});
  }
  memory.resize(GemmMemory::kPackedColumns, list);
  memory.push_back(work.AddConstant(packed));
}

template <typename Tile>
void AddKernel(Work& work, KernelId kernel, GemmParams p, std::vector<Ref> memory, int64_t groups) {
  SetForm(work, p, memory);
  p.steps_of_term = static_cast<int>(CeilDiv<int64_t>(int64_t{p.taps} * p.chunks, Tile::kChunksOfStep));
  p.blocks_m = static_cast<int>(CeilDiv<int64_t>(p.rows, Tile::kM));
  p.blocks_n = static_cast<int>(CeilDiv<int64_t>(p.columns, Tile::kN));
  const LaunchShape shape = {
      {p.blocks_m * p.blocks_n, 1, static_cast<int>(groups)}, Tile::kThreads, Tile::kSharedBytes};
  work.Add(kernel, shape, p, memory);
}

// Few rows or columns leave the matrix unit to zeros. Large tiles read less; small ones fill more of a
// device, waste less of a block, and begin sooner: steps of warpgroups pay where there are many of them. The
// bounds are those of docs/results/cuda-engine.md.
Tiling TilingOf(const GemmParams& p, int64_t groups, Arch arch) {
  constexpr int64_t kOneBlockEach = 128, kManyBlocks = 144;  // about one for each multiprocessor, and more
  constexpr int64_t kDeep = 2048, kDeepest = 4096;           // bytes
  constexpr int kFewColumns = 8;  // for a tile of 64: the share of the matrix unit's rate that dots have
  if (p.rows <= kFewRows) return Tiling::kFewRows;
  if (p.columns < kFewColumns) return Tiling::kThreads;
  if (p.columns <= SmallTile::kN) return Tiling::kSmall;
  const bool has_warpgroups = arch >= Arch::kSm90a;
  const int64_t depth = int64_t{p.term_count} * p.taps * p.chunks * kChunk;
  if (has_warpgroups && depth >= kDeepest && BlocksOf<WideTile>(p, groups) >= kOneBlockEach) {
    return Tiling::kWide;
  }
  if (BlocksOf<LargeTile>(p, groups) < kManyBlocks) return Tiling::kSmall;
  return has_warpgroups && depth >= kDeep ? Tiling::kNarrow : Tiling::kLarge;
}

}  // namespace

std::optional<Limbs> LimbsFor(const Interval& range, bool may_move) {
  constexpr Interval kTwoBytes = {-32896, 32639};  // for HighByte and LowByte
  if (RangeOf(Storage::kI8).Contains(range)) return Limbs{1, 0};
  if (may_move && range.Width() <= 255) return Limbs{1, range.lo + 128};
  if (kTwoBytes.Contains(range)) return Limbs{2, 0};
  if (may_move && range.Width() <= 65535) return Limbs{2, range.lo - kTwoBytes.lo};
  return std::nullopt;
}

void SetTerms(GemmParams& params, const Limbs& x, const Limbs& w, int64_t x_limb_bytes, int64_t zero) {
  const int64_t w_limb_bytes = LimbBytes(int64_t{params.taps} * params.chunks);
  int terms = 0;
  // Limb p of `count` weighs 256^(count - 1 - p).
  for (int weight = x.count + w.count - 2; weight >= 0; --weight) {
    bool first = true;
    for (int p = 0; p < x.count; ++p) {
      const int q = x.count + w.count - 2 - weight - p;
      if (q < 0 || q >= w.count) continue;
      const auto fill = static_cast<uint8_t>(x.at(zero, p));
      params.terms[terms] = {p * x_limb_bytes, q * w_limb_bytes, fill * 0x01010101u, first && terms > 0};
      first = false;
      ++terms;
    }
  }
  params.term_count = terms;
}

Ref AddPackActivation(Work& work, Ref x, PackActivationParams params, int64_t images) {
  params.count = images * params.positions * params.groups * params.limbs * params.chunks;
  const Ref rows = work.AddScratch(params.count * kChunk);
  work.Add(KernelId::kPackActivation, GridOver(params.count), params, {x, rows});
  return rows;
}

std::optional<GemmParams> GemmParamsOf(const ByteGemm& product) {
  constexpr int64_t kMostRows = int64_t{1} << 30, kMostColumns = int64_t{1} << 30;
  const int64_t rows = product.group_rows(), row_bytes = product.x.count * product.chunks() * kChunk;
  if (rows > kMostRows || product.columns > kMostColumns) return std::nullopt;
  GemmParams params = {.rows = rows,
                       .pixels = rows,
                       .columns = static_cast<int>(product.columns),
                       .taps = 1,
                       .chunks = static_cast<int>(product.chunks()),
                       .x_group = product.rows * row_bytes,
                       .w_group = product.columns * product.column_bytes(),
                       .w_column = product.column_bytes(),
                       .y_group = product.rows * product.columns,
                       .columns_group = 0,
                       .init_group = static_cast<int>(product.columns),
                       .y_image = 0,
                       .y_pixel = product.columns,
                       .y_column = 1,
                       .has_init = false,
                       .init_storage = Storage::kI32};
  // A matrix is a line of pixels under a kernel of one tap.
  params.geometry = {.size = {1, 1, static_cast<int>(rows)},
                     .kernel = {1, 1, 1},
                     .stride = {1, 1, 1},
                     .dilation = {1, 1, 1},
                     .pad = {0, 0, 0},
                     .out = {1, 1, static_cast<int>(rows)},
                     .input_dilation = {1, 1, 1},
                     .x_image = 0,
                     .x_axis = {0, 0, row_bytes}};
  SetTerms(params, product.x, product.w, product.chunks() * kChunk, 0);
  return params;
}

Ref AddZeroPointInit(Work& work, const ByteGemm& product, Ref w, int64_t zero) {
  const RowSumsParams sums = {product.groups() * product.columns, product.w.count,
                              LimbBytes(product.chunks()),
                              static_cast<int32_t>(static_cast<uint32_t>(-static_cast<uint64_t>(zero)))};
  const Ref init = work.AddScratch(sums.count * static_cast<int64_t>(sizeof(int32_t)));
  work.Add(KernelId::kRowSums, GridOver(sums.count), sums, {w, init});
  return init;
}

bool AddGemm(Work& work, const GemmParams& params, const std::vector<Ref>& memory, int64_t groups,
             const GemmChoice& choice) {
  if (groups > kMostGroups || BlocksOf<SmallTile>(params, 1) > kMostBlocks) {
    return false;
  }
  const auto add_dots = [&](KernelId kernel, int64_t threads) {
    LaunchShape shape = GridOver(threads);
    shape.grid.z = static_cast<int>(groups);
    work.Add(kernel, shape, params, memory);
  };
  switch (choice.tiling == Tiling::kByShape ? TilingOf(params, groups, choice.arch) : choice.tiling) {
    case Tiling::kFewRows:
      if (params.rows > kFewRows) return false;
      add_dots(KernelId::kSkinnyGemmDp4a, int64_t{params.columns} * kWarp);
      break;
    case Tiling::kThreads: add_dots(KernelId::kGemmDp4a, params.rows * params.columns); break;
    case Tiling::kWide: AddKernel<WideTile>(work, KernelId::kGemmWgmma128x256, params, memory, groups); break;
    case Tiling::kNarrow:
      AddKernel<NarrowTile>(work, KernelId::kGemmWgmma128x128, params, memory, groups);
      break;
    case Tiling::kLarge: AddKernel<LargeTile>(work, KernelId::kGemmMma128x128, params, memory, groups); break;
    default: AddKernel<SmallTile>(work, KernelId::kGemmMma64x64, params, memory, groups);
  }
  return true;
}

}  // namespace tally::cuda
