// The instructions of every 64-bit Arm processor: exact 32-bit products of 16-bit elements, added to the
// accumulators.
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/tile_loop_neon.h"

namespace tally {
namespace {

struct MultiplyAdds {
  template <int R>
  TALLY_INLINE static void Of(const GemmArgs& c, const HalfPanel& h, int32_t (*to)[kVectorColumns]) {
    int32x4_t acc[R][kVectors];
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) acc[r][v] = h.Init(v);
    }
    const uint8_t* w = h.weights;
    for (int segment = 0; segment < c.num_segments; ++segment) {
      const uint8_t* x = h.x + c.segments[segment];
      for (int64_t g = 0; g < c.k_groups_per_segment; ++g, x += kKGroup, w += kPanel * kKGroup) {
        // The first and the second elements of eight columns.
        const int16x8x2_t left = vld2q_s16(reinterpret_cast<const int16_t*>(w));
        const int16x8x2_t right =
            vld2q_s16(reinterpret_cast<const int16_t*>(w + kVectorColumns * kKGroup / 2));
        TALLY_UNROLL for (int r = 0; r < R; ++r) {
          int32_t bytes;
          __builtin_memcpy(&bytes, x + r * c.row_stride, sizeof bytes);
          const int16x4_t pair = vreinterpret_s16_s32(vdup_n_s32(bytes));
          const auto add = [&]<int element>() __attribute__((always_inline)) {
            const int16x8_t l = left.val[element], g = right.val[element];
            acc[r][0] = vmlal_lane_s16(acc[r][0], vget_low_s16(l), pair, element);
            acc[r][1] = vmlal_high_lane_s16(acc[r][1], l, pair, element);
            acc[r][2] = vmlal_lane_s16(acc[r][2], vget_low_s16(g), pair, element);
            acc[r][3] = vmlal_high_lane_s16(acc[r][3], g, pair, element);
          };
          add.template operator()<0>();
          add.template operator()<1>();
        }
      }
    }
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) vst1q_s32(to[r] + kLanes * v, acc[r][v]);
    }
  }
};

}  // namespace

void GemmS16S16S32Neon(const GemmArgs& c) noexcept { ForEachHalfPanel<MultiplyAdds>(c); }

}  // namespace tally
