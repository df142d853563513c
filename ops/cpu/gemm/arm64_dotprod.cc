// Arm's dot products: four bytes of each of four columns with four bytes of a row, which one of its lanes
// holds.
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/tile_loop_neon.h"

namespace tally {
namespace {

constexpr int kKGroups = 4;  // for a row in one register

struct DotProducts {
  template <int R>
  TALLY_INLINE static void Of(const GemmArgs& c, const HalfPanel& h, int32_t (*to)[kVectorColumns]) {
    int32x4_t acc[R][kVectors];
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) acc[r][v] = h.Init(v);
    }
    const auto* w = reinterpret_cast<const int8_t*>(h.weights);
    for (int segment = 0; segment < c.num_segments; ++segment) {
      const auto* x = reinterpret_cast<const int8_t*>(h.x + c.segments[segment]);
      for (int64_t g = 0; g < c.k_groups_per_segment; g += kKGroups, x += kKGroups * kKGroup) {
        int8x16_t rows[R];
        TALLY_UNROLL for (int r = 0; r < R; ++r) rows[r] = vld1q_s8(x + r * c.row_stride);
        const auto k_group = [&]<int lane>() __attribute__((always_inline)) {
          TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
            const int8x16_t columns = vld1q_s8(w + 16 * v);
            TALLY_UNROLL for (int r = 0; r < R; ++r) acc[r][v] =
                vdotq_laneq_s32(acc[r][v], columns, rows[r], lane);
          }
          w += kPanel * kKGroup;
        };
        k_group.template operator()<0>();
        k_group.template operator()<1>();
        k_group.template operator()<2>();
        k_group.template operator()<3>();
      }
    }
    TALLY_UNROLL for (int r = 0; r < R; ++r) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) vst1q_s32(to[r] + kLanes * v, acc[r][v]);
    }
  }
};

}  // namespace

void GemmS8S8S32DotProd(const GemmArgs& c) noexcept { ForEachHalfPanel<DotProducts>(c); }

}  // namespace tally
