// Arm's products of 8-bit matrices: eight bytes of two rows with eight bytes of two columns.
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/tile_loop_neon.h"

namespace tally {
namespace {

constexpr int kKGroups = 2;  // eight bytes of a column

struct MatrixProducts {
  // Vectors hold [row][column] of two by two.
  template <int R>
  TALLY_INLINE static void Of(const GemmArgs& c, const HalfPanel& h, int32_t (*to)[kVectorColumns]) {
    constexpr int kPairs = R / 2;
    int32x4_t acc[kPairs][kVectors][2];
    TALLY_UNROLL for (int p = 0; p < kPairs; ++p) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
        const int64x2_t init = vreinterpretq_s64_s32(h.Init(v));
        acc[p][v][0] = vreinterpretq_s32_s64(vzip1q_s64(init, init));
        acc[p][v][1] = vreinterpretq_s32_s64(vzip2q_s64(init, init));
      }
    }
    const uint8_t* w = h.weights;
    for (int segment = 0; segment < c.num_segments; ++segment) {
      const auto* x = reinterpret_cast<const int8_t*>(h.x + c.segments[segment]);
      for (int64_t g = 0; g < c.k_groups_per_segment; g += kKGroups, x += kKGroups * kKGroup) {
        int8x16_t rows[kPairs];
        TALLY_UNROLL for (int p = 0; p < kPairs; ++p) {
          const int8_t* const row = x + 2 * p * c.row_stride;
          rows[p] = vcombine_s8(vld1_s8(row), vld1_s8(row + c.row_stride));
        }
        TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
          // Two K-groups of four columns become eight bytes of each.
          const int32x4_t low = vreinterpretq_s32_u8(vld1q_u8(w + 16 * v));
          const int32x4_t high = vreinterpretq_s32_u8(vld1q_u8(w + kPanel * kKGroup + 16 * v));
          const int8x16_t first = vreinterpretq_s8_s32(vzip1q_s32(low, high));
          const int8x16_t second = vreinterpretq_s8_s32(vzip2q_s32(low, high));
          TALLY_UNROLL for (int p = 0; p < kPairs; ++p) {
            acc[p][v][0] = vmmlaq_s32(acc[p][v][0], rows[p], first);
            acc[p][v][1] = vmmlaq_s32(acc[p][v][1], rows[p], second);
          }
        }
        w += kKGroups * kPanel * kKGroup;
      }
    }
    TALLY_UNROLL for (int p = 0; p < kPairs; ++p) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
        const int64x2_t a = vreinterpretq_s64_s32(acc[p][v][0]), b = vreinterpretq_s64_s32(acc[p][v][1]);
        vst1q_s32(to[2 * p] + kLanes * v, vreinterpretq_s32_s64(vzip1q_s64(a, b)));
        vst1q_s32(to[2 * p + 1] + kLanes * v, vreinterpretq_s32_s64(vzip2q_s64(a, b)));
      }
    }
  }
};

}  // namespace

void GemmS8S8S32I8mm(const GemmArgs& c) noexcept { ForEachHalfPanel<MatrixProducts>(c); }

}  // namespace tally
