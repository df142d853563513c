#include "base/aligned_vector.h"

#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tally {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kLargePage = size_t{2} << 20;

std::align_val_t AlignmentOf(size_t bytes) {
  return std::align_val_t{bytes < kLargePage ? kLine : kLargePage};
}

}  // namespace

void* AllocateAligned(size_t bytes) {
  void* const memory = ::operator new(bytes, AlignmentOf(bytes));
#if defined(__linux__)
  // Weights that no cache holds are read page by page: small pages cost a product with one row 7 % of its
  // time.
  const size_t whole = bytes / kLargePage * kLargePage;
  if (whole > 0) madvise(memory, whole, MADV_HUGEPAGE);  // a wish: a refusal costs nothing else
#endif
  return memory;
}

void FreeAligned(void* memory, size_t bytes) { ::operator delete(memory, AlignmentOf(bytes)); }

}  // namespace tally
