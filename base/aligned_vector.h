// A vector whose elements start at a multiple of 64 bytes: a cache line, and the widest load of a kernel. A load that
// meets two lines costs two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace tally {

template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, size_t) { ::operator delete(p, kLine); }
  bool operator==(const LineAllocator&) const = default;
};

template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace tally
