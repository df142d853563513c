#include "proof/freivalds/modular_sums.h"

#include <bit>

#include "base/cpu_flags.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define TALLY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace tally {
namespace {

uint64_t Wrapped(int64_t value) { return static_cast<uint64_t>(value); }

template <typename T>
uint64_t DotOf(const T* data, int64_t step, std::span<const uint64_t> factors) {
  uint64_t sum = 0;
  for (size_t i = 0; i < factors.size(); ++i)
    sum += Wrapped(data[static_cast<int64_t>(i) * step]) * factors[i];
  return sum;
}

template <typename T>
void AddScaledOf(const T* data, int64_t step, int64_t count, uint64_t offset, uint64_t factor,
                 uint64_t* sums) {
  for (int64_t i = 0; i < count; ++i) sums[i] += (Wrapped(data[i * step]) + offset) * factor;
}

#if defined(__x86_64__)

// Eight elements as 64-bit integers.
TALLY_AVX512 inline __m512i Load(const int8_t* data) {
  return _mm512_cvtepi8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(data)));
}
TALLY_AVX512 inline __m512i Load(const int16_t* data) {
  return _mm512_cvtepi16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
}
TALLY_AVX512 inline __m512i Load(const int32_t* data) {
  return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(data)));
}
TALLY_AVX512 inline __m512i Load(const int64_t* data) { return _mm512_loadu_si512(data); }

// The number of elements that were added, a multiple of 32.
template <typename T>
TALLY_AVX512 size_t AddDot(const T* data, std::span<const uint64_t> factors, uint64_t& sum) {
  __m512i sums[4] = {};
  size_t i = 0;
  for (; i + 32 <= factors.size(); i += 32) {
    for (size_t part = 0; part < 4; ++part) {
      const __m512i factor = _mm512_loadu_si512(&factors[i + 8 * part]);
      sums[part] = _mm512_add_epi64(sums[part], _mm512_mullo_epi64(Load(data + i + 8 * part), factor));
    }
  }
  for (const __m512i& one : sums) sum += static_cast<uint64_t>(_mm512_reduce_add_epi64(one));
  return i;
}

// Likewise, a multiple of 8.
template <typename T>
TALLY_AVX512 int64_t AddScaledRow(const T* data, int64_t count, uint64_t offset, uint64_t factor,
                                  uint64_t* sums) {
  const __m512i added = _mm512_set1_epi64(static_cast<int64_t>(offset)),
                scale = _mm512_set1_epi64(static_cast<int64_t>(factor));
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512i product = _mm512_mullo_epi64(_mm512_add_epi64(Load(data + i), added), scale);
    _mm512_storeu_si512(sums + i, _mm512_add_epi64(_mm512_loadu_si512(sums + i), product));
  }
  return i;
}

bool HasVectors() {
  static const bool has = DetectCpuFlags().Has(CpuFlag::kAvx512);
  return has;
}

#else

bool HasVectors() { return false; }
template <typename T>
size_t AddDot(const T*, std::span<const uint64_t>, uint64_t&) {
  return 0;
}
template <typename T>
int64_t AddScaledRow(const T*, int64_t, uint64_t, uint64_t, uint64_t*) {
  return 0;
}

#endif

// use(the elements in their type)
template <typename Use>
auto WithElements(const TensorView& data, const Use& use) {
  const uint8_t* const bytes = data.bytes.data();
  switch (data.storage) {
    case Storage::kI8: return use(reinterpret_cast<const int8_t*>(bytes));
    case Storage::kI16: return use(reinterpret_cast<const int16_t*>(bytes));
    case Storage::kI32: return use(reinterpret_cast<const int32_t*>(bytes));
    case Storage::kI64: break;
  }
  return use(reinterpret_cast<const int64_t*>(bytes));
}

// Whether elements may be read where they are.
bool IsNative(const TensorView& data) {
  return std::endian::native == std::endian::little &&
         reinterpret_cast<uintptr_t>(data.bytes.data()) % static_cast<uintptr_t>(SizeBytes(data.storage)) ==
             0;
}

}  // namespace

uint64_t Dot(const TensorView& data, int64_t first, int64_t step, std::span<const uint64_t> factors) {
  uint64_t sum = 0;
  if (!IsNative(data)) {
    for (size_t i = 0; i < factors.size(); ++i)
      sum += Wrapped(data.at(first + static_cast<int64_t>(i) * step)) * factors[i];
    return sum;
  }
  return WithElements(data, [&](const auto* elements) {
    const size_t done = step == 1 && HasVectors() ? AddDot(elements + first, factors, sum) : 0;
    return sum + DotOf(elements + first + static_cast<int64_t>(done) * step, step, factors.subspan(done));
  });
}

void AddScaled(const TensorView& data, int64_t first, int64_t step, int64_t count, int64_t offset,
               uint64_t factor, uint64_t* sums) {
  if (!IsNative(data)) {
    for (int64_t i = 0; i < count; ++i)
      sums[i] += (Wrapped(data.at(first + i * step)) + Wrapped(offset)) * factor;
    return;
  }
  WithElements(data, [&](const auto* elements) {
    const int64_t done =
        step == 1 && HasVectors() ? AddScaledRow(elements + first, count, Wrapped(offset), factor, sums) : 0;
    AddScaledOf(elements + first + done * step, step, count - done, Wrapped(offset), factor, sums + done);
  });
}

}  // namespace tally
