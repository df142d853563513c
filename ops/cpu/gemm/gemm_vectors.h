// GEMM by vectors of columns: a block of accumulators stays in registers while x is broadcast, four bytes of
// a row at a time. V: a simd_*.h.
#pragma once

#include <type_traits>

#include "ops/cpu/gemm/copied_rows.h"
#include "ops/cpu/gemm/epilogue_vectors.h"
#include "ops/cpu/gemm/prefetch.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// An epilogue that takes the sums of a block from the registers where they are: short scales onto bytes, then
// the residual, or a table.
template <Residual residual, bool looks_up = false>
struct HeldEpilogue {
  static constexpr Residual kResidual = residual;
  static constexpr bool kLooksUp = looks_up;
};

// `rows` rows of a tile by a panel; those after the tile's own read what follows and are not stored. Few rows
// take all columns of the panel at once, more of them two vectors. `Held`: a HeldEpilogue, or void where
// Finish takes the sums from memory.
template <typename V, Element element, int rows, typename Held>
class Block {
 public:
  // Widened weights take a step for each pair of a K-group.
  static constexpr int kSteps = IsWidened(element) ? 2 : 1;

  // `y_rows`: the tile's, as GemmArgs::rows.
  Block(const GemmArgs& c, int64_t tile, const int64_t* y_rows, int64_t panel, WeightPrefetch& prefetch)
      : c_(c),
        tile_(c.tiles[tile]),
        y_rows_(y_rows),
        panel_(panel),
        weights_(c.weights + panel * c.panel_bytes()),
        init_(c.init == nullptr ? kZeros : c.init + panel * kPanel),
        columns_(c.columns - panel * kPanel < kPanel ? static_cast<int>(c.columns - panel * kPanel) : kPanel),
        prefetch_(prefetch) {}

  // Sums of x as it is.
  TALLY_INLINE void Direct() {
    for (int first = 0; first < columns_; first += kColumns) {
      Int acc[rows][kVectors];
      Load(acc, init_ + first, 0);
      const uint8_t* w = weights_ + first * kStepBytes;
      for (int segment = 0; segment < c_.num_segments; ++segment) {
        const uint8_t* const x = c_.x + tile_.x_offset + c_.segments[segment];
        w = AddSteps(acc, x, c_.row_stride, w, c_.k_groups_per_segment, first == 0);
      }
      End(acc, first);
    }
  }

  // Sums of copied rows, as many K-groups at a time as there is room for; of held sums that is all of them.
  template <int tile_rows>
  void Copied(CopiedRows<V, element, tile_rows>& copied, int64_t tile) {
    const int64_t k_groups = c_.num_segments * c_.k_groups_per_segment;
    if constexpr (kHeld) return CopiedPart(copied, tile, 0, k_groups, init_, 0);
    const int32_t* start = init_;
    int64_t start_stride = 0;  // the same for every row
    for (int64_t done = 0; done < k_groups; done += kMostCopiedKGroups) {
      const int64_t left = k_groups - done;
      CopiedPart(copied, tile, done, left < kMostCopiedKGroups ? left : kMostCopiedKGroups, start,
                 start_stride);
      start = stored_[0], start_stride = kPanel;
    }
  }

  void Finish(FinishRows finish) const {
    if constexpr (!kHeld) finish(c_, stored_[0], y_rows_, kStored, panel_);
  }

 private:
  using Int = typename V::Int;
  static constexpr int32_t kZeros[kPanel] = {};
  static constexpr int kMostRowsOfPanel = V::kLanes == 4 ? 1 : 2;  // whose sums registers hold
  static constexpr int kVectors = rows <= kMostRowsOfPanel ? kPanel / V::kLanes : 2;
  static constexpr int kColumns = kVectors * V::kLanes;  // at once
  static constexpr int kStored = StoredRows<V>(rows);
  static constexpr bool kHeld = !std::is_void_v<Held>;
  static constexpr int kUnrolled = V::kUnrolls ? kSteps : 1;
  static constexpr int kStepBytes = kKGroup / kSteps;  // for one column

