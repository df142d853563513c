// Pages of the host, of our own: they are there whatever becomes of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tally::cuda {

struct FreePages {
  static constexpr std::align_val_t kPage{4096};
  void operator()(uint8_t* pages) const { ::operator delete(pages, kPage); }
};
using Pages = std::unique_ptr<uint8_t, FreePages>;

inline Pages NewPages(size_t size) {
  return Pages(static_cast<uint8_t*>(::operator new(size, FreePages::kPage)));
}

}  // namespace tally::cuda
