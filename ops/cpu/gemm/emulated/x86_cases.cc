#include <immintrin.h>

#include "ops/cpu/gemm/emulated/case_list.h"

namespace tally::TALLY_CASES {
namespace {

constexpr CpuFlags kSse = CpuFlags().With(CpuFlag::kSse41);
constexpr CpuFlags kAvx2 = CpuFlags().With(CpuFlag::kAvx2);
constexpr CpuFlags kAvxVnni = kAvx2.With(CpuFlag::kAvxVnni);
constexpr CpuFlags kAvx512 = CpuFlags().With(CpuFlag::kAvx512);
constexpr CpuFlags kVnni = kAvx512.With(CpuFlag::kAvx512Vnni);
constexpr CpuFlags kVbmi = kAvx512.With(CpuFlag::kAvx512Vbmi);
constexpr CpuFlags kAmx = CpuFlags().With(CpuFlag::kAmxInt8);

#define TALLY_1(name, V) TALLY_CASE(name, kAvx512, Put(r, name(At<V>(o.a()))))
#define TALLY_2(name, flags, V) TALLY_CASE(name, flags, Put(r, name(At<V>(o.a()), At<V>(o.b()))))
#define TALLY_3(name, flags) \
  TALLY_CASE(name, flags, Put(r, name(A(o), At<__m512i>(o.b()), At<__m512i>(o.c()))))
#define TALLY_3Y(name, flags) \
  TALLY_CASE(name, flags, Put(r, name(At<__m256i>(o.a()), At<__m256i>(o.b()), At<__m256i>(o.c()))))
#define TALLY_LANES(name, T) TALLY_CASE(name, kAvx512, Put(r, name(At<T>(o.a()))))
#define TALLY_LOAD(name) TALLY_CASE(name, kAvx512, Put(r, name(o.mask, o.memory + 5)))
#define TALLY_STORE(name, V) TALLY_CASE(name, kAvx512, name(r + 5, o.mask, At<V>(o.a())))
#define TALLY_SHIFT(name)                                                                                    \
  TALLY_CASE(name, kAvx512, Put(r, name(A(o), 0)); Put(r + 64, name(A(o), 5)); Put(r + 128, name(A(o), 31)); \
             Put(r + 192, name(A(o), 32)); Put(r + 256, name(A(o), 64)))

#define TALLY_SHIFTY(name)                                                                                   \
  TALLY_CASE(name, kAvx2, const __m256i v = At<__m256i>(o.a()); Put(r, name(v, 0)); Put(r + 32, name(v, 5)); \
             Put(r + 64, name(v, 8)); Put(r + 96, name(v, 31)); Put(r + 128, name(v, 32));                   \
             Put(r + 160, name(v, 64)))

__m512i A(const Operands& o) { return At<__m512i>(o.a()); }

// Tiles of the shape that `count` and `mask` report.
void RunTiles(const Operands& o, uint8_t* r) {
  const int rows = 1 + o.count % 16, columns = 1 + o.mask % 16, depth = 1 + o.mask / 16 % 16;
  alignas(64) uint8_t config[64] = {1};
  const auto set = [&](int tile, int tile_rows, int words) {
    config[16 + 2 * tile] = static_cast<uint8_t>(4 * words),
                    config[48 + tile] = static_cast<uint8_t>(tile_rows);
  };
  set(0, rows, columns), set(1, rows, depth), set(2, depth, columns), set(3, rows, columns);
  asm volatile("" ::: "memory");  // GCC 12's intrinsic names only the first bytes that it reads
  _tile_loadconfig(config);
  _tile_loadd(0, o.memory, 64);
  _tile_stream_loadd(1, o.memory + 1024, 64);
  _tile_loadd(2, o.memory + 2048, 60);
  _tile_loadd(3, o.memory, 0);
  if (o.count % 2 == 0) _tile_zero(0);
  _tile_dpbssd(0, 1, 2);
  _tile_dpbssd(3, 1, 2);
  if (o.count % 3 == 0) {
    _tile_stored(3, r, 64);
  } else {
    _tile_stored(0, r, 64);
  }
  _tile_release();
}

constexpr IntrinsicCase kCases[] = {
    TALLY_CASE(_mm_cvtsi32_si128, kSse, Put(r, _mm_cvtsi32_si128(At<int>(o.a())))),
    TALLY_CASE(_mm_storeu_si128, kSse,
               _mm_storeu_si128(reinterpret_cast<__m128i*>(r + 3), At<__m128i>(o.a()))),
    TALLY_CASE(_mm_prefetch, kSse, _mm_prefetch(reinterpret_cast<const char*>(o.a()), _MM_HINT_T1);
               Put(r, 0)),

    TALLY_CASE(_mm_loadu_si128, kSse,
               Put(r, _mm_loadu_si128(reinterpret_cast<const __m128i*>(o.memory + 3)))),
    TALLY_CASE(_mm_loadl_epi64, kSse,
               Put(r, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(o.memory + 3)))),
    TALLY_CASE(_mm_storel_epi64, kSse,
               _mm_storel_epi64(reinterpret_cast<__m128i*>(r + 3), At<__m128i>(o.a()))),
    TALLY_CASE(_mm_cvtepi8_epi16, kSse, Put(r, _mm_cvtepi8_epi16(At<__m128i>(o.a())))),