  TALLY_INLINE static void Load(Int (&acc)[rows][kVectors], const int32_t* from, int64_t stride) {
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[r][v] = V::LoadUnaligned(from + r * stride + v * V::kLanes);
    }
  }
  // Adds n K-groups of copied rows, from the one after `done`, to sums that are at `start`.
  template <int tile_rows>
  TALLY_INLINE void CopiedPart(CopiedRows<V, element, tile_rows>& copied, int64_t tile, int64_t done,
                               int64_t n, const int32_t* start, int64_t start_stride) {
    copied.Read(c_, tile, done, n);
    for (int first = 0; first < columns_; first += kColumns) {
      const uint8_t* const w = weights_ + done * kPanel * kKGroup + first * kStepBytes;
      Int acc[rows][kVectors];
      Load(acc, start + first, start_stride);
      AddSteps(acc, copied.rows(), copied.row_stride(), w, n, first == 0);
      End(acc, first);
    }
  }
  TALLY_INLINE void End(Int (&acc)[rows][kVectors], int first) {
    if constexpr (kHeld) return FinishHeld(acc, first);
    Store(acc, first);
  }
  TALLY_INLINE void FinishHeld(Int (&acc)[rows][kVectors], int first) const {
    // Else what the epilogue reads is loaded before the loop, in registers that the sums need there.
    asm volatile("" ::: "memory");
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) V::MakeOpaque(acc[r][v]);
    }
    const PanelEpilogue<V, Epilogue::Scale::kShort, Held::kResidual, true> epilogue(c_, panel_);
#pragma GCC unroll 14
    for (int r = 0; r < rows; r += 2)
      epilogue.template HeldRows<Held::kLooksUp>(acc, r, first / V::kLanes, y_rows_);
  }
  TALLY_INLINE void Store(const Int (&acc)[rows][kVectors], int first) {
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) V::Store(stored_[r] + first + v * V::kLanes, acc[r][v]);
    }
  }

  // Adds the products of `k_groups` K-groups of contiguous x. Returns where the next weights are.
  TALLY_INLINE const uint8_t* AddSteps(Int (&acc)[rows][kVectors], const uint8_t* x, int64_t stride,
                                       const uint8_t* w, int64_t k_groups, bool prefetches) {
    // Rows from pointers of their own, some strides after each: an offset for every row would take more
    // registers than there are.
    constexpr int kOfPointer = 5;  // 0, 1, 2, 3 and 4 strides
    constexpr int kPointers = (rows + kOfPointer - 1) / kOfPointer;
    const uint8_t* row_at[kPointers];
#pragma GCC unroll 3
    for (int p = 0; p < kPointers; ++p) {
      row_at[p] = x + p * kOfPointer * stride;
      asm("" : "+r"(row_at[p]));  // else the compiler makes offsets of them again
    }
    WeightPrefetch::Lines lines = prefetch_.StartBlock();
    const int64_t rounds = kSteps * k_groups / kUnrolled;
    for (int64_t done = 0; done != rounds; ++done) {
#pragma GCC unroll 2
      for (int i = 0; i < kUnrolled; ++i, w += kPanel * kStepBytes) {
        Int weights[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          weights[v] = V::template LoadWeights<element>(w + v * V::kLanes * kStepBytes);
        }
#pragma GCC unroll 14
        for (int r = 0; r < rows; ++r) {
          int32_t bytes;
          __builtin_memcpy(&bytes, row_at[r / kOfPointer] + r % kOfPointer * stride, sizeof bytes);
          const Int row = V::Set32(bytes);
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v) {
            acc[r][v] = V::template Dot<element>(acc[r][v], row, weights[v]);
            if constexpr (kUnrolled > 1) V::MakeOpaque(acc[r][v]);
          }
        }
#pragma GCC unroll 3
        for (const uint8_t*& row : row_at) row += sizeof(int32_t);
      }
      if (V::kPrefetches && prefetches) lines.Step();
    }
    if (V::kPrefetches && prefetches) prefetch_.EndBlock(lines);
    return w;
  }

  const GemmArgs& c_;
  const MTile& tile_;
  const int64_t* const y_rows_;
  const int64_t panel_;
  const uint8_t* const weights_;
  const int32_t* const init_;
  const int columns_;  // those of the last panel may be few
  WeightPrefetch& prefetch_;
  alignas(64) int32_t stored_[kStored + 1][kPanel];  // kAccumulatorOverread, and a whole line
};

