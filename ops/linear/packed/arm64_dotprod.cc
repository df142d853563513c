// Arm's dot products: four bytes of each of four columns with four bytes of a row, which one of its lanes holds.
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/walk_neon.h"

namespace tally {
namespace {

constexpr int kGranules = 4;  // of a row in one register

struct DotSums {
  template <int R>
  TALLY_INLINE static void Of(const BlockCall& c, const HalfPanel& h, int32_t (*to)[kGroup]) {
    int32x4_t sums[R][kVectors];
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) sums[r][v] = h.Init(v);
    }
    const auto* w = reinterpret_cast<const int8_t*>(h.weights);
    for (int run = 0; run < c.num_runs; ++run) {
      const auto* x = reinterpret_cast<const int8_t*>(h.x + c.runs[run]);
      for (int64_t g = 0; g < c.granules_per_run; g += kGranules, x += kGranules * kGranule) {
        int8x16_t rows[R];
        TALLY_UNROLL for (int r = 0; r < R; ++r) rows[r] = vld1q_s8(x + r * c.row_stride);
        const auto granule = [&]<int lane>() __attribute__((always_inline)) {
          TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
            const int8x16_t columns = vld1q_s8(w + 16 * v);
            TALLY_UNROLL for (int r = 0; r < R; ++r) sums[r][v] =
                vdotq_laneq_s32(sums[r][v], columns, rows[r], lane);
          }
          w += kPanel * kGranule;
        };
        granule.template operator()<0>();
        granule.template operator()<1>();
        granule.template operator()<2>();
        granule.template operator()<3>();
      }
    }
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) vst1q_s32(to[r] + kLanes * v, sums[r][v]);
    }
  }
};

}  // namespace

void WeightedSumsS8DotProd(const BlockCall& c) noexcept { WalkHalfPanels<DotSums>(c); }

}  // namespace tally
