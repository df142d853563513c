// What every 64-bit Arm processor has: exact 32-bit products of 16-bit elements, added to the sums.
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/walk_neon.h"

namespace tally {
namespace {

struct WordSums {
  template <int R>
  TALLY_INLINE static void Of(const BlockCall& c, const HalfPanel& h, int32_t (*to)[kGroup]) {
    int32x4_t sums[R][kVectors];
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) sums[r][v] = h.Init(v);
    }
    const uint8_t* w = h.weights;
    for (int run = 0; run < c.num_runs; ++run) {
      const uint8_t* x = h.x + c.runs[run];
      for (int64_t g = 0; g < c.granules_per_run; ++g, x += kGranule, w += kPanel * kGranule) {
        // The first and the second elements of eight columns.
        const int16x8x2_t left = vld2q_s16(reinterpret_cast<const int16_t*>(w));
        const int16x8x2_t right = vld2q_s16(reinterpret_cast<const int16_t*>(w + kGroup * kGranule / 2));
        TALLY_UNROLL for (int r = 0; r < R; ++r) {
          int32_t bytes;
          __builtin_memcpy(&bytes, x + r * c.row_stride, sizeof bytes);
          const int16x4_t pair = vreinterpret_s16_s32(vdup_n_s32(bytes));
          const auto add = [&]<int element>() __attribute__((always_inline)) {
            const int16x8_t l = left.val[element], g = right.val[element];
            sums[r][0] = vmlal_lane_s16(sums[r][0], vget_low_s16(l), pair, element);
            sums[r][1] = vmlal_high_lane_s16(sums[r][1], l, pair, element);
            sums[r][2] = vmlal_lane_s16(sums[r][2], vget_low_s16(g), pair, element);
            sums[r][3] = vmlal_high_lane_s16(sums[r][3], g, pair, element);
          };
          add.template operator()<0>();
          add.template operator()<1>();
        }
      }
    }
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) vst1q_s32(to[r] + kLanes * v, sums[r][v]);
    }
  }
};

}  // namespace

void WeightedSumsS16Neon(const BlockCall& c) noexcept { WalkHalfPanels<WordSums>(c); }

}  // namespace tally