// All blocks of a call.
template <typename V, Element element, int tile_rows>
class Gemm {
 public:
  explicit Gemm(const GemmArgs& c)
      : c_(c),
        prefetch_(c, 1, c.num_segments * c.k_groups_per_segment * Block<V, element, 1, void>::kSteps),
        finish_(FinishRowsOf<V>(*c.epilogue)),
        run_most_(MostRowsOf(c)) {}

  template <int... fewer>
  void Run() {
    ForEachTile(c_, 1, [&](int64_t tile, int64_t, int64_t panel) {
      prefetch_.Visit(panel);
      BlockOf<tile_rows, fewer...>(tile, panel);
    });
  }

 private:
  static constexpr bool kMayCopy = element == Element::kS8Pairs || element == Element::kBiasedS8;
  static constexpr bool kMayHold = kMayCopy && tile_rows % 2 == 0;

  // The block with the fewest of these numbers of rows, which descend, that has those of the tile.
  template <int most, int... fewer>
  TALLY_INLINE void BlockOf(int64_t tile, int64_t panel) {
    if constexpr (sizeof...(fewer) > 0) {
      constexpr int kCounts[] = {fewer...};
      if (c_.tiles[tile].rows <= kCounts[0]) return BlockOf<fewer...>(tile, panel);
    }
    if constexpr (most == tile_rows) return (this->*run_most_)(tile, panel);
    RunBlock<most, void>(tile, panel);
  }

  // The block of most rows, as nearly all of a layer are: sums of a common epilogue stay in registers.
  using RunRows = void (Gemm::*)(int64_t tile, int64_t panel);
  static RunRows MostRowsOf(const GemmArgs& c) {
    if constexpr (kMayHold) {
      const Epilogue& e = *c.epilogue;
      const bool in_one_part = c.num_segments * c.k_groups_per_segment <= kMostCopiedKGroups;
      if (in_one_part && e.scale == Epilogue::Scale::kShort && e.storage == Storage::kI8) {
        if (RunRows run = HeldRowsOf(e); run != nullptr) return run;
      }
    }
    return &Gemm::RunBlock<tile_rows, void>;
  }
  static RunRows HeldRowsOf(const Epilogue& e) {
    if (e.table != nullptr) {
      if constexpr (V::kLooksUpInline) {
        if (!e.has_residual) return &Gemm::RunBlock<tile_rows, HeldEpilogue<Residual::kNone, true>>;
      }
      return nullptr;
    }
    if (!e.has_residual) return &Gemm::RunBlock<tile_rows, HeldEpilogue<Residual::kNone>>;
    switch (e.residual.sum) {
      case ResidualScale::Sum::kPairs: return &Gemm::RunBlock<tile_rows, HeldEpilogue<Residual::kPairs>>;
      case ResidualScale::Sum::kHalves: return &Gemm::RunBlock<tile_rows, HeldEpilogue<Residual::kHalves>>;
      case ResidualScale::Sum::kAny: break;
    }
    return nullptr;
  }

  template <int rows, typename Held>
  [[gnu::noinline]] void RunBlock(int64_t tile, int64_t panel) {
    Block<V, element, rows, Held> block(c_, tile, c_.rows + tile * tile_rows, panel, prefetch_);
    if constexpr (element == Element::kS8Pairs) {
      block.Copied(copied_, tile);
    } else if constexpr (element == Element::kBiasedS8) {
      c_.x_is_signed ? block.Copied(copied_, tile) : block.Direct();
    } else {
      block.Direct();
    }
    block.Finish(finish_);
  }

  const GemmArgs& c_;
  WeightPrefetch prefetch_;
  const FinishRows finish_;
  const RunRows run_most_;
  // Others read x as it is, and the rows are large.
  struct NoRows {};
  [[no_unique_address]] std::conditional_t<kMayCopy, CopiedRows<V, element, tile_rows>, NoRows> copied_;
};

// A kernel whose tiles have `tile_rows` rows, in blocks of as many or of `fewer`.
template <typename V, Element element, int tile_rows, int... fewer>
void RunGemm(const GemmArgs& c) {
  Gemm<V, element, tile_rows>(c).template Run<fewer...>();
}

}  // namespace
}  // namespace tally
