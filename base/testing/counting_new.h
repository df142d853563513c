// Counts what a test allocates: the operators new and delete of its program. One file of a program includes
// it.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace tally {
inline std::atomic<int64_t> allocated_bytes{0}, live_bytes{0}, most_live_bytes{0};

inline void* AllocateCounted(size_t size, size_t alignment) noexcept {
  allocated_bytes += static_cast<int64_t>(size);
  void* const bytes = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (bytes == nullptr) return nullptr;
  live_bytes += static_cast<int64_t>(malloc_usable_size(bytes));
  most_live_bytes = std::max(most_live_bytes.load(), live_bytes.load());
  return bytes;
}
inline void* OrThrow(void* bytes) {
  if (bytes == nullptr) throw std::bad_alloc();
  return bytes;
}
inline void ReleaseCounted(void* bytes) noexcept {
  live_bytes -= static_cast<int64_t>(malloc_usable_size(bytes));
  std::free(bytes);
}
}  // namespace tally

void* operator new(size_t size) { return tally::OrThrow(tally::AllocateCounted(size, 16)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return tally::AllocateCounted(size, 16); }
void* operator new(size_t size, std::align_val_t alignment) {
  return tally::OrThrow(tally::AllocateCounted(size, static_cast<size_t>(alignment)));
}
void operator delete(void* bytes) noexcept { tally::ReleaseCounted(bytes); }
void operator delete(void* bytes, size_t) noexcept { tally::ReleaseCounted(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { tally::ReleaseCounted(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { tally::ReleaseCounted(bytes); }