    TALLY_CASE(_mm256_setzero_si256, kAvx2, Put(r, _mm256_setzero_si256())),
    TALLY_CASE(_mm256_set1_epi8, kAvx2, Put(r, _mm256_set1_epi8(At<char>(o.a())))),
    TALLY_CASE(_mm256_set1_epi16, kAvx2, Put(r, _mm256_set1_epi16(At<short>(o.a())))),
    TALLY_CASE(_mm256_set1_epi32, kAvx2, Put(r, _mm256_set1_epi32(At<int>(o.a())))),
    TALLY_CASE(_mm256_set1_epi64x, kAvx2, Put(r, _mm256_set1_epi64x(At<long long>(o.a())))),
    TALLY_CASE(_mm256_setr_epi32, kAvx2, Put(r, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))),
    TALLY_CASE(_mm256_loadu_si256, kAvx2,
               Put(r, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(o.memory + 3)))),
    TALLY_CASE(_mm256_storeu_si256, kAvx2,
               _mm256_storeu_si256(reinterpret_cast<__m256i*>(r + 3), At<__m256i>(o.a()))),
    TALLY_2(_mm256_add_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_add_epi64, kAvx2, __m256i),
    TALLY_2(_mm256_sub_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_add_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_sub_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_sub_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_adds_epu8, kAvx2, __m256i),
    TALLY_2(_mm256_min_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_min_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_min_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_max_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_max_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_max_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_and_si256, kAvx2, __m256i),
    TALLY_2(_mm256_or_si256, kAvx2, __m256i),
    TALLY_2(_mm256_xor_si256, kAvx2, __m256i),
    TALLY_2(_mm256_cmpgt_epi64, kAvx2, __m256i),
    TALLY_2(_mm256_srav_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_srlv_epi64, kAvx2, __m256i),
    TALLY_2(_mm256_madd_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_mul_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_mulhi_epu16, kAvx2, __m256i),
    TALLY_2(_mm256_packs_epi32, kAvx2, __m256i),
    TALLY_2(_mm256_packs_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_unpacklo_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_unpackhi_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_unpacklo_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_unpackhi_epi16, kAvx2, __m256i),
    TALLY_2(_mm256_shuffle_epi8, kAvx2, __m256i),
    TALLY_2(_mm256_permutevar8x32_epi32, kAvx2, __m256i),
    TALLY_SHIFTY(_mm256_slli_epi32),
    TALLY_SHIFTY(_mm256_slli_epi64),
    TALLY_SHIFTY(_mm256_srli_epi16),
    TALLY_SHIFTY(_mm256_srli_epi64),
    TALLY_SHIFTY(_mm256_srai_epi32),
    TALLY_CASE(_mm256_cvtepi8_epi16, kAvx2, Put(r, _mm256_cvtepi8_epi16(At<__m128i>(o.a())))),
    TALLY_CASE(_mm256_cvtepi8_epi32, kAvx2, Put(r, _mm256_cvtepi8_epi32(At<__m128i>(o.a())))),
    TALLY_CASE(_mm256_cvtepi16_epi32, kAvx2, Put(r, _mm256_cvtepi16_epi32(At<__m128i>(o.a())))),
    TALLY_CASE(_mm256_blendv_epi8, kAvx2,
               Put(r, _mm256_blendv_epi8(At<__m256i>(o.a()), At<__m256i>(o.b()), At<__m256i>(o.c())))),
    TALLY_CASE(_mm256_blend_epi16, kAvx2,
               Put(r, _mm256_blend_epi16(At<__m256i>(o.a()), At<__m256i>(o.b()), 0xaa));
               Put(r + 32, _mm256_blend_epi16(At<__m256i>(o.a()), At<__m256i>(o.b()), 0x1e))),
    TALLY_CASE(_mm256_blend_epi32, kAvx2,
               Put(r, _mm256_blend_epi32(At<__m256i>(o.a()), At<__m256i>(o.b()), 0xaa));
               Put(r + 32, _mm256_blend_epi32(At<__m256i>(o.a()), At<__m256i>(o.b()), 0x1e))),
    TALLY_CASE(_mm256_permute4x64_epi64, kAvx2, Put(r, _mm256_permute4x64_epi64(At<__m256i>(o.a()), 0xd8));
               Put(r + 32, _mm256_permute4x64_epi64(At<__m256i>(o.a()), 0xee))),
    TALLY_CASE(_mm256_permute2x128_si256, kAvx2,
               Put(r, _mm256_permute2x128_si256(At<__m256i>(o.a()), At<__m256i>(o.b()), 0x20));
               Put(r + 32, _mm256_permute2x128_si256(At<__m256i>(o.a()), At<__m256i>(o.b()), 0x31));
               Put(r + 64, _mm256_permute2x128_si256(At<__m256i>(o.a()), At<__m256i>(o.b()), 0x83))),
    // Only what a cast defines.
    TALLY_CASE(_mm256_castsi128_si256, kAvx2,
               Put(r, _mm256_castsi256_si128(_mm256_castsi128_si256(At<__m128i>(o.a()))))),
    TALLY_CASE(_mm256_castsi256_si128, kAvx2, Put(r, _mm256_castsi256_si128(At<__m256i>(o.a())))),
    TALLY_CASE(_mm256_extracti128_si256, kAvx2, Put(r, _mm256_extracti128_si256(At<__m256i>(o.a()), 0));
               Put(r + 16, _mm256_extracti128_si256(At<__m256i>(o.a()), 1))),
    TALLY_CASE(_mm256_inserti128_si256, kAvx2,
               Put(r, _mm256_inserti128_si256(At<__m256i>(o.a()), At<__m128i>(o.b()), 0));
               Put(r + 32, _mm256_inserti128_si256(At<__m256i>(o.a()), At<__m128i>(o.b()), 1))),
    TALLY_CASE(_mm256_broadcastsi128_si256, kAvx2, Put(r, _mm256_broadcastsi128_si256(At<__m128i>(o.a())))),
    TALLY_3Y(_mm256_dpbusd_avx_epi32, kAvxVnni),
    TALLY_3Y(_mm256_dpwssd_avx_epi32, kAvxVnni),

    TALLY_CASE(_mm512_setzero_si512, kAvx512, Put(r, _mm512_setzero_si512())),
    TALLY_LANES(_mm512_set1_epi8, char),
    TALLY_LANES(_mm512_set1_epi16, short),
    TALLY_LANES(_mm512_set1_epi32, int),
    TALLY_LANES(_mm512_set1_epi64, long long),
    TALLY_CASE(_mm512_setr_epi32, kAvx512,
               Put(r, _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15))),
    TALLY_CASE(_mm512_setr_epi64, kAvx512, Put(r, _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7))),
    TALLY_CASE(_mm512_load_si512, kAvx512, Put(r, _mm512_load_si512(o.memory + 64))),
    TALLY_CASE(_mm512_loadu_si512, kAvx512, Put(r, _mm512_loadu_si512(o.memory + 7))),
    TALLY_CASE(_mm512_store_si512, kAvx512, _mm512_store_si512(r, A(o))),
    TALLY_CASE(_mm512_storeu_si512, kAvx512, _mm512_storeu_si512(r + 7, A(o))),
    TALLY_LOAD(_mm_maskz_loadu_epi8),
    TALLY_LOAD(_mm256_maskz_loadu_epi8),
    TALLY_LOAD(_mm256_maskz_loadu_epi16),
    TALLY_LOAD(_mm512_maskz_loadu_epi8),
    TALLY_LOAD(_mm512_maskz_loadu_epi16),
    TALLY_STORE(_mm_mask_storeu_epi8, __m128i),
    TALLY_STORE(_mm256_mask_storeu_epi8, __m256i),
    TALLY_STORE(_mm256_mask_storeu_epi16, __m256i),
    TALLY_STORE(_mm512_mask_storeu_epi8, __m512i),
    TALLY_STORE(_mm512_mask_storeu_epi32, __m512i),

    TALLY_2(_mm512_add_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_add_epi64, kAvx512, __m512i),
    TALLY_2(_mm512_sub_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_add_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_sub_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_sub_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_adds_epu8, kAvx512, __m512i),
    TALLY_2(_mm512_madd_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_shuffle_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_min_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_min_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_min_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_max_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_max_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_max_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_and_si512, kAvx512, __m512i),
    TALLY_2(_mm512_or_si512, kAvx512, __m512i),
    TALLY_2(_mm512_xor_si512, kAvx512, __m512i),
    TALLY_2(_mm512_srav_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_srav_epi64, kAvx512, __m512i),
    TALLY_2(_mm512_mul_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_mulhi_epu16, kAvx512, __m512i),
    TALLY_3(_mm512_dpbusd_epi32, kVnni),
    TALLY_3(_mm512_dpwssd_epi32, kVnni),
    TALLY_SHIFT(_mm512_slli_epi32),
    TALLY_SHIFT(_mm512_slli_epi64),
    TALLY_SHIFT(_mm512_srli_epi16),
    TALLY_SHIFT(_mm512_srli_epi64),
    TALLY_SHIFT(_mm512_srai_epi32),

    TALLY_1(_mm512_broadcast_i32x4, __m128i),
    TALLY_1(_mm512_cvtepi8_epi16, __m256i),
    TALLY_1(_mm512_cvtepi8_epi32, __m128i),
    TALLY_1(_mm512_cvtepi16_epi32, __m256i),
    TALLY_1(_mm512_cvtepu32_epi64, __m256i),
    TALLY_1(_mm512_cvtepi32_epi8, __m512i),
    TALLY_1(_mm512_cvtepi32_epi16, __m512i),
    TALLY_1(_mm512_cvtsepi64_epi32, __m512i),

    // Only what a cast defines.
    TALLY_CASE(_mm512_castsi128_si512, kAvx512,
               Put(r, _mm512_castsi512_si128(_mm512_castsi128_si512(At<__m128i>(o.a()))))),
    TALLY_CASE(_mm512_castsi256_si512, kAvx512,
               Put(r, _mm512_castsi512_si256(_mm512_castsi256_si512(At<__m256i>(o.a()))))),
    TALLY_1(_mm512_castsi512_si128, __m512i),
    TALLY_1(_mm512_castsi512_si256, __m512i),
    TALLY_CASE(_mm512_extracti32x4_epi32, kAvx512, Put(r, _mm512_extracti32x4_epi32(A(o), 0));
               Put(r + 16, _mm512_extracti32x4_epi32(A(o), 2));
               Put(r + 32, _mm512_extracti32x4_epi32(A(o), 3))),
    TALLY_CASE(_mm512_extracti64x4_epi64, kAvx512, Put(r, _mm512_extracti64x4_epi64(A(o), 0));
               Put(r + 32, _mm512_extracti64x4_epi64(A(o), 1))),
    TALLY_CASE(_mm512_inserti32x4, kAvx512, Put(r, _mm512_inserti32x4(A(o), At<__m128i>(o.b()), 1));
               Put(r + 64, _mm512_inserti32x4(A(o), At<__m128i>(o.b()), 3))),
    TALLY_CASE(_mm512_inserti64x4, kAvx512, Put(r, _mm512_inserti64x4(A(o), At<__m256i>(o.b()), 0));
               Put(r + 64, _mm512_inserti64x4(A(o), At<__m256i>(o.b()), 1))),
    TALLY_2(_mm512_packs_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_packs_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_unpacklo_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_unpackhi_epi8, kAvx512, __m512i),
    TALLY_2(_mm512_unpacklo_epi16, kAvx512, __m512i),
    TALLY_2(_mm512_unpackhi_epi16, kAvx512, __m512i),
    TALLY_CASE(_mm512_mask_blend_epi8, kAvx512,
               Put(r, _mm512_mask_blend_epi8(o.mask, A(o), At<__m512i>(o.b())))),
    TALLY_CASE(_mm512_mask_blend_epi16, kAvx512,
               Put(r, _mm512_mask_blend_epi16(o.mask, A(o), At<__m512i>(o.b())))),
    TALLY_1(_mm512_movepi8_mask, __m512i),
    TALLY_CASE(_mm512_mask_shuffle_epi32, kAvx512,
               Put(r, _mm512_mask_shuffle_epi32(A(o), o.mask, At<__m512i>(o.b()), _MM_PERM_DDBB))),
    TALLY_2(_mm512_permutexvar_epi32, kAvx512, __m512i),
    TALLY_2(_mm512_permutexvar_epi64, kAvx512, __m512i),
    TALLY_3(_mm512_permutex2var_epi64, kAvx512),
    TALLY_3(_mm512_permutex2var_epi8, kVbmi),

    {"_tile_loadconfig _tile_loadd _tile_stream_loadd _tile_zero _tile_dpbssd _tile_stored _tile_release",
     kAmx, RunTiles},
};

}  // namespace

#ifdef __AVX512VL__
constexpr CpuFlags kNeeded = kAvx512;
#else
constexpr CpuFlags kNeeded;
#endif

IntrinsicCases Cases() { return {kCases, static_cast<int>(sizeof kCases / sizeof kCases[0]), kNeeded}; }

}  // namespace tally::TALLY_CASES
