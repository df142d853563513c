// A vector whose elements start at a multiple of 64 bytes: a cache line, and the widest load of a kernel. A
// load that crosses two lines costs two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally {

// Memory that begins on a cache line, and on a large page where it fills one: there the system is asked for
// large pages. Throws std::bad_alloc.
void* AllocateAligned(size_t bytes);
void FreeAligned(void* memory, size_t bytes);

template <typename T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(AllocateAligned(n * sizeof(T))); }
  void deallocate(T* p, size_t n) { FreeAligned(p, n * sizeof(T)); }
  bool operator==(const LineAllocator&) const = default;
};

template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace tally
